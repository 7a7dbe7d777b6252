#include "models/base/spec.h"

#include <fmt/format.h>

#include <set>

#include "models/base/shortened.h"

namespace lsmlab {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

Result<Spec> parse_spec(std::string_view text) {
  const auto colon = text.find(':');
  Spec spec{std::string(text.substr(0, colon)), {}};
  if (spec.name.empty()) {
    return input_error(
        fmt::format("'{}' has no name; expected NAME[:key=value,...]", excerpt(text)));
  }
  if (colon == std::string_view::npos) return spec;
  std::set<std::string_view> keys;
  for (const std::string_view part : split(text.substr(colon + 1), ',')) {
    const auto equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == part.size()) {
      return input_error(fmt::format("'{}' in '{}' is not a parameter; expected key=value",
                                     excerpt(part), excerpt(text)));
    }
    const std::string_view key = part.substr(0, equals);
    if (!keys.insert(key).second) {
      return input_error(fmt::format("'{}' is given twice in '{}'; a list of values is {}=A|B",
                                     excerpt(key), excerpt(text), excerpt(key)));
    }
    spec.parameters.emplace_back(key, part.substr(equals + 1));
  }
  return spec;
}

Result<std::vector<Spec>> expand_lists(const Spec& spec) {
  std::size_t count = 1;
  for (const auto& [key, values] : spec.parameters) {
    // The product stays below the limit times the length of one list, so it cannot overflow.
    count *= split(values, '|').size();
    if (count <= kSpecsMax) continue;
    return input_error(fmt::format("the lists of values in '{}' give more than {} combinations",
                                   excerpt(spec_text(spec)), kSpecsMax));
  }
  std::vector<Spec> expanded{{spec.name, {}}};
  for (const auto& [key, values] : spec.parameters) {
    const std::vector<std::string_view> listed = split(values, '|');
    std::vector<Spec> longer;
    for (const Spec& prefix : expanded) {
      for (const std::string_view value : listed) {
        longer.push_back(prefix);
        longer.back().parameters.emplace_back(key, value);
        if (listed.size() > 1) longer.back().varied.push_back(key);
      }
    }
    expanded = std::move(longer);
  }
  return expanded;
}

std::string spec_text(const Spec& spec) {
  std::string text = spec.name;
  for (const auto& [name, value] : spec.parameters) {
    text += fmt::format("{}{}={}", text.size() == spec.name.size() ? ":" : ",", name, value);
  }
  return text;
}

}  // namespace lsmlab
