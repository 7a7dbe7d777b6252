#include "validate/judge/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "models/base/check.h"
#include "traces/io/text_file.h"
#include "validate/judge/cell_figures.h"
#include "validate/judge/merge_times.h"
#include "validate/judge/regression.h"
#include "validate/judge/simulated_cells.h"
#include "validate/judge/timed_figures.h"
#include "validate/judge/validation_shape.h"
#include "validate/results/figure_mean.h"
#include "validate/results/host_json.h"
#include "validate/results/json_text.h"
#include "validate/runs/calibrated_groups.h"
#include "validate/runs/validation_runs.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

// One cell's results, read.
struct Cell {
  const ExperimentCell* cell;
  Json simulated;
  std::vector<Json> measured;
  WrittenEntries simulated_entries;
  WrittenEntries measured_entries;  // of all together
  LogComparison logs;               // the simulation's and the first run's
  Json forced;                      // simulated with that run's plans; null where there is none

  [[nodiscard]] std::vector<double> simulated_figures() const { return figures_of(simulated); }
  [[nodiscard]] std::vector<double> measured_figures() const {
    return mean_of(measured, figures_of, {});
  }
  [[nodiscard]] std::vector<double> simulated_times() const { return timed_figures_of(simulated); }
  [[nodiscard]] std::vector<double> measured_times() const {
    return mean_of(measured, timed_figures_of, timed_figure_names());
  }
  [[nodiscard]] Curve simulated_curve() const { return write_curve(simulated); }
  [[nodiscard]] Curve measured_curve() const { return curve_of(measured); }

 private:
  // Without names all figures are plain.
  [[nodiscard]] static std::vector<double> mean_of(const std::vector<Json>& results,
                                                   std::vector<double> (*read)(const Json&),
                                                   const std::vector<std::string>& names) {
    std::vector<FigureMean> means;
    for (const Json& result : results) {
      const std::vector<double> figures = read(result);
      for (std::size_t i = 0; i < figures.size(); ++i) {
        if (i == means.size()) {
          means.emplace_back(i < names.size() ? figure_kind(names[i]) : FigureKind::kPlain);
        }
        means[i].add(figures[i]);
      }
    }
    std::vector<double> values;
    for (const FigureMean& mean : means) values.push_back(mean.value());
    return values;
  }
  [[nodiscard]] static Curve curve_of(const std::vector<Json>& results) {
    if (results.size() == 1) return write_curve(results.front());
    std::vector<Curve> curves;
    for (const Json& result : results) curves.push_back(write_curve(result));
    return lsmlab::mean_of(curves);
  }
};

Result<WrittenEntries> all_written(const std::vector<std::string>& names,
                                   const ResultDirectory& results) {
  WrittenEntries all;
  for (const std::string& name : names) {
    const WrittenEntries written = BOOST_OUTCOME_TRYX(written_entries(results.log_path(name)));
    all.entries += written.entries;
    all.bytes += written.bytes;
  }
  return all;
}

Result<Cell> load_cell(const ExperimentCell& cell, const CellRuns& runs,
                       const ResultDirectory& results) {
  Cell loaded{&cell, {}, {}, {}, {}, {}, {}};
  loaded.simulated = BOOST_OUTCOME_TRYX(results.load(runs.simulated));
  for (const std::string& name : runs.measured) {
    loaded.measured.push_back(BOOST_OUTCOME_TRYX(results.load(name)));
  }
  if (runs.measured.empty()) return loaded;
  loaded.simulated_entries = BOOST_OUTCOME_TRYX(all_written({runs.simulated}, results));
  loaded.measured_entries = BOOST_OUTCOME_TRYX(all_written(runs.measured, results));
  loaded.logs = BOOST_OUTCOME_TRYX(
      compare_logs(results.log_path(runs.simulated), results.log_path(runs.measured.front())));
  if (runs.forced) loaded.forced = BOOST_OUTCOME_TRYX(results.load(*runs.forced));
  return loaded;
}

Json figures_json(const std::vector<double>& figures) {
  Json json = Json::object();
  for (std::size_t i = 0; i < figures.size(); ++i) json[compared_figures()[i]] = figures[i];
  return json;
}

// Infinite where a figure was measured as 0 and not predicted: JSON has no number for it.
Json error_json(double error) { return std::isfinite(error) ? Json(error) : Json(nullptr); }

const char* difference_name(LogDifference difference) {
  switch (difference) {
    case LogDifference::kNone:
      return "none";
    case LogDifference::kEnd:
      return "end";
    case LogDifference::kDecision:
      return "decision";
    case LogDifference::kTiming:
      return "timing";
    case LogDifference::kSize:
      break;
  }
  return "size";
}

