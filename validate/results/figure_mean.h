// The mean of figures of several runs or measurements. Of rates it is that of the times which they
// stand for: what took twice as long in one run and as long as ever in another took one and a half
// times as long. Of percentiles it is the median: where about as many operations wait for something
// slow as a percentile leaves out, it jumps from run to run, and one run would be all of a mean.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace lsmlab {

enum class FigureKind { kPlain, kRate, kPercentile };

/// Of a figure of that name: a rate is so much a second, a percentile is named like "put_p99.9_ns".
[[nodiscard]] inline FigureKind figure_kind(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("bandwidth") || has("per_second")) return FigureKind::kRate;
  return has("_p50_") || has("_p9") ? FigureKind::kPercentile : FigureKind::kPlain;
}

class FigureMean {
 public:
  explicit FigureMean(FigureKind kind) : kind_(kind) {}

  void add(double figure) { figures_.push_back(figure); }
  /// 0 of rates where one is none. REQUIRES: something was added.
  [[nodiscard]] double value() const {
    const auto count = static_cast<double>(figures_.size());
    double sum = 0;
    switch (kind_) {
      case FigureKind::kPercentile:
        return median();
      case FigureKind::kRate:
        for (const double figure : figures_) {
          if (figure == 0) return 0;
          sum += 1 / figure;
        }
        return count / sum;
      case FigureKind::kPlain:
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

  FigureKind kind_;
  std::vector<double> figures_;
};

}  // namespace lsmlab
