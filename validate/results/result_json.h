// Results as JSON, schema "lsmlab.result/1" (docs/results.md): written the same on every machine,
// `run` aside.
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

/// JSON text of one result, or of an array of several, with whole numbers above 2^64 - 1 written
/// out in full.
[[nodiscard]] std::string results_text(std::span<const RunResult> results);

/// One result, or an array of them; `name` is for messages. Errors: not JSON (with line and
/// column), not a result (with the member that is missing or of another type).
[[nodiscard]] Result<std::vector<nlohmann::ordered_json>> parse_results(const std::string& name,
                                                                        const std::string& text);

/// The same of a file. Errors: also, cannot be read.
[[nodiscard]] Result<std::vector<nlohmann::ordered_json>> read_results(const std::string& path);

}  // namespace lsmlab
