// Which results are shown, and in which order: --where, --sort and --top. A figure is named by its
// path in a result ("amplification.write", "latency.put.p99_ns", "by_level[1].bytes_written"), by a
// short name ("put_p99", validate/results/short_figures.h), or by its last part where only one
// figure has it. The last part of an amplification always suffices.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/base/error.h"

namespace lsmlab {

enum class ConditionKind { kAtMost, kAtLeast, kBelow, kAbove };

struct ResultCondition {
  std::string path;
  ConditionKind kind = ConditionKind::kAtMost;
  double bound = 0;
};

struct ResultQuery {
  std::vector<ResultCondition> where;  // all must hold
  std::string sort_path;               // empty: the order of the runs
  bool is_descending = false;
  std::optional<std::uint64_t> top;  // the most results to show

  [[nodiscard]] bool is_empty() const { return where.empty() && sort_path.empty() && !top; }
};

/// The path of the figure with that name. Errors: no figure, a figure that is not one number (a
/// text, a curve), or several; each with what to write instead.
[[nodiscard]] Result<std::string> path_of_figure(const std::string& name);

/// "write<=8", "final.file_bytes < 200GB", "put_p99<=5ms": a figure, one of <=, >=, < and >, and a
/// number, a size or a duration. Errors: another form; those of path_of_figure().
[[nodiscard]] Result<ResultCondition> parse_condition(const std::string& text);

/// "write" or "write:desc" into the query. Errors: as above; another order than asc or desc.
[[nodiscard]] Result<void> parse_sort(const std::string& text, ResultQuery& query);

/// Whether the run of a result was stopped before it began: its figures say nothing.
[[nodiscard]] bool is_unstarted(const nlohmann::ordered_json& result);

/// Whether the result has the figure and the condition holds. A run that did not begin has none.
[[nodiscard]] bool satisfies(const ResultCondition& condition,
                             const nlohmann::ordered_json& result);

/// The number at a figure's path; with "[]" the sum over the list. Nothing where the result has
/// none.
[[nodiscard]] std::optional<double> figure_number(const nlohmann::ordered_json& result,
                                                  const std::string& path);

/// The places of the results that the query shows, in its order. A result without the figure of a
/// condition does not satisfy it; one without the figure of the sort comes last. A run that was
/// stopped before it began has no figures. Results with equal figures keep their order.
[[nodiscard]] std::vector<std::size_t> selected_results(
    const ResultQuery& query, std::span<const nlohmann::ordered_json> results);

/// The figures that the query names and no result has.
[[nodiscard]] std::vector<std::string> absent_figures(
    const ResultQuery& query, std::span<const nlohmann::ordered_json> results);

}  // namespace lsmlab
