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

/// The figures that are compared, in this order.
[[nodiscard]] const std::vector<JudgedFigure>& compared_figures();

/// Of one result, in the order of compared_figures().
[[nodiscard]] std::vector<double> figures_of(const nlohmann::ordered_json& result);

/// Entries and bytes that plans wrote: bytes are entries times bytes an entry, so that an error
/// splits into what was decided and how large entries are.
struct WrittenEntries {
  std::uint64_t entries = 0;
  double bytes = 0;
};
/// Of a plan log's flushes and merges. Errors: unreadable, or a line that is no record.
[[nodiscard]] Result<WrittenEntries> written_entries(const std::string& log_path);

/// Write amplification as it grows over operations.
struct Curve {
  std::vector<double> operations;
  std::vector<double> write;
};
[[nodiscard]] Curve write_curve(const nlohmann::ordered_json& result);
/// Linear between points, constant beyond them. REQUIRES: not empty.
[[nodiscard]] double value_at(const Curve& curve, double operations);
/// The mean of several curves at the points of the first.
[[nodiscard]] Curve mean_of(const std::vector<Curve>& curves);

/// The largest relative error of the simulated curve at the measured one's points, the first tenth
/// of the operations left out, in which few merges make large steps.
struct CurveError {
  double largest = 0;  // signed
  double at_operations = 0;
};
[[nodiscard]] CurveError curve_error(const Curve& simulated, const Curve& measured);

/// The cost models' figures of a simulation ("cost_model" of results), each with the
/// simulation's figure and the mean of the measured runs': `name`, `model`, `simulated`,
/// `measured`, `unit`, `run_figure`, `source`. Null where no model speaks of the policy.
[[nodiscard]] nlohmann::ordered_json cell_costs(
    const nlohmann::ordered_json& simulated, const std::vector<nlohmann::ordered_json>& measured);

}  // namespace lsmlab
