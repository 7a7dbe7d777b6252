// The table that `simulate` and `replay` print: a line for each result.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

namespace lsmlab {

/// The figures of each workload's results; resolutions `flush` and `key` have different columns.
/// The last column is the speed of the program itself. A second table has throughput, latencies and
/// stalls of results with a clock (validate/results/time_table.h).
[[nodiscard]] std::string summary_text(std::span<const nlohmann::ordered_json> results);

}  // namespace lsmlab
