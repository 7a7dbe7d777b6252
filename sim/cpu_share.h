// The processor of a simulated run: while more threads work than there are cores, all go slower
// alike. What a piece of work takes is settled when it begins; work is cut into pieces short enough
// for that. Not thread safe.
#pragma once

#include <cstdint>

#include "models/check.h"
#include "models/units.h"

namespace lsmlab {

class CpuShare {
 public:
  explicit CpuShare(std::uint64_t cores) : cores_(cores) {}

  /// A thread begins to work; returns how long this much work takes it.
  [[nodiscard]] std::uint64_t begin(std::uint64_t work_ns) {
    ++working_;
    busy_ns_ += work_ns;
    if (working_ <= cores_) [[likely]]
      return work_ns;
    return static_cast<std::uint64_t>((Uint128{work_ns} * working_ + cores_ - 1) / cores_);
  }
  void end() {
    CHECK(working_ > 0);
    --working_;
  }
  /// Work done, of all cores.
  [[nodiscard]] std::uint64_t busy_ns() const { return busy_ns_; }

 private:
  std::uint64_t cores_;
  std::uint64_t working_ = 0;
  std::uint64_t busy_ns_ = 0;
};

}  // namespace lsmlab
