#include "models/execution/merge_scheduler.h"

#include <utility>
#include <variant>

namespace lsmlab {
namespace {

constexpr std::uint64_t kSecondNs = 1'000'000'000;

}  // namespace

PlanUrgency urgency_of(const Plan& plan) {
  if (takes_memtable(plan)) return PlanUrgency::kFlush;
  const std::vector<PlanInput> inputs = plan_inputs(plan);
  const bool takes_level0 = std::any_of(inputs.begin(), inputs.end(), [](const PlanInput& input) {
    return input.level == 0 && !input.files.empty();
  });
  return takes_level0 ? PlanUrgency::kLevel0 : PlanUrgency::kDeeper;
}

bool MergeScheduler::look(std::uint64_t now_ns, std::uint64_t client_bytes) {
  const std::uint64_t passed_ns = now_ns - last_look_ns_;
  if (passed_ns == 0) return false;
  const Uint128 bytes = client_bytes - std::exchange(last_client_bytes_, client_bytes);
  last_look_ns_ = now_ns;
  const auto client_rate = static_cast<std::uint64_t>(
      std::min<Uint128>(bytes * kSecondNs / passed_ns, std::uint64_t{1} << 62));
  const bool was_held = holds_deeper();
  const bool could_begin = may_begin_deeper();
  is_paused_ = client_rate > rules_->pause_above.value();

  const std::uint64_t all = rules_->bandwidth.value();
  const std::uint64_t left =
      std::max(rules_->bandwidth_min.value(), all - std::min(all, client_rate));
  const std::uint64_t difference = std::max(left, bytes_per_second_) -  //
                                   std::min(left, bytes_per_second_);
  if (difference >= rules_->bandwidth_step.value()) bytes_per_second_ = left;
  return (was_held && !holds_deeper()) || (!could_begin && may_begin_deeper());
}

bool MergeScheduler::note_level0_waits(bool waits) {
  const bool was_held = holds_deeper();
  level0_waits_ = waits;
  return was_held && !holds_deeper();
}

std::uint64_t MergeScheduler::transfer_ns(std::uint64_t bytes) const {
  return static_cast<std::uint64_t>((Uint128{bytes} * kSecondNs + bytes_per_second_ - 1) /
                                    bytes_per_second_);
}

std::uint64_t MergeScheduler::write_slot_ns(std::uint64_t now_ns, std::uint64_t bytes) {
  if (has_no_limit()) return now_ns;
  const std::uint64_t slot_ns = std::max(now_ns, free_ns_);
  free_ns_ = slot_ns + transfer_ns(bytes);
  return slot_ns;
}

void MergeScheduler::note_urgent_write(std::uint64_t now_ns, std::uint64_t bytes) {
  if (has_no_limit()) return;
  // What urgent writes took is not owed for longer than an interval.
  const std::uint64_t free_ns = std::max(now_ns, free_ns_) + transfer_ns(bytes);
  free_ns_ = std::max(free_ns_, std::min(free_ns, now_ns + interval_ns()));
}

}  // namespace lsmlab