Json logs_json(const LogComparison& logs) {
  Json json{{"same_plans", logs.same_plans}, {"difference", difference_name(logs.difference)}};
  if (logs.difference == LogDifference::kNone) return json;
  json["member"] = logs.member;
  const auto line = [](const std::optional<PlanRecord>& record) {
    return record ? Json(plan_record_line(*record)) : Json(nullptr);
  };
  json["simulated"] = line(logs.a);
  json["measured"] = line(logs.b);
  return json;
}

// (1 + size)(1 + decision) = 1 + the error of bytes written.
Json decomposition_json(const Cell& cell) {
  const WrittenEntries& a = cell.simulated_entries;
  const WrittenEntries& b = cell.measured_entries;
  if (a.entries == 0 || b.entries == 0) return nullptr;
  const auto entries_a = static_cast<double>(a.entries);
  const auto entries_b = static_cast<double>(b.entries);
  const auto runs = static_cast<double>(cell.measured.size());
  return {{"size", error_json(relative_error(a.bytes / entries_a, b.bytes / entries_b))},
          {"decision", error_json(relative_error(entries_a, entries_b / runs))}};
}

// Write amplification against the first run's: with its plans forced on the simulation what is off
// is off by sizes, and (1 + size)(1 + decision) = 1 + what the free simulation is off.
Json forced_json(const Cell& cell) {
  if (cell.forced.is_null()) return nullptr;
  const double forced = figures_of(cell.forced).front();
  return {{"simulated", forced},
          {"measured", figures_of(cell.measured.front()).front()},
          {"size", error_json(relative_error(forced, figures_of(cell.measured.front()).front()))},
          {"decision", error_json(relative_error(cell.simulated_figures().front(), forced))}};
}

Json curve_json(const Curve& curve) {
  return {{"operations", curve.operations}, {"write", curve.write}};
}

// Throughput and latencies, of a cell with a clock.
Json times_json(const Cell& cell) {
  if (!cell.cell->spec.device) return nullptr;
  const std::vector<double> simulated = cell.simulated_times();
  const std::vector<double> measured = cell.measured_times();
  Json json{{"simulated", Json::object()},
            {"measured", Json::object()},
            {"relative_error", Json::object()}};
  for (std::size_t i = 0; i < simulated.size(); ++i) {
    const std::string& name = timed_figure_names()[i];
    json["simulated"][name] = simulated[i];
    json["measured"][name] = measured[i];
    json["relative_error"][name] = error_json(relative_error(simulated[i], measured[i]));
  }
  Json runs = Json::array();
  for (const Json& result : cell.measured) runs.push_back(timed_figures_of(result).front());
  json["measured_operations_per_second"] = std::move(runs);
  return json;
}

Json cell_json(const Cell& cell) {
  const std::vector<double> simulated = cell.simulated_figures();
  const std::vector<double> measured = cell.measured_figures();
  Json errors = Json::object();
  for (std::size_t i = 0; i < simulated.size(); ++i) {
    errors[compared_figures()[i]] = error_json(relative_error(simulated[i], measured[i]));
  }
  Json runs = Json::array();
  for (const Json& result : cell.measured) runs.push_back(figures_of(result).front());
  const Curve measured_curve = cell.measured_curve();
  const Curve simulated_curve = cell.simulated_curve();
  const CurveError curve = curve_error(simulated_curve, measured_curve);
  return {{"group", cell.cell->group},
          {"policy", cell.simulated["policy"]},
          {"workload", cell.simulated["workload"]},
          {"seed", cell.simulated["seed"]},
          {"source", run_source_name(cell.cell->spec.options.source)},
          {"mode", cell.measured.front()["mode"]},
          {"simulated", figures_json(simulated)},
          {"measured", figures_json(measured)},
          {"measured_write_runs", std::move(runs)},
          {"relative_error", std::move(errors)},
          {"time", times_json(cell)},
          {"error_of", decomposition_json(cell)},
          {"plan_forced", forced_json(cell)},
          {"curve_error", {{"largest", curve.largest}, {"at_operations", curve.at_operations}}},
          {"logs", logs_json(cell.logs)},
          {"cost_model", cell_costs(cell.simulated, cell.measured)},
          {"curves",
           {{"simulated", curve_json(simulated_curve)}, {"measured", curve_json(measured_curve)}}}};
}

Json interval_json(const std::optional<Interval>& interval) {
  return interval ? Json{interval->low, interval->high} : Json(nullptr);
}

