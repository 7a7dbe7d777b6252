// A line through measured figures over predicted ones.
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
  // 95 % confidence, by Student's t; nothing with fewer than three points.
  std::optional<Interval> slope_interval;
  std::optional<Interval> intercept_interval;
  double r_squared = 0;  // 0 where all measured values are equal: nothing to explain
  // The same of the predicted values as they are, without the line: below 0 where the measured
  // ones' mean would predict better.
  double prediction_r_squared = 0;
  double rms_residual = 0;            // root of the residuals' mean square, measured's unit
  double largest_relative_error = 0;  // of predicted against measured, without the line; signed
  std::size_t worst_point = 0;        // where that is
};

/// Least squares of measured = slope * predicted + intercept. Nothing where there are fewer than
/// two points, or the predicted ones are all equal. REQUIRES: as many of each; finite.
[[nodiscard]] std::optional<LinearFit> fit_line(std::span<const double> predicted,
                                                std::span<const double> measured);

/// (predicted - measured) / measured; 0 where both are 0, infinite where measured alone is.
[[nodiscard]] double relative_error(double predicted, double measured);

}  // namespace lsmlab
