#include "validate/judge/fits.h"

#include <span>
#include <utility>

#include "validate/judge/cell_json.h"
#include "validate/judge/merge_times.h"
#include "validate/judge/timed_figures.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

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
    Json json{{"of", of}, {"name", name}, {"figure", compared_figures()[figure].name}};
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

// Of those cells that have a clock.
void add_time_fits(const std::string& of, const std::string& name,
                   const std::vector<const Cell*>& cells, Json& fits) {
  const std::size_t rate = place_of(timed_figures(), "operations_per_second");
  std::vector<const Cell*> timed;
  std::vector<double> predicted;
  std::vector<double> measured;
  std::vector<std::span<const Json>> runs;
  for (const Cell* cell : cells) {
    if (!cell->cell->spec.device) continue;
    timed.push_back(cell);
    runs.emplace_back(cell->measured);
    predicted.push_back(cell->simulated_times()[rate]);
    measured.push_back(cell->measured_times()[rate]);
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

}  // namespace

std::optional<LinearFit> fit_write(const std::vector<const Cell*>& cells) {
  return fit_cells(cells, place_of(compared_figures(), "write"));
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

void add_all_fits(const std::string& of, const std::string& name,
                  const std::vector<const Cell*>& cells, Json& fits) {
  add_fits(of, name, cells, fits);
  add_curve_fit(of, name, cells, fits);
  add_time_fits(of, name, cells, fits);
}

}  // namespace lsmlab
