#include "validate/judge/cell_json.h"

#include <cmath>
#include <utility>

#include "models/execution/plan_log.h"
#include "validate/judge/regression.h"
#include "validate/judge/timed_figures.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

Json figures_json(const std::vector<double>& figures) {
  Json json = Json::object();
  for (std::size_t i = 0; i < figures.size(); ++i) json[compared_figures()[i].name] = figures[i];
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

// Write amplification against the first run's. With its plans forced on the simulation the error is
// that of sizes, and (1 + size)(1 + decision) = 1 + the error of the free simulation.
Json forced_json(const Cell& cell) {
  if (cell.forced.is_null()) return nullptr;
  const double forced = write_of(cell.forced);
  const double measured = write_of(cell.measured.front());
  return {{"simulated", forced},
          {"measured", measured},
          {"size", error_json(relative_error(forced, measured))},
          {"decision", error_json(relative_error(write_of(cell.simulated), forced))}};
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
    const std::string& name = timed_figures()[i].name;
    json["simulated"][name] = simulated[i];
    json["measured"][name] = measured[i];
    json["relative_error"][name] = error_json(relative_error(simulated[i], measured[i]));
  }
  Json runs = Json::array();
  const std::size_t rate = place_of(timed_figures(), "operations_per_second");
  for (const Json& result : cell.measured) runs.push_back(timed_figures()[rate].read(result));
  json["measured_operations_per_second"] = std::move(runs);
  return json;
}

}  // namespace

Json error_json(double error) { return std::isfinite(error) ? Json(error) : Json(nullptr); }

Json cell_json(const Cell& cell) {
  const std::vector<double> simulated = cell.simulated_figures();
  const std::vector<double> measured = cell.measured_figures();
  Json errors = Json::object();
  for (std::size_t i = 0; i < simulated.size(); ++i) {
    errors[compared_figures()[i].name] = error_json(relative_error(simulated[i], measured[i]));
  }
  Json runs = Json::array();
  for (const Json& result : cell.measured) runs.push_back(write_of(result));
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

}  // namespace lsmlab
