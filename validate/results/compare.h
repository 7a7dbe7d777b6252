// Compares two results: every figure with its absolute and relative difference.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/base/decimal.h"

namespace lsmlab {

/// A number as a result holds it: whole ones below 2^64 exactly, others (and larger ones) as
/// doubles.
struct FigureValue {
  double number = 0;
  std::optional<std::int64_t> whole;  // where it is a whole number below 2^63
};

struct FigureDifference {
  std::string figure;            // "totals.merges"
  std::optional<FigureValue> a;  // nothing where the result has no such figure
  std::optional<FigureValue> b;
  double absolute = 0;  // b - a
  double relative = 0;  // (b - a) / |a|; infinite where only a is 0
};

struct ResultComparison {
  std::string title;                          // the labels of both
  std::vector<std::string> differing_inputs;  // "policy.parameters.k: 6 -> 7"
  std::vector<FigureDifference> figures;
};

/// Every number of the groups of figures that are to be compared (models/accounting/figure.h). `a`
/// and `b` are results (validate/results/result_json.h).
[[nodiscard]] ResultComparison compare_results(const nlohmann::ordered_json& a,
                                               const nlohmann::ordered_json& b);

/// True where there are figures, and every one is in both and differs by at most `tolerance` of the
/// first's; the distance of whole numbers below 2^63 is exact.
[[nodiscard]] bool is_within(const ResultComparison& comparison, const Decimal& tolerance);

/// A table for people; where a tolerance is given, figures beyond it are marked.
[[nodiscard]] std::string comparison_text(const ResultComparison& comparison,
                                          const std::optional<Decimal>& tolerance);

}  // namespace lsmlab
