#include "validate/judge/bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "validate/judge/fits.h"
#include "validate/judge/regression.h"
#include "validate/judge/timed_figures.h"

namespace lsmlab {
namespace {

std::string group_name(const std::string& group) { return fmt::format("group '{}'", group); }

void check_times(const ExperimentGroup& group, const std::vector<const Cell*>& cells,
                 std::vector<std::string>& broken) {
  const JudgedFigure& throughput = named_timed_figures().throughput;
  const JudgedFigure& put_p99 = named_timed_figures().put_p99;
  constexpr double kOrderGap = 0.1;
  std::vector<double> simulated;
  std::vector<double> measured;
  for (const Cell* cell : cells) {
    simulated.push_back(cell->simulated_figure(throughput));
    measured.push_back(cell->measured_figure(throughput));
    const double error = relative_error(simulated.back(), measured.back());
    if (group.bounds.throughput_error && !(std::abs(error) <= *group.bounds.throughput_error)) {
      broken.push_back(fmt::format("{}: throughput differs by {:+.1f} %; the bound is {:.1f} %",
                                   cell_name(*cell), 100 * error,
                                   100 * *group.bounds.throughput_error));
    }
    const double a = cell->simulated_figure(put_p99);
    const double b = cell->measured_figure(put_p99);
    const double factor = std::max(a, b) / std::min(a, b);
    if (group.bounds.put_p99_factor && factor > *group.bounds.put_p99_factor) {
      broken.push_back(
          fmt::format("{}: the 99th percentile of puts differs by a factor of {:.2f}; "
                      "the bound is {:.2f}",
                      cell_name(*cell), factor, *group.bounds.put_p99_factor));
    }
  }
  if (group.bounds.merge_time_r_squared) {
    const std::optional<LinearFit> fit = fit_merge_times(cells);
    if (!fit || fit->prediction_r_squared < *group.bounds.merge_time_r_squared) {
      broken.push_back(
          fmt::format("{}: R^2 of the simulated times of merges is {}; the bound is at least {}",
                      group_name(group.name),
                      fit ? fmt::format("{:.4f}", fit->prediction_r_squared) : "not known",
                      *group.bounds.merge_time_r_squared));
    }
  }
  if (!group.bounds.has_right_order) return;
  for (const WrongOrder& wrong : wrong_orders(simulated, measured, kOrderGap)) {
    if (cells[wrong.faster]->simulated["workload"] != cells[wrong.slower]->simulated["workload"]) {
      continue;
    }
    broken.push_back(fmt::format("{} was measured faster than {}, but not simulated faster",
                                 cell_name(*cells[wrong.faster]), cell_name(*cells[wrong.slower])));
  }
}

}  // namespace

void check_bounds(const ExperimentGroup& group, const std::vector<const Cell*>& cells,
                  std::vector<std::string>& broken) {
  for (const Cell* cell : cells) {
    const double error = relative_error(cell->simulated_figure(write_figure()),
                                        cell->measured_figure(write_figure()));
    if (group.bounds.write_error && !(std::abs(error) <= *group.bounds.write_error)) {
      broken.push_back(
          fmt::format("{}: write amplification differs by {:+.2f} %; the bound is {:.2f} %",
                      cell_name(*cell), 100 * error, 100 * *group.bounds.write_error));
    }
    if (group.bounds.has_same_logs && cell->logs.difference != LogDifference::kNone) {
      broken.push_back(fmt::format("{}: the plan logs differ after {} plans ({})", cell_name(*cell),
                                   cell->logs.same_plans, cell->logs.member));
    }
  }
  check_times(group, cells, broken);
  if (!group.bounds.r_squared) return;
  const std::optional<LinearFit> fit = fit_write(cells);
  if (fit && fit->r_squared >= *group.bounds.r_squared) return;
  broken.push_back(fmt::format(
      "{}: R^2 of write amplification is {}; the bound is at least {}", group_name(group.name),
      fit ? fmt::format("{:.6f}", fit->r_squared) : "not known", *group.bounds.r_squared));
}

}  // namespace lsmlab
