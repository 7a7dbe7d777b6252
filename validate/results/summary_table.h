// The table of simulate and replay: a line for each result.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

namespace lsmlab {

/// Figures of flush-resolution results, or of results with keys, by workload; then throughput,
/// latencies and stalls of those with a clock (validate/results/time_table.h).
[[nodiscard]] std::string summary_text(std::span<const nlohmann::ordered_json> results);

}  // namespace lsmlab
