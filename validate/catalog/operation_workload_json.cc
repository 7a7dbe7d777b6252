#include "validate/catalog/operation_workload_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/base/quantity_text.h"
#include "validate/catalog/operation_rate_parameter.h"
#include "validate/results/json_text.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

Error fault_at(const std::string& path, const std::string& what) {
  return input_error(path.empty() ? what : fmt::format("{}: {}", path, what));
}

Error fault_at(const std::string& path, const Error& error) {
  return path.empty() ? error : in_context(path, error);
}

std::string member_path(const std::string& path, const std::string& member) {
  return path.empty() ? member : path + "." + member;
}

// Options are parsed from text, whose numbers are decimals without an exponent.
Result<std::string> scalar_text(const std::string& path, const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean() || value.is_number_integer()) return value.dump();
  if (!value.is_number()) return fault_at(path, "expected a number or a text");
  const double number = value.get<double>();
  // A number that nine decimals cannot hold must not become another number.
  if (number != 0 && number < 1e-9 && number > -1e-9) {
    return fault_at(path, "more than nine decimals");
  }
  std::string text = fmt::format("{:.9f}", number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

Result<void> check_members_at(const std::string& path, const Json& json,
                              const std::vector<std::string>& members) {
  const Result<void> checked = check_members(json, members);
  if (!checked) return fault_at(path, checked.error());
  return success();
}

Result<std::uint64_t> read_count(const std::string& path, const Json& value) {
  auto text = BOOST_OUTCOME_TRYX(scalar_text(path, value));
  Result<std::uint64_t> count = parse_count(text);
  if (!count) return fault_at(path, count.error());
  return count;
}

Result<Decimal> read_decimal(const std::string& path, const Json& value) {
  auto text = BOOST_OUTCOME_TRYX(scalar_text(path, value));
  const std::optional<Decimal> decimal = Decimal::parse(text);
  if (!decimal) {
    return fault_at(path, fmt::format("'{}' is not a decimal number of at most nine decimals that "
                                      "is 0 or more",
                                      text));
  }
  return *decimal;
}

// Assigns the scalar members of an object to the options that a struct declares.
template <class Options>
Result<void> assign_members(const std::string& path, const Json& json, Options& options) {
  if (!json.is_object()) return fault_at(path, "expected a JSON object");
  Parameters parameters;
  for (const auto& [member, value] : json.items()) {
    auto text = BOOST_OUTCOME_TRYX(scalar_text(member_path(path, member), value));
    parameters.emplace_back(member, text);
  }
  OptionTable table;
  options.declare(table);
  if (auto assigned = table.assign(parameters); !assigned) {
    return fault_at(path, assigned.error());
  }
  return success();
}

// "zipfian" stands for {"distribution": "zipfian"}.
template <class Keys>
Result<void> read_keys(const std::string& path, const Json& json, Keys& keys) {
  if (json.is_string()) return assign_members(path, Json{{"distribution", json}}, keys);
  return assign_members(path, json, keys);
}

// [[size, weight], ...]
Result<std::vector<WeightedSize>> read_sizes(const std::string& path, const Json& json) {
  if (!json.is_array()) return fault_at(path, "expected a list of [size, weight]");
  std::vector<WeightedSize> sizes;
  for (std::size_t s = 0; s < json.size(); ++s) {
    const std::string entry = fmt::format("{}[{}]", path, s);
    if (!json[s].is_array() || json[s].size() != 2) {
      return fault_at(entry, "expected [size, weight]");
    }
    auto size = BOOST_OUTCOME_TRYX(read_count(entry, json[s][0]));
    auto weight = BOOST_OUTCOME_TRYX(read_count(entry, json[s][1]));
    sizes.push_back({size, weight});
  }
  return sizes;
}

// A share of 0 to 1, in billionths.
Result<std::uint64_t> read_share(const std::string& path, const Json& value) {
  const Decimal share = BOOST_OUTCOME_TRYX(read_decimal(path, value));
  if (share.numerator() > share.denominator()) return fault_at(path, "a share is at most 1");
  return share.numerator() * (kClassWeightSum / share.denominator());
}

// What rounding to nine decimals may add to a sum of shares, in billionths.
constexpr std::uint64_t kSumTolerance = 1'000;

Result<void> check_sum(const std::string& path, const char* what, std::uint64_t sum) {
  if (sum + kSumTolerance >= kClassWeightSum && sum <= kClassWeightSum + kSumTolerance) {
    return success();
  }
  return fault_at(path, fmt::format("the shares of {} add up to {}; expected 1", what,
                                    static_cast<double>(sum) / double{kClassWeightSum}));
}

// [[share of keys, share of accesses], ...]. KeyClass::keys is the share of keys in billionths
// until the workload's number of keys is known.
Result<std::vector<KeyClass>> read_classes(const std::string& path, const Json& json) {
  if (!json.is_array() || json.empty()) {
    return fault_at(path, "expected a list of [share of keys, share of accesses]");
  }
  if (json.size() > kKeyClassesMax) {
    return fault_at(path,
                    fmt::format("{} classes; expected at most {}", json.size(), kKeyClassesMax));
  }
  std::vector<KeyClass> classes;
  std::uint64_t keys = 0;
  std::uint64_t accesses = 0;
  for (std::size_t c = 0; c < json.size(); ++c) {
    const std::string entry = fmt::format("{}[{}]", path, c);
    if (!json[c].is_array() || json[c].size() != 2) {
      return fault_at(entry, "expected [share of keys, share of accesses]");
    }
    KeyClass read;
    read.keys = BOOST_OUTCOME_TRYX(read_share(entry + "[0]", json[c][0]));
    read.weight = BOOST_OUTCOME_TRYX(read_share(entry + "[1]", json[c][1]));
    if (read.keys == 0) return fault_at(entry + "[0]", "a class has a share of keys above 0");
    keys += read.keys;
    accesses += read.weight;
    classes.push_back(read);
  }
  BOOST_OUTCOME_TRYV(check_sum(path, "keys", keys));
  BOOST_OUTCOME_TRYV(check_sum(path, "accesses", accesses));
  return classes;
}

Result<void> read_access_keys(const std::string& path, const Json& json, AccessKeys& keys) {
  if (!json.is_object() || !json.contains("classes")) return read_keys(path, json, keys);
  keys.classes = BOOST_OUTCOME_TRYX(read_classes(member_path(path, "classes"), json["classes"]));
  Json scalars = json;
  scalars.erase("classes");
  return read_keys(path, scalars, keys);
}

// Classes have shares of all keys that the workload inserts.
Result<void> give_classes_keys(OperationWorkload& workload) {
  const std::uint64_t inserts = workload.insert_count();
  for (std::size_t p = 0; p < workload.phases.size(); ++p) {
    Phase& phase = workload.phases[p];
    for (const auto& [member, keys] : {std::pair("update_keys", &phase.update_keys),
                                       std::pair("delete_keys", &phase.delete_keys),
                                       std::pair("lookup_keys", &phase.lookup_keys)}) {
      if (keys->classes.empty()) continue;
      if (inserts == 0) {
        return fault_at(fmt::format("phases[{}].{}.classes", p, member),
                        "the workload inserts no keys");
      }
      keys->classes = key_classes_of_shares(keys->classes, inserts);
    }
  }
  return success();
}

// 112 stands for {"distribution": "constant", "size": 112}.
Result<SizeDistribution> read_size_distribution(const std::string& path, const Json& json) {
  if (!json.is_object()) {
    auto size = BOOST_OUTCOME_TRYX(read_count(path, json));
    return SizeDistribution::constant(size);
  }
  SizeDistribution distribution;
  Json scalars = json;
  if (const auto sizes = json.find("sizes"); sizes != json.end()) {
    auto read = BOOST_OUTCOME_TRYX(read_sizes(member_path(path, "sizes"), *sizes));
    distribution.sizes = std::move(read);
    scalars.erase("sizes");
  }
  BOOST_OUTCOME_TRYV(assign_members(path, scalars, distribution));
  return distribution;
}

Result<ActionCounts> read_actions(const std::string& path, const Json& json) {
  if (!json.contains("operations")) return fault_at(path, "has no \"operations\"");
  if (!json.contains("mix")) return fault_at(path, "has no \"mix\"");
  auto operations =
      BOOST_OUTCOME_TRYX(read_count(member_path(path, "operations"), json["operations"]));
  const std::string mix_path = member_path(path, "mix");
  const auto& names = action_names();
  BOOST_OUTCOME_TRYV(check_members_at(mix_path, json["mix"], {names.begin(), names.end()}));
  const Decimal none(0, 1);
  PerAction<Decimal> weights{{none, none, none, none, none, none, none}};
  for (std::size_t a = 0; a < kActions; ++a) {
    const auto weight = json["mix"].find(names[a]);
    if (weight == json["mix"].end()) continue;
    auto read = BOOST_OUTCOME_TRYX(read_decimal(member_path(mix_path, names[a]), *weight));
    weights.values[a] = read;
  }
  std::optional<Decimal> updates_per_insert;
  if (json.contains("updates_per_insert")) {
    updates_per_insert = BOOST_OUTCOME_TRYX(
        read_decimal(member_path(path, "updates_per_insert"), json["updates_per_insert"]));
  }
  Result<ActionCounts> actions = divide_actions(operations, weights, updates_per_insert);
  if (!actions) return fault_at(path, actions.error());
  return actions;
}

Result<AbsentKeys> read_absent_keys(const std::string& path, const Json& json) {
  if (json == "domain") return AbsentKeys::kDomain;
  if (json == "neighbour") return AbsentKeys::kNeighbour;
  return fault_at(path, "expected \"domain\" or \"neighbour\"");
}

Result<PartEnd> read_part_end(const std::string& path, const Json& json) {
  for (const PartEndRow& row : kPartEnds) {
    if (json == std::string(row.name)) return row.end;
  }
  return fault_at(path,
                  "expected \"flush\", \"settle\", \"compact\", \"compact-upper\", "
                  "\"compact-level0\", \"compact-level1\" or \"nothing\"");
}

Result<Phase> read_phase(const std::string& path, const Json& json) {
  BOOST_OUTCOME_TRYV(check_members_at(
      path, json,
      {"operations", "mix", "updates_per_insert", "insert_keys", "update_keys", "delete_keys",
       "lookup_keys", "absent_keys", "value_bytes", "scan_entries", "scan_selectivity", "then"}));
  Phase phase;
  auto actions = BOOST_OUTCOME_TRYX(read_actions(path, json));
  phase.actions = actions;
  for (const auto& [member, value] : json.items()) {
    const std::string here = member_path(path, member);
    if (member == "insert_keys") {
      BOOST_OUTCOME_TRYV(read_keys(here, value, phase.insert_keys));
    } else if (member == "update_keys") {
      BOOST_OUTCOME_TRYV(read_access_keys(here, value, phase.update_keys));
    } else if (member == "delete_keys") {
      BOOST_OUTCOME_TRYV(read_access_keys(here, value, phase.delete_keys));
    } else if (member == "lookup_keys") {
      BOOST_OUTCOME_TRYV(read_access_keys(here, value, phase.lookup_keys));
    } else if (member == "absent_keys") {
      auto absent_keys = BOOST_OUTCOME_TRYX(read_absent_keys(here, value));
      phase.absent_keys = absent_keys;
    } else if (member == "value_bytes") {
      auto sizes = BOOST_OUTCOME_TRYX(read_size_distribution(here, value));
      phase.value_bytes = std::move(sizes);
    } else if (member == "scan_entries") {
      auto sizes = BOOST_OUTCOME_TRYX(read_size_distribution(here, value));
      phase.scan_entries = std::move(sizes);
    } else if (member == "scan_selectivity") {
      auto share = BOOST_OUTCOME_TRYX(read_decimal(here, value));
      phase.scan_selectivity = share;
    } else if (member == "then") {
      const PartEnd then = BOOST_OUTCOME_TRYX(read_part_end(here, value));
      phase.then = then;
    }
  }
  return phase;
}

// What a profile tells its reader. A run needs none of it.
Result<void> check_measured(const Json& json) {
  BOOST_OUTCOME_TRYV(check_members_at(
      "measured", json,
      {"operations", "distinct_keys", "inserts_rising_percent", "update_distance_p50",
       "update_distance_p90", "independent_distance_p50", "independent_distance_p90"}));
  for (const auto& [member, value] : json.items()) {
    const Result<Decimal> number = read_decimal("measured." + member, value);
    if (!number) return number.error();
  }
  return success();
}

Result<void> check_omissions(const Json& json) {
  if (!json.is_array()) return fault_at("omissions", "expected a list of texts");
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (!json[i].is_string()) return fault_at(fmt::format("omissions[{}]", i), "expected a text");
  }
  return success();
}

