#include "testing/oracles/store_oracle.h"

#include <variant>

#include "testing/oracles/naive_sstable.h"
#include "testing/oracles/order_oracle.h"

namespace lsmlab::testing {

StoreOracle::StoreOracle(StoreOracleOptions options)
    : options_(std::move(options)), format_(options_.store.format()) {}

void StoreOracle::guard(const std::function<void()>& checks) {
  if (!fault_.empty()) return;
  try {
    checks();
  } catch (const Violation& violation) {
    fault_ = context_ + violation.message;
  }
}

void StoreOracle::on_write(const StoredEntry& entry, Instant now) {
  guard([&] {
    context_ = fmt::format("write {} of key {}: ", entry.sequence, entry.key);
    require(entry.sequence == writes_ + 1, "its sequence number should be {}", writes_ + 1);
    require(!entry.is_tombstone || entry.value_bytes == 0, "a tombstone with a value of {} bytes",
            entry.value_bytes);
    require(now_ <= now, "time runs backwards, from {} to {}", now_.value(), now.value());
    if (options_.flushes_full_memtables) {
      require(memtable_bytes_ < options_.store.buffer.value(),
              "the memtable was full at {} of {} bytes", memtable_bytes_,
              options_.store.buffer.value());
      require(!is_flushed_early_, "the previous memtable was taken before it was full");
    }
    now_ = now;
    ++writes_;
    if (entry.is_tombstone) ++deletes_;
    memtable_bytes_ += naive_entry_bytes(entry);
    if (memtable_.empty()) memtable_begun_ = now;
    if (written_.insert(entry.key).second) keys_.push_back(entry.key);
    live_[entry.key] = entry;
    if (const auto older = memtable_.find(entry.key); older != memtable_.end()) {
      if (options_.store.memtable == MemtableKind::kInPlace) {
        memtable_bytes_ -= naive_entry_bytes(older->second.entry);
      }
      if (options_.flush_keeps_overwritten) {
        overwritten_.push_back(older->second);
      } else {
        ++entries_gone_;
      }
    }
    memtable_[entry.key] = {entry, now};
  });
}

void StoreOracle::on_plan(const TreeView& tree, const Plan& plan) {
  guard([&] {
    ++plans_;
    context_ = fmt::format("plan {} ({}, {}): ", plans_, plan_kind_name(kind_of_plan(plan)),
                           reason_name(plan.reason));
    require(!before_, "the previous plan was not executed");
    check_tree(tree);
    before_ = tree;
    places_before_ = places_of(*before_);
    check_plan(plan);
    check_adaptation(plan);
  });
}

void StoreOracle::on_edit(const TreeView& tree, const Plan& plan, const TreeEdit& edit,
                          const Contents& contents) {
  guard([&] {
    require(before_.has_value(), "an edit without a plan");
    require(now_ <= tree.now(), "time runs backwards, from {} to {}", now_.value(),
            tree.now().value());
    now_ = tree.now();
    OutputTarget target;
    if (const auto* flush = std::get_if<FlushPlan>(&plan.action)) {
      MergePlan memtable_alone;
      memtable_alone.takes_memtable = true;
      memtable_alone.target = flush->target;
      memtable_alone.cut = flush->cut;
      memtable_alone.drops_tombstones = false;
      target = flush->target;
      follow_merge(memtable_alone, true, edit, contents);
    } else if (const auto* merge = std::get_if<MergePlan>(&plan.action)) {
      target = merge->target;
      follow_merge(*merge, false, edit, contents);
    } else if (const auto* move = std::get_if<MovePlan>(&plan.action)) {
      target = move->target;
      follow_move(*move, edit);
    } else if (const auto* drop = std::get_if<DropPlan>(&plan.action)) {
      follow_drop(*drop, edit);
    } else if (const auto* refer = std::get_if<ReferPlan>(&plan.action)) {
      target = refer->target;
      follow_refer(*refer, edit);
    } else if (const auto* trim = std::get_if<TrimPlan>(&plan.action)) {
      follow_trim(*trim, edit);
    } else {
      follow_link(std::get<LinkPlan>(plan.action), edit);
    }
    check_cursors(tree, plan, edit);
    follow_adaptation(plan, edit, tree);
    check_tree(tree);
    const std::string fault = order_fault(tree);
    require(fault.empty(), "{}", fault);
    check_placed(tree, edit, target);
    check_conservation();
    require(tree.flush_count() == totals_.flushes, "the tree counts {} flushes, there were {}",
            tree.flush_count(), totals_.flushes);
    check_reads(tree, options_.keys_read);
    before_.reset();
    places_before_.clear();
  });
}

void StoreOracle::finish(const TreeView& tree, const StoreTotals& reported) {
  guard([&] {
    context_ = "at the end: ";
    require(!before_, "the last plan was not executed");
    check_tree(tree);
    check_conservation();
    check_reads(tree, keys_.size());
    compare_totals(reported);
  });
}

void StoreOracle::compare_totals(const StoreTotals& reported) const {
  const auto compare = [&](const char* name, std::uint64_t StoreTotals::*figure) {
    require(reported.*figure == totals_.*figure, "{} is {}, should be {}", name, reported.*figure,
            totals_.*figure);
  };
  compare("flushes", &StoreTotals::flushes);
  compare("merges", &StoreTotals::merges);
  compare("moves", &StoreTotals::moves);
  compare("links", &StoreTotals::links);
  compare("drops", &StoreTotals::drops);
  compare("refers", &StoreTotals::refers);
  compare("trims", &StoreTotals::trims);
  compare("bytes_dropped", &StoreTotals::bytes_dropped);
  compare("flush_bytes_written", &StoreTotals::flush_bytes_written);
  compare("merge_bytes_written", &StoreTotals::merge_bytes_written);
  compare("merge_bytes_read", &StoreTotals::merge_bytes_read);
  compare("entries_dropped", &StoreTotals::entries_dropped);
  compare("tombstones_dropped", &StoreTotals::tombstones_dropped);
}

}  // namespace lsmlab::testing
