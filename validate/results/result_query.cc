#include "validate/results/result_query.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "models/accounting/figures.h"
#include "models/base/decimal.h"
#include "models/base/quantity_text.h"
#include "models/base/shortened.h"
#include "models/base/suggest.h"
#include "validate/results/result_figure.h"
#include "validate/results/short_figures.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kPreferredGroup = "amplification.";
constexpr const char* kListed = "docs/results.md lists all figures";

// The last part of a path; a name may contain dots, as "p99.9_ns" does.
struct NamedFigure {
  std::string path;
  std::string name;
};

// Every figure that may be one number of a result.
std::vector<NamedFigure> single_figures() {
  std::vector<NamedFigure> all;
  for (const FigureGroup& group : figure_groups()) {
    if (group.shape == GroupShape::kColumns) continue;
    for (const Figure& figure : group.figures) {
      if (figure.type != FigureType::kNumber) continue;
      all.push_back({figure_path(group, figure), figure.name});
    }
  }
  return all;
}

bool is_pattern(const std::string& path) {
  return path.find('*') != std::string::npos || path.find("[]") != std::string::npos;
}

Error unknown_figure(const std::string& name, const std::vector<NamedFigure>& all) {
  std::vector<std::string> names;
  for (const NamedFigure& figure : all) {
    names.push_back(figure.name);
    names.push_back(figure.path);
  }
  for (const ShortFigure& figure : short_figures()) names.emplace_back(figure.name);
  const auto nearest = nearest_name(name, names);
  return input_error(fmt::format("unknown figure '{}'{}; {}", excerpt(name),
                                 nearest ? fmt::format("; did you mean '{}'?", *nearest)
                                         : "; for example write, read_max or space",
                                 kListed));
}

// Of a name that is no path.
Result<std::string> path_of_last_part(const std::string& name) {
  const std::vector<NamedFigure> all = single_figures();
  std::vector<std::string> paths;
  for (const NamedFigure& figure : all) {
    if (figure.name == name) paths.push_back(figure.path);
  }
  if (paths.empty()) return unknown_figure(name, all);
  for (const std::string& path : paths) {
    if (path.starts_with(kPreferredGroup)) return path;
  }
  // Sums over a part of the run have the names of those over the whole.
  const auto is_of_part = [](const std::string& path) {
    return path.starts_with("phases[]") || path.starts_with("phase_levels[]") ||
           path.starts_with("at_last_operation.");
  };
  if (!std::all_of(paths.begin(), paths.end(), is_of_part)) std::erase_if(paths, is_of_part);
  if (paths.size() == 1 && !is_pattern(paths[0])) return paths[0];
  return input_error(fmt::format("figure '{}' needs its whole path: {}{}", excerpt(name),
                                 fmt::join(paths, " or "),
                                 std::any_of(paths.begin(), paths.end(), is_pattern)
                                     ? " (a level's number goes into [], a name takes the place of "
                                       "*)"
                                     : ""));
}

struct Operator {
  std::string_view text;
  ConditionKind kind;
};
// The longer ones first: "<" also begins "<=".
constexpr std::array<Operator, 4> kOperators{{{"<=", ConditionKind::kAtMost},
                                              {">=", ConditionKind::kAtLeast},
                                              {"<", ConditionKind::kBelow},
                                              {">", ConditionKind::kAbove}}};

