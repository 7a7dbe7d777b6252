#include "models/base/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
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

// A quote ends where a comma or the end of the text follows.
bool ends_quote(std::string_view text, std::size_t at) {
  return text[at] == '"' && (at + 1 == text.size() || text[at + 1] == ',');
}

// Removes a quoted text from the front of `rest`, and a comma after it. Nothing if the quote does
// not end. REQUIRES: rest begins with a quote.
std::optional<std::string> take_quoted(std::string_view& rest) {
  std::string text;
  for (std::size_t at = 1; at < rest.size(); ++at) {
    if (rest[at] == '\\' && at + 1 < rest.size() && rest[at + 1] == '"') {
      text += rest[++at];
    } else if (ends_quote(rest, at)) {
      rest.remove_prefix(std::min(rest.size(), at + 2));
      return text;
    } else {
      text += rest[at];
    }
  }
  return std::nullopt;
}

std::string in_quotes(std::string_view text) {
  std::string with_quotes = "\"";
  for (const char c : text) {
    if (c == '"') with_quotes += '\\';
    with_quotes += c;
  }
  return with_quotes + '"';
}

struct Parameter {
  std::string key;
  std::string value;
  bool is_quoted = false;
};

// A whole command line: it begins with an option or with a program and an option. No key has a
// blank.
bool is_command_line(std::string_view text) {
  if (text[0] == '-') return true;
  const std::string_view first = text.substr(0, text.find_first_of("=,"));
  return text[0] != '"' && first.find(' ') != std::string_view::npos &&
         text.find(" -") != std::string_view::npos;
}

// Removes one parameter from the front of `rest`. `before`: those in front of it. REQUIRES: rest is
// not empty.
Result<Parameter> take_parameter(std::string_view& rest, std::string_view text,
                                 const Parameters& before) {
  if (is_command_line(rest)) {
    Parameter line{kLineParameter, std::string(rest), true};
    rest = {};
    return line;
  }
  const std::size_t comma = rest.find(',');
  const std::size_t equals = rest.substr(0, comma).find('=');
  const bool is_line = rest[0] == '"';
  const bool is_quoted = is_line || (equals != std::string_view::npos && equals > 0 &&
                                     equals + 1 < rest.size() && rest[equals + 1] == '"');
  if (is_quoted) {
    Parameter parameter{is_line ? kLineParameter : std::string(rest.substr(0, equals)), "", true};
    if (!is_line) rest.remove_prefix(equals + 1);
    std::optional<std::string> value = take_quoted(rest);
    if (!value || value->empty()) {
      return input_error(fmt::format("'{}' has a quoted text that {}", excerpt(text),
                                     value ? "is empty" : "does not end"));
    }
    parameter.value = std::move(*value);
    return parameter;
  }
  const std::string_view part = rest.substr(0, comma);
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == part.size()) {
    const bool is_listed = equals == std::string_view::npos && !part.empty() && !before.empty();
    return input_error(fmt::format(
        "'{}' in '{}' is not a parameter; expected key=value{}", excerpt(part), excerpt(text),
        is_listed ? fmt::format("; for several values write '{0}={1}|{2}', in quotes",
                                excerpt(before.back().first), excerpt(before.back().second),
                                excerpt(part))
                  : ""));
  }
  rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  return Parameter{std::string(part.substr(0, equals)), std::string(part.substr(equals + 1))};
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
  std::set<std::string> keys;
  std::string_view rest = text.substr(colon + 1);
  if (rest.empty() || (!is_command_line(rest) && rest.back() == ',')) {
    return input_error(
        fmt::format("'' in '{}' is not a parameter; expected key=value", excerpt(text)));
  }
  while (!rest.empty()) {
    Parameter parameter = BOOST_OUTCOME_TRYX(take_parameter(rest, text, spec.parameters));
    if (!keys.insert(parameter.key).second) {
      return input_error(fmt::format("'{}' is given twice in '{}'; a list of values is {}=A|B",
                                     excerpt(parameter.key), excerpt(text),
                                     excerpt(parameter.key)));
    }
    if (parameter.is_quoted) spec.quoted.push_back(parameter.key);
    spec.parameters.emplace_back(std::move(parameter.key), std::move(parameter.value));
  }
  return spec;
}

Result<std::vector<Spec>> expand_lists(const Spec& spec) {
  std::size_t count = 1;
  const auto listed_in = [&](const std::string& key, std::string_view values) {
    const bool is_quoted =
        std::find(spec.quoted.begin(), spec.quoted.end(), key) != spec.quoted.end();
    return is_quoted ? std::vector<std::string_view>{values} : split(values, '|');
  };
  for (const auto& [key, values] : spec.parameters) {
    // The product stays below the limit times the length of one list, so it cannot overflow.
    count *= listed_in(key, values).size();
    if (count <= kSpecsMax) continue;
    return input_error(fmt::format("the lists of values in '{}' give more than {} combinations",
                                   excerpt(spec_text(spec)), kSpecsMax));
  }
  std::vector<Spec> expanded{{spec.name, {}, {}, spec.quoted}};
  for (const auto& [key, values] : spec.parameters) {
    const std::vector<std::string_view> listed = listed_in(key, values);
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
    const bool is_quoted =
        std::find(spec.quoted.begin(), spec.quoted.end(), name) != spec.quoted.end();
    text += fmt::format("{}{}={}", text.size() == spec.name.size() ? ":" : ",", name,
                        is_quoted ? in_quotes(value) : value);
  }
  return text;
}

}  // namespace lsmlab
