// Durations of merges, in the order in which they end. Where there are more than some thousands, it
// keeps evenly spaced ones. Not thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/accounting/run_result.h"

namespace lsmlab {

class MergeTimeSamples {
 public:
  void add(const MergeTime& time) {
    if (count_++ % stride_ != 0) return;
    times_.push_back(time);
    if (times_.size() < kTimesMax) return;
    for (std::size_t i = 0; i < kTimesMax / 2; ++i) times_[i] = times_[2 * i];
    times_.resize(kTimesMax / 2);
    stride_ *= 2;
  }
  [[nodiscard]] const std::vector<MergeTime>& times() const { return times_; }

 private:
  static constexpr std::size_t kTimesMax = 8192;

  std::vector<MergeTime> times_;
  std::uint64_t count_ = 0;
  std::uint64_t stride_ = 1;
};

}  // namespace lsmlab
