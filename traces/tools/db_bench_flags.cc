#include "traces/tools/db_bench_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/algorithm/string/predicate.hpp>
#include <charconv>
#include <limits>
#include <optional>

#include "models/base/check.h"
#include "models/base/shortened.h"
#include "models/base/suggest.h"
#include "traces/tools/shell_words.h"

namespace lsmlab::tools {
namespace {

using FlagMap = std::map<std::string_view, DbBenchFlag>;

const FlagMap& flags_by_name() {
  static const FlagMap kByName = [] {
    FlagMap flags;
    for (const DbBenchFlag& flag : db_bench_flags_with_effect()) flags.emplace(flag.name, flag);
    for (const FlagType type : {FlagType::kBool, FlagType::kDouble, FlagType::kText}) {
      for (const std::string_view name : db_bench_names_without_effect(type)) {
        flags.emplace(name, DbBenchFlag{name, type, {}, FlagUse::kNoBytes});
      }
    }
    return flags;
  }();
  return kByName;
}

template <class T>
std::optional<T> number_of(std::string_view text) {
  T number{};
  const char* const end = text.data() + text.size();
  const auto [at, fault] = std::from_chars(text.data(), end, number);
  return fault == std::errc() && at == end ? std::optional(number) : std::nullopt;
}

std::optional<bool> flag_value(std::string_view text) {
  for (const std::string_view yes : {"1", "t", "true", "y", "yes"}) {
    if (boost::algorithm::iequals(text, yes)) return true;
  }
  for (const std::string_view no : {"0", "f", "false", "n", "no"}) {
    if (boost::algorithm::iequals(text, no)) return false;
  }
  return std::nullopt;
}

template <class T>
std::optional<std::string> whole_text(std::string_view text) {
  const std::optional<T> number = number_of<T>(text);
  return number ? std::optional(std::to_string(*number)) : std::nullopt;
}

// The value in one spelling; nothing if the text is none of the type.
std::optional<std::string> spelled(FlagType type, std::string_view text) {
  switch (type) {
    case FlagType::kBool: {
      const std::optional<bool> value = flag_value(text);
      return value ? std::optional<std::string>(*value ? "true" : "false") : std::nullopt;
    }
    case FlagType::kInt32:
      return whole_text<std::int32_t>(text);
    case FlagType::kInt64:
      return whole_text<std::int64_t>(text);
    case FlagType::kUint32:
      return whole_text<std::uint32_t>(text);
    case FlagType::kUint64:
      return whole_text<std::uint64_t>(text);
    case FlagType::kDouble: {
      const std::optional<double> number = number_of<double>(text);
      const bool is_finite = number && *number - *number == 0;
      return is_finite ? std::optional(std::string(text)) : std::nullopt;
    }
    case FlagType::kText:
      break;
  }
  return std::string(text);
}

std::string_view type_text(FlagType type) {
  switch (type) {
    case FlagType::kBool:
      return "true or false";
    case FlagType::kInt32:
      return "a whole number of 32 bits, in digits only";
    case FlagType::kInt64:
      return "a whole number, in digits only";
    case FlagType::kUint32:
      return "a whole number from 0 to 4294967295, in digits only";
    case FlagType::kUint64:
      return "a whole number from 0 on, in digits only";
    case FlagType::kDouble:
      return "a number";
    case FlagType::kText:
      break;
  }
  return "a text";
}

// The first one, with the nearest name; or all of them, and how to leave them out.
Error unknown_flags(const std::vector<std::string>& unknown) {
  std::vector<std::string> names;
  for (const auto& [known, flag] : flags_by_name()) names.emplace_back(known);
  for (const std::string& name : unknown) {
    const std::optional<std::string> nearest = nearest_name(name, names);
    if (!nearest) continue;
    return option_error(
        {{name, "", "a flag of db_bench", true, *nearest,
          fmt::format("db_bench has no flag --{}; did you mean --{}?", excerpt(name), *nearest)}});
  }
  const std::string all = fmt::format("{}", fmt::join(unknown, ","));
  return option_error(
      {{unknown.front(), "", "a flag of db_bench", true, "",
        fmt::format("db_bench has no flag --{}; --undefok={} leaves out flags of other programs",
                    excerpt(unknown.front()), excerpt(all))}});
}

// A variable or a flag may hold such a path, too: DB=/tmp/db_bench.
bool is_db_bench(const std::string& word) {
  const bool has_value = word.starts_with('-') || word.find('=') != std::string::npos;
  return !has_value && word.substr(word.find_last_of('/') + 1).starts_with("db_bench");
}

// Whether the command has the name of db_bench and flags behind it: "mkdir /tmp/db_bench" has none.
bool runs_db_bench(const std::vector<std::string>& words) {
  const auto program = std::find_if(words.begin(), words.end(), is_db_bench);
  return std::any_of(program, words.end(),
                     [](const std::string& word) { return word.starts_with('-'); });
}

// Whether a command without db_bench's name may be its flags, or run it by another name.
bool may_be_flags(const std::vector<std::string>& words) {
  return words.front().starts_with('-') ||
         std::any_of(words.begin(), words.end(), [](const std::string& word) {
           return word.find("-benchmarks") != std::string::npos;
         });
}

// Removes commands of other programs: rm, mkdir, export. Where no command has the name of db_bench,
// each is its flags. Errors: a loop, which runs commands nobody knows how often.
Result<void> keep_db_bench(std::vector<std::vector<std::string>>& commands) {
  if (std::none_of(commands.begin(), commands.end(), runs_db_bench)) return success();
  for (const std::vector<std::string>& words : commands) {
    const std::string& first = words.front();
    if (first == "for" || first == "while" || first == "until") {
      return input_error(
          fmt::format("'{}' begins a loop of the shell; write each of its runs", excerpt(first)));
    }
  }
  std::erase_if(commands, [](const std::vector<std::string>& words) {
    return !runs_db_bench(words) && !may_be_flags(words);
  });
  return success();
}

// Removes what stands before the program's name, and a redirection with all that follows it. A line
// that begins with a flag has no name: "--db /tmp/db_bench".
std::vector<std::string> flags_of(std::vector<std::string> words) {
  const auto program = std::find_if(words.begin(), words.end(), is_db_bench);
  const bool has_program = program != words.end() && !words.front().starts_with('-');
  if (has_program) words.erase(words.begin(), program + 1);
  const auto redirection = std::find_if(words.begin(), words.end(), [](const std::string& word) {
    const std::size_t first = word.find_first_not_of("012&");
    return word == "&" || (first != std::string::npos && first <= 1 &&
                           (word[first] == '>' || word[first] == '<' || word[first] == '|'));
  });
  words.erase(redirection, words.end());
  return words;
}

// The names of gflags' own flag --undefok: these may be flags that db_bench does not have.
std::vector<std::string> names_that_may_be_unknown(const std::vector<std::string>& words) {
  constexpr std::string_view kFlag = "undefok=";
  std::vector<std::string> names;
  for (const std::string& word : words) {
    const std::size_t at = word.find_first_not_of('-');
    if (at != 1 && at != 2) continue;
    if (std::string_view list = std::string_view(word).substr(at); list.starts_with(kFlag)) {
      list.remove_prefix(kFlag.size());
      while (!list.empty()) {
        const std::string_view name = list.substr(0, list.find(','));
        names.emplace_back(name);
        list.remove_prefix(std::min(list.size(), name.size() + 1));
      }
    }
  }
  return names;
}

// A value is a text of the shell where it has a '$': arithmetic, a variable, a command. Where the
// flag changes nothing, nor does its value.
Result<void> set_flag(const DbBenchFlag& flag, std::string_view text, DbBenchLine& line) {
  if (text.find('$') == std::string_view::npos) return line.set(flag, text);
  if (flag.use == FlagUse::kNoBytes) return success();
  return option_error(
      {{std::string(flag.name), std::string(text), std::string(type_text(flag.type)), false, "",
        fmt::format("--{}={}: {}; write {}", flag.name, excerpt(text),
                    text.find("$(") != std::string_view::npos
                        ? "arithmetic and commands of a shell are not evaluated"
                        : "no command above is sure to set the variable",
                    flag.type == FlagType::kText   ? "the value"
                    : flag.type == FlagType::kBool ? "true or false"
                                                   : "the number")}});
}

// Reads the flag at `at`, which moves to the last word that it takes. A flag that db_bench does not
// have joins the unknown ones.
Result<void> read_flag(const std::vector<std::string>& words, std::size_t& at,
                       std::vector<std::string>& unknown, DbBenchLine& line) {
  const std::string& word = words[at];
  const std::size_t dashes = word.find_first_not_of('-');
  if (word.empty() || word[0] != '-' || dashes == std::string::npos || dashes > 2) {
    return input_error(fmt::format("'{}' is no flag of db_bench; a flag begins with --{}",
                                   excerpt(word),
                                   word.find('$') == std::string::npos
                                       ? ""
                                       : ", and no command above is sure to set the variable"));
  }
  const std::size_t equals = word.find('=');
  const std::string name = word.substr(dashes, equals - std::min(equals, dashes));
  const DbBenchFlag* flag = db_bench_flag(name);
  const bool has_value = equals != std::string::npos;
  if (flag == nullptr && !has_value && name.starts_with("no")) {
    const DbBenchFlag* positive = db_bench_flag(std::string_view(name).substr(2));
    if (positive != nullptr && positive->type == FlagType::kBool)
      return line.set(*positive, "false");
  }
  if (flag == nullptr) {
    if (name != "undefok") unknown.push_back(name);
    return success();
  }
  if (has_value) return set_flag(*flag, std::string_view(word).substr(equals + 1), line);
  if (flag->type == FlagType::kBool) return line.set(*flag, "true");
  if (at + 1 == words.size()) return input_error(fmt::format("--{} has no value", name));
  return set_flag(*flag, words[++at], line);
}

}  // namespace

const DbBenchFlag* db_bench_flag(std::string_view name) {
  const FlagMap& flags = flags_by_name();
  const auto found = flags.find(name);
  return found == flags.end() ? nullptr : &found->second;
}

Result<void> DbBenchLine::set(const DbBenchFlag& flag, std::string_view text) {
  std::optional<std::string> value = spelled(flag.type, text);
  if (!value) {
    const std::string name(flag.name);
    const std::string found(text);
    return option_error(
        {{name, found, std::string(type_text(flag.type)), false, "",
          fmt::format("--{}={}: expected {}", name, excerpt(found), type_text(flag.type))}});
  }
  given_.insert_or_assign(std::string(flag.name), std::move(*value));
  return success();
}

std::string DbBenchLine::text(std::string_view name) const {
  if (const auto found = given_.find(name); found != given_.end()) return found->second;
  const DbBenchFlag* const flag = db_bench_flag(name);
  CHECK(flag != nullptr);
  return std::string(flag->standard);
}

bool DbBenchLine::flag(std::string_view name) const { return text(name) == "true"; }

std::int64_t DbBenchLine::integer(std::string_view name) const {
  const auto number = number_of<std::int64_t>(text(name));
  CHECK(number.has_value());
  return *number;
}

std::uint64_t DbBenchLine::natural(std::string_view name) const {
  const auto number = number_of<std::uint64_t>(text(name));
  CHECK(number.has_value());
  return *number;
}

double DbBenchLine::real(std::string_view name) const {
  const auto number = number_of<double>(text(name));
  CHECK(number.has_value());
  return *number;
}

bool DbBenchLine::differs(const DbBenchFlag& flag) const {
  if (!is_given(flag.name)) return false;
  if (flag.type != FlagType::kDouble) return text(flag.name) != flag.standard;
  return number_of<double>(text(flag.name)) != number_of<double>(flag.standard);
}

Result<std::vector<DbBenchLine>> parse_db_bench_lines(std::string_view text) {
  auto split = BOOST_OUTCOME_TRYX(split_shell_words(text));
  BOOST_OUTCOME_TRYV(keep_db_bench(split));
  std::vector<DbBenchLine> lines;
  for (const std::vector<std::string>& words : split) {
    const std::vector<std::string> flags = flags_of(words);
    const std::vector<std::string> may_be_unknown = names_that_may_be_unknown(flags);
    DbBenchLine line;
    std::vector<std::string> unknown;
    for (std::size_t at = 0; at < flags.size(); ++at) {
      BOOST_OUTCOME_TRYV(read_flag(flags, at, unknown, line));
    }
    std::erase_if(unknown, [&](const std::string& name) {
      return std::find(may_be_unknown.begin(), may_be_unknown.end(), name) != may_be_unknown.end();
    });
    if (!unknown.empty()) return unknown_flags(unknown);
    lines.push_back(std::move(line));
  }
  if (lines.empty()) return input_error("has no flag of db_bench, such as --benchmarks=fillrandom");
  return lines;
}

}  // namespace lsmlab::tools
