// The part of a report that shows results with a clock: throughput, latencies by percentile,
// stalls, and what the simulated machine did over time.
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "validate/report/page.h"
#include "validate/report/results/data.h"

namespace lsmlab {

/// Adds nothing if no result of the workload has latencies. `results`: of the whole report, in the
/// order of ReportResult::number.
void add_time_section(ReportPage& page, const ReportWorkload& workload,
                      std::span<const nlohmann::ordered_json> results);

}  // namespace lsmlab
