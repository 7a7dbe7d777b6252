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

// The first members of a fit's JSON.
struct FitName {
  std::string of;
  std::string name;
  std::string figure;
};

// Returns whether there was a fit to add.
bool add_fit(const FitName& fit_name, const std::optional<LinearFit>& fit, Json& fits) {
  if (!fit) return false;
  Json json{{"of", fit_name.of}, {"name", fit_name.name}, {"figure", fit_name.figure}};
  json.update(fit_json(*fit));
  fits.push_back(std::move(json));
  return true;
}

// Measured over simulated values of one figure.
std::optional<LinearFit> fit_cells(const std::vector<const Cell*>& cells,
                                   const JudgedFigure& figure) {
  std::vector<double> predicted;
  std::vector<double> measured;
  for (const Cell* cell : cells) {
    predicted.push_back(cell->simulated_figure(figure));
    measured.push_back(cell->measured_figure(figure));
  }
  return fit_line(predicted, measured);
}

void add_fits(const std::string& of, const std::string& name, const std::vector<const Cell*>& cells,
              Json& fits) {
  for (const JudgedFigure& figure : compared_figures()) {
    add_fit({of, name, figure.name}, fit_cells(cells, figure), fits);
  }
}

// Through the points of the curves, which are many more than the cells, as in the figures of the
// merge-policies paper.
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
  add_fit({of, name, fitted_curve().name}, fit_line(predicted, measured), fits);
}

// Of the cells that have a clock.
void add_time_fits(const std::string& of, const std::string& name,
                   const std::vector<const Cell*>& cells, Json& fits) {
  std::vector<const Cell*> timed;
  std::vector<std::span<const Json>> runs;
  for (const Cell* cell : cells) {
    if (!cell->cell->device) continue;
    timed.push_back(cell);
    runs.emplace_back(cell->measured);
  }
  const JudgedFigure& throughput = named_timed_figures().throughput;
  add_fit({of, name, throughput.name}, fit_cells(timed, throughput), fits);
  if (!add_fit({of, name, fitted_merge_times().name}, fit_merge_times(timed), fits)) return;
  if (const auto ceiling = merge_time_ceiling(runs)) fits.back()["ceiling_r_squared"] = *ceiling;
}

}  // namespace

const FigureDescriptor& fitted_curve() {
  static const FigureDescriptor fit{"write over time", write_figure().unit, Averaging::kNone,
                                    "Write amplification at each point of the cells' curves."};
  return fit;
}

const FigureDescriptor& fitted_merge_times() {
  static const FigureDescriptor fit{"merge seconds", "s", Averaging::kNone,
                                    "Duration of each merge of the cells with a clock."};
  return fit;
}

const FigureDescriptor* find_fitted_figure(const std::string& name) {
  for (const FigureDescriptor* fit : {&fitted_curve(), &fitted_merge_times()}) {
    if (fit->name == name) return fit;
  }
  for (const std::vector<JudgedFigure>* figures : {&compared_figures(), &timed_figures()}) {
    for (const JudgedFigure& figure : *figures) {
      if (figure.name == name) return &figure;
    }
  }
  return nullptr;
}

std::optional<LinearFit> fit_write(const std::vector<const Cell*>& cells) {
  return fit_cells(cells, write_figure());
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
