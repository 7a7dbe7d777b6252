#include "validate/judge/validation_shape.h"

#include <fmt/format.h>

#include <span>

#include "validate/judge/cell_figures.h"
#include "validate/judge/timed_figures.h"
#include "validate/results/json_shape.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

// Members that are not figures.
constexpr JsonMember kMembers[] = {
    {"experiment", JsonKind::kText},
    {"description", JsonKind::kText},
    {"run", JsonKind::kObject, true},
    {"broken_bounds", JsonKind::kList, true},
    {"broken_bounds/*", JsonKind::kText},
    {"cells", JsonKind::kList, true},
    {"cells/*", JsonKind::kObject},
    {"cells/*/group", JsonKind::kText},
    {"cells/*/policy", JsonKind::kObject, true},
    {"cells/*/policy/name", JsonKind::kText},
    {"cells/*/policy/label", JsonKind::kText},
    {"cells/*/workload", JsonKind::kObject, true},
    {"cells/*/workload/name", JsonKind::kText},
    {"cells/*/workload/parameters", JsonKind::kObject},
    {"cells/*/workload/parameters/*", JsonKind::kScalar},
    {"cells/*/source", JsonKind::kText},
    {"cells/*/time", JsonKind::kObjectOrNull},
    {"cells/*/deletes", JsonKind::kObjectOrNull},
    {"cells/*/deletes/simulated", JsonKind::kObjectOrNull, true},
    {"cells/*/deletes/measured", JsonKind::kObjectOrNull, true},
    {"cells/*/deletes/*/*", JsonKind::kNumberOrNull},
    {"cells/*/error_of", JsonKind::kObjectOrNull, true},
    {"cells/*/plan_forced", JsonKind::kObjectOrNull},
    {"cells/*/plan_forced/size", JsonKind::kNumberOrNull, true},
    {"cells/*/curve_error", JsonKind::kObject, true},
    {"cells/*/curve_error/largest", JsonKind::kNumberOrNull, true},
    {"cells/*/logs", JsonKind::kObject, true},
    {"cells/*/logs/difference", JsonKind::kText, true},
    {"cells/*/logs/same_plans", JsonKind::kCount, true},
    {"cells/*/cost_model", JsonKind::kAny},
    {"cells/*/curves", JsonKind::kObject, true},
    {"cells/*/curves/simulated", JsonKind::kObject, true},
    {"cells/*/curves/measured", JsonKind::kObject, true},
    {"simulations", JsonKind::kList},
    {"simulations/*", JsonKind::kObject},
    {"simulations/*/group", JsonKind::kText, true},
    {"simulations/*/spec", JsonKind::kText, true},
    {"simulations/*/workload", JsonKind::kObject, true},
    {"simulations/*/workload/name", JsonKind::kText},
    {"simulations/*/workload/parameters", JsonKind::kObject},
    {"simulations/*/workload/parameters/*", JsonKind::kScalar},
    {"simulations/*/merge_bytes", JsonKind::kNumber, true},
    {"resolutions", JsonKind::kList},
    {"resolutions/*", JsonKind::kObject},
    {"resolutions/*/group", JsonKind::kText, true},
    {"resolutions/*/policy", JsonKind::kObject, true},
    {"resolutions/*/policy/label", JsonKind::kText},
    {"resolutions/*/spec", JsonKind::kText, true},
    {"resolutions/*/workload", JsonKind::kObject, true},
    {"resolutions/*/workload/name", JsonKind::kText},
    {"resolutions/*/workload/parameters", JsonKind::kObject},
    {"resolutions/*/workload/parameters/*", JsonKind::kScalar},
    {"resolutions/*/seeds", JsonKind::kNumber, true},
    {"resolutions/*/figures", JsonKind::kObject, true},
    {"resolutions/*/figures/*", JsonKind::kObject},
    {"resolutions/*/figures/*/*", JsonKind::kNumberOrNull},
    {"fits", JsonKind::kList, true},
    {"fits/*", JsonKind::kObject},
    {"fits/*/of", JsonKind::kText, true},
    {"fits/*/name", JsonKind::kText, true},
    {"fits/*/figure", JsonKind::kText, true},
    {"fits/*/points", JsonKind::kScalar, true},
    {"fits/*/slope", JsonKind::kNumberOrNull, true},
    {"fits/*/slope_95", JsonKind::kAny, true},
    {"fits/*/intercept", JsonKind::kNumberOrNull, true},
    {"fits/*/r_squared", JsonKind::kNumberOrNull, true},
    {"fits/*/prediction_r_squared", JsonKind::kNumberOrNull, true},
    {"fits/*/rms_residual", JsonKind::kNumberOrNull, true},
    {"fits/*/largest_relative_error", JsonKind::kNumberOrNull, true},
    {"merge_times", JsonKind::kList, true},
    {"merge_times/*", JsonKind::kObject},
    {"merge_times/*/policy", JsonKind::kText},
    {"merge_times/*/merges", JsonKind::kNumber, true},
    {"merge_times/*/seconds_per_byte", JsonKind::kNumberOrNull, true},
    {"merge_times/*/seconds_per_merge", JsonKind::kNumberOrNull, true},
    {"merge_times/*/r_squared", JsonKind::kNumberOrNull, true},
    {"merge_times/*/bytes_written", JsonKind::kNumbersOrNulls, true},
    {"merge_times/*/seconds", JsonKind::kNumbersOrNulls, true},
};

// Both sides' figures and their errors, in the object at `path`.
void add_compared(const std::string& path, std::span<const JudgedFigure> figures,
                  JsonShape& shape) {
  for (const char* side : {"simulated", "measured", "relative_error"}) {
    const std::string outer = fmt::format("{}/{}", path, side);
    shape.add(outer, JsonKind::kObject, true);
    shape.add(outer + "/*", JsonKind::kNumberOrNull);
    for (const JudgedFigure& figure : figures) {
      if (figure.is_required) shape.add(outer + "/" + figure.name, JsonKind::kNumberOrNull, true);
    }
  }
}

const JsonShape& validation_shape() {
  static const JsonShape made = [] {
    JsonShape shape;
    shape.add(kMembers);
    add_compared("cells/*", compared_figures(), shape);
    add_compared("cells/*/time", timed_figures(), shape);
    const ResultFigures& figures = result_figures();
    for (const char* side : {"simulated", "measured"}) {
      for (const ResultFigure* column : {&figures.series_operations, &figures.series_write}) {
        shape.add(fmt::format("cells/*/curves/{}/{}", side, column->name()),
                  JsonKind::kNumbersOrNulls, true);
      }
    }
    return shape;
  }();
  return made;
}

}  // namespace

std::optional<std::string> validation_fault(const Json& validation) {
  return shape_fault(validation, validation_shape().rows());
}

}  // namespace lsmlab
