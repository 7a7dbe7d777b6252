// Results as JSON, with the schema "lsmlab.result/1" (docs/results.md). Every machine writes the
// same text, except for the member `run`.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "models/accounting/run_result.h"
#include "models/base/error.h"

namespace lsmlab {

inline constexpr const char* kResultSchema = "lsmlab.result/1";

[[nodiscard]] nlohmann::ordered_json result_to_json(const RunResult& result);

/// The JSON text of one result, or of an array of several. Whole numbers above 2^64 - 1 are written
/// out in full.
[[nodiscard]] std::string results_text(std::span<const RunResult> results);

/// Reads one result, or an array of results. `name` is for messages. Errors: the text is not JSON
/// (with line and column), or not a result (with the member that is missing or has another type).
[[nodiscard]] Result<std::vector<nlohmann::ordered_json>> parse_results(const std::string& name,
                                                                        const std::string& text);

/// Reads a file of results. Errors: those of parse_results(), and a file that cannot be read.
[[nodiscard]] Result<std::vector<nlohmann::ordered_json>> read_results(const std::string& path);

}  // namespace lsmlab
