// The tables of all figures in docs/results.md are generated from the descriptors. To regenerate
// them:
//
//   LSMLAB_UPDATE_DOCS=1 build/quick/validate_tests "docs/results.md*"
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "models/accounting/figures.h"
#include "testing/generated_docs.h"

namespace lsmlab::figure_docs_test {
namespace {

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
    text += fmt::format("{}### {}\n\n{}{}\n\n", text.empty() ? "" : "\n", group.path,
                        group.definition, shape_text(group.shape));
    if (!group.place.empty()) text += fmt::format("`{}` numbers the elements.\n\n", group.place);
    text += "| figure | unit | over runs | definition |\n|---|---|---|---|\n";
    for (const Figure& figure : group.figures) {
      text += fmt::format("| `{}` | {} | {} | {} |\n", figure.name, figure.unit,
                          averaging_name(figure.averaging), figure.definition);
    }
  }
  return text;
}

TEST_CASE("docs/results.md holds the tables of all figures") {
  require_generated("results.md", "figures", "validate/results/figure_docs_test.cc", tables());
}

TEST_CASE("every figure says what it is, and its path names no other") {
  for (const FigureGroup& group : figure_groups()) {
    INFO(group.path);
    REQUIRE(group.definition.ends_with('.'));
    for (const Figure& figure : group.figures) {
      INFO(figure.name);
      REQUIRE(figure.definition.ends_with('.'));
      // A single word, or the name again, says neither what is counted nor over what.
      REQUIRE(std::count(figure.definition.begin(), figure.definition.end(), ' ') +
                  std::count(figure.definition.begin(), figure.definition.end(), '`') >
              1);
      REQUIRE(figure.unit.empty() == (figure.type != FigureType::kNumber));
      REQUIRE(find_figure(figure_path(group, figure)).figure == &figure);
    }
  }
}

}  // namespace
}  // namespace lsmlab::figure_docs_test
