// The table of reasons in docs/results.md is generated from kPlanReasons. To regenerate it:
//
//   LSMLAB_UPDATE_DOCS=1 build/quick/models_tests "docs/results.md*"
#include <fmt/format.h>

#include <string>

#include "models/tree/plan.h"
#include "testing/generated_docs.h"

namespace lsmlab::plan_docs_test {
namespace {

TEST_CASE("docs/results.md has every reason of a plan") {
  std::string table = "| reason | meaning |\n|---|---|\n";
  for (const PlanReasonRow& row : kPlanReasons) {
    table += fmt::format("| `{}` | {} |\n", row.name, table_cell(std::string(row.meaning)));
  }
  require_generated("results.md", "reasons", "models/tree/plan_docs_test.cc", table);
}

}  // namespace
}  // namespace lsmlab::plan_docs_test
