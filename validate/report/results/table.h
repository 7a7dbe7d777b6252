// Tables of figures: the main figures of all results, the figures of a group, and every figure.
// Heads, units and definitions come from the figures' descriptors.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "validate/report/results/data.h"

namespace lsmlab {

/// An HTML table of the main figures that some result has. Each result has a row, each workload a
/// group of rows. The best complete result of a column is bold. `results`: of the whole report, in
/// the order of ReportResult::number.
[[nodiscard]] std::string figures_table(const std::vector<ReportWorkload>& workloads,
                                        std::span<const nlohmann::ordered_json> results);

/// A list of the figures in that table, each with its unit and definition.
[[nodiscard]] std::string figure_definitions(std::span<const nlohmann::ordered_json> results);

/// A table of some figures, with a row for each result of a workload. Columns that no result has
/// are left out. Empty where no result has any of them.
[[nodiscard]] std::string chosen_table(const ReportWorkload& workload,
                                       std::span<const nlohmann::ordered_json> results,
                                       std::span<const FigureName> figures);

/// Which rows of a group's table stand together.
enum class RowOrder {
  kByResult,    // the levels of one result
  kByInstance,  // the results of one operation
};
/// A table of all figures of a group that has several instances, such as "by_level" or "latency".
/// Rows in which every number is 0 are left out. Empty where no row is left.
[[nodiscard]] std::string group_table(const ReportWorkload& workload,
                                      std::span<const nlohmann::ordered_json> results,
                                      const FigureGroup& group, RowOrder order);

/// A table of every figure of a workload's results. Each figure has a row, each result a column.
/// Columns of series are left out.
[[nodiscard]] std::string every_figure_table(const ReportWorkload& workload,
                                             std::span<const nlohmann::ordered_json> results);

/// "flushes: count 10,000,000, size 4 MiB, distribution constant; seed 1". Not escaped.
[[nodiscard]] std::string workload_text(const ReportWorkload& workload);

}  // namespace lsmlab
