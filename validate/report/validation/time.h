// The parts of a validation's page that show times, and cells that were simulated only.
#pragma once

#include <nlohmann/json.hpp>

#include "validate/report/page.h"

namespace lsmlab {

/// Throughput, latencies and stalls of the cells with a clock, simulated and measured.
void add_timed_cells(ReportPage& page, const nlohmann::ordered_json& validation);

/// How merges' threads spent their time, simulated and measured.
void add_merge_parts(ReportPage& page, const nlohmann::ordered_json& validation);

/// A table of the cells that were simulated and not measured.
void add_simulations(ReportPage& page, const nlohmann::ordered_json& validation);

/// A table of the cells that compare resolutions. Nothing where there are none.
void add_resolutions(ReportPage& page, const nlohmann::ordered_json& validation);

}  // namespace lsmlab
