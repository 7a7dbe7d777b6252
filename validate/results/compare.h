// Compares two results figure by figure, with absolute and relative differences.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/base/decimal.h"

namespace lsmlab {

/// A number of a result.
struct FigureValue {
  double number = 0;
  std::optional<std::int64_t> whole;  // the exact number, if it is a whole one below 2^63
};

struct FigureDifference {
  std::string figure;            // "totals.merges"
  std::optional<FigureValue> a;  // nothing if the result has no such figure
  std::optional<FigureValue> b;
  double absolute = 0;  // b - a
  double relative = 0;  // (b - a) / |a|; infinite if only a is 0
};

struct ResultComparison {
  std::string title;                          // the labels of both results
  std::vector<std::string> differing_inputs;  // "policy.parameters.k: 6 -> 7"
  std::vector<FigureDifference> figures;
};

/// Compares every number of the groups of figures that `compare` shows (Comparing in
/// models/accounting/figure.h). `a` and `b` are results (validate/results/result_json.h).
[[nodiscard]] ResultComparison compare_results(const nlohmann::ordered_json& a,
                                               const nlohmann::ordered_json& b);

/// True if there are figures, and both results have each of them and differ by at most `tolerance`
/// times the first's value. Whole numbers below 2^63 are compared exactly.
[[nodiscard]] bool is_within(const ResultComparison& comparison, const Decimal& tolerance);

/// A table for people. It marks the figures that differ by more than the tolerance, if there is
/// one.
[[nodiscard]] std::string comparison_text(const ResultComparison& comparison,
                                          const std::optional<Decimal>& tolerance);

}  // namespace lsmlab
