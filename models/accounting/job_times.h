// Durations of flushes and merges, by the level that they write to; only with a clock.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "models/tree/plan.h"

namespace lsmlab {

/// Sums over the jobs that wrote into one level.
struct JobTimes {
  std::uint64_t flush_ns = 0;            // from the first byte to the last
  std::uint64_t flush_processor_ns = 0;  // their threads worked; 0 where the system does not tell
  std::uint64_t merge_ns = 0;
  std::uint64_t merge_processor_ns = 0;
  JobTimes& operator+=(const JobTimes& other) {
    flush_ns += other.flush_ns;
    flush_processor_ns += other.flush_processor_ns;
    merge_ns += other.merge_ns;
    merge_processor_ns += other.merge_processor_ns;
    return *this;
  }
  friend bool operator==(const JobTimes&, const JobTimes&) = default;
};

/// Adds a finished job. Moves and links take no such time and are left out.
inline void add_job_time(const Plan& plan, std::uint64_t nanoseconds, std::uint64_t processor_ns,
                         std::vector<JobTimes>& by_level) {
  const bool is_flush = std::holds_alternative<FlushPlan>(plan.action);
  if (!is_flush && !std::holds_alternative<MergePlan>(plan.action)) return;
  const std::size_t level = plan_target(plan).level;
  if (by_level.size() <= level) by_level.resize(level + 1);
  by_level[level] += is_flush ? JobTimes{nanoseconds, processor_ns, 0, 0}
                              : JobTimes{0, 0, nanoseconds, processor_ns};
}

}  // namespace lsmlab
