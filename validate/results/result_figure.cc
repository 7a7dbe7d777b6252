#include "validate/results/result_figure.h"

#include <algorithm>
#include <numeric>

#include "models/accounting/figures.h"
#include "models/base/check.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

// The pointer to whatever holds the figure: "/latency/put" of "latency.put.p99.9_ns". A list's
// figure is held by each of its elements, so the pointer is the list's.
Json::json_pointer outer_of(std::string path, const FigureGroup& group, const Figure& figure) {
  if (group.shape == GroupShape::kList) {
    path = group.path;
  } else if (group.shape != GroupShape::kValues) {
    path.resize(path.size() - figure.name.size() - 1);
  }
  std::replace(path.begin(), path.end(), '.', '/');
  return Json::json_pointer("/" + path);
}

std::optional<double> number_of(const Json& json) {
  return json.is_number() ? std::optional(json.get<double>()) : std::nullopt;
}

}  // namespace

ResultFigure::ResultFigure(const std::string& path)
    : group_(find_figure_group(path)), figure_(find_figure(path)) {
  CHECK(figure_ != nullptr);
  outer_ = outer_of(path, *group_, *figure_);
}

const Json* ResultFigure::find(const Json& result) const {
  if (!result.is_object() || !result.contains(outer_)) return nullptr;
  const Json& outer = result.at(outer_);
  if (group_->shape == GroupShape::kValues) return &outer;
  const auto found = outer.find(figure_->name);
  return found == outer.end() ? nullptr : &*found;
}

std::optional<double> ResultFigure::number(const Json& result) const {
  const Json* json = find(result);
  return json == nullptr ? std::nullopt : number_of(*json);
}

bool ResultFigure::flag(const Json& result) const {
  const Json* json = find(result);
  return json != nullptr && json->is_boolean() && json->get<bool>();
}

std::vector<double> ResultFigure::numbers(const Json& result) const {
  std::vector<double> numbers;
  const auto add = [&](const Json& json) {
    if (const auto value = number_of(json)) numbers.push_back(*value);
  };
  if (!result.is_object() || !result.contains(outer_)) return numbers;
  const Json& outer = result.at(outer_);
  if (group_->shape == GroupShape::kList) {
    for (const Json& element : outer) {
      if (const auto found = element.find(figure_->name); found != element.end()) add(*found);
    }
  } else if (group_->shape == GroupShape::kColumns) {
    const Json* column = find(result);
    if (column == nullptr || !column->is_array()) return numbers;
    for (const Json& value : *column) add(value);
  } else if (const auto value = number(result)) {
    numbers.push_back(*value);
  }
  return numbers;
}

double ResultFigure::sum(const Json& result) const {
  const std::vector<double> all = numbers(result);
  return std::accumulate(all.begin(), all.end(), 0.0);
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
