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

// The environment of a program, as in "LD_LIBRARY_PATH=/x ./tool --a". No key has capitals only.
bool begins_with_variable(std::string_view text) {
  const std::size_t end = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
  return end != 0 && end != std::string_view::npos && text[end] == '=';
}

// A whole command line: it begins with an option or with a program and an option. No key has a
// blank.
bool is_command_line(std::string_view text) {
  if (text[0] == '-') return true;
  if (begins_with_variable(text)) return text.find(" -") != std::string_view::npos;
  const std::string_view first = text.substr(0, text.find_first_of("=,"));
  return text[0] != '"' && first.find(' ') != std::string_view::npos &&
         text.find(" -") != std::string_view::npos;
}

// Whether the text is a command line that runs a program of this name, and no SPEC.
bool runs_program(std::string_view text, std::string_view program) {
  const std::string_view first = text.substr(0, text.find_first_of("= "));
  if (first.find(':') != std::string_view::npos || text.find(" -") == std::string_view::npos) {
    return false;
  }
  const std::vector<std::string_view> words = split(text, ' ');
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    const bool is_value = word.find('=') != std::string_view::npos;
    return !is_value && word.substr(word.find_last_of('/') + 1).starts_with(program);
  });
}

// The colon behind the name. A path may have colons of its own: behind a name with a slash, the
// last one counts that has a parameter behind it.
std::size_t end_of_name(std::string_view text) {
  constexpr std::size_t kNone = std::string_view::npos;
  const std::size_t first = text.find(':');
  const bool is_path = text.substr(0, first).find('/') != kNone;
  if (first == kNone || !is_path || first + 1 == text.size()) return first;
  if (text[first + 1] == '"' || text[first + 1] == '-') return first;
  const std::size_t equals = text.find('=', first);
  return equals == kNone ? kNone : text.rfind(':', equals);
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
    const bool is_word = equals == std::string_view::npos && !part.empty();
    std::string hint;
    if (is_word && !before.empty()) {
      hint =
          fmt::format("; for several values write '{0}={1}|{2}', in quotes",
                      excerpt(before.back().first), excerpt(before.back().second), excerpt(part));
    } else if (is_word && part.find('/') != std::string_view::npos) {
      hint = fmt::format(", or a path alone: '{}'", excerpt(part));
    }
    return input_error(fmt::format("'{}' in '{}' is not a parameter; expected key=value{}",
                                   excerpt(part), excerpt(text), hint));
  }
  rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  return Parameter{std::string(part.substr(0, equals)), std::string(part.substr(equals + 1))};
}

}  // namespace

Result<Spec> parse_spec(std::string_view text) {
  constexpr std::string_view kProgram = "db_bench";  // a whole command of it is its workload
  if (runs_program(text, kProgram)) {
    return Spec{std::string(kProgram), {{kLineParameter, std::string(text)}}, {}, {kLineParameter}};
  }
  const std::size_t colon = end_of_name(text);
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
