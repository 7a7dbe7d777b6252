// The part of a result that only a run with a clock has, as JSON and as a table for the terminal.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "models/accounting/run_result.h"

namespace lsmlab {

/// Adds latency, throughput, stalls and, where the time is simulated, device, clients and time.
void add_time_json(const RunResult& result, nlohmann::ordered_json& json);

/// Throughput, latencies and stalls of the results that have them; empty where none has.
/// `width`: of the column of policies.
[[nodiscard]] std::string time_table(std::span<const nlohmann::ordered_json> results,
                                     std::size_t width);

}  // namespace lsmlab
