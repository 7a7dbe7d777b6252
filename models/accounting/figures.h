// The list of all figures that a result may hold, in the order in which a result holds them. To add
// a figure, add a member where the run records it, and a row to the table of its section. Code that
// wants one figure of a result names it in validate/results/result_figure.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/accounting/figure.h"

namespace lsmlab {

/// Every group, in the order of a result. Two groups may have one path: other groups come between
/// their members.
[[nodiscard]] const std::vector<FigureGroup>& figure_groups();

/// A figure and its group.
struct FoundFigure {
  const FigureGroup* group = nullptr;
  const Figure* figure = nullptr;
};

/// The figure at a path of a result: "totals.merges", "latency.put.p99_ns", "final.levels[2].runs".
/// Both null where no figure has that path.
[[nodiscard]] FoundFigure find_figure(std::string_view path);

/// Whether a path names the number of a list's element, such as "final.levels[2].level".
[[nodiscard]] bool is_place(std::string_view path);

/// The path of a group's figure. "*" stands for any name, "[]" for any element.
[[nodiscard]] std::string figure_path(const FigureGroup& group, const Figure& figure);

/// The figures of an OutputTraffic.
[[nodiscard]] std::vector<Figure> output_traffic_figures();

/// Parts of the list, by section of the run.
[[nodiscard]] std::vector<FigureGroup> totals_figures();
[[nodiscard]] std::vector<FigureGroup> amplification_figures();
[[nodiscard]] std::vector<FigureGroup> part_figures();
[[nodiscard]] std::vector<FigureGroup> read_figures();
[[nodiscard]] std::vector<FigureGroup> time_figures();
[[nodiscard]] std::vector<FigureGroup> file_figures();
[[nodiscard]] std::vector<FigureGroup> tree_figures();
[[nodiscard]] std::vector<FigureGroup> series_figures();
[[nodiscard]] std::vector<FigureGroup> run_figures();

}  // namespace lsmlab