Json fit_json(const LinearFit& fit) {
  return {{"points", fit.points},
          {"slope", fit.slope},
          {"slope_95", interval_json(fit.slope_interval)},
          {"intercept", fit.intercept},
          {"intercept_95", interval_json(fit.intercept_interval)},
          {"r_squared", fit.r_squared},
          {"prediction_r_squared", fit.prediction_r_squared},
          {"rms_residual", fit.rms_residual},
          {"largest_relative_error", error_json(fit.largest_relative_error)}};
}

// Measured over simulated, for some cells and one figure.
std::optional<LinearFit> fit_cells(const std::vector<const Cell*>& cells, std::size_t figure) {
  std::vector<double> predicted;
  std::vector<double> measured;
  for (const Cell* cell : cells) {
    predicted.push_back(cell->simulated_figures()[figure]);
    measured.push_back(cell->measured_figures()[figure]);
  }
  return fit_line(predicted, measured);
}

void add_fits(const std::string& of, const std::string& name, const std::vector<const Cell*>& cells,
              Json& fits) {
  for (std::size_t figure = 0; figure < compared_figures().size(); ++figure) {
    const std::optional<LinearFit> fit = fit_cells(cells, figure);
    if (!fit) continue;
    Json json{{"of", of}, {"name", name}, {"figure", compared_figures()[figure]}};
    json.update(fit_json(*fit));
    fits.push_back(std::move(json));
  }
}

// Over the points of the curves: many more than there are cells, as in the paper's figures.
void add_curve_fit(const std::string& of, const std::string& name,
                   const std::vector<const Cell*>& cells, Json& fits) {
  std::vector<double> predicted;
  std::vector<double> measured;
  for (const Cell* cell : cells) {
    const Curve simulated = cell->simulated_curve();
    const Curve curve = cell->measured_curve();
    if (simulated.write.empty()) continue;
    for (std::size_t i = 0; i < curve.write.size(); ++i) {
      predicted.push_back(value_at(simulated, curve.operations[i]));
      measured.push_back(curve.write[i]);
    }
  }
  const std::optional<LinearFit> fit = fit_line(predicted, measured);
  if (!fit) return;
  Json json{{"of", of}, {"name", name}, {"figure", "write over time"}};
  json.update(fit_json(*fit));
  fits.push_back(std::move(json));
}

std::optional<LinearFit> fit_merge_times(const std::vector<const Cell*>& cells) {
  std::vector<double> predicted;
  std::vector<double> measured;
  for (const Cell* cell : cells) {
    for (const Json& run : cell->measured) {
      const PredictedMergeTimes times = predicted_merge_times(cell->simulated, run);
      predicted.insert(predicted.end(), times.predicted.begin(), times.predicted.end());
      measured.insert(measured.end(), times.measured.begin(), times.measured.end());
    }
  }
  return fit_line(predicted, measured);
}

// Of those cells that have a clock.
void add_time_fits(const std::string& of, const std::string& name,
                   const std::vector<const Cell*>& cells, Json& fits) {
  std::vector<const Cell*> timed;
  std::vector<double> predicted;
  std::vector<double> measured;
  std::vector<std::span<const Json>> runs;
  for (const Cell* cell : cells) {
    if (!cell->cell->spec.device) continue;
    timed.push_back(cell);
    runs.emplace_back(cell->measured);
    predicted.push_back(cell->simulated_times().front());
    measured.push_back(cell->measured_times().front());
  }
  const auto add = [&](const char* figure, const std::optional<LinearFit>& fit) {
    if (!fit) return;
    Json json{{"of", of}, {"name", name}, {"figure", figure}};
    json.update(fit_json(*fit));
    fits.push_back(std::move(json));
  };
  add("operations_per_second", fit_line(predicted, measured));
  add("merge seconds", fit_merge_times(timed));
  if (fits.empty() || fits.back()["figure"] != "merge seconds") return;
  if (const auto ceiling = merge_time_ceiling(runs)) fits.back()["ceiling_r_squared"] = *ceiling;
}

void add_all_fits(const std::string& of, const std::string& name,
                  const std::vector<const Cell*>& cells, Json& fits) {
  add_fits(of, name, cells, fits);
  add_curve_fit(of, name, cells, fits);
  add_time_fits(of, name, cells, fits);
}

std::string cell_name(const Cell& cell) {
  return fmt::format("{} on {} ({})", cell.simulated["policy"].value("label", ""),
                     cell.simulated["workload"].value("name", ""),
                     run_source_name(cell.cell->spec.options.source));
}

std::string group_name(const std::string& group) { return fmt::format("group '{}'", group); }

