#include "validate/catalog/operation_workload_text.h"

#include <algorithm>
#include <numeric>

#include "validate/results/json_values.h"

namespace lsmlab {
namespace {

using WorkloadJson = nlohmann::ordered_json;

// The options of a struct that have a value.
template <class Options>
WorkloadJson members_of(Options options) {
  OptionTable table;
  options.declare(table);
  const WorkloadJson all = options_to_json(table.values());
  WorkloadJson members = WorkloadJson::object();
  for (const auto& [name, value] : all.items()) {
    if (!value.is_null()) members[name] = value;
  }
  return members;
}

double share_of(std::uint64_t billionths) {
  return static_cast<double>(billionths) / double{kClassWeightSum};
}

// Sums are rounded, not the shares, so that the shares add up to 1. A class whose share of keys is
// rounded to 0 joins its neighbour.
WorkloadJson classes_json(const std::vector<KeyClass>& classes) {
  Uint128 keys_sum = 0;
  Uint128 weight_sum = 0;
  for (const KeyClass& each : classes) {
    keys_sum += each.keys;
    weight_sum += each.weight;
  }
  std::vector<KeyClass> shares;
  Uint128 keys = 0;
  Uint128 weight = 0;
  KeyClass given;
  for (const KeyClass& each : classes) {
    keys += each.keys;
    weight += each.weight;
    const auto keys_to = static_cast<std::uint64_t>(keys * kClassWeightSum / keys_sum);
    const auto weight_to = static_cast<std::uint64_t>(weight * kClassWeightSum / weight_sum);
    if (keys_to > given.keys) shares.push_back({keys_to - given.keys, 0});
    if (shares.empty()) continue;
    shares.back().weight += weight_to - given.weight;
    given = {keys_to, weight_to};
  }
  WorkloadJson json = WorkloadJson::array();
  for (const KeyClass& each : shares) {
    json.push_back({share_of(each.keys), share_of(each.weight)});
  }
  return json;
}

WorkloadJson json_of(const AccessKeys& keys) {
  WorkloadJson json = members_of(keys);
  if (!keys.classes.empty()) json["classes"] = classes_json(keys.classes);
  return json;
}

WorkloadJson json_of(const SizeDistribution& sizes) {
  if (sizes.kind == SizeKind::kConstant) return sizes.size.value();
  WorkloadJson json = members_of(sizes);
  for (const WeightedSize& each : sizes.sizes) json["sizes"].push_back({each.size, each.weight});
  return json;
}

// A weight is at most 10^6 and has nine decimals, so counts are divided by a power of ten.
WorkloadJson mix_json(const ActionCounts& actions) {
  constexpr std::uint64_t kWeightMax = 1'000'000;
  std::uint64_t divisor = 1;
  for (const std::uint64_t count : actions.values) {
    while (count / divisor >= kWeightMax) divisor *= 10;
  }
  WorkloadJson mix = WorkloadJson::object();
  for (std::size_t a = 0; a < kActions; ++a) {
    const std::uint64_t count = actions.values[a];
    if (count == 0) continue;
    if (divisor == 1) {
      mix[action_names()[a]] = count;
    } else {
      mix[action_names()[a]] = static_cast<double>(count) / static_cast<double>(divisor);
    }
  }
  return mix;
}

WorkloadJson json_of(const Phase& phase) {
  const ActionCounts& actions = phase.actions;
  const std::uint64_t operations =
      std::accumulate(actions.values.begin(), actions.values.end(), std::uint64_t{0});
  WorkloadJson json{{"operations", operations}, {"mix", mix_json(actions)}};
  if (actions[Action::kInsert] > 0) json["insert_keys"] = members_of(phase.insert_keys);
  if (actions[Action::kUpdate] > 0) json["update_keys"] = json_of(phase.update_keys);
  if (actions[Action::kDelete] > 0) json["delete_keys"] = json_of(phase.delete_keys);
  if (actions[Action::kGetPresent] + actions[Action::kGetAbsent] + actions[Action::kScan] > 0) {
    json["lookup_keys"] = json_of(phase.lookup_keys);
  }
  if (actions[Action::kGetAbsent] > 0) {
    json["absent_keys"] = phase.absent_keys == AbsentKeys::kDomain ? "domain" : "neighbour";
  }
  json["value_bytes"] = json_of(phase.value_bytes);
  if (phase.scan_entries) json["scan_entries"] = json_of(*phase.scan_entries);
  if (phase.then != PartEnd::kNothing) json["then"] = std::string(part_end_name(phase.then));
  return json;
}

bool has_structure(const WorkloadJson& json) {
  return std::any_of(json.begin(), json.end(),
                     [](const WorkloadJson& value) { return value.is_structured(); });
}

// A line for each member; lists of numbers are short.
std::string text_of(const WorkloadJson& json, const std::string& indent) {
  if (!json.is_structured() || json.empty() || (json.is_array() && !has_structure(json))) {
    return json.dump(-1, ' ', false, WorkloadJson::error_handler_t::replace);
  }
  const std::string deeper = indent + "  ";
  std::string text;
  for (const auto& [name, value] : json.items()) {
    text += (text.empty() ? "\n" : ",\n") + deeper;
    if (json.is_object()) text += WorkloadJson(name).dump() + ": ";
    text += text_of(value, deeper);
  }
  text += "\n" + indent;
  return json.is_object() ? "{" + text + "}" : "[" + text + "]";
}

}  // namespace

std::string operation_workload_text(const OperationWorkload& workload, const WorkloadNotes& notes) {
  WorkloadJson json{{"description", notes.description}};
  for (const auto& [name, figure] : notes.measured) json["measured"][name] = figure;
  json["omissions"] = notes.omissions;
  json["key_bytes"] = json_of(workload.key_bytes);
  if (workload.rate) json["operations_per_second"] = workload.rate->text();
  json["phases"] = WorkloadJson::array();
  for (const Phase& phase : workload.phases) json["phases"].push_back(json_of(phase));
  return text_of(json, "") + "\n";
}

}  // namespace lsmlab
