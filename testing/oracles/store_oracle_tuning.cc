// Checks what a policy sets at run time: that the operations which it measured are those that
// arrived, and that the tree keeps what was set, for the plans after it.
#include "testing/oracles/store_oracle.h"

namespace lsmlab::testing {

void StoreOracle::check_adaptation(const Plan& plan) const {
  require(before_->tuning() == tuning_, "the tree has other options than were set last");
  if (!plan.adaptation) return;
  require(takes_memtable(plan), "it sets options, but takes no memtable");
  const Adaptation& adaptation = *plan.adaptation;
  require(adaptation.tuning.flush == totals_.flushes + 1, "it sets options for flush {}, not {}",
          adaptation.tuning.flush, totals_.flushes + 1);
  // A store of eager plans takes a full memtable at once, so all writes are in flushed memtables.
  require(adaptation.measured.writes == writes_ - writes_at_tuning_,
          "{} writes were measured since options were set, not {}", adaptation.measured.writes,
          writes_ - writes_at_tuning_);
  require(adaptation.measured.deletes == deletes_ - deletes_at_tuning_,
          "{} deletes were measured since options were set, not {}", adaptation.measured.deletes,
          deletes_ - deletes_at_tuning_);
  require(adaptation.costs.mean <= adaptation.costs.mean_before,
          "it sets options that cost {}, more than the {} of those before", adaptation.costs.mean,
          adaptation.costs.mean_before);
}

void StoreOracle::follow_adaptation(const Plan& plan, const TreeEdit& edit, const TreeView& tree) {
  require(edit.tuning.has_value() == plan.adaptation.has_value(),
          "the edit and the plan differ in whether options are set");
  if (plan.adaptation) {
    require(edit.tuning == plan.adaptation->tuning, "the edit sets other options than the plan");
    tuning_ = plan.adaptation->tuning;
    format_.filter_millibits_per_key =
        static_cast<std::uint32_t>(tuning_->bits_per_key_thousandths);
    writes_at_tuning_ = writes_;
    deletes_at_tuning_ = deletes_;
  }
  require(tree.tuning() == tuning_, "the tree did not take the options that were set");
}

std::uint64_t StoreOracle::range_bytes() const {
  return tuning_ ? tuning_->range_bytes.value() : options_.store.range_bytes.value();
}

}  // namespace lsmlab::testing
