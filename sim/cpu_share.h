// The processor of a simulated run. A thread that begins to work goes to the core with the fewest;
// those of one core go slower alike, as a scheduler with a queue for each core has it, and all go
// slower the more cores work, as they share caches, memory and often execution units. What a piece
// of work takes is settled when it begins; work is cut into pieces short enough for that. Not
// thread safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/check.h"
#include "models/device.h"
#include "models/units.h"

namespace lsmlab {

class CpuShare {
 public:
  explicit CpuShare(const CpuModel& model)
      : threads_(model.cores),
        slowdowns_{slowdown_per_core(model.busy_slowdown, model.cores),
                   slowdown_per_core(model.merge_busy_slowdown, model.cores)} {}

  enum class Kind { kClient, kMerge };

  /// A piece of work, from begin() to end().
  struct Work {
    std::uint64_t duration_ns = 0;
    std::size_t core = 0;
  };

  /// A thread begins; how long this much work takes it, rounded up, and where.
  [[nodiscard]] Work begin(std::uint64_t work_ns, Kind kind = Kind::kClient) {
    const std::uint64_t slowdown = slowdowns_[static_cast<std::size_t>(kind)];
    std::size_t core = 0;
    for (std::size_t i = 1; i < threads_.size() && threads_[core] > 0; ++i) {
      if (threads_[i] < threads_[core]) core = i;
    }
    const std::uint64_t others = busy_cores_ - (threads_[core] > 0 ? 1 : 0);
    if (threads_[core]++ == 0) ++busy_cores_;
    busy_ns_ += work_ns;
    if (threads_[core] == 1 && (others == 0 || slowdown == 0)) [[likely]]
      return {work_ns, core};
    constexpr std::uint64_t kOne = std::uint64_t{1} << kSlowdownBits;
    const Uint128 scaled = Uint128{work_ns} * threads_[core] * (kOne + others * slowdown);
    return {static_cast<std::uint64_t>((scaled + kOne - 1) >> kSlowdownBits), core};
  }
  void end(const Work& work) {
    CHECK(threads_[work.core] > 0);
    if (--threads_[work.core] == 0) --busy_cores_;
  }
  /// A slowdown by which what a thread waits for takes longer, in 1 / 2^kSlowdownBits, by the share
  /// of the other cores that work. REQUIRES: the whole one, of all of them.
  [[nodiscard]] std::uint64_t slowdown_of_busy(std::uint64_t whole) const {
    const std::uint64_t others = threads_.size() - 1;
    if (others == 0) return 0;
    return busy_cores_ >= others ? whole : whole * busy_cores_ / others;
  }
  /// Work done, of all cores, as it would take one thread alone.
  [[nodiscard]] std::uint64_t busy_ns() const { return busy_ns_; }

 private:
  // With all other cores at work it is the whole slowdown.
  static std::uint64_t slowdown_per_core(const Decimal& slowdown, std::uint64_t cores) {
    const std::uint64_t others = cores > 1 ? cores - 1 : 1;
    return scaled_slowdown(slowdown) / others;
  }

  std::vector<std::uint32_t> threads_;      // that work, by core
  std::array<std::uint64_t, 2> slowdowns_;  // by Kind
  std::uint64_t busy_cores_ = 0;
  std::uint64_t busy_ns_ = 0;
};

}  // namespace lsmlab
