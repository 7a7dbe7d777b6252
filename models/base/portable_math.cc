#include "models/base/portable_math.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>

#include "models/base/check.h"

namespace lsmlab {
namespace {

static_assert(std::numeric_limits<double>::is_iec559 && FLT_EVAL_METHOD == 0,
              "workloads are the same everywhere only with plain IEEE 754 doubles");

// ln 2 in two parts: the first has 32 significant bits, so that small multiples
// of it are exact.
constexpr double kLn2High = 6.93147180369123816490e-01;
constexpr double kLn2Low = 1.90821492927058770002e-10;

// 2 artanh(f) = 2 (f + f^3/3 + f^5/5 + ...), for |f| <= 1/4.
double twice_artanh(double f) {
  const double square = f * f;
  double sum = 0;
  for (int n = 31; n >= 1; n -= 2) sum = sum * square + 1.0 / n;
  return 2 * f * sum;
}

// 1/1!, 1/2!, ...: the coefficients of the Taylor series of (exp(r) - 1) / r.
constexpr auto kInverseFactorials = [] {
  std::array<double, 17> inverses{};
  double factorial = 1;  // exact: without its powers of two 17! has 33 bits
  for (std::size_t n = 1; n <= inverses.size(); ++n) {
    factorial *= static_cast<double>(n);
    inverses[n - 1] = 1 / factorial;
  }
  return inverses;
}();

// (exp(r) - 1) / r by its Taylor series, for |r| <= 1/2. It has no divisions, because every draw of
// a Zipf distribution calls it.
double expm1_ratio(double r) {
  double sum = 0;
  for (std::size_t n = kInverseFactorials.size(); n-- > 0;) sum = sum * r + kInverseFactorials[n];
  return sum;
}

// 2^exponent, for exponents of normal numbers.
double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

}  // namespace

double portable_log(double x) {
  CHECK(x > 0 && x <= DBL_MAX);
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < 0.70710678118654752) {
    mantissa *= 2;
    --exponent;
  }
  const double fraction = twice_artanh((mantissa - 1) / (mantissa + 1));
  return exponent * kLn2High + (exponent * kLn2Low + fraction);
}

double portable_log1p(double x) {
  return x > -0.4 && x < 0.4 ? twice_artanh(x / (2 + x)) : portable_log(1 + x);
}

double portable_exp(double x) {
  x = std::clamp(x, -700.0, 700.0);
  const double power = std::floor(x / (kLn2High + kLn2Low) + 0.5);
  const double rest = (x - power * kLn2High) - power * kLn2Low;
  return (1 + rest * expm1_ratio(rest)) * power_of_two(static_cast<int>(power));
}

double portable_expm1(double x) {
  return x > -0.5 && x < 0.5 ? x * expm1_ratio(x) : portable_exp(x) - 1;
}

}  // namespace lsmlab
