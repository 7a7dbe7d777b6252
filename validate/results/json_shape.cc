#include "validate/results/json_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "models/base/shortened.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

const char* kind_words(JsonKind kind) {
  switch (kind) {
    case JsonKind::kAny:
      return "anything";
    case JsonKind::kText:
      return "a text";
    case JsonKind::kTextOrNull:
      return "a text or null";
    case JsonKind::kNumber:
      return "a number";
    case JsonKind::kNumberOrNull:
      return "a number or null";
    case JsonKind::kCount:
      return "a whole number of at least 0 and below 2^64";
    case JsonKind::kFlag:
      return "true or false";
    case JsonKind::kScalar:
      return "a number, a text, true, false or null";
    case JsonKind::kObject:
      return "an object";
    case JsonKind::kObjectOrNull:
      return "an object or null";
    case JsonKind::kList:
      return "a list";
    case JsonKind::kNumbers:
      return "a list of numbers";
    case JsonKind::kNumbersOrNulls:
      break;
  }
  return "a list of numbers and nulls";
}

std::string found_words(const Json& json) {
  if (json.is_number() || json.is_boolean() || json.is_null()) return json.dump();
  if (json.is_string())
    return fmt::format("the text '{}'", excerpt(json.get_ref<const std::string&>()));
  return json.is_array() ? "a list" : "an object";
}

bool are_numbers(const Json& json, bool nulls_too) {
  return json.is_array() && std::all_of(json.begin(), json.end(), [&](const Json& value) {
           return value.is_number() || (nulls_too && value.is_null());
         });
}

bool is_of_kind(const Json& json, JsonKind kind) {
  switch (kind) {
    case JsonKind::kAny:
      return true;
    case JsonKind::kText:
      return json.is_string();
    case JsonKind::kTextOrNull:
      return json.is_string() || json.is_null();
    case JsonKind::kNumber:
      return json.is_number();
    case JsonKind::kNumberOrNull:
      return json.is_number() || json.is_null();
    case JsonKind::kCount:
      return json.is_number_unsigned();
    case JsonKind::kFlag:
      return json.is_boolean();
    case JsonKind::kScalar:
      return !json.is_structured();
    case JsonKind::kObject:
      return json.is_object();
    case JsonKind::kObjectOrNull:
      return json.is_object() || json.is_null();
    case JsonKind::kList:
      return json.is_array();
    case JsonKind::kNumbers:
      return are_numbers(json, false);
    case JsonKind::kNumbersOrNulls:
      break;
  }
  return are_numbers(json, true);
}

// Checks the member at `rest` inside `json`, whose own path is `path`.
std::optional<std::string> fault_at(const Json& json, std::string_view rest,
                                    const std::string& path, const JsonMember& member) {
  if (rest.empty()) {
    if (is_of_kind(json, member.kind)) return std::nullopt;
    return fmt::format("\"{}\" is {}; expected {}", path, found_words(json),
                       kind_words(member.kind));
  }
  const std::string_view name = rest.substr(0, rest.find('/'));
  rest.remove_prefix(std::min(rest.size(), name.size() + 1));
  const auto inside = [&](const std::string& own_name) {
    return path.empty() ? own_name : path + "." + own_name;
  };
  if (name != "*") {
    if (!json.is_object()) return std::nullopt;  // the outer member's row reports that
    const auto found = json.find(name);
    if (found != json.end()) return fault_at(*found, rest, inside(std::string(name)), member);
    if (!member.is_required || !rest.empty()) return std::nullopt;
    return fmt::format("has no \"{}\"; expected {}", inside(std::string(name)),
                       kind_words(member.kind));
  }
  if (json.is_object()) {
    for (const auto& [own_name, value] : json.items()) {
      if (auto fault = fault_at(value, rest, inside(excerpt(own_name)), member)) return fault;
    }
  }
  if (json.is_array()) {
    for (std::size_t i = 0; i < json.size(); ++i) {
      if (auto fault = fault_at(json[i], rest, fmt::format("{}[{}]", path, i), member))
        return fault;
    }
  }
  return std::nullopt;
}

}  // namespace

void JsonShape::add_outer(const std::string& path) {
  for (std::size_t end = 0; (end = path.find('/', end)) != std::string::npos; ++end) {
    if (const std::string outer = path.substr(0, end); !has(outer)) add(outer, JsonKind::kObject);
  }
}

bool JsonShape::has(const std::string& path) const {
  return std::any_of(rows_.begin(), rows_.end(),
                     [&](const JsonMember& row) { return row.path == path; });
}

std::optional<std::string> shape_fault(const Json& json, std::span<const JsonMember> members) {
  if (!json.is_object()) return fmt::format("is {}; expected an object", found_words(json));
  for (const JsonMember& member : members) {
    if (auto fault = fault_at(json, member.path, "", member)) return fault;
  }
  return std::nullopt;
}

}  // namespace lsmlab
