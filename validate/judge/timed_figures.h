// What a simulation with a clock and a threaded run of the engine have to say of each other.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lsmlab {

/// The figures in time that are compared, by name, in this order; the first is operations a second.
[[nodiscard]] const std::vector<std::string>& timed_figure_names();

/// Of one result; 0 where it has none.
[[nodiscard]] std::vector<double> timed_figures_of(const nlohmann::ordered_json& result);

/// A pair of policies that one of two kinds of runs ranks otherwise than the other.
struct WrongOrder {
  std::size_t faster = 0;  // as measured
  std::size_t slower = 0;
};
/// Of the pairs of which one was measured more than `gap` faster than the other, those that are not
/// simulated so. `simulated` and `measured`: operations a second, by policy.
[[nodiscard]] std::vector<WrongOrder> wrong_orders(const std::vector<double>& simulated,
                                                   const std::vector<double>& measured, double gap);

}  // namespace lsmlab
