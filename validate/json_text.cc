#include "validate/json_text.h"

#include <fmt/format.h>

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

}  // namespace lsmlab
