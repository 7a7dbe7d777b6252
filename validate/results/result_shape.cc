#include "validate/results/result_shape.h"

#include <fmt/format.h>

#include "models/base/shortened.h"
#include "validate/results/json_shape.h"
#include "validate/results/result_json.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr JsonMember kResultMembers[] = {
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
    {"seed", JsonKind::kCount},
    {"complete", JsonKind::kFlag},
    {"totals", JsonKind::kObject, true},
    {"totals/*", JsonKind::kScalar},
    {"totals/flushes", JsonKind::kNumber, true},
    {"totals/merge_bytes_read", JsonKind::kNumber},
    {"totals/merge_bytes_written", JsonKind::kNumber},
    {"amplification", JsonKind::kObject, true},
    {"amplification/*", JsonKind::kNumberOrNull},
    {"floor", JsonKind::kObjectOrNull},
    {"floor/*", JsonKind::kScalar},
    {"floor/k_is_policy_bound", JsonKind::kFlag},
    {"cost_model", JsonKind::kList},
    {"cost_model/*", JsonKind::kObject},
    {"cost_model/*/name", JsonKind::kText, true},
    {"cost_model/*/value", JsonKind::kNumberOrNull, true},
    {"cost_model/*/unit", JsonKind::kText, true},
    {"cost_model/*/source", JsonKind::kText, true},
    {"cost_model/*/run_figure", JsonKind::kTextOrNull},
    {"cost_model/*/run", JsonKind::kNumberOrNull},
    {"operations", JsonKind::kObject},
    {"reads", JsonKind::kObject},
    {"merge_sizes", JsonKind::kObject},
    {"latency", JsonKind::kObject},
    {"latency/*", JsonKind::kObject},
    {"latency/*/*", JsonKind::kNumber},
    {"throughput", JsonKind::kObject},
    {"throughput/loading_operations", JsonKind::kNumber},
    {"throughput/operations_per_second", JsonKind::kNumber, true},
    {"stalls", JsonKind::kList},
    {"stalls/*", JsonKind::kObject},
    {"stalls/*/reason", JsonKind::kText, true},
    {"stalls/*/count", JsonKind::kCount, true},
    {"stalls/*/nanoseconds", JsonKind::kNumber, true},
    {"stalls/*/longest_ns", JsonKind::kNumber},
    {"clients", JsonKind::kObject},
    {"time", JsonKind::kObject},
    {"time/simulated_ns", JsonKind::kNumber, true},
    {"time/cpu_stopped_ns", JsonKind::kNumber},
    {"time/device", JsonKind::kObject, true},
    {"time/device/busy_ns", JsonKind::kNumber, true},
    {"time/series", JsonKind::kObject, true},
    {"time/series/*", JsonKind::kNumbersOrNulls},
    {"flash", JsonKind::kObject},
    {"flash/write_amplification", JsonKind::kNumber, true},
    {"flash/years", JsonKind::kNumberOrNull},
    {"merge_times", JsonKind::kObject},
    {"merge_times/*", JsonKind::kNumbers},
    {"merge_times/bytes_read", JsonKind::kNumbers, true},
    {"merge_times/bytes_written", JsonKind::kNumbers, true},
    {"merge_times/nanoseconds", JsonKind::kNumbers, true},
    {"final", JsonKind::kObject},
    {"final/file_bytes", JsonKind::kNumber},
    {"series", JsonKind::kObject, true},
    {"series/*", JsonKind::kNumbersOrNulls},
    {"stacks", JsonKind::kList},
    {"stacks/*", JsonKind::kObject},
    {"run", JsonKind::kObject},
    {"run/version", JsonKind::kText},
};

}  // namespace

std::optional<std::string> result_fault(const Json& result) {
  if (!result.is_object()) return shape_fault(result, {});
  const auto schema = result.find("schema");
  if (schema == result.end()) return fmt::format("has no \"schema\": \"{}\"", kResultSchema);
  if (*schema != kResultSchema) {
    return fmt::format("\"schema\" is {}; expected \"{}\"", excerpt(schema->dump()), kResultSchema);
  }
  return shape_fault(result, kResultMembers);
}

}  // namespace lsmlab
