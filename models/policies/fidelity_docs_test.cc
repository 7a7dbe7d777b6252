// The table of docs/fidelity.md is generated from what each family declares. To regenerate it:
//
//   LSMLAB_UPDATE_DOCS=1 build/quick/models_tests "docs/fidelity.md*"
#include <fmt/format.h>

#include <set>
#include <string>

#include "models/policies/registry.h"
#include "testing/generated_docs.h"

namespace lsmlab::fidelity_docs_test {
namespace {

std::string fidelity_table() {
  std::string text;
  for (const PolicyFamily& family : make_policy_families()) {
    if (family.fidelity.empty()) continue;
    text += fmt::format(
        "{}### {}\n\n{}\n\n| rule of the system | here | how | source |\n"
        "|---|---|---|---|\n",
        text.empty() ? "" : "\n", family.name, family.source);
    for (const RuleFidelity& rule : family.fidelity) {
      text +=
          fmt::format("| {} | {} | {} | {} |\n", table_cell(rule.rule),
                      fidelity_name(rule.fidelity), table_cell(rule.how), table_cell(rule.source));
    }
  }
  return text;
}

TEST_CASE("docs/fidelity.md has every rule of every system, and how near it is") {
  require_generated("fidelity.md", "fidelity", "models/policies/fidelity_docs_test.cc",
                    fidelity_table());
}

TEST_CASE("a rule that is not exact says how or why, and every rule has a source") {
  for (const PolicyFamily& family : make_policy_families()) {
    std::set<std::string> rules;
    for (const RuleFidelity& rule : family.fidelity) {
      INFO(family.name << ": " << rule.rule);
      REQUIRE_FALSE(rule.rule.empty());
      REQUIRE_FALSE(rule.source.empty());
      REQUIRE(rule.how.empty() == (rule.fidelity == Fidelity::kExact));
      REQUIRE(rules.insert(rule.rule).second);
    }
  }
}

}  // namespace
}  // namespace lsmlab::fidelity_docs_test
