// Logarithm and exponential that give the same bits on every machine; those of
// C libraries may differ. They rely on IEEE 754 double addition, subtraction,
// multiplication and division, rounded to nearest and evaluated in double,
// without contraction (-ffp-contract=off) and without -ffast-math. frexp, ldexp
// and floor are exact by definition. The relative error is a few units in the
// last place.
#pragma once

namespace lsmlab {

/// REQUIRES: x > 0 and finite.
[[nodiscard]] double portable_log(double x);
/// log(1 + x), precise near 0. REQUIRES: x > -1 and finite.
[[nodiscard]] double portable_log1p(double x);
/// Arguments below -700 count as -700, arguments above 700 as 700.
[[nodiscard]] double portable_exp(double x);
/// exp(x) - 1, precise near 0.
[[nodiscard]] double portable_expm1(double x);

}  // namespace lsmlab
