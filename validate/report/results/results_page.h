// A page that shows results of one or several runs side by side: charts, tables of figures, the
// figures' definitions, and the inputs that reproduce each result. The page is one file of HTML
// that contains its charts as SVG. It needs no network and runs no scripts. The same results give
// the same page, byte for byte: the page adds no date, path or random name.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "models/base/error.h"

namespace lsmlab {

/// One self-contained HTML page. `results` are objects as `result_to_json` writes them and
/// `read_results` reads them. Members that may be absent: `floor`, `stacks`, `run`. Errors: an
/// input error with the result's number (from 1) and the member that is missing or of a wrong type;
/// a machine error if gnuplot is missing or fails.
[[nodiscard]] Result<std::string> make_report(std::span<const nlohmann::ordered_json> results,
                                              const std::string& title);

/// The input errors of make_report(), without drawing anything.
[[nodiscard]] Result<void> check_report_input(std::span<const nlohmann::ordered_json> results);

}  // namespace lsmlab
