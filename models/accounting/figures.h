// The list of all figures that a result may hold, in the order in which a result holds them. To add
// a figure: a member where it is recorded, and a row here or in the table of its section.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/accounting/figure.h"

namespace lsmlab {

/// Every group, in the order of a result. A path may stand twice: its second part follows what is
/// between.
[[nodiscard]] const std::vector<FigureGroup>& figure_groups();

/// The figure at a path of a result: "totals.merges", "latency.put.p99_ns", "final.levels[2].runs".
/// Null where the path names none.
[[nodiscard]] const Figure* find_figure(std::string_view path);

/// Whether the path is that of a number of an element, such as "final.levels[2].level".
[[nodiscard]] bool is_place(std::string_view path);

/// The path of a group's figure, with "*" for any name and "[]" for any element.
[[nodiscard]] std::string figure_path(const FigureGroup& group, const Figure& figure);

/// A group's part of the list, by section of the run.
[[nodiscard]] std::vector<FigureGroup> totals_figures();
[[nodiscard]] std::vector<FigureGroup> amplification_figures();
[[nodiscard]] std::vector<FigureGroup> read_figures();
[[nodiscard]] std::vector<FigureGroup> time_figures();
[[nodiscard]] std::vector<FigureGroup> file_figures();
[[nodiscard]] std::vector<FigureGroup> tree_figures();
[[nodiscard]] std::vector<FigureGroup> series_figures();
[[nodiscard]] std::vector<FigureGroup> run_figures();

}  // namespace lsmlab
