#include "validate/judge/validation_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace lsmlab {

using Json = nlohmann::ordered_json;

std::string workload_words(const Json& workload) {
  std::string text = workload.value("name", "");
  constexpr std::uint64_t kValueBytes = 112;  // of the presets
  for (const char* name : {"entries", "value_bytes", "update_fraction", "update_distribution",
                           "delete_fraction", "insert_distribution"}) {
    const auto parameters = workload.find("parameters");
    if (parameters == workload.end() || !parameters->contains(name)) continue;
    const Json& value = parameters->at(name);
    const bool is_plain = value == 0.0 || value == "uniform" || value == kValueBytes;
    if (is_plain) continue;
    text +=
        fmt::format(", {} {}", name, value.is_string() ? value.get<std::string>() : value.dump());
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
