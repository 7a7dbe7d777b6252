// How several measured values of one figure or parameter become one
// (validate/results/figure_mean.h).
#pragma once

namespace lsmlab {

enum class Averaging {
  kNone,    // not at all: a text, or a sample taken during a run
  kMean,    // the sum divided by the number of values
  kRate,    // the harmonic mean: it averages the times that the rates stand for
  kMedian,  // for percentiles, which jump from run to run; the mean of the middle two of an even
            // number
};

[[nodiscard]] constexpr const char* averaging_name(Averaging averaging) {
  switch (averaging) {
    case Averaging::kMean:
      return "mean";
    case Averaging::kRate:
      return "harmonic mean";
    case Averaging::kMedian:
      return "median";
    case Averaging::kNone:
      break;
  }
  return "none";
}

}  // namespace lsmlab
