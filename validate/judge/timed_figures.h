// The figures by which a simulation with a clock and a threaded run of the engine are compared.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "validate/judge/judged_figure.h"

namespace lsmlab {

/// The figures in time that are compared, in this order.
[[nodiscard]] const std::vector<JudgedFigure>& timed_figures();

/// Of one result; 0 where it has none.
[[nodiscard]] std::vector<double> timed_figures_of(const nlohmann::ordered_json& result);

/// A pair of policies that simulated and measured runs rank differently.
struct WrongOrder {
  std::size_t faster = 0;  // as measured
  std::size_t slower = 0;
};
/// Of the pairs of which one was measured more than `gap` faster than the other, those that are not
/// simulated so. `simulated` and `measured`: operations a second, by policy.
[[nodiscard]] std::vector<WrongOrder> wrong_orders(const std::vector<double>& simulated,
                                                   const std::vector<double>& measured, double gap);

}  // namespace lsmlab
