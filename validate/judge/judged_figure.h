// A figure that a validation compares: read from a result's JSON, and averaged over measured runs.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "models/accounting/figure.h"

namespace lsmlab {

struct JudgedFigure : FigureDescriptor {
  /// 0 where a result has none.
  std::function<double(const nlohmann::ordered_json&)> read = {};
};

/// A figure of the list (models/accounting/figures.h) under a name of its own. `pointer`: of the
/// figure in a result, "/latency/put/p99_ns". REQUIRES: the list has it.
[[nodiscard]] JudgedFigure judged_figure(const std::string& name, const std::string& pointer);

/// The figure's place. REQUIRES: there is one of that name.
[[nodiscard]] std::size_t place_of(std::span<const JudgedFigure> figures, const std::string& name);

[[nodiscard]] std::vector<std::string> names_of(std::span<const JudgedFigure> figures);

/// Every figure of one result, in order.
[[nodiscard]] std::vector<double> read_all(std::span<const JudgedFigure> figures,
                                           const nlohmann::ordered_json& result);

/// Every figure of several results, each averaged as its descriptor says. REQUIRES: `results` is
/// not empty.
[[nodiscard]] std::vector<double> mean_of_all(std::span<const JudgedFigure> figures,
                                              std::span<const nlohmann::ordered_json> results);

}  // namespace lsmlab
