#include "validate/judge/cell_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <span>

#include "models/base/check.h"
#include "models/execution/plan_log.h"
#include "validate/judge/regression.h"
#include "validate/results/cost_figures.h"
#include "validate/results/figure_mean.h"
#include "validate/results/plan_log_reader.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

// Null where a result has no cost of that name, or where no model has it.
Json mean_cost(std::span<const Json> results, const std::string& name) {
  const std::optional<Averaging> averaging = cost_averaging(name);
  if (!averaging) return nullptr;
  FigureMean mean(*averaging);
  for (const Json& result : results) {
    const Json costs = result.value("cost_model", Json::array());
    const auto found = std::find_if(costs.begin(), costs.end(), [&](const Json& cost) {
      return cost.value("name", "") == name && cost.value("run", Json()).is_number();
    });
    if (found == costs.end()) return nullptr;
    mean.add(found->at("run").get<double>());
  }
  return results.empty() ? Json(nullptr) : Json(mean.value());
}

}  // namespace

const JudgedFigure& write_figure() {
  static const JudgedFigure figure =
      judged_figure("write", result_figures().write, InValidations::kInAll);
  return figure;
}

const JudgedFigure& merges_figure() {
  static const JudgedFigure figure =
      judged_figure("merges", result_figures().merges, InValidations::kInAll);
  return figure;
}

const JudgedFigure& file_bytes_figure() {
  static const JudgedFigure figure =
      judged_figure("file_bytes", result_figures().file_bytes, InValidations::kInAll);
  return figure;
}

const std::vector<JudgedFigure>& compared_figures() {
  static const std::vector<JudgedFigure> figures{
      write_figure(),
      judged_figure("merge_bytes_read", result_figures().merge_bytes_read, InValidations::kInAll),
      judged_figure("merge_bytes_written", result_figures().merge_bytes_written), merges_figure(),
      file_bytes_figure()};
  return figures;
}

std::vector<double> figures_of(const Json& result) { return read_all(compared_figures(), result); }

Result<WrittenEntries> written_entries(const std::string& log_path) {
  PlanLogReader reader = BOOST_OUTCOME_TRYX(PlanLogReader::open(log_path));
  WrittenEntries written;
  for (;;) {
    const std::optional<PlanRecord> record = BOOST_OUTCOME_TRYX(reader.next());
    if (!record) return written;
    if (record->plan != PlanKind::kFlush && record->plan != PlanKind::kMerge) continue;
    written.entries += record->entries_out.value();
    for (const PlanRecord::Output& output : record->outputs) {
      written.bytes += static_cast<double>(output.bytes.value());
    }
  }
}

Curve write_curve(const Json& result) {
  const ResultFigures& figures = result_figures();
  Curve curve{figures.series_operations.numbers(result), figures.series_write.numbers(result)};
  const std::size_t points = std::min(curve.operations.size(), curve.write.size());
  curve.operations.resize(points);
  curve.write.resize(points);
  return curve;
}

double value_at(const Curve& curve, double operations) {
  CHECK(!curve.write.empty());
  const auto after = std::lower_bound(curve.operations.begin(), curve.operations.end(), operations);
  if (after == curve.operations.begin()) return curve.write.front();
  if (after == curve.operations.end()) return curve.write.back();
  const auto i = static_cast<std::size_t>(after - curve.operations.begin());
  const double span = curve.operations[i] - curve.operations[i - 1];
  const double share = span > 0 ? (operations - curve.operations[i - 1]) / span : 1;
  return curve.write[i - 1] + share * (curve.write[i] - curve.write[i - 1]);
}

Curve mean_of(const std::vector<Curve>& curves) {
  CHECK(!curves.empty());
  Curve mean = curves.front();
  for (std::size_t i = 0; i < mean.write.size(); ++i) {
    double sum = 0;
    std::size_t count = 0;
    for (const Curve& curve : curves) {
      if (curve.write.empty()) continue;
      sum += value_at(curve, mean.operations[i]);
      ++count;
    }
    mean.write[i] = sum / static_cast<double>(count);
  }
  return mean;
}

CurveError curve_error(const Curve& simulated, const Curve& measured) {
  CurveError error;
  if (simulated.write.empty() || measured.write.empty()) return error;
  const double first = measured.operations.back() / 10;
  for (std::size_t i = 0; i < measured.write.size(); ++i) {
    if (measured.operations[i] < first) continue;
    const double relative =
        relative_error(value_at(simulated, measured.operations[i]), measured.write[i]);
    if (std::abs(relative) <= std::abs(error.largest)) continue;
    error = {relative, measured.operations[i]};
  }
  return error;
}

Json cell_costs(const Json& simulated, const std::vector<Json>& measured) {
  if (!simulated.contains("cost_model")) return nullptr;
  Json costs = Json::array();
  for (const Json& cost : simulated.at("cost_model")) {
    const std::string name = cost.at("name").get<std::string>();
    costs.push_back({{"name", name},
                     {"model", cost.at("value")},
                     {"simulated", mean_cost({&simulated, 1}, name)},
                     {"measured", mean_cost(measured, name)},
                     {"unit", cost.at("unit")},
                     {"run_figure", cost.value("run_figure", Json())},
                     {"source", cost.at("source")}});
  }
  return costs;
}

}  // namespace lsmlab
