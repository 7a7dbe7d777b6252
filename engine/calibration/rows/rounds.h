// The figures of one row, measured in rounds.
#pragma once

#include <chrono>
#include <vector>

namespace lsmlab::engine {

using CalibrateClock = std::chrono::steady_clock;

/// One row's figures, one a round.
class RoundFigures {
 public:
  void add(double figure) { figures_.push_back(figure); }
  /// The mean of the middle two where their number is even; 0 without any.
  [[nodiscard]] double median() const;
  /// 0 without any.
  [[nodiscard]] double mean() const;
  /// Without figures of more than twice the median, which a pause of the disk makes. A machine that
  /// has a fast and a slow phase gives a median of either, and throughput follows both.
  [[nodiscard]] double usual_mean() const;
  /// (largest - smallest) / median; 0 without any.
  [[nodiscard]] double spread() const;

 private:
  std::vector<double> figures_;
};

}  // namespace lsmlab::engine
