// A figure that a validation compares: how a result's JSON is read, and how measured runs are
// averaged.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "models/accounting/figure.h"
#include "validate/results/result_figure.h"

namespace lsmlab {

/// `is_required` means here: every validation has it, and readers rely on it.
struct JudgedFigure : FigureDescriptor {
  /// The figure of one result; 0 where the result has none.
  std::function<double(const nlohmann::ordered_json&)> read = {};

  /// The figure of several results, averaged as the descriptor says. REQUIRES: `results` is not
  /// empty.
  [[nodiscard]] double mean(std::span<const nlohmann::ordered_json> results) const;
};

enum class InValidations { kNotInAll, kInAll };

/// A figure of results, under the name that validations give it.
[[nodiscard]] JudgedFigure judged_figure(const std::string& name, const ResultFigure& figure,
                                         InValidations presence = InValidations::kNotInAll);

/// Each figure of one result, in order.
[[nodiscard]] std::vector<double> read_all(std::span<const JudgedFigure> figures,
                                           const nlohmann::ordered_json& result);

/// Each figure of several results, in order, averaged as its descriptor says. REQUIRES: `results`
/// is not empty.
[[nodiscard]] std::vector<double> mean_of_all(std::span<const JudgedFigure> figures,
                                              std::span<const nlohmann::ordered_json> results);

}  // namespace lsmlab
