#include "models/theory/cost_figure.h"

#include <cmath>

#include "testing/catch.h"

namespace lsmlab::cost_figure_test {
namespace {

TEST_CASE("logarithms of powers of the base are whole numbers") {
  // std::log(1000) / std::log(10) is not 3.
  for (int base = 2; base <= 1024; ++base) {
    double power = 1;
    for (int exponent = 0; power < 0x1p53; ++exponent, power *= base) {
      INFO(base << "^" << exponent);
      REQUIRE(log_to_base(power, base) == exponent);
    }
  }
}

TEST_CASE("other logarithms are those of the library") {
  for (const double base : {2.0, 3.0, 10.0, 25.5, 100.0}) {
    double last = -1;
    for (double value = 1; value < 1e15; value *= 1.37) {
      INFO("base " << base << " value " << value);
      const double logarithm = log_to_base(value, base);
      REQUIRE(logarithm == Approx(std::log(value) / std::log(base)).epsilon(1e-13).margin(1e-15));
      REQUIRE(logarithm > last);
      last = logarithm;
    }
  }
}

}  // namespace
}  // namespace lsmlab::cost_figure_test
