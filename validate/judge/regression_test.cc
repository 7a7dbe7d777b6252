#include "validate/judge/regression.h"

#include <boost/random/normal_distribution.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "testing/catch.h"

namespace lsmlab::regression_test {
namespace {

bool near(double a, double b, double relative) { return std::abs(a - b) <= relative * std::abs(b); }

// The data set "Norris" of NIST for linear regression, with its certified values.
const std::vector<double> kNorrisY{0.1,   338.8, 118.1, 888.0, 9.2,   228.1, 668.5, 998.5, 449.1,
                                   778.9, 559.2, 0.3,   0.1,   778.1, 668.8, 339.3, 448.9, 10.8,
                                   557.7, 228.3, 998.0, 888.8, 119.6, 0.3,   0.6,   557.6, 339.3,
                                   888.0, 998.5, 778.9, 10.2,  117.6, 228.9, 668.4, 449.2, 0.2};
const std::vector<double> kNorrisX{0.2,   337.4, 118.2, 884.6, 10.1,  226.5, 666.3, 996.3, 448.6,
                                   777.0, 558.2, 0.4,   0.6,   775.5, 666.9, 338.0, 447.5, 11.6,
                                   556.0, 228.1, 995.8, 887.6, 120.2, 0.3,   0.3,   556.8, 339.1,
                                   887.2, 999.0, 779.0, 11.1,  118.3, 229.2, 669.1, 448.9, 0.5};

TEST_CASE("a line through NIST's Norris data has the certified figures") {
  const auto fit = fit_line(kNorrisX, kNorrisY);
  REQUIRE(fit.has_value());
  REQUIRE(fit->points == 36);
  REQUIRE(near(fit->slope, 1.00211681802045, 1e-12));
  REQUIRE(near(fit->intercept, -0.262323073774029, 1e-9));
  REQUIRE(near(fit->r_squared, 0.999993745883712, 1e-12));
  // Residual standard deviation 0.884796396144373 with 34 degrees of freedom.
  REQUIRE(near(fit->rms_residual, 0.884796396144373 * std::sqrt(34.0 / 36.0), 1e-9));
  // Standard errors 0.000429796848199937 and 0.232818234301152; t(0.975, 34) = 2.032244509.
  const double reach = (fit->slope_interval->high - fit->slope_interval->low) / 2;
  REQUIRE(near(reach, 0.000429796848199937 * 2.032244509, 1e-8));
  const double offset = (fit->intercept_interval->high - fit->intercept_interval->low) / 2;
  REQUIRE(near(offset, 0.232818234301152 * 2.032244509, 1e-8));
}

TEST_CASE("figures that were predicted exactly lie on the diagonal") {
  const std::vector<double> figures{3.5, 12, 7.25, 900, 41};
  const auto fit = fit_line(figures, figures);
  REQUIRE(near(fit->slope, 1, 1e-12));
  REQUIRE(std::abs(fit->intercept) < 1e-9);
  REQUIRE(near(fit->r_squared, 1, 1e-12));
  REQUIRE(fit->largest_relative_error == 0);
}

TEST_CASE("large figures close to each other keep their digits") {
  std::vector<double> predicted;
  std::vector<double> measured;
  for (int i = 0; i < 10; ++i) {
    predicted.push_back(1e12 + i);
    measured.push_back(1e12 + 2 * i);
  }
  REQUIRE(near(fit_line(predicted, measured)->slope, 2, 1e-5));
}

TEST_CASE("the largest relative error is told with its sign and place") {
  const std::vector<double> predicted{10, 18, 31, 40};
  const std::vector<double> measured{10, 20, 30, 40};
  const auto fit = fit_line(predicted, measured);
  REQUIRE(near(fit->largest_relative_error, -0.1, 1e-12));
  REQUIRE(fit->worst_point == 1);
  REQUIRE(relative_error(3, 0) > 1e300);
  REQUIRE(relative_error(0, 0) == 0);
}

TEST_CASE("a prediction is judged without the line as well, that would mend it") {
  const std::vector<double> measured{1, 2, 3, 6};  // sum of squares around the mean: 14
  const auto exact = fit_line(measured, measured);
  REQUIRE(exact->prediction_r_squared == 1);
  const auto twice = fit_line(std::vector<double>{2, 4, 6, 12}, measured);
  REQUIRE(near(twice->r_squared, 1, 1e-12));
  REQUIRE(near(twice->prediction_r_squared, 1 - 50.0 / 14, 1e-12));
  const auto beside = fit_line(std::vector<double>{2, 2, 3, 5}, measured);
  REQUIRE(near(beside->prediction_r_squared, 1 - 2.0 / 14, 1e-12));
}

TEST_CASE("no line where there is none") {
  REQUIRE(!fit_line({}, {}).has_value());
  REQUIRE(!fit_line(std::vector<double>{1}, std::vector<double>{2}).has_value());
  REQUIRE(!fit_line(std::vector<double>{5, 5, 5}, std::vector<double>{1, 2, 3}).has_value());
  REQUIRE(fit_line(std::vector<double>{1, 2, 3}, std::vector<double>{5, 5, 5})->r_squared == 0);
  const auto two = fit_line(std::vector<double>{1, 2}, std::vector<double>{3, 5});
  REQUIRE(near(two->slope, 2, 1e-12));
  REQUIRE(!two->slope_interval.has_value());
}

TEST_CASE("nineteen of twenty intervals hold the true line") {
  std::mt19937_64 random(7);
  boost::random::normal_distribution<double> noise(0, 0.5);
  int held = 0;
  constexpr int kRuns = 1000;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<double> predicted;
    std::vector<double> measured;
    for (int i = 0; i < 8; ++i) {
      predicted.push_back(i);
      measured.push_back(1.5 * i + 4 + noise(random));
    }
    const auto fit = fit_line(predicted, measured);
    held += fit->slope_interval->low <= 1.5 && 1.5 <= fit->slope_interval->high;
  }
  INFO("seed 7: " << held << " of " << kRuns);
  REQUIRE(held > 925);
  REQUIRE(held < 975);
}

}  // namespace
}  // namespace lsmlab::regression_test
