#include "models/accounting/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace lsmlab {
namespace {

std::string without_marks(std::string text) {
  std::erase(text, '`');
  return text;
}

// "final.levels[2].runs" as "final.levels[].runs".
std::string without_places(std::string_view path) {
  std::string pattern;
  bool is_place = false;
  for (const char c : path) {
    if (c == ']') is_place = false;
    if (!is_place) pattern += c;
    if (c == '[') is_place = true;
  }
  return pattern;
}

// Whether the path matches the pattern, with any name in place of "*". Names may contain dots, as
// "p99.9_ns" does, so the text before and after the "*" is compared.
bool is_like(std::string_view path, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return path == pattern;
  const std::string_view before = pattern.substr(0, star);
  const std::string_view after = pattern.substr(star + 1);
  return path.size() > before.size() + after.size() && path.starts_with(before) &&
         path.ends_with(after);
}

std::vector<FigureGroup> all_groups() {
  std::vector<FigureGroup> all;
  for (const auto part : {totals_figures, amplification_figures, part_figures, read_figures,
                          time_figures, file_figures, tree_figures, series_figures, run_figures}) {
    std::vector<FigureGroup> groups = part();
    std::move(groups.begin(), groups.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace

const std::string& label_of(const FigureDescriptor& figure) {
  return figure.label.empty() ? figure.name : figure.label;
}

std::string plain_definition(const FigureDescriptor& figure) {
  return without_marks(figure.definition);
}

std::string plain_definition(const FigureGroup& group) { return without_marks(group.definition); }

const std::vector<FigureGroup>& figure_groups() {
  static const std::vector<FigureGroup> groups = all_groups();
  return groups;
}

std::string figure_path(const FigureGroup& group, const Figure& figure) {
  switch (group.shape) {
    case GroupShape::kNamed:
      return fmt::format("{}.*.{}", group.path, figure.name);
    case GroupShape::kValues:
      return group.path + ".*";
    case GroupShape::kList:
      return fmt::format("{}[].{}", group.path, figure.name);
    case GroupShape::kObject:
    case GroupShape::kColumns:
      break;
  }
  return fmt::format("{}.{}", group.path, figure.name);
}

FoundFigure find_figure(std::string_view path) {
  const std::string pattern = without_places(path);
  for (const FigureGroup& group : figure_groups()) {
    for (const Figure& figure : group.figures) {
      if (is_like(pattern, figure_path(group, figure))) return {&group, &figure};
    }
  }
  return {};
}

bool is_place(std::string_view path) {
  const std::string pattern = without_places(path);
  const std::vector<FigureGroup>& groups = figure_groups();
  return std::any_of(groups.begin(), groups.end(), [&](const FigureGroup& group) {
    return !group.place.empty() && pattern == fmt::format("{}[].{}", group.path, group.place);
  });
}

}  // namespace lsmlab
