// The figures of one row, measured in rounds.
#pragma once

#include <chrono>
#include <vector>

namespace lsmlab::engine {

using CalibrateClock = std::chrono::steady_clock;

/// The figures of one row, one figure for each round.
class RoundFigures {
 public:
  void add(double figure) { figures_.push_back(figure); }
  /// If the number of figures is even, the mean of the middle two. 0 without figures.
  [[nodiscard]] double median() const;
  /// 0 without figures.
  [[nodiscard]] double mean() const;
  /// The mean without figures of more than twice the median, which come from pauses of the disk. If
  /// a machine has fast and slow phases, the median is that of one phase, but throughput depends on
  /// both.
  [[nodiscard]] double usual_mean() const;
  /// (largest - smallest) / median; 0 without figures.
  [[nodiscard]] double spread() const;

 private:
  std::vector<double> figures_;
};

}  // namespace lsmlab::engine
