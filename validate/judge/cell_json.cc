#include "validate/judge/cell_json.h"

#include <cmath>
#include <span>
#include <utility>

#include "models/execution/plan_log.h"
#include "validate/judge/forgetting.h"
#include "validate/judge/regression.h"
#include "validate/judge/timed_figures.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

// Each figure of both sides, and its error.
Json compared_json(const Cell& cell, std::span<const JudgedFigure> figures) {
  Json json{{"simulated", Json::object()},
            {"measured", Json::object()},
            {"relative_error", Json::object()}};
  for (const JudgedFigure& figure : figures) {
    const double simulated = cell.simulated_figure(figure);
    const double measured = cell.measured_figure(figure);
    json["simulated"][figure.name] = simulated;
    json["measured"][figure.name] = measured;
    json["relative_error"][figure.name] = error_json(relative_error(simulated, measured));
  }
  return json;
}

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

// Splits the error of bytes written: (1 + size)(1 + decision) = 1 + that error.
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

// Write amplification compared with the first measured run. A simulation that follows that run's
// plans has only the error of sizes: (1 + size)(1 + decision) = 1 + the error of the free
// simulation.
Json forced_plans_json(const Cell& cell) {
  if (cell.forced_plans.is_null()) return nullptr;
  const double forced = write_figure().read(cell.forced_plans);
  const double measured = write_figure().read(cell.measured.front());
  return {{"simulated", forced},
          {"measured", measured},
          {"size", error_json(relative_error(forced, measured))},
          {"decision", error_json(relative_error(cell.simulated_figure(write_figure()), forced))}};
}

Json curve_json(const Curve& curve) {
  const ResultFigures& figures = result_figures();
  return {{figures.series_operations.name(), curve.operations},
          {figures.series_write.name(), curve.write}};
}

// Throughput and latencies of a cell with a clock.
Json times_json(const Cell& cell) {
  if (!cell.cell->device) return nullptr;
  Json json = compared_json(cell, timed_figures());
  Json runs = Json::array();
  const JudgedFigure& throughput = named_timed_figures().throughput;
  for (const Json& result : cell.measured) runs.push_back(throughput.read(result));
  json["measured_operations_per_second"] = std::move(runs);
  return json;
}

}  // namespace

Json error_json(double error) { return std::isfinite(error) ? Json(error) : Json(nullptr); }

Json cell_json(const Cell& cell) {
  Json compared = compared_json(cell, compared_figures());
  Json runs = Json::array();
  for (const Json& result : cell.measured) runs.push_back(write_figure().read(result));
  const Curve measured_curve = cell.measured_curve();
  const Curve simulated_curve = cell.simulated_curve();
  const CurveError curve = curve_error(simulated_curve, measured_curve);
  return {{"group", cell.cell->group},
          {"policy", cell.simulated["policy"]},
          {"workload", cell.simulated["workload"]},
          {"seed", cell.simulated["seed"]},
          {"source", run_source_name(cell.cell->spec.options.source)},
          {"mode", cell.measured.front()["mode"]},
          {"simulated", std::move(compared["simulated"])},
          {"measured", std::move(compared["measured"])},
          {"measured_write_runs", std::move(runs)},
          {"relative_error", std::move(compared["relative_error"])},
          {"time", times_json(cell)},
          {"deletes", deletes_json(cell)},
          {"error_of", decomposition_json(cell)},
          {"plan_forced", forced_plans_json(cell)},
          {"curve_error", {{"largest", curve.largest}, {"at_operations", curve.at_operations}}},
          {"logs", logs_json(cell.logs)},
          {"cost_model", cell_costs(cell.simulated, cell.measured)},
          {"curves",
           {{"simulated", curve_json(simulated_curve)}, {"measured", curve_json(measured_curve)}}}};
}

}  // namespace lsmlab