std::string_view without_blanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// "10s", "5ms": nanoseconds, the unit of all durations in a result.
std::optional<double> duration_of(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits{
      {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
  for (const auto& [unit, nanoseconds] : kUnits) {
    if (!text.ends_with(unit)) continue;
    const auto number = Decimal::parse(without_blanks(text.substr(0, text.size() - unit.size())));
    if (number) return number->as_double() * nanoseconds;
  }
  return std::nullopt;
}

enum class BoundKind { kNumber, kDuration, kBytes };

struct Bound {
  double number = 0;
  BoundKind kind = BoundKind::kNumber;
};

// "8", "1.5", "70%", "10M", "200GB", "5ms".
std::optional<Bound> bound_of(std::string_view text) {
  if (const auto duration = duration_of(text)) return Bound{*duration, BoundKind::kDuration};
  if (const auto decimal = Decimal::parse(text)) return Bound{decimal->as_double()};
  const Result<std::uint64_t> count = parse_count(text);
  if (count) return Bound{static_cast<double>(count.value())};
  const Result<std::uint64_t> bytes = parse_bytes(text);
  if (bytes) return Bound{static_cast<double>(bytes.value()), BoundKind::kBytes};
  return std::nullopt;
}

// The bound in the figure's unit. Errors: a size or a duration for a figure that is none.
Result<double> bound_for(const std::string& path, const Bound& bound) {
  if (bound.kind == BoundKind::kNumber) return bound.number;
  const FoundFigure found = find_figure(path);
  const std::string unit = found.figure == nullptr ? "" : found.figure->unit;
  const bool is_duration = bound.kind == BoundKind::kDuration;
  if (is_duration && unit == "s") return bound.number / 1e9;
  if (unit == (is_duration ? "ns" : "bytes")) return bound.number;
  return input_error(fmt::format("figure '{}' is {}, so its bound is no {}", path,
                                 unit.empty() ? "a number without unit" : "in " + unit,
                                 is_duration ? "duration" : "size"));
}

std::optional<double> known_number(const Json& result, const std::string& path) {
  return is_unstarted(result) ? std::nullopt : figure_number(result, path);
}

}  // namespace

bool satisfies(const ResultCondition& condition, const Json& result) {
  const std::optional<double> value = known_number(result, condition.path);
  if (!value) return false;
  switch (condition.kind) {
    case ConditionKind::kAtMost:
      return *value <= condition.bound;
    case ConditionKind::kAtLeast:
      return *value >= condition.bound;
    case ConditionKind::kBelow:
      return *value < condition.bound;
    case ConditionKind::kAbove:
      return *value > condition.bound;
  }
  return false;
}

Result<std::string> path_of_figure(const std::string& name) {
  const FoundFigure found = find_figure(name);
  if (found.figure == nullptr) {
    const ShortFigure* const known = short_figure(name);
    return known != nullptr ? Result<std::string>(std::string(known->path))
                            : path_of_last_part(name);
  }
  if (is_pattern(name) || found.group->shape == GroupShape::kColumns ||
      found.figure->type != FigureType::kNumber) {
    return input_error(
        fmt::format("figure '{}' is not one number of a result; {}", excerpt(name), kListed));
  }
  return name;
}

Result<ResultCondition> parse_condition(const std::string& text) {
  const std::size_t at = text.find_first_of("<>=");
  const auto fault = [&] {
    return input_error(fmt::format(
        "'{}' is not a condition; expected a figure, one of <=, >=, < and >, and a number, as in "
        "'write<=8' (in quotes)",
        excerpt(text)));
  };
  if (at == std::string::npos) return fault();
  const std::string_view rest = std::string_view(text).substr(at);
  const auto found = std::find_if(kOperators.begin(), kOperators.end(),
                                  [&](const Operator& one) { return rest.starts_with(one.text); });
  if (found == kOperators.end()) return fault();
  ResultCondition condition;
  condition.kind = found->kind;
  const std::optional<Bound> bound = bound_of(without_blanks(rest.substr(found->text.size())));
  if (!bound) return fault();
  condition.path = BOOST_OUTCOME_TRYX(
      path_of_figure(std::string(without_blanks(std::string_view(text).substr(0, at)))));
  condition.bound = BOOST_OUTCOME_TRYX(bound_for(condition.path, *bound));
  return condition;
}

Result<void> parse_sort(const std::string& text, ResultQuery& query) {
  const std::size_t colon = text.rfind(':');
  const std::string order = colon == std::string::npos ? "asc" : text.substr(colon + 1);
  if (order != "asc" && order != "desc") {
    return input_error(fmt::format("unknown order '{}'; expected asc or desc, as in 'write:desc'",
                                   excerpt(order)));
  }
  query.is_descending = order == "desc";
  query.sort_path = BOOST_OUTCOME_TRYX(path_of_figure(text.substr(0, colon)));
  return success();
}

bool is_unstarted(const Json& result) {
  if (!result.is_object() || result.value("complete", true)) return false;
  double units = result_figures().flushes.number(result).value_or(0);
  const Json* operations = find_member(result, "operations");
  if (operations == nullptr) return units == 0;
  for (const auto& [kind, count] : operations->items()) {
    units += count.is_number() ? count.get<double>() : 0;
  }
  return units == 0;
}

std::optional<double> figure_number(const Json& result, const std::string& path) {
  const std::size_t open = path.find('[');
  if (open == std::string::npos) return ResultFigure(path).number(result);
  const std::size_t close = path.find("].", open);
  if (close == open + 1) {
    const Json* all = find_member(result, path.substr(0, open));
    return all == nullptr ? std::nullopt : std::optional(ResultFigure(path).sum(result));
  }
  std::size_t place = 0;
  const char* const end = path.data() + std::min(close, path.size());
  if (std::from_chars(path.data() + open + 1, end, place).ptr != end) return std::nullopt;
  const Json* list = find_member(result, path.substr(0, open));
  if (list == nullptr || !list->is_array() || place >= list->size()) return std::nullopt;
  const Json& value = member_of((*list)[place], path.substr(close + 2));
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

std::vector<std::size_t> selected_results(const ResultQuery& query, std::span<const Json> results) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (std::all_of(query.where.begin(), query.where.end(), [&](const ResultCondition& condition) {
          return satisfies(condition, results[i]);
        })) {
      places.push_back(i);
    }
  }
  if (!query.sort_path.empty()) {
    std::vector<std::pair<bool, double>> keys;  // whether the figure is missing, and its rank
    for (const Json& result : results) {
      const std::optional<double> value = known_number(result, query.sort_path);
      keys.emplace_back(!value, query.is_descending ? -value.value_or(0) : value.value_or(0));
    }
    std::stable_sort(places.begin(), places.end(),
                     [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  }
  if (query.top && *query.top < places.size()) places.resize(*query.top);
  return places;
}

std::vector<std::string> absent_figures(const ResultQuery& query, std::span<const Json> results) {
  std::vector<std::string> paths;
  for (const ResultCondition& condition : query.where) paths.push_back(condition.path);
  if (!query.sort_path.empty()) paths.push_back(query.sort_path);
  std::erase_if(paths, [&](const std::string& path) {
    return std::any_of(results.begin(), results.end(),
                       [&](const Json& result) { return figure_number(result, path).has_value(); });
  });
  return paths;
}

}  // namespace lsmlab
