// The random numbers of Tectonic's workload specs: distributions that decide lengths of texts,
// numbers of operations and which keys operations ask for. Results are the same on every machine.
// Source: SSD-Brandeis/Tectonic, tectonic/src/spec.rs (2026).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/base/error.h"
#include "traces/workloads/key_classes.h"

namespace lsmlab::tools {

enum class DrawKind {
  kUniform,
  kNormal,
  kBeta,
  kZipf,
  kLatest,
  kExponential,
  kLogNormal,
  kPoisson,
  kWeibull,
  kPareto
};

/// A distribution with its two parameters in the order of the schema; one of them may be unused.
/// zipf and latest: `a` is n, `b` is s.
struct Draw {
  DrawKind kind = DrawKind::kUniform;
  double a = 0;
  double b = 1;

  /// The probability of a number below or equal to x.
  [[nodiscard]] double share_below(double x) const;
  /// The smallest number from 0 to `max` that has at least this share below it.
  [[nodiscard]] double quantile(double share, double max) const;
  [[nodiscard]] double mean() const;
  friend bool operator==(const Draw&, const Draw&) = default;
};

/// A number, or a distribution that draws it.
struct NumberExpression {
  double constant = 0;
  std::optional<Draw> draw = {};
  [[nodiscard]] double mean() const { return draw ? draw->mean() : constant; }
};

/// Errors name the place: another distribution (with the nearest name); a parameter that is missing
/// or that makes no distribution.
[[nodiscard]] Result<Draw> read_draw(const std::string& place, const nlohmann::ordered_json& json);
[[nodiscard]] Result<NumberExpression> read_number_expression(const std::string& place,
                                                              const nlohmann::ordered_json& json);

/// The share of operations that ask for the first `share` of all keys in order of insertion. As in
/// Tectonic, a drawn number is scaled to a place from 0, the oldest key, to 1, the newest: uniform
/// by its ends, normal by three deviations around its mean, exponential by 5 / lambda, poisson by 3
/// lambda, zipf and latest by n, log_normal, weibull and pareto by a high quantile. beta is a place
/// already. The first and the last key take what lies outside.
[[nodiscard]] double share_of_first_keys(const Draw& selection, double share);
/// Classes of `keys` keys for a selection, from the oldest key on or from the newest one.
/// REQUIRES: keys >= 1.
[[nodiscard]] std::vector<KeyClass> classes_of_selection(const Draw& selection, std::uint64_t keys,
                                                         bool is_newest_first);

/// Checks that an object has only these members; `null` counts as absent. Errors: no object; an
/// unknown member, with the nearest one.
[[nodiscard]] Result<void> check_spec_members(const std::string& place,
                                              const nlohmann::ordered_json& json,
                                              const std::vector<std::string>& members);
/// The member; null if it is absent or `null`.
[[nodiscard]] const nlohmann::ordered_json* spec_member(const nlohmann::ordered_json& json,
                                                        const std::string& name);

}  // namespace lsmlab::tools
