// The figures by which a timed simulation and a threaded run of the engine are compared.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "validate/judge/judged_figure.h"

namespace lsmlab {

/// Those figures that a bound, a fit or a table shows on its own. timed_figures() has them all.
struct TimedFigures {
  JudgedFigure throughput;
  JudgedFigure put_p99;
  JudgedFigure put_p99_99;
  JudgedFigure put_max;
  JudgedFigure get_p99;
  JudgedFigure stalled;
  JudgedFigure merge_rate;  // bytes that merges write a second
  JudgedFigure merge_mean;
  // Time of merges' threads for each KiB that merges read.
  JudgedFigure merge_processor;
  JudgedFigure merge_core_wait;
  JudgedFigure merge_device;
};
[[nodiscard]] const TimedFigures& named_timed_figures();

/// All figures, in the order of a validation's "time".
[[nodiscard]] const std::vector<JudgedFigure>& timed_figures();

/// The figures of one result, in that order; 0 for those that it lacks.
[[nodiscard]] std::vector<double> timed_figures_of(const nlohmann::ordered_json& result);

/// A pair of policies that simulated and measured runs rank differently.
struct WrongOrder {
  std::size_t faster = 0;  // as measured
  std::size_t slower = 0;
};
/// The pairs that were measured more than `gap` apart, but were not simulated in that order.
/// `simulated` and `measured`: operations a second, by policy. `gap`: a share of the slower rate.
[[nodiscard]] std::vector<WrongOrder> wrong_orders(const std::vector<double>& simulated,
                                                   const std::vector<double>& measured, double gap);

}  // namespace lsmlab
