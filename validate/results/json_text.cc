#include "validate/results/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/base/shortened.h"
#include "models/base/suggest.h"

namespace lsmlab {

using Json = nlohmann::ordered_json;

Result<std::string> parameter_text(const std::string& name, const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean() || value.is_number_integer()) return value.dump();
  if (!value.is_number()) {
    return input_error(
        fmt::format("parameter '{}' is not a number, a text, true or false", excerpt(name)));
  }
  std::string text = fmt::format("{:.9f}", value.get<double>());
  const double kept = std::stod(text);
  if (std::abs(kept - value.get<double>()) > 1e-6 * std::abs(value.get<double>())) {
    return input_error(fmt::format("parameter '{}': {} needs more than nine decimals",
                                   excerpt(name), value.dump()));
  }
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

Result<void> check_members(const Json& json, const std::vector<std::string>& members) {
  if (!json.is_object()) return input_error("expected a JSON object");
  for (const auto& [member, value] : json.items()) {
    if (std::find(members.begin(), members.end(), member) != members.end()) continue;
    return input_error(
        fmt::format("unknown member '{}'{}", excerpt(member), suggestion(member, members)));
  }
  return success();
}

Result<std::string> member_text(const Json& json, const char* member, const char* fallback) {
  const auto found = json.find(member);
  if (found == json.end() && fallback != nullptr) return std::string(fallback);
  if (found == json.end()) return input_error(fmt::format("has no \"{}\"", member));
  if (!found->is_string()) return input_error(fmt::format("\"{}\" is not a text", member));
  return found->get<std::string>();
}

std::optional<double> number_at(const nlohmann::ordered_json& json, const std::string& pointer) {
  const nlohmann::ordered_json::json_pointer place(pointer);
  if (!json.contains(place) || !json.at(place).is_number()) return std::nullopt;
  return json.at(place).get<double>();
}

bool is_config_path(const std::string& name) {
  return name.find('/') != std::string::npos || name.ends_with(".json");
}

}  // namespace lsmlab
