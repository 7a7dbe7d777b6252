// Throughput, latencies and stalls of results, as a table for the terminal.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

namespace lsmlab {

/// A line for each result with a clock; empty where none has one. `width`: of the column of
/// policies.
[[nodiscard]] std::string time_table(std::span<const nlohmann::ordered_json> results,
                                     std::size_t width);

}  // namespace lsmlab
