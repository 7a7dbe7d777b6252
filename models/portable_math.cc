#include "models/portable_math.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

#include "models/check.h"

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

// (exp(r) - 1) / r by its Taylor series, for |r| <= 1/2.
double expm1_ratio(double r) {
  double sum = 1;
  for (int n = 17; n >= 2; --n) sum = 1 + r * sum / n;
  return sum;
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
  return std::ldexp(1 + rest * expm1_ratio(rest), static_cast<int>(power));
}

double portable_expm1(double x) {
  return x > -0.5 && x < 0.5 ? x * expm1_ratio(x) : portable_exp(x) - 1;
}

}  // namespace lsmlab