void describe_phases(OperationWorkload& workload) {
  for (std::size_t p = 0; p < workload.phases.size(); ++p) {
    for (auto& option : describe_phase(fmt::format("phases[{}].", p), workload.phases[p])) {
      workload.options.push_back(std::move(option));
    }
  }
}

Result<OperationWorkload> read_workload(const Json& json) {
  BOOST_OUTCOME_TRYV(check_members_at(
      "", json,
      {"description", "measured", "omissions", "key_bytes", kOperationRateParameter, "phases"}));
  OperationWorkload workload;
  if (json.contains("description") && !json["description"].is_string()) {
    return fault_at("description", "expected a text");
  }
  if (json.contains("measured")) {
    BOOST_OUTCOME_TRYV(check_measured(json["measured"]));
  }
  if (json.contains("omissions")) {
    BOOST_OUTCOME_TRYV(check_omissions(json["omissions"]));
  }
  if (json.contains("key_bytes")) {
    auto sizes = BOOST_OUTCOME_TRYX(read_size_distribution("key_bytes", json["key_bytes"]));
    workload.key_bytes = std::move(sizes);
  }
  if (json.contains(kOperationRateParameter)) {
    const auto text =
        BOOST_OUTCOME_TRYX(scalar_text(kOperationRateParameter, json[kOperationRateParameter]));
    const Result<OperationRate> rate = OperationRate::parse(text);
    if (!rate) return fault_at(kOperationRateParameter, rate.error());
    workload.rate = rate.value();
  }
  if (!json.contains("phases") || !json["phases"].is_array()) {
    return fault_at("phases", "expected a list of phases");
  }
  workload.options.emplace_back("key_bytes", workload.key_bytes.text());
  for (std::size_t p = 0; p < json["phases"].size(); ++p) {
    auto phase = BOOST_OUTCOME_TRYX(read_phase(fmt::format("phases[{}]", p), json["phases"][p]));
    workload.phases.push_back(std::move(phase));
  }
  BOOST_OUTCOME_TRYV(give_classes_keys(workload));
  describe_phases(workload);
  return workload;
}

}  // namespace

Result<OperationWorkload> parse_operation_workload(const std::string& name, const std::string& text,
                                                   std::uint64_t scale) {
  const auto named = [&](const std::string& message) {
    return input_error(fmt::format("{}: {}", name, message));
  };
  const auto json = parse_json(text, kConfigLimits);
  if (!json) return in_context(name, json.error());
  Result<OperationWorkload> workload = read_workload(json.value());
  if (!workload) return in_context(name, workload.error());
  workload.value().name = name;
  if (scale > 1) {
    if (auto scaled = workload.value().scale(scale); !scaled) {
      return in_context(name, scaled.error());
    }
    workload.value().options.resize(1);
    describe_phases(workload.value());
  }
  if (const auto faults = workload.value().validate(); !faults.empty()) {
    return named(fmt::format("{}", fmt::join(faults, "; ")));
  }
  return workload;
}

}  // namespace lsmlab
