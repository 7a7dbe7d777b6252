// Schedules a store's merges by what its clients do (models/policies/merge_scheduling.h). The
// engine's threads and the simulated store ask the same object; each brings its own clock.
//
//   flush        never waits
//   level 0      a plan with files of level 0: never waits; one of them may run in a thread of its
//                own, beside the merge threads, where these are busy with deeper plans or paused
//   deeper       begins only while clients are not at a peak, stops between two requests while they
//                are, and writes at the rate that clients, flushes and merges of level 0 leave
//
// If level 0 has the runs that make it merge, but its merge cannot begin because deeper plans have
// its files, then these neither stop nor wait until they are done: writers would wait for them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "models/policies/merge_scheduling.h"
#include "models/tree/plan.h"

namespace lsmlab {

enum class PlanUrgency { kFlush, kLevel0, kDeeper };
/// A plan that takes the memtable is a flush; one that takes a file of level 0 is of level 0.
[[nodiscard]] PlanUrgency urgency_of(const Plan& plan);

/// Without rules nothing waits. Not thread safe.
class MergeScheduler {
 public:
  explicit MergeScheduler(const std::optional<MergeScheduling>& rules) : rules_(rules) {
    if (rules_) bytes_per_second_ = rules_->bandwidth.value();
  }

  [[nodiscard]] bool is_given() const { return rules_.has_value(); }
  /// REQUIRES: is_given(), as for what follows.
  [[nodiscard]] std::uint64_t interval_ns() const { return rules_->interval_us * 1'000; }
  /// To be called once an interval, with the time and all bytes that clients have transferred until
  /// now. Returns whether deeper plans may now do what they might not do before.
  bool look(std::uint64_t now_ns, std::uint64_t client_bytes);
  /// Notes whether level 0 waits for running deeper plans. Returns as look().
  bool note_level0_waits(bool waits);

  /// Whether a deeper plan may begin.
  [[nodiscard]] bool may_begin_deeper() const { return !is_paused_; }
  /// Whether a running deeper plan stops before its next request.
  [[nodiscard]] bool holds_deeper() const { return is_paused_ && !level0_waits_; }
  /// When a deeper plan may write so many bytes: now, or later. It has them from then on.
  [[nodiscard]] std::uint64_t write_slot_ns(std::uint64_t now_ns, std::uint64_t bytes);
  /// A flush or merge of level 0 writes so many bytes now.
  void note_urgent_write(std::uint64_t now_ns, std::uint64_t bytes);

  [[nodiscard]] bool is_paused() const { return is_paused_; }
  [[nodiscard]] std::uint64_t bytes_per_second() const { return bytes_per_second_; }

 private:
  [[nodiscard]] bool has_no_limit() const { return !rules_->limits_rate || level0_waits_; }
  [[nodiscard]] std::uint64_t transfer_ns(std::uint64_t bytes) const;

  const std::optional<MergeScheduling> rules_;
  bool is_paused_ = false;
  bool level0_waits_ = false;
  std::uint64_t bytes_per_second_ = 0;
  std::uint64_t free_ns_ = 0;  // when the next deeper write may begin
  std::uint64_t last_look_ns_ = 0;
  std::uint64_t last_client_bytes_ = 0;
};

}  // namespace lsmlab
