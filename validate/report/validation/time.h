// The parts of a validation's page that are of time, and of what is simulated only.
#pragma once

#include <nlohmann/json.hpp>

#include "validate/report/page.h"

namespace lsmlab {

/// Throughput and latencies, simulated and measured, of the cells that have a clock.
void add_timed_cells(ReportPage& page, const nlohmann::ordered_json& validation);

/// What merges' threads did meanwhile, simulated and measured.
void add_merge_parts(ReportPage& page, const nlohmann::ordered_json& validation);

/// A table of the simulated cells that have no measured ones beside them.
void add_simulations(ReportPage& page, const nlohmann::ordered_json& validation);

}  // namespace lsmlab
