#include "parse_fault.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "models/base/foreign_options.h"
#include "models/base/shortened.h"
#include "models/base/suggest.h"
#include "models/policies/registry.h"

namespace lsmlab {
namespace {

// The verb that was being read when the parser stopped.
const CLI::App& innermost(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost(*chosen.front());
}

// "lsmlab policies show": the verbs that the parser understood.
std::string understood_verbs(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return app.get_name() + (chosen.empty() ? "" : " " + understood_verbs(*chosen.front()));
}

std::vector<std::string> option_names(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> verb_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands({})) names.push_back(verb->get_name());
  return names;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

// "--workload SPEC", or "WORKLOAD" where the option is known by its place.
std::string usage(const CLI::Option& option) {
  if (!option.nonpositional()) return option.get_name(true);
  return takes_value(option) ? option.get_name() + " " + option.get_type_name() : option.get_name();
}

OptionFault option_fault(std::string option, std::string found, std::string expected,
                         std::string message) {
  OptionFault fault;
  fault.option = std::move(option);
  fault.found = std::move(found);
  fault.expected = std::move(expected);
  fault.message = std::move(message);
  return fault;
}

OptionFault unknown_fault(const char* kind, const std::string& name,
                          const std::vector<std::string>& names, const std::string& help) {
  OptionFault fault =
      option_fault(name, "", fmt::format("{}", fmt::join(names, ", ")),
                   fmt::format("unknown {} '{}'{}", kind, excerpt(name),
                               help.empty() ? suggestion(name, names) : "; " + help));
  fault.is_unknown = true;
  fault.nearest = nearest_name(name, names).value_or("");
  return fault;
}

// What another system's option is here, for "--write_buffer_size=67108864" or
// "--write_buffer_size 67108864". Empty if no system has that name.
std::string foreign_help(const std::vector<std::string>& extras) {
  constexpr std::string_view kDashes = "--";
  const std::string& first = extras.front();
  if (!first.starts_with(kDashes)) return "";
  const std::size_t equals = first.find('=');
  const std::string name = first.substr(0, equals).substr(kDashes.size());
  const std::string value = equals != std::string::npos ? first.substr(equals + 1)
                            : extras.size() > 1         ? extras[1]
                                                        : "";
  return foreign_option_help(name, value, {}, "", option_owners());
}

// An option, argument or verb that does not exist.
std::optional<OptionFault> unknown_name(const CLI::App& app, const CLI::App& verb) {
  const std::vector<std::string> extras = app.remaining(true);
  if (extras.empty()) return std::nullopt;
  const std::string name = extras.front().substr(0, extras.front().find('='));
  if (name.starts_with('-')) {
    return unknown_fault("option", name, option_names(verb), foreign_help(extras));
  }
  const std::vector<std::string> verbs = verb_names(verb);
  if (!verbs.empty()) return unknown_fault("verb", name, verbs, "");
  return option_fault("", name, "", fmt::format("unexpected argument '{}'", excerpt(name)));
}

// The option of `verb` whose name `argument` is ("--seed", "-j").
const CLI::Option* option_named(const CLI::App& verb, const std::string& argument) {
  for (const CLI::Option* option : verb.get_options()) {
    if (argument.starts_with('-') && option->check_name(argument)) return option;
  }
  return nullptr;
}

// An option at the end that needs a value, or a flag that was given one ("--quiet=abc").
std::optional<OptionFault> value_fault(const CLI::App& verb,
                                       std::span<const char* const> arguments) {
  for (const std::string argument : arguments) {
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos) continue;
    const std::string name = argument.substr(0, equals);
    const CLI::Option* const option = option_named(verb, name);
    if (option == nullptr || takes_value(*option)) continue;
    return option_fault(name, argument.substr(equals + 1), "no value",
                        fmt::format("{}: found '{}'; expected no value", name, excerpt(argument)));
  }
  if (arguments.empty()) return std::nullopt;
  const std::string last = arguments.back();
  const CLI::Option* const option = option_named(verb, last);
  if (option == nullptr || !takes_value(*option) || option->count() > 0) return std::nullopt;
  return option_fault(
      last, "", option->get_type_name(),
      fmt::format("{}: takes one value, and none is given; expected {}", last, usage(*option)));
}

std::optional<OptionFault> repeated_option(const CLI::App& verb) {
  for (const CLI::Option* option : verb.get_options()) {
    const int most = option->get_items_expected_max();
    if (most == 0 || static_cast<int>(option->count()) <= most) continue;
    const std::string found = fmt::format("{}", fmt::join(option->results(), ", "));
    return option_fault(option->get_name(), found, "one value",
                        fmt::format("{}: takes one value, given once; found {} values: {}",
                                    option->get_name(), option->count(), excerpt(found)));
  }
  return std::nullopt;
}

std::optional<OptionFault> excluded_option(const CLI::App& verb) {
  for (const CLI::Option* option : verb.get_options()) {
    if (option->count() == 0) continue;
    for (const CLI::Option* other : option->get_excludes()) {
      if (other->count() == 0) continue;
      return option_fault(option->get_name(), "", "",
                          fmt::format("{} and {} exclude each other; expected one of them",
                                      other->get_name(), option->get_name()));
    }
  }
  return std::nullopt;
}

std::optional<OptionFault> missing_option(const CLI::App& verb) {
  std::vector<std::string> names;
  std::vector<std::string> usages;
  for (const CLI::Option* option : verb.get_options()) {
    if (!option->get_required() || option->count() > 0) continue;
    names.push_back(option->nonpositional() ? option->get_name() : option->get_name(true));
    usages.push_back(usage(*option));
  }
  if (names.empty()) return std::nullopt;
  return option_fault(names.front(), "", usages.front(),
                      fmt::format("{} {} required; expected {}", fmt::join(names, " and "),
                                  names.size() == 1 ? "is" : "are", fmt::join(usages, " ")));
}

OptionFault fault_of(const CLI::App& app, std::span<const char* const> arguments,
                     const CLI::ParseError& error) {
  const CLI::App& verb = innermost(app);
  // The parser checks values before it looks at what is missing, and names last.
  const bool is_value = dynamic_cast<const CLI::ValidationError*>(&error) != nullptr;
  if (!is_value) {
    if (auto fault = value_fault(verb, arguments)) return *fault;
    if (auto fault = repeated_option(verb)) return *fault;
    if (auto fault = unknown_name(app, verb)) return *fault;
    if (auto fault = excluded_option(verb)) return *fault;
    if (auto fault = missing_option(verb)) return *fault;
    const std::vector<std::string> verbs = verb_names(verb);
    if (!verbs.empty()) {
      const std::string names = fmt::format("{}", fmt::join(verbs, ", "));
      return option_fault("", "", names, fmt::format("no verb; expected one of {}", names));
    }
  }
  // A check's own words, which begin with the option's name.
  return option_fault("", "", "", error.what());
}

}  // namespace

Error parse_fault(const CLI::App& app, std::span<const char* const> arguments,
                  const CLI::ParseError& error) {
  Error fault = option_error({fault_of(app, arguments, error)});
  fault.message += fmt::format(" ({} --help)", understood_verbs(app));
  return fault;
}

CLI::Validator not_empty() {
  return CLI::Validator(
      [](const std::string& text) {
        return std::string(text.empty() ? "is empty; expected a name" : "");
      },
      "");
}

CLI::Validator whole_number(std::uint64_t min, std::uint64_t max) {
  return CLI::Validator(
      [min, max](const std::string& text) {
        std::uint64_t value = 0;
        const char* const end = text.data() + text.size();
        const auto read = std::from_chars(text.data(), end, value);
        const bool is_number = read.ec == std::errc() && read.ptr == end;
        if (is_number && value >= min && value <= max) return std::string();
        return is_number || read.ec == std::errc::result_out_of_range
                   ? fmt::format("{} is out of range; expected {}..{}", excerpt(text), min, max)
                   : fmt::format("'{}' is not a whole number; expected {}..{}", excerpt(text), min,
                                 max);
      },
      "");
}

}  // namespace lsmlab
