// The part of a report that shows which levels and which reasons the bytes of flushes and merges
// belong to.
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "validate/report/page.h"
#include "validate/report/results/data.h"

namespace lsmlab {

/// Bars and tables of the groups "by_level" and "by_reason". Adds nothing if no result of the
/// workload has them: only results at resolution `key` do. `results`: of the whole report, in the
/// order of ReportResult::number.
void add_traffic_section(ReportPage& page, const ReportWorkload& workload,
                         std::span<const nlohmann::ordered_json> results);

}  // namespace lsmlab
