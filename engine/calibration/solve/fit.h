// The two ways in which solve fits unknowns to rows: least squares, and the best of some
// candidates.
#pragma once

#include <cmath>
#include <limits>

#include "models/base/check.h"

namespace lsmlab::engine {

/// Finds both unknowns of y = a * x1 + b * x2 by least squares over several rows.
class TwoUnknowns {
 public:
  struct Pair {
    double a = 0;
    double b = 0;
  };
  void add(double x1, double x2, double y) {
    x1x1_ += x1 * x1;
    x1x2_ += x1 * x2;
    x2x2_ += x2 * x2;
    x1y_ += x1 * y;
    x2y_ += x2 * y;
  }
  /// REQUIRES: two rows that are no multiples of each other.
  [[nodiscard]] Pair solve() const {
    const double determinant = x1x1_ * x2x2_ - x1x2_ * x1x2_;
    CHECK(determinant > 0);
    return {(x1y_ * x2x2_ - x2y_ * x1x2_) / determinant,
            (x2y_ * x1x1_ - x1y_ * x1x2_) / determinant};
  }

 private:
  double x1x1_ = 0;
  double x1x2_ = 0;
  double x2x2_ = 0;
  double x1y_ = 0;
  double x2y_ = 0;
};

/// Of 65 candidates from 0 to `most`, the smallest whose `miss_of(candidate)` is least. 0 if every
/// miss is NaN, because nothing was measured.
template <typename Miss>
[[nodiscard]] double least_miss(double most, const Miss& miss_of) {
  constexpr unsigned kSteps = 64;
  double best = 0;
  double best_miss = std::numeric_limits<double>::infinity();
  for (unsigned step = 0; step <= kSteps; ++step) {
    const double candidate = most * step / kSteps;
    const double miss = miss_of(candidate);
    if (!(miss < best_miss)) continue;
    best = candidate;
    best_miss = miss;
  }
  return best;
}

/// How far two figures are from each other by their ratio.
[[nodiscard]] inline double miss_of_ratio(double simulated, double measured) {
  return std::pow(std::log(simulated / measured), 2);
}

}  // namespace lsmlab::engine
