// The table of stall rules in docs/time.md is generated from StallRules and from the defaults that
// each family declares. To regenerate it:
//
//   LSMLAB_UPDATE_DOCS=1 build/quick/models_tests "docs/time.md*"
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/base/quantity_text.h"
#include "models/policies/registry.h"
#include "testing/generated_docs.h"

namespace lsmlab::stall_docs_test {
namespace {

/// The families that have the same defaults.
struct StallColumn {
  std::vector<OptionInfo> rules;
  std::vector<std::string> families;
};

bool has_equal_defaults(const std::vector<OptionInfo>& a, const std::vector<OptionInfo>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const OptionInfo& one, const OptionInfo& other) {
                      return one.default_text == other.default_text;
                    });
}

// First the families that follow no system: the engine's own rules.
std::vector<StallColumn> stall_columns() {
  std::vector<StallColumn> columns{{declared_by(StallRules()), {}}};
  for (const PolicyFamily& family : make_policy_families()) {
    const std::vector<OptionInfo> rules = declared_by(family.stalls);
    auto column = std::find_if(columns.begin(), columns.end(), [&](const StallColumn& other) {
      return has_equal_defaults(other.rules, rules);
    });
    if (column == columns.end()) column = columns.insert(columns.end(), {rules, {}});
    column->families.push_back(family.name);
  }
  return columns;
}

std::string value_text(const OptionInfo& rule) {
  const auto bytes = parse_count(rule.default_text);
  const bool is_long = rule.unit.starts_with("bytes") && bytes && bytes.value() > 0;
  return is_long ? bytes_text(bytes.value()) : rule.default_text;
}

std::string stall_table() {
  const std::vector<StallColumn> columns = stall_columns();
  std::string text = "| rule | unit | meaning |";
  std::string line = "\n|---|---|---|";
  for (const StallColumn& column : columns) {
    std::string head;
    for (const std::string& family : column.families) {
      head += fmt::format("{}`{}`", head.empty() ? "" : ", ", family);
    }
    text += fmt::format(" {} |", &column == &columns.front() ? "all others" : head);
    line += "---|";
  }
  text += line + "\n";
  for (std::size_t i = 0; i < columns.front().rules.size(); ++i) {
    const OptionInfo& rule = columns.front().rules[i];
    text += fmt::format("| `{}` | {} | {} |", rule.name, rule.unit, table_cell(rule.meaning));
    for (const StallColumn& column : columns) {
      text += fmt::format(" {} |", value_text(column.rules[i]));
    }
    text += "\n";
  }
  return text;
}

TEST_CASE("docs/time.md has the stall rules and the defaults of every family") {
  require_generated("time.md", "stall rules", "models/policies/stall_docs_test.cc", stall_table());
}

}  // namespace
}  // namespace lsmlab::stall_docs_test
