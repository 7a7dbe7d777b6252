// The charts of a simulated machine over time: a curve for each result.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "validate/report/page.h"
#include "validate/report/results/data.h"

namespace lsmlab {

/// A result with a clock.
struct TimedResult {
  const ReportResult* shown = nullptr;
  const nlohmann::ordered_json* json = nullptr;
  std::size_t place = 0;  // among the timed results of the workload: its colour and dash pattern
};

/// A chart for each column of "time.series" that some result has and that the report shows.
/// REQUIRES: every result has "time".
void add_time_curves(ReportPage& page, const std::vector<TimedResult>& results);

}  // namespace lsmlab
