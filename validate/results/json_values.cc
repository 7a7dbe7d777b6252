#include "validate/results/json_values.h"

#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <variant>

#include "models/base/quantity_text.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

// The JSON library holds whole numbers of up to 64 bits. Larger numbers pass through it as strings
// with this prefix, with which no text of a result can start. plain_text() removes the prefix and
// the quotes.
constexpr std::string_view kWideNumber = "\x01wide ";
constexpr std::string_view kWideNumberEscaped = "\"\\u0001wide ";

std::string unquote_wide_numbers(std::string text) {
  for (std::size_t at = 0; (at = text.find(kWideNumberEscaped, at)) != std::string::npos;) {
    text.erase(at, kWideNumberEscaped.size());
    text.erase(text.find('"', at), 1);
  }
  return text;
}

}  // namespace

Json number_json(Uint128 value) {
  if (value <= std::numeric_limits<std::uint64_t>::max()) return static_cast<std::uint64_t>(value);
  return std::string(kWideNumber) + uint128_text(value);
}

std::string plain_text(const Json& json) {
  // Paths may contain bytes that are not UTF-8. Replacing them is better than an error after a long
  // run.
  return unquote_wide_numbers(json.dump(1, ' ', false, Json::error_handler_t::replace)) + "\n";
}

Json options_to_json(const ResolvedOptions& options) {
  Json json = Json::object();
  for (const auto& [name, value] : options) {
    Json& slot = json[name];
    if (const auto* flag = std::get_if<bool>(&value)) slot = *flag;
    if (const auto* number = std::get_if<std::uint64_t>(&value)) slot = *number;
    if (const auto* real = std::get_if<double>(&value)) slot = *real;
    if (const auto* text = std::get_if<std::string>(&value)) slot = *text;
  }
  return json;
}

}  // namespace lsmlab
