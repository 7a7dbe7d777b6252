#include "validate/judge/validation_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "validate/catalog/catalog.h"

namespace lsmlab {

using Json = nlohmann::ordered_json;

namespace {

using Defaults = std::map<std::string, std::string>;

// The default texts of the workload's options, by name. A page asks for the same few workloads in
// every row.
const std::optional<Defaults>& defaults_of(const std::string& workload) {
  thread_local std::map<std::string, std::optional<Defaults>> known;
  const auto found = known.find(workload);
  if (found != known.end()) return found->second;
  std::optional<Defaults> defaults;
  if (const auto options = workload_options(workload)) {
    defaults.emplace();
    for (const OptionInfo& option : *options) (*defaults)[option.name] = option.default_text;
  }
  return known.emplace(workload, std::move(defaults)).first->second;
}

// The text of a parameter's value, as options have it.
std::string parameter_words(const Json& value) {
  if (value.is_null()) return option_value_text({});
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_float() ? option_value_text(value.get<double>()) : value.dump();
}

}  // namespace

std::string workload_words(const Json& workload) {
  std::string text = workload.value("name", "");
  const std::optional<Defaults>& defaults = defaults_of(text);
  const auto parameters = workload.find("parameters");
  if (!defaults || parameters == workload.end() || !parameters->is_object()) return text;
  for (const auto& [name, value] : parameters->items()) {
    const std::string words = parameter_words(value);
    const auto usual = defaults->find(name);
    if (usual == defaults->end() || usual->second != words) {
      text += fmt::format(", {} {}", name, words);
    }
  }
  return text;
}

std::string logs_words(const Json& logs) {
  const std::string difference = logs.value("difference", "");
  if (difference == "none") return fmt::format("same, {}", logs.at("same_plans").dump());
  return fmt::format("{} after {}", difference, logs.at("same_plans").dump());
}

std::string percent_words(const Json& fraction) {
  return fraction.is_number() ? fmt::format("{:+.2f} %", 100 * fraction.get<double>()) : "-";
}

std::string forced_plans_words(const Json& cell) {
  const auto forced = cell.find("plan_forced");
  return forced == cell.end() || !forced->is_object() ? "-" : percent_words(forced->at("size"));
}

std::string aligned_text(const std::vector<std::vector<std::string>>& rows, std::size_t texts) {
  if (rows.empty()) return "";
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) text += "  ";
      text += i < texts ? fmt::format("{:<{}}", row[i], widths[i])
                        : fmt::format("{:>{}}", row[i], widths[i]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace lsmlab
