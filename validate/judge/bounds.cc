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
  const std::size_t throughput = place_of(timed_figures(), "operations_per_second");
  const std::size_t put_p99 = place_of(timed_figures(), "put_p99_ns");
  constexpr double kOrderGap = 0.1;
  std::vector<double> simulated;
  std::vector<double> measured;
  for (const Cell* cell : cells) {
    const std::vector<double> a = cell->simulated_times();
    const std::vector<double> b = cell->measured_times();
    simulated.push_back(a[throughput]);
    measured.push_back(b[throughput]);
    const double error = relative_error(a[throughput], b[throughput]);
    if (group.bounds.throughput_error && !(std::abs(error) <= *group.bounds.throughput_error)) {
      broken.push_back(fmt::format("{}: throughput is {:+.1f} % off; at most {:.1f} %",
                                   cell_name(*cell), 100 * error,
                                   100 * *group.bounds.throughput_error));
    }
    const double factor = std::max(a[put_p99], b[put_p99]) / std::min(a[put_p99], b[put_p99]);
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

}  // namespace

void check_bounds(const ExperimentGroup& group, const std::vector<const Cell*>& cells,
                  std::vector<std::string>& broken) {
  const std::size_t write = place_of(compared_figures(), "write");
  for (const Cell* cell : cells) {
    const double error =
        relative_error(cell->simulated_figures()[write], cell->measured_figures()[write]);
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
  const std::optional<LinearFit> fit = fit_write(cells);
  if (fit && fit->r_squared >= *group.bounds.r_squared) return;
  broken.push_back(fmt::format(
      "{}: R^2 of write amplification is {}; at least {}", group_name(group.name),
      fit ? fmt::format("{:.6f}", fit->r_squared) : "not known", *group.bounds.r_squared));
}

}  // namespace lsmlab
