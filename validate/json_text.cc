#include "validate/json_text.h"

#include <fmt/format.h>

#include <cmath>

namespace lsmlab {

using Json = nlohmann::ordered_json;

Result<Json> parse_json(const std::string& text) {
  constexpr int kDepthMax = 64;  // what walks the tree may recurse
  bool is_too_deep = false;
  const auto watch_depth = [&](int depth, Json::parse_event_t, Json&) {
    is_too_deep = is_too_deep || depth > kDepthMax;
    return !is_too_deep;
  };
  // The library reports malformed input by exceptions; they end here.
  try {
    Json json = Json::parse(text, watch_depth);
    if (is_too_deep) return input_error(fmt::format("nested more than {} deep", kDepthMax));
    return json;
  } catch (const nlohmann::json::exception& fault) {
    return input_error(fmt::format("not JSON: {}", fault.what()));
  }
}

Result<std::string> parameter_text(const std::string& name, const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean() || value.is_number_integer()) return value.dump();
  if (!value.is_number()) {
    return input_error(fmt::format("parameter '{}' is not a number, a text, true or false", name));
  }
  std::string text = fmt::format("{:.9f}", value.get<double>());
  const double kept = std::stod(text);
  if (std::abs(kept - value.get<double>()) > 1e-6 * std::abs(value.get<double>())) {
    return input_error(
        fmt::format("parameter '{}': {} needs more than nine decimals", name, value.dump()));
  }
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
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
