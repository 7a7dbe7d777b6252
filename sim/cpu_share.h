// The processor of a simulated run. A thread that begins to work goes to the core with the fewest;
// those of one core go slower alike, as a scheduler with a queue for each core has it, and all go
// slower the more cores work, as they share caches, memory and often execution units. What a piece
// of work takes is settled when it begins; work is cut into pieces short enough for that. Not
// thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/check.h"
#include "models/device.h"
#include "models/units.h"

namespace lsmlab {

class CpuShare {
 public:
  explicit CpuShare(const CpuModel& model) : threads_(model.cores) {
    const Decimal& slowdown = model.busy_slowdown;
    // With all other cores at work it is the whole slowdown.
    const std::uint64_t others = model.cores > 1 ? model.cores - 1 : 1;
    slowdown_per_core_ = static_cast<std::uint64_t>((Uint128{slowdown.numerator()} << kScaleBits) /
                                                    slowdown.denominator() / others);
  }

  /// A piece of work, from begin() to end().
  struct Work {
    std::uint64_t duration_ns = 0;
    std::size_t core = 0;
  };

  /// A thread begins; how long this much work takes it, rounded up, and where.
  [[nodiscard]] Work begin(std::uint64_t work_ns) {
    std::size_t core = 0;
    for (std::size_t i = 1; i < threads_.size() && threads_[core] > 0; ++i) {
      if (threads_[i] < threads_[core]) core = i;
    }
    const std::uint64_t others = busy_cores_ - (threads_[core] > 0 ? 1 : 0);
    if (threads_[core]++ == 0) ++busy_cores_;
    busy_ns_ += work_ns;
    if (threads_[core] == 1 && (others == 0 || slowdown_per_core_ == 0)) [[likely]]
      return {work_ns, core};
    constexpr std::uint64_t kOne = std::uint64_t{1} << kScaleBits;
    const Uint128 scaled = Uint128{work_ns} * threads_[core] * (kOne + others * slowdown_per_core_);
    return {static_cast<std::uint64_t>((scaled + kOne - 1) >> kScaleBits), core};
  }
  void end(const Work& work) {
    CHECK(threads_[work.core] > 0);
    if (--threads_[work.core] == 0) --busy_cores_;
  }
  /// Work done, of all cores, as it would take one thread alone.
  [[nodiscard]] std::uint64_t busy_ns() const { return busy_ns_; }

 private:
  static constexpr unsigned kScaleBits = 16;  // of the fraction of a slowdown

  std::vector<std::uint32_t> threads_;  // that work, by core
  std::uint64_t busy_cores_ = 0;
  std::uint64_t slowdown_per_core_ = 0;
  std::uint64_t busy_ns_ = 0;
};

}  // namespace lsmlab
