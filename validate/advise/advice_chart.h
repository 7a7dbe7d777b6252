// The picture of an answer: every candidate by two figures, and the Pareto front.
#pragma once

#include <string>

#include "models/base/error.h"
#include "validate/advise/advice.h"

namespace lsmlab {

/// An SVG file: the first figure of the front against each of the others. Errors: those of
/// draw_charts().
[[nodiscard]] Result<std::string> advice_svg(const AdviceQuestion& question, const Advice& advice);

}  // namespace lsmlab
