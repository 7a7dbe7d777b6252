// Fits a straight line to measured over predicted values.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace lsmlab {

struct Interval {
  double low = 0;
  double high = 0;
};

struct LinearFit {
  std::size_t points = 0;
  double slope = 0;
  double intercept = 0;
  // 95 % confidence intervals by Student's t; nothing with fewer than three points.
  std::optional<Interval> slope_interval;
  std::optional<Interval> intercept_interval;
  double r_squared = 0;  // 0 where all measured values are equal: there is no variance to explain
  // R^2 of the predicted values themselves, without the line. Below 0 where the mean of the
  // measured values predicts better.
  double prediction_r_squared = 0;
  double rms_residual = 0;  // root mean square of the residuals, in the measured unit
  double largest_relative_error =
      0;                        // relative_error() of the worst point, without the line; signed
  std::size_t worst_point = 0;  // index of that point
};

/// Fits measured = slope * predicted + intercept by least squares. Nothing for fewer than two
/// points, or if all predicted values are equal. REQUIRES: equally many values of each; all are
/// finite.
[[nodiscard]] std::optional<LinearFit> fit_line(std::span<const double> predicted,
                                                std::span<const double> measured);

/// (predicted - measured) / measured; 0 if both are 0, infinite if only `measured` is 0.
[[nodiscard]] double relative_error(double predicted, double measured);

}  // namespace lsmlab
