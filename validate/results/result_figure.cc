#include "validate/results/result_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "models/accounting/figures.h"
#include "models/base/check.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

// The path of whatever holds the figure: "latency.put" of "latency.put.p99.9_ns". A list's figure
// is held by each of its elements, so the path is the list's.
std::string outer_of(const std::string& path, const FigureGroup& group, const Figure& figure) {
  if (group.shape == GroupShape::kList) return group.path;
  if (group.shape == GroupShape::kValues) return path;
  return path.substr(0, path.size() - figure.name.size() - 1);
}

const Json& no_value() {
  static const Json null;
  return null;
}

std::optional<double> number_of(const Json& json) {
  return json.is_number() ? std::optional(json.get<double>()) : std::nullopt;
}

}  // namespace

ResultFigure::ResultFigure(std::string path) : path_(std::move(path)) {
  const FoundFigure found = find_figure(path_);
  CHECK(found.figure != nullptr);
  group_ = found.group;
  figure_ = found.figure;
  outer_ = outer_of(path_, *group_, *figure_);
}

const Json& ResultFigure::json(const Json& result) const {
  const Json* outer = find_member(result, outer_);
  if (outer == nullptr) return no_value();
  return group_->shape == GroupShape::kValues ? *outer : member_of(*outer, figure_->name);
}

std::optional<double> ResultFigure::number(const Json& result) const {
  return number_of(json(result));
}

bool ResultFigure::flag(const Json& result) const {
  const Json& value = json(result);
  return value.is_boolean() && value.get<bool>();
}

std::vector<double> ResultFigure::numbers(const Json& result) const {
  std::vector<double> numbers;
  const auto add = [&](const Json& value) {
    if (const auto number = number_of(value)) numbers.push_back(*number);
  };
  if (group_->shape == GroupShape::kList) {
    const Json* list = find_member(result, outer_);
    if (list == nullptr) return numbers;
    for (const Json& element : *list) add(member_of(element, figure_->name));
  } else if (group_->shape == GroupShape::kColumns) {
    const Json& column = json(result);
    if (!column.is_array()) return numbers;
    for (const Json& value : column) add(value);
  } else {
    add(json(result));
  }
  return numbers;
}

double ResultFigure::sum(const Json& result) const {
  const std::vector<double> all = numbers(result);
  return std::accumulate(all.begin(), all.end(), 0.0);
}

const Json* find_member(const Json& result, std::string_view path) {
  const Json* json = &result;
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find('.', start), path.size());
    if (!json->is_object()) return nullptr;
    const auto member = json->find(std::string(path.substr(start, end - start)));
    if (member == json->end() || member->is_null()) return nullptr;
    json = &*member;
    start = end + 1;
  }
  return json;
}

const Json& member_of(const Json& object, const std::string& name) {
  if (!object.is_object()) return no_value();
  const auto member = object.find(name);
  return member == object.end() ? no_value() : *member;
}

bool has_group(const Json& result, const FigureGroup& group) {
  return find_member(result, group.path) != nullptr;
}

void for_each_instance(const FigureGroup& group, const Json& result,
                       const std::function<void(const std::string&, const Json&)>& visit) {
  const Json* json = find_member(result, group.path);
  if (json == nullptr) return;
  switch (group.shape) {
    case GroupShape::kObject:
      visit("", *json);
      return;
    case GroupShape::kNamed:
      if (!json->is_object()) return;
      for (const auto& [name, object] : json->items()) visit(name, object);
      return;
    case GroupShape::kValues:
      if (!json->is_object()) return;
      for (const auto& [name, value] : json->items()) {
        visit(name, Json{{group.figures.front().name, value}});
      }
      return;
    case GroupShape::kList:
      if (!json->is_array()) return;
      for (const Json& object : *json) {
        const Json& place = member_of(object, group.place);
        visit(place.is_null() ? "" : fmt::format("{} {}", group.place, place.dump()), object);
      }
      return;
    case GroupShape::kColumns:
      return;
  }
}

LatencyResultFigures::LatencyResultFigures(const std::string& kind)
    : operation(kind),
      count("latency." + kind + ".count"),
      mean("latency." + kind + ".mean_ns"),
      p50("latency." + kind + ".p50_ns"),
      p90("latency." + kind + ".p90_ns"),
      p99("latency." + kind + ".p99_ns"),
      p99_9("latency." + kind + ".p99.9_ns"),
      p99_99("latency." + kind + ".p99.99_ns"),
      max("latency." + kind + ".max_ns") {}

const ResultFigures& result_figures() {
  static const ResultFigures figures;
  return figures;
}

}  // namespace lsmlab
