// The figure of several runs or measurements, as its descriptor says (models/accounting/figure.h).
// Of rates it is the mean of the times that they stand for: what took twice as long in one run and
// as long as ever in another took one and a half times as long. Of percentiles it is the median:
// where about as many operations wait for something slow as a percentile leaves out, it jumps from
// run to run, and one run would be all of a mean.
#pragma once

#include <algorithm>
#include <vector>

#include "models/accounting/figure.h"

namespace lsmlab {

class FigureMean {
 public:
  explicit FigureMean(Averaging averaging) : averaging_(averaging) {}

  void add(double figure) { figures_.push_back(figure); }
  /// 0 of rates where one of them is 0. REQUIRES: something was added.
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
  // Of an even number the mean of the two in the middle.
  [[nodiscard]] double median() const {
    std::vector<double> sorted = figures_;
    std::sort(sorted.begin(), sorted.end());
    return (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
  }

  Averaging averaging_;
  std::vector<double> figures_;
};

}  // namespace lsmlab
