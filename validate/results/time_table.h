// A table of throughput, latencies and stalls, for the terminal.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

namespace lsmlab {

/// A line for each result with a clock; empty if no result has one. `width`: characters of the
/// column of policies.
[[nodiscard]] std::string time_table(std::span<const nlohmann::ordered_json> results,
                                     std::size_t width);

}  // namespace lsmlab
