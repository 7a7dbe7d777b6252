#include "validate/results/figures_json.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "validate/results/json_values.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

Json value_json(const Figure& figure, const void* of) {
  const FigureReading value = figure.read(of);
  if (const auto* whole = std::get_if<Uint128>(&value)) return number_json(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return nullptr;
}

void add_members(const FigureGroup& group, const void* of, Json& object) {
  for (const Figure& figure : group.figures) object[figure.name] = value_json(figure, of);
}

// The member at a path with dots. It creates the member and the objects around it where they are
// missing.
Json& member_at(const std::string& path, Json& result) {
  Json* member = &result;
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find('.', start), path.size());
    member = &(*member)[path.substr(start, end - start)];
    start = end + 1;
  }
  return *member;
}

Json list_json(const FigureGroup& group, const std::vector<FigureInstance>& instances) {
  Json list = Json::array();
  for (const FigureInstance& instance : instances) {
    Json element = Json::object();
    if (!group.place.empty()) element[group.place] = list.size();
    add_members(group, instance.of, element);
    list.push_back(std::move(element));
  }
  return list;
}

void add_columns(const FigureGroup& group, const std::vector<FigureInstance>& instances,
                 Json& columns) {
  for (const Figure& figure : group.figures) {
    Json& column = columns[figure.name] = Json::array();
    for (const FigureInstance& instance : instances) {
      column.push_back(value_json(figure, instance.of));
    }
  }
}

}  // namespace

void add_figures(const FigureGroup& group, const RunResult& run, Json& result) {
  const auto instances = group.instances(run);
  if (!instances && !group.is_null_where_absent) return;
  Json& member = member_at(group.path, result);
  if (!instances) return;
  if (group.shape == GroupShape::kList) {
    member = list_json(group, *instances);
    return;
  }
  if (member.is_null()) member = Json::object();
  if (group.shape == GroupShape::kColumns) add_columns(group, *instances, member);
  for (const FigureInstance& instance : *instances) {
    if (group.shape == GroupShape::kObject) add_members(group, instance.of, member);
    if (group.shape == GroupShape::kNamed) {
      add_members(group, instance.of, member[instance.name] = Json::object());
    }
    if (group.shape == GroupShape::kValues) {
      member[instance.name] = value_json(group.figures.front(), instance.of);
    }
  }
}

}  // namespace lsmlab
