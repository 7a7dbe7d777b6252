// Averages a figure over several runs or measurements, as its descriptor says
// (models/accounting/figure.h).
//
// Rates have the harmonic mean, which averages the times behind them: work that takes one second in
// one run and two seconds in another takes one and a half seconds on average. Percentiles have the
// median. A percentile jumps from run to run if about as many operations meet a rare delay as the
// percentile leaves out; one such run would dominate a mean.
#pragma once

#include <algorithm>
#include <vector>

#include "models/accounting/figure.h"

namespace lsmlab {

class FigureMean {
 public:
  explicit FigureMean(Averaging averaging) : averaging_(averaging) {}

  void add(double figure) { figures_.push_back(figure); }
  /// The average. It is 0 if one of several rates is 0. REQUIRES: add() was called.
  [[nodiscard]] double value() const {
    const auto count = static_cast<double>(figures_.size());
    double sum = 0;
    switch (averaging_) {
      case Averaging::kMedian:
        return median();
      case Averaging::kRate:
        for (const double figure : figures_) {
          if (figure == 0) return 0;
          sum += 1 / figure;
        }
        return count / sum;
      case Averaging::kMean:
      case Averaging::kNone:
        break;
    }
    for (const double figure : figures_) sum += figure;
    return sum / count;
  }

 private:
  // The mean of the middle two, if their number is even.
  [[nodiscard]] double median() const {
    std::vector<double> sorted = figures_;
    std::sort(sorted.begin(), sorted.end());
    return (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
  }

  Averaging averaging_;
  std::vector<double> figures_;
};

}  // namespace lsmlab
