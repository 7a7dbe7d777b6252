#include "validate/judge/judge.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "traces/io/text_file.h"
#include "validate/judge/bounds.h"
#include "validate/judge/cell.h"
#include "validate/judge/cell_json.h"
#include "validate/judge/fits.h"
#include "validate/judge/merge_times.h"
#include "validate/judge/resolution_cells.h"
#include "validate/judge/simulated_cells.h"
#include "validate/judge/validation_shape.h"
#include "validate/results/host_json.h"
#include "validate/results/json_text.h"
#include "validate/runs/calibrated_groups.h"
#include "validate/runs/validation_runs.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

Validation judge(const Experiment& experiment, const std::vector<Cell>& cells) {
  Validation validation;
  Json cells_json = Json::array();
  Json simulations = Json::array();
  Json resolutions = Json::array();
  Json fits = Json::array();
  std::vector<const Cell*> all;
  std::map<std::string, std::vector<const Cell*>> by_policy;
  std::size_t next = 0;
  for (const ExperimentGroup& group : experiment.groups) {
    std::vector<const Cell*> members;
    for (const ExperimentCell& described : group.cells) {
      const Cell& cell = cells[next++];
      if (!cell.resolutions.is_null()) {
        check_resolution_bounds(group, cell.resolutions, validation.broken_bounds);
        resolutions.push_back(cell.resolutions);
      } else if (cell.measured.empty()) {
        simulations.push_back(simulated_cell_json(described, cell.simulated));
      } else {
        members.push_back(&cell);
      }
    }
    if (members.empty()) continue;
    for (const Cell* cell : members) {
      cells_json.push_back(cell_json(*cell));
      by_policy[cell->simulated["policy"].value("name", "")].push_back(cell);
      all.push_back(cell);
    }
    add_all_fits("group", group.name, members, fits);
    check_bounds(group, members, validation.broken_bounds);
  }
  for (const auto& [policy, members] : by_policy) {
    add_all_fits("policy", policy, members, fits);
  }
  add_all_fits("all", "all", all, fits);
  Json merge_times = Json::array();
  for (const Cell& cell : cells) {
    for (const Json& result : cell.measured) {
      if (const auto times = merge_time_fit(result)) merge_times.push_back(*times);
    }
  }
  validation.json = {{"schema", kValidationSchema},
                     {"experiment", experiment.name},
                     {"description", experiment.description},
                     {"cells", std::move(cells_json)},
                     {"simulations", std::move(simulations)},
                     {"resolutions", std::move(resolutions)},
                     {"fits", std::move(fits)},
                     {"merge_times", std::move(merge_times)},
                     {"broken_bounds", validation.broken_bounds},
                     {"run", machine_json()}};
  return validation;
}

}  // namespace

Result<Validation> run_validation(Experiment experiment, const ValidationOptions& options) {
  const auto results =
      BOOST_OUTCOME_TRYX(ResultDirectory::open(options.results, options.on_damage));
  const bool goes_on = BOOST_OUTCOME_TRYX(run_calibrated_groups(experiment, results, options));
  if (!goes_on) return Validation{{}, {}, false};
  const auto runs = BOOST_OUTCOME_TRYX(do_runs(experiment, results, options));
  if (!runs) return Validation{{}, {}, false};
  std::vector<Cell> cells;
  for (const ExperimentGroup& group : experiment.groups) {
    for (const ExperimentCell& cell : group.cells) {
      if (options.stop != nullptr && options.stop->load()) return Validation{{}, {}, false};
      cells.push_back(BOOST_OUTCOME_TRYX(load_cell(cell, (*runs)[cells.size()], results)));
    }
  }
  Validation validation = judge(experiment, cells);
  validation.json["calibrations"] = BOOST_OUTCOME_TRYX(calibrations_json(experiment));
  return validation;
}

Result<Json> read_validation(const std::string& path) {
  const auto text = BOOST_OUTCOME_TRYX(read_text_file(path, kDataBytesMax));
  Result<Json> json = parse_json(text);
  if (!json) return in_context(path, json.error());
  const Json& validation = json.value();
  if (!validation.is_object() ||
      (!validation.contains("schema") || validation["schema"] != kValidationSchema)) {
    return input_error(fmt::format("{}: not a validation ('lsmlab validate' writes one)", path));
  }
  if (const auto fault = validation_fault(validation)) {
    return input_error(fmt::format("{}: damaged: {}", path, *fault));
  }
  return json;
}

}  // namespace lsmlab
