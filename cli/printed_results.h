// What `simulate` and `replay` print of their results.
#pragma once

#include <span>
#include <string>

#include "models/accounting/run_result.h"
#include "models/base/error.h"
#include "verbs.h"

namespace lsmlab {

/// Errors: an unknown format; a format was chosen, but `out` sends the JSON to standard output.
[[nodiscard]] Result<void> check_printing(const PrintArguments& arguments, const std::string& out);

/// Prints the results in the chosen format, unless `out` sent the JSON to standard output. Then
/// prints `remark`. Both go to standard error if the plan log `log` went to standard output.
/// REQUIRES: check_printing() had no error. Errors: as print_text().
[[nodiscard]] Result<void> print_results(const PrintArguments& arguments,
                                         std::span<const RunResult> results,
                                         const std::string& remark, const std::string& out,
                                         const std::string& log);

}  // namespace lsmlab
