// The figures by which the simulated and the measured runs of a cell are compared.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/base/error.h"
#include "validate/judge/judged_figure.h"
#include "validate/results/compare_logs.h"

namespace lsmlab {

/// Write amplification: bounds, fits and tables show it on its own.
[[nodiscard]] const JudgedFigure& write_figure();
/// The number of merges.
[[nodiscard]] const JudgedFigure& merges_figure();
/// Bytes of files at the end.
[[nodiscard]] const JudgedFigure& file_bytes_figure();

/// All figures that are compared, in the order of a validation's cells.
[[nodiscard]] const std::vector<JudgedFigure>& compared_figures();

/// The figures of one result, in the order of compared_figures().
[[nodiscard]] std::vector<double> figures_of(const nlohmann::ordered_json& result);

/// Entries and bytes that plans wrote. Bytes are entries times bytes per entry, so an error in
/// bytes splits into an error of decisions (entries) and an error of sizes (bytes per entry).
struct WrittenEntries {
  std::uint64_t entries = 0;
  double bytes = 0;
};
/// The sums over the flushes and merges of a plan log. Errors: the file cannot be read, or a line
/// is not a record.
[[nodiscard]] Result<WrittenEntries> written_entries(const std::string& log_path);

/// Write amplification over the number of operations.
struct Curve {
  std::vector<double> operations;
  std::vector<double> write;
};
[[nodiscard]] Curve write_curve(const nlohmann::ordered_json& result);
/// The curve's value: linear between points, constant beyond them. REQUIRES: `curve` has a point.
[[nodiscard]] double value_at(const Curve& curve, double operations);
/// The mean of several curves, at the points of the first. REQUIRES: there is a curve.
[[nodiscard]] Curve mean_of(const std::vector<Curve>& curves);

/// The largest relative error of the simulated curve at the points of the measured one. It leaves
/// out the first tenth of the operations, in which few merges make large steps.
struct CurveError {
  double largest = 0;  // signed
  double at_operations = 0;
};
[[nodiscard]] CurveError curve_error(const Curve& simulated, const Curve& measured);

/// The figures of the policy's cost model ("cost_model" of results). Each has the members `name`,
/// `model`, `simulated`, `measured` (the mean of the measured runs), `unit`, `run_figure` and
/// `source`. Null where the policy has no cost model.
[[nodiscard]] nlohmann::ordered_json cell_costs(
    const nlohmann::ordered_json& simulated, const std::vector<nlohmann::ordered_json>& measured);

}  // namespace lsmlab