void check_times(const ExperimentGroup& group, const std::vector<const Cell*>& cells,
                 std::vector<std::string>& broken) {
  constexpr std::size_t kThroughput = 0;
  constexpr std::size_t kPutP99 = 3;
  constexpr double kOrderGap = 0.1;
  std::vector<double> simulated;
  std::vector<double> measured;
  for (const Cell* cell : cells) {
    const std::vector<double> a = cell->simulated_times();
    const std::vector<double> b = cell->measured_times();
    simulated.push_back(a[kThroughput]);
    measured.push_back(b[kThroughput]);
    const double error = relative_error(a[kThroughput], b[kThroughput]);
    if (group.bounds.throughput_error && !(std::abs(error) <= *group.bounds.throughput_error)) {
      broken.push_back(fmt::format("{}: throughput is {:+.1f} % off; at most {:.1f} %",
                                   cell_name(*cell), 100 * error,
                                   100 * *group.bounds.throughput_error));
    }
    const double factor = std::max(a[kPutP99], b[kPutP99]) / std::min(a[kPutP99], b[kPutP99]);
    if (group.bounds.put_p99_factor && factor > *group.bounds.put_p99_factor) {
      broken.push_back(
          fmt::format("{}: the 99th percentile of puts is off by a factor of {:.2f}; "
                      "at most {:.2f}",
                      cell_name(*cell), factor, *group.bounds.put_p99_factor));
    }
  }
  if (group.bounds.merge_time_r_squared) {
    const std::optional<LinearFit> fit = fit_merge_times(cells);
    if (!fit || fit->prediction_r_squared < *group.bounds.merge_time_r_squared) {
      broken.push_back(fmt::format(
          "{}: R^2 of the time of merges as simulated is {}; at least {}", group_name(group.name),
          fit ? fmt::format("{:.4f}", fit->prediction_r_squared) : "not known",
          *group.bounds.merge_time_r_squared));
    }
  }
  if (!group.bounds.has_right_order) return;
  for (const WrongOrder& wrong : wrong_orders(simulated, measured, kOrderGap)) {
    if (cells[wrong.faster]->simulated["workload"] != cells[wrong.slower]->simulated["workload"]) {
      continue;
    }
    broken.push_back(fmt::format("{} was measured faster than {}, and is not simulated so",
                                 cell_name(*cells[wrong.faster]), cell_name(*cells[wrong.slower])));
  }
}

void check_bounds(const ExperimentGroup& group, const std::vector<const Cell*>& cells,
                  std::vector<std::string>& broken) {
  for (const Cell* cell : cells) {
    const double error = relative_error(cell->simulated_figures()[0], cell->measured_figures()[0]);
    if (group.bounds.write_error && !(std::abs(error) <= *group.bounds.write_error)) {
      broken.push_back(fmt::format("{}: write amplification is {:+.2f} % off; at most {:.2f} %",
                                   cell_name(*cell), 100 * error, 100 * *group.bounds.write_error));
    }
    if (group.bounds.has_same_logs && cell->logs.difference != LogDifference::kNone) {
      broken.push_back(fmt::format("{}: the plan logs part after {} plans ({})", cell_name(*cell),
                                   cell->logs.same_plans, cell->logs.member));
    }
  }
  check_times(group, cells, broken);
  if (!group.bounds.r_squared) return;
  const std::optional<LinearFit> fit = fit_cells(cells, 0);
  if (fit && fit->r_squared >= *group.bounds.r_squared) return;
  broken.push_back(fmt::format(
      "{}: R^2 of write amplification is {}; at least {}", group_name(group.name),
      fit ? fmt::format("{:.6f}", fit->r_squared) : "not known", *group.bounds.r_squared));
}

Validation judge(const Experiment& experiment, const std::vector<Cell>& cells) {
  Validation validation;
  Json cells_json = Json::array();
  Json simulations = Json::array();
  Json fits = Json::array();
  std::vector<const Cell*> all;
  std::map<std::string, std::vector<const Cell*>> by_policy;
  std::size_t next = 0;
  for (const ExperimentGroup& group : experiment.groups) {
    std::vector<const Cell*> members;
    for (const ExperimentCell& described : group.cells) {
      const Cell& cell = cells[next++];
      if (cell.measured.empty()) {
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
  if (!json) return input_error(fmt::format("{}: {}", path, json.error().message));
  const Json& validation = json.value();
  if (!validation.is_object() ||
      (!validation.contains("schema") || validation["schema"] != kValidationSchema)) {
    return input_error(fmt::format("{}: not a validation ('lsmlab validate' writes them)", path));
  }
  if (const auto fault = validation_fault(validation)) {
    return input_error(fmt::format("{}: damaged: {}", path, *fault));
  }
  return json;
}

}  // namespace lsmlab
