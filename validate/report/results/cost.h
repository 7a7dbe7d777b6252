// The parts of reports that compare the predictions of the papers' cost models with figures of
// runs.
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "validate/report/page.h"
#include "validate/report/results/data.h"

namespace lsmlab {

/// Adds nothing if no result of the workload has a cost model. `results`: of the whole report, in
/// the order of ReportResult::number.
void add_cost_section(ReportPage& page, const ReportWorkload& workload,
                      std::span<const nlohmann::ordered_json> results);

/// Compares the models with a validation's cells, simulated and measured. Adds nothing if no cell
/// has a cost model.
void add_cell_costs(ReportPage& page, const nlohmann::ordered_json& validation);

}  // namespace lsmlab
