#include "validate/results/result_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/accounting/figures.h"
#include "models/base/shortened.h"
#include "validate/results/json_shape.h"
#include "validate/results/result_json.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

// Members that are not figures.
constexpr JsonMember kNoFigures[] = {
    {"source", JsonKind::kText},
    {"policy", JsonKind::kObject, true},
    {"policy/name", JsonKind::kText},
    {"policy/family", JsonKind::kText},
    {"policy/label", JsonKind::kText},
    {"policy/parameters", JsonKind::kObject},
    {"policy/parameters/*", JsonKind::kScalar},
    {"workload", JsonKind::kObject, true},
    {"workload/name", JsonKind::kText},
    {"workload/parameters", JsonKind::kObject},
    {"workload/parameters/*", JsonKind::kScalar},
    {"device", JsonKind::kObjectOrNull},
    {"mode", JsonKind::kText},
    {"resolution", JsonKind::kText},
    {"cells", JsonKind::kCount},
    {"seed", JsonKind::kCount},
    {"complete", JsonKind::kFlag},
    {"cost_model", JsonKind::kList},
    {"cost_model/*", JsonKind::kObject},
    {"cost_model/*/name", JsonKind::kText, true},
    {"cost_model/*/value", JsonKind::kNumberOrNull, true},
    {"cost_model/*/unit", JsonKind::kText, true},
    {"cost_model/*/source", JsonKind::kText, true},
    {"cost_model/*/run_figure", JsonKind::kTextOrNull},
    {"cost_model/*/run", JsonKind::kNumberOrNull},
    {"clients", JsonKind::kObject},
    {"stacks", JsonKind::kList},
    {"stacks/*", JsonKind::kObject},
};

JsonKind kind_of(const Figure& figure) {
  switch (figure.type) {
    case FigureType::kText:
      return figure.may_be_null ? JsonKind::kTextOrNull : JsonKind::kText;
    case FigureType::kFlag:
      return figure.may_be_null ? JsonKind::kScalar : JsonKind::kFlag;
    case FigureType::kNumber:
      break;
  }
  return figure.may_be_null ? JsonKind::kNumberOrNull : JsonKind::kNumber;
}

void add_group(const FigureGroup& group, JsonShape& table) {
  std::string path = group.path;
  std::replace(path.begin(), path.end(), '.', '/');
  table.add_outer(path);
  const JsonKind object = group.is_null_where_absent ? JsonKind::kObjectOrNull : JsonKind::kObject;
  if (!table.has(path)) {
    table.add(path, group.shape == GroupShape::kList ? JsonKind::kList : object, group.is_required);
  }
  if (group.shape == GroupShape::kValues) {
    table.add(path + "/*", kind_of(group.figures.front()));
    return;
  }
  if (group.shape == GroupShape::kNamed || group.shape == GroupShape::kList) {
    path += "/*";
    table.add(path, JsonKind::kObject);
  }
  if (group.shape == GroupShape::kNamed) table.add(path + "/*", JsonKind::kScalar);
  if (group.shape == GroupShape::kColumns) table.add(path + "/*", JsonKind::kNumbersOrNulls);
  for (const Figure& figure : group.figures) {
    const bool is_column = group.shape == GroupShape::kColumns;
    const JsonKind column = figure.may_be_null ? JsonKind::kNumbersOrNulls : JsonKind::kNumbers;
    table.add(path + "/" + figure.name, is_column ? column : kind_of(figure), figure.is_required);
  }
}

const JsonShape& result_table() {
  static const JsonShape made = [] {
    JsonShape table;
    table.add(kNoFigures);
    for (const FigureGroup& group : figure_groups()) add_group(group, table);
    table.add("run/version", JsonKind::kText);
    return table;
  }();
  return made;
}

}  // namespace

std::optional<std::string> result_fault(const Json& result) {
  if (!result.is_object()) return shape_fault(result, {});
  const auto schema = result.find("schema");
  if (schema == result.end()) return fmt::format("has no \"schema\": \"{}\"", kResultSchema);
  if (*schema != kResultSchema) {
    return fmt::format("\"schema\" is {}; expected \"{}\"", excerpt(schema->dump()), kResultSchema);
  }
  return shape_fault(result, result_table().rows());
}

}  // namespace lsmlab
