#include "validate/judge/regression.h"

#include <Eigen/Dense>
#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

#include "models/base/check.h"

namespace lsmlab {
namespace {

constexpr double kConfidence = 0.95;

Interval interval_around(double value, double standard_error, std::size_t freedom) {
  const boost::math::students_t distribution(static_cast<double>(freedom));
  const double reach = boost::math::quantile(distribution, 0.5 + kConfidence / 2) * standard_error;
  return {value - reach, value + reach};
}

void find_worst_point(std::span<const double> predicted, std::span<const double> measured,
                      LinearFit& fit) {
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const double error = relative_error(predicted[i], measured[i]);
    if (std::abs(error) <= std::abs(fit.largest_relative_error)) continue;
    fit.largest_relative_error = error;
    fit.worst_point = i;
  }
}

}  // namespace

double relative_error(double predicted, double measured) {
  if (predicted == measured) return 0;
  if (measured == 0) return std::copysign(std::numeric_limits<double>::infinity(), predicted);
  return (predicted - measured) / std::abs(measured);
}

std::optional<LinearFit> fit_line(std::span<const double> predicted,
                                  std::span<const double> measured) {
  CHECK(predicted.size() == measured.size());
  const std::size_t points = predicted.size();
  if (points < 2) return std::nullopt;
  const auto rows = static_cast<Eigen::Index>(points);
  const Eigen::Map<const Eigen::VectorXd> x(predicted.data(), rows);
  const Eigen::Map<const Eigen::VectorXd> y(measured.data(), rows);
  // Centred at the means, so that large values that are close to each other lose no digits.
  const double mean_x = x.mean();
  const double mean_y = y.mean();
  const Eigen::VectorXd centred_x = x.array() - mean_x;
  const Eigen::VectorXd centred_y = y.array() - mean_y;
  const double spread = centred_x.squaredNorm();
  if (spread == 0) return std::nullopt;

  LinearFit fit;
  fit.points = points;
  fit.slope = centred_x.dot(centred_y) / spread;
  fit.intercept = mean_y - fit.slope * mean_x;
  const double residual = (centred_y - fit.slope * centred_x).squaredNorm();
  const double total = centred_y.squaredNorm();
  fit.r_squared = total > 0 ? 1 - residual / total : 0;
  fit.prediction_r_squared = total > 0 ? 1 - (y - x).squaredNorm() / total : 0;
  fit.rms_residual = std::sqrt(residual / static_cast<double>(points));
  find_worst_point(predicted, measured, fit);
  if (points < 3) return fit;
  const std::size_t freedom = points - 2;
  const double variance = residual / static_cast<double>(freedom);
  const double slope_error = std::sqrt(variance / spread);
  const double intercept_error =
      std::sqrt(variance * (1 / static_cast<double>(points) + mean_x * mean_x / spread));
  fit.slope_interval = interval_around(fit.slope, slope_error, freedom);
  fit.intercept_interval = interval_around(fit.intercept, intercept_error, freedom);
  return fit;
}

}  // namespace lsmlab
