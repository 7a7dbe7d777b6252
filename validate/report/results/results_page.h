// A page that shows results of one or several runs side by side: charts, a table of every figure,
// the figures' definitions, and the inputs that give each result again. The page is one file of
// HTML with its charts inside as SVG: it opens without a network and runs no scripts. The same
// results give the same page, byte for byte; it holds no date, path or random name of its own.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "models/base/error.h"

namespace lsmlab {

/// One self-contained HTML page. `results` are objects as `result_to_json` writes them and
/// `read_results` reads them. Members that may be absent: `floor`, `stacks`, `run`. Errors: a
/// member is missing or of the wrong type (an input error with the result's number, from 1, and the
/// member); gnuplot is missing or fails (a machine error).
[[nodiscard]] Result<std::string> make_report(std::span<const nlohmann::ordered_json> results,
                                              const std::string& title);

/// The part of make_report's errors that lies in the results, without drawing.
[[nodiscard]] Result<void> check_report_input(std::span<const nlohmann::ordered_json> results);

}  // namespace lsmlab
