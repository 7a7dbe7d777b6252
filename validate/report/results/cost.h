// The parts of reports that show what the papers' cost models say beside what runs came to.
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "validate/report/page.h"
#include "validate/report/results/data.h"

namespace lsmlab {

/// Nothing where no result of the workload has a model. `results`: of the whole report, in the
/// order of ReportResult::number.
void add_cost_section(ReportPage& page, const ReportWorkload& workload,
                      std::span<const nlohmann::ordered_json> results);

/// Of a validation's cells, simulated and measured. Nothing where none has a model.
void add_cell_costs(ReportPage& page, const nlohmann::ordered_json& validation);

}  // namespace lsmlab
