#include "validate/result_shape.h"

#include <fmt/format.h>

#include "models/shortened.h"
#include "validate/json_shape.h"
#include "validate/result_json.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;
using enum JsonKind;

constexpr JsonMember kMembers[] = {
    {"source", kText},
    {"policy", kObject, true},
    {"policy/name", kText},
    {"policy/family", kText},
    {"policy/label", kText},
    {"policy/parameters", kObject},
    {"policy/parameters/*", kScalar},
    {"workload", kObject, true},
    {"workload/name", kText},
    {"workload/parameters", kObject},
    {"workload/parameters/*", kScalar},
    {"device", kObjectOrNull},
    {"mode", kText},
    {"resolution", kText},
    {"seed", kCount},
    {"complete", kFlag},
    {"totals", kObject, true},
    {"totals/*", kScalar},
    {"totals/flushes", kNumber, true},
    {"totals/merge_bytes_read", kNumber},
    {"totals/merge_bytes_written", kNumber},
    {"amplification", kObject, true},
    {"amplification/*", kNumberOrNull},
    {"floor", kObjectOrNull},
    {"floor/*", kScalar},
    {"floor/k_is_policy_bound", kFlag},
    {"cost_model", kList},
    {"cost_model/*", kObject},
    {"cost_model/*/name", kText, true},
    {"cost_model/*/value", kNumberOrNull, true},
    {"cost_model/*/unit", kText, true},
    {"cost_model/*/source", kText, true},
    {"cost_model/*/run_figure", kTextOrNull},
    {"cost_model/*/run", kNumberOrNull},
    {"operations", kObject},
    {"reads", kObject},
    {"merge_sizes", kObject},
    {"latency", kObject},
    {"latency/*", kObject},
    {"latency/*/*", kNumber},
    {"throughput", kObject},
    {"throughput/loading_operations", kNumber},
    {"throughput/operations_per_second", kNumber, true},
    {"stalls", kList},
    {"stalls/*", kObject},
    {"stalls/*/reason", kText, true},
    {"stalls/*/count", kCount, true},
    {"stalls/*/nanoseconds", kNumber, true},
    {"stalls/*/longest_ns", kNumber},
    {"clients", kObject},
    {"time", kObject},
    {"time/simulated_ns", kNumber, true},
    {"time/cpu_stopped_ns", kNumber},
    {"time/device", kObject, true},
    {"time/device/busy_ns", kNumber, true},
    {"time/series", kObject, true},
    {"time/series/*", kNumbersOrNulls},
    {"flash", kObject},
    {"flash/write_amplification", kNumber, true},
    {"flash/years", kNumberOrNull},
    {"merge_times", kObject},
    {"merge_times/*", kNumbers},
    {"merge_times/bytes_read", kNumbers, true},
    {"merge_times/bytes_written", kNumbers, true},
    {"merge_times/nanoseconds", kNumbers, true},
    {"final", kObject},
    {"final/file_bytes", kNumber},
    {"series", kObject, true},
    {"series/*", kNumbersOrNulls},
    {"stacks", kList},
    {"stacks/*", kObject},
    {"run", kObject},
    {"run/version", kText},
};

}  // namespace

std::optional<std::string> result_fault(const Json& result) {
  if (!result.is_object()) return shape_fault(result, {});
  const auto schema = result.find("schema");
  if (schema == result.end()) return fmt::format("has no \"schema\": \"{}\"", kResultSchema);
  if (*schema != kResultSchema) {
    return fmt::format("\"schema\" is {}; expected \"{}\"", excerpt(schema->dump()), kResultSchema);
  }
  return shape_fault(result, kMembers);
}

}  // namespace lsmlab
