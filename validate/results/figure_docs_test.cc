// docs/results.md contains tables of all figures, between two marks. They are made from the
// descriptors. To write them anew: LSMLAB_UPDATE_DOCS=1 build/quick/validate_tests
// "docs/results.md*".
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "models/accounting/figures.h"
#include "testing/catch.h"

namespace lsmlab {
namespace {

constexpr const char* kBegin =
    "<!-- figures: written by validate/results/figure_docs_test.cc -->\n";
constexpr const char* kEnd = "<!-- end of figures -->\n";

const char* shape_text(GroupShape shape) {
  switch (shape) {
    case GroupShape::kNamed:
      return " An object for each name.";
    case GroupShape::kList:
      return " A list.";
    case GroupShape::kColumns:
      return " Columns of equal length.";
    case GroupShape::kObject:
    case GroupShape::kValues:
      break;
  }
  return "";
}

std::string tables() {
  std::string text;
  for (const FigureGroup& group : figure_groups()) {
    text +=
        fmt::format("\n### {}\n\n{}{}\n\n", group.path, group.definition, shape_text(group.shape));
    if (!group.place.empty()) text += fmt::format("`{}` numbers the elements.\n\n", group.place);
    text += "| figure | unit | over runs | definition |\n|---|---|---|---|\n";
    for (const Figure& figure : group.figures) {
      text += fmt::format("| `{}` | {} | {} | {} |\n", figure.name, figure.unit,
                          averaging_name(figure.averaging), figure.definition);
    }
  }
  return text + "\n";
}

TEST_CASE("docs/results.md holds the tables of all figures") {
  const std::string path = std::string(LSMLAB_SOURCE_DIR) + "/docs/results.md";
  std::ifstream in(path);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const std::size_t begin = text.find(kBegin);
  const std::size_t end = text.find(kEnd);
  REQUIRE(begin != std::string::npos);
  REQUIRE(end != std::string::npos);
  const std::size_t first = begin + std::string(kBegin).size();
  if (std::getenv("LSMLAB_UPDATE_DOCS") != nullptr) {
    text.replace(first, end - first, tables());
    std::ofstream(path) << text;
    return;
  }
  REQUIRE(text.substr(first, end - first) == tables());
}

TEST_CASE("every figure says what it is, and its path names no other") {
  for (const FigureGroup& group : figure_groups()) {
    INFO(group.path);
    REQUIRE(group.definition.ends_with('.'));
    for (const Figure& figure : group.figures) {
      INFO(figure.name);
      REQUIRE(figure.definition.ends_with('.'));
      REQUIRE(figure.unit.empty() == (figure.type != FigureType::kNumber));
      REQUIRE(find_figure(figure_path(group, figure)) == &figure);
    }
  }
}

}  // namespace
}  // namespace lsmlab
