#include "models/theory/cost_figure.h"

#include <cfloat>

#include "models/base/check.h"
#include "models/base/portable_math.h"

namespace lsmlab {

double log_to_base(double value, double base) {
  CHECK(value >= 1 && value <= DBL_MAX && base >= 2);
  double whole = 0;
  for (; value >= base; value /= base) ++whole;
  return whole + portable_log(value) / portable_log(base);
}

}  // namespace lsmlab
