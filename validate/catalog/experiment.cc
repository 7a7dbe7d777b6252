#include "validate/catalog/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "models/base/check.h"
#include "models/base/decimal.h"
#include "models/base/options.h"
#include "models/base/quantity_text.h"
#include "models/base/shortened.h"
#include "models/base/suggest.h"
#include "traces/io/text_file.h"
#include "validate/catalog/catalog.h"
#include "validate/catalog/embedded_configs.h"
#include "validate/catalog/measured_format.h"
#include "validate/results/json_text.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kKind = "experiments";

// Each run of a cell runs a store for minutes.
constexpr CountRange kRuns{1, 1000};
constexpr CountRange kCalibrateSeconds{1, 86'400};
constexpr CountRange kSeeds{1, std::numeric_limits<std::uint64_t>::max()};
constexpr std::size_t kCellsMax = 10'000;

Result<std::uint64_t> count_of(const Json& json, const char* member, std::uint64_t fallback,
                               CountRange range) {
  const auto found = json.find(member);
  if (found == json.end()) return fallback;
  const bool is_whole = found->is_number_unsigned();
  const std::uint64_t count = is_whole ? found->get<std::uint64_t>() : 0;
  if (is_whole && count >= range.min && count <= range.max) return count;
  return input_error(fmt::format("\"{}\": {} is not a whole number within {} and {}", member,
                                 excerpt(found->dump()), range.min, range.max));
}

Result<bool> flag_of(const Json& json, const char* member) {
  const auto found = json.find(member);
  if (found == json.end()) return false;
  if (found->is_boolean()) return found->get<bool>();
  return input_error(fmt::format("\"{}\" is neither true nor false", member));
}

// A fraction: 0.05 or "5%", at most one million.
Result<std::optional<double>> fraction_of(const Json& json, const char* member) {
  const auto found = json.find(member);
  if (found == json.end()) return std::optional<double>();
  constexpr double kMost = 1e6;
  std::optional<double> fraction;
  if (found->is_number()) fraction = found->get<double>();
  if (found->is_string()) {
    const std::optional<Decimal> parsed = Decimal::parse(found->get<std::string>());
    if (parsed) {
      fraction =
          static_cast<double>(parsed->numerator()) / static_cast<double>(parsed->denominator());
    }
  }
  if (fraction && *fraction >= 0 && *fraction <= kMost) return fraction;
  return input_error(fmt::format("\"{}\": {} is not a number or a percentage within 0 and {:.0f}",
                                 member, excerpt(found->dump()), kMost));
}

// The list of SPECs; a SPEC whose parameters list several values becomes one SPEC for each.
Result<std::vector<Spec>> specs_of(const Json& json, const char* member) {
  const auto found = json.find(member);
  if (found == json.end() || !found->is_array() || found->empty()) {
    return input_error(fmt::format("\"{}\" is not a list of SPECs", member));
  }
  std::vector<Spec> specs;
  for (const Json& text : *found) {
    if (!text.is_string()) {
      return input_error(fmt::format("\"{}\" has an element that is not a text", member));
    }
    const auto spec = BOOST_OUTCOME_TRYX(parse_spec(text.get<std::string>()));
    auto expanded = BOOST_OUTCOME_TRYX(expand_lists(spec));
    for (Spec& one : expanded) specs.push_back(std::move(one));
  }
  return specs;
}

Result<RunSource> source_of(const std::string& name) {
  std::vector<std::string> names;
  for (const RunSource source : kRunSources) {
    names.emplace_back(run_source_name(source));
    if (name == names.back()) return source;
  }
  return input_error(fmt::format("unknown source '{}'{}", excerpt(name), suggestion(name, names)));
}

Result<ExperimentBounds> bounds_of(const Json& group) {
  ExperimentBounds bounds;
  const auto found = group.find("bounds");
  if (found == group.end()) return bounds;
  BOOST_OUTCOME_TRYV(check_members(
      *found,
      {"write_error", "r_squared", "same_logs", "throughput_error", "put_p99_factor", "right_order",
       "merge_time_r_squared", "merges_error", "live_bytes_error", "space_transient_error"}));
  bounds.write_error = BOOST_OUTCOME_TRYX(fraction_of(*found, "write_error"));
  bounds.r_squared = BOOST_OUTCOME_TRYX(fraction_of(*found, "r_squared"));
  bounds.has_same_logs = BOOST_OUTCOME_TRYX(flag_of(*found, "same_logs"));
  bounds.throughput_error = BOOST_OUTCOME_TRYX(fraction_of(*found, "throughput_error"));
  bounds.put_p99_factor = BOOST_OUTCOME_TRYX(fraction_of(*found, "put_p99_factor"));
  bounds.merge_time_r_squared = BOOST_OUTCOME_TRYX(fraction_of(*found, "merge_time_r_squared"));
  bounds.has_right_order = BOOST_OUTCOME_TRYX(flag_of(*found, "right_order"));
  bounds.merges_error = BOOST_OUTCOME_TRYX(fraction_of(*found, "merges_error"));
  bounds.live_bytes_error = BOOST_OUTCOME_TRYX(fraction_of(*found, "live_bytes_error"));
  bounds.space_transient_error = BOOST_OUTCOME_TRYX(fraction_of(*found, "space_transient_error"));
  return bounds;
}

Result<bool> is_stepped(const Json& group) {
  const auto mode = BOOST_OUTCOME_TRYX(member_text(group, "mode", "stepped"));
  if (mode == "stepped") return true;
  if (mode == "threaded") return false;
  const std::vector<std::string> modes{"stepped", "threaded"};
  return input_error(fmt::format("unknown mode '{}'{}", excerpt(mode), suggestion(mode, modes)));
}

bool is_measured(const RunSpec& spec) { return spec.options.source != RunSource::kSimulator; }

// With a device, a cell of resolution range is simulated there only.
bool compares_resolutions(const ExperimentCell& cell) {
  return cell.spec.resolution == Resolution::kRange && !cell.device;
}

// The description of the cell's simulation. If the source is a store, it simulates what that store
// does. A device that is measured later is not part of it.
RunSpec simulation_of(const ExperimentCell& cell) {
  RunSpec spec = cell.spec;
  spec.options.source = RunSource::kSimulator;
  spec.options.is_stepped = !cell.device;
  const bool is_range = cell.device && cell.spec.resolution == Resolution::kRange;
  spec.resolution = is_range ? Resolution::kRange : Resolution::kKey;
  if (!is_calibrated(cell)) spec.device = cell.device;
  return spec;
}

Result<void> resolve_pairs(RunResolver& resolver, ExperimentCell& cell) {
  cell.pairs.clear();
  RunSpec spec = cell.spec;
  for (std::uint64_t i = 0; i < cell.runs; ++i, ++spec.options.seed) {
    spec.resolution = Resolution::kRange;
    auto by_range = BOOST_OUTCOME_TRYX(resolver.resolve(spec));
    spec.resolution = Resolution::kKey;
    auto by_key = BOOST_OUTCOME_TRYX(resolver.resolve(spec));
    cell.pairs.push_back({std::move(by_range), std::move(by_key)});
  }
  return success();
}

// Looks up every name now, so that a mistake is reported before hours of work.
Result<void> resolve_cell(RunResolver& resolver, ExperimentCell& cell) {
  cell.simulated.reset();
  cell.measured.reset();
  if (compares_resolutions(cell)) return resolve_pairs(resolver, cell);
  if (is_measured(cell.spec)) {
    cell.measured = BOOST_OUTCOME_TRYX(resolver.resolve(cell.spec));
  }
  cell.simulated = BOOST_OUTCOME_TRYX(resolver.resolve(simulation_of(cell)));
  return success();
}

// Reads the members that only cells with a clock have.
Result<void> read_clock(const Json& group, const ExperimentBounds& bounds, ExperimentCell& cell) {
  RunSpec& spec = cell.spec;
  const auto device = BOOST_OUTCOME_TRYX(member_text(group, "device", ""));
  const auto merge_threads =
      BOOST_OUTCOME_TRYX(count_of(group, "merge_threads", 1, kMergeThreadsRange));
  spec.options.direct_io = BOOST_OUTCOME_TRYX(flag_of(group, "direct_io"));
  spec.options.merge_threads = merge_threads;
  const auto stalls = BOOST_OUTCOME_TRYX(member_text(group, "stalls", ""));
  spec.stalls = BOOST_OUTCOME_TRYX(parse_stall_changes(stalls));
  if (device.empty()) {
    if (merge_threads == 1 && stalls.empty() && !spec.options.direct_io &&
        !bounds.throughput_error && !bounds.put_p99_factor && !bounds.merge_time_r_squared &&
        !bounds.has_right_order) {
      return success();
    }
    return input_error(
        "\"merge_threads\", \"stalls\", \"direct_io\" and bounds on time need a \"device\": "
        "without one "
        "nothing "
        "has a clock");
  }
  if (is_measured(spec) && (spec.options.is_stepped || spec.options.source != RunSource::kEngine)) {
    return input_error("\"device\" needs \"mode\": \"threaded\" and \"source\": \"engine\"");
  }
  cell.device = BOOST_OUTCOME_TRYX(parse_spec(device));
  return success();
}

// Reads the members that make sense only if nothing is measured, and refuses those that then make
// none.
Result<void> read_simulated(const Json& group, ExperimentCell& cell) {
  RunSpec& spec = cell.spec;
  if (is_measured(spec)) {
    if (!group.contains("clients")) return success();
    return input_error(
        "\"clients\" needs \"source\": \"simulator\": a measured store has one client");
  }
  for (const char* member : {"mode", "runs", "direct_io", "bounds"}) {
    if (!group.contains(member) || compares_resolutions(cell)) continue;
    return input_error(fmt::format(
        "\"{}\" is for measured stores, but \"source\": \"simulator\" measures none", member));
  }
  const auto text = BOOST_OUTCOME_TRYX(member_text(group, "clients", "closed"));
  if (!cell.device && group.contains("clients")) {
    return input_error("\"clients\" needs a \"device\": without one nothing has a clock");
  }
  spec.clients = BOOST_OUTCOME_TRYX(parse_spec(text));
  spec.options.is_stepped = !cell.device;
  return success();
}

// Reads the member of groups that compare two simulations, and refuses what they do not have.
Result<void> read_resolution(const Json& group, const ExperimentBounds& bounds,
                             ExperimentCell& cell) {
  if (!group.contains("resolution")) {
    if (!bounds.merges_error && !bounds.live_bytes_error && !bounds.space_transient_error) {
      return success();
    }
    return input_error(
        "\"merges_error\", \"live_bytes_error\" and \"space_transient_error\" are bounds of groups "
        "with \"resolution\": \"range\"");
  }
  const auto resolution = BOOST_OUTCOME_TRYX(member_text(group, "resolution", ""));
  if (resolution != "range") {
    return input_error(fmt::format(
        "\"resolution\": '{}'; expected 'range', which is compared with resolution 'key', or with "
        "a \"device\" is used alone",
        excerpt(resolution)));
  }
  if (is_measured(cell.spec)) {
    return input_error("\"resolution\" needs \"source\": \"simulator\"");
  }
  if (bounds.r_squared || bounds.has_same_logs) {
    return input_error("\"r_squared\" and \"same_logs\" are bounds of measured stores");
  }
  if (group.contains("mode")) {
    return input_error("\"mode\": groups with \"resolution\" have no measured stores");
  }
  cell.spec.resolution = Resolution::kRange;
  return success();
}

Result<ExperimentGroup> group_of(const Json& json, std::size_t number, RunResolver& resolver) {
  BOOST_OUTCOME_TRYV(check_members(
      json,
      {"name", "source", "mode", "device", "merge_threads", "direct_io", "clients", "stalls",
       "policies", "workloads", "runs", "seed", "bounds", "calibrate_seconds", "resolution"}));
  ExperimentGroup group;
  group.name =
      BOOST_OUTCOME_TRYX(member_text(json, "name", fmt::format("group {}", number).c_str()));
  group.bounds = BOOST_OUTCOME_TRYX(bounds_of(json));
  ExperimentCell cell;
  cell.group = group.name;
  RunSpec& spec = cell.spec;
  const auto source = BOOST_OUTCOME_TRYX(member_text(json, "source", "engine"));
  spec.options.source = BOOST_OUTCOME_TRYX(source_of(source));
  spec.options.is_stepped = BOOST_OUTCOME_TRYX(is_stepped(json));
  BOOST_OUTCOME_TRYV(read_clock(json, group.bounds, cell));
  BOOST_OUTCOME_TRYV(read_resolution(json, group.bounds, cell));
  BOOST_OUTCOME_TRYV(read_simulated(json, cell));
  const std::uint64_t seconds = group.calibrate_seconds;
  group.calibrate_seconds =
      BOOST_OUTCOME_TRYX(count_of(json, "calibrate_seconds", seconds, kCalibrateSeconds));
  if (json.contains("calibrate_seconds") &&
      (!cell.device || cell.device->name != kCalibratedDevice)) {
    return input_error("\"calibrate_seconds\" needs \"device\": \"calibrated\"");
  }
  cell.runs = BOOST_OUTCOME_TRYX(count_of(json, "runs", 1, kRuns));
  spec.options.seed = BOOST_OUTCOME_TRYX(count_of(json, "seed", 1, kSeeds));
  const auto policies = BOOST_OUTCOME_TRYX(specs_of(json, "policies"));
  const auto workloads = BOOST_OUTCOME_TRYX(specs_of(json, "workloads"));
  if (workloads.size() > kCellsMax || policies.size() > kCellsMax / workloads.size()) {
    return input_error(fmt::format("{} policies on {} workloads; expected at most {} cells",
                                   policies.size(), workloads.size(), kCellsMax));
  }
  for (const Spec& workload : workloads) {
    for (const Spec& policy : policies) {
      spec.policy = with_table_format(policy, spec.options.source);
      spec.workload = workload;
      BOOST_OUTCOME_TRYV(resolve_cell(resolver, cell));
      group.cells.push_back(cell);
    }
  }
  return group;
}

Result<Experiment> parse_experiment(const std::string& name, const std::string& text) {
  const auto json = BOOST_OUTCOME_TRYX(parse_json(text, kConfigLimits));
  BOOST_OUTCOME_TRYV(check_members(json, {"description", "groups"}));
  Experiment experiment;
  experiment.name = name;
  experiment.description = BOOST_OUTCOME_TRYX(member_text(json, "description", ""));
  const auto groups = json.find("groups");
  if (groups == json.end() || !groups->is_array() || groups->empty()) {
    return input_error("\"groups\" is not a list of groups");
  }
  RunResolver resolver;
  for (const Json& member : *groups) {
    const std::size_t number = experiment.groups.size() + 1;
    Result<ExperimentGroup> group = group_of(member, number, resolver);
    if (!group) {
      return in_context(fmt::format("group {}", number), std::move(group).error());
    }
    experiment.groups.push_back(std::move(group).value());
    if (experiment.cell_count() > kCellsMax) {
      return input_error(fmt::format("more than {} cells", kCellsMax));
    }
  }
  return experiment;
}

const EmbeddedConfig* find_embedded(const std::string& name) {
  for (const EmbeddedConfig& config : embedded_configs()) {
    if (std::string(config.kind) == kKind && config.name == name) return &config;
  }
  return nullptr;
}

}  // namespace

bool is_calibrated(const ExperimentCell& cell) {
  return is_measured(cell.spec) && cell.device && cell.device->name == kCalibratedDevice &&
         cell.device->parameters.empty();
}

std::size_t Experiment::cell_count() const {
  std::size_t count = 0;
  for (const ExperimentGroup& group : groups) count += group.cells.size();
  return count;
}

Result<Experiment> read_experiment(const std::string& name_or_path) {
  std::string text;
  std::string name = name_or_path;
  if (const EmbeddedConfig* config = find_embedded(name_or_path)) {
    text = config->json;
  } else if (name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".json")) {
    text = BOOST_OUTCOME_TRYX(read_text_file(name_or_path, kConfigBytesMax));
    name = name.substr(name.find_last_of('/') + 1);
    if (name.ends_with(".json")) name.resize(name.size() - std::string(".json").size());
  } else {
    std::vector<std::string> names;
    for (const ExperimentInfo& info : experiment_presets()) names.push_back(info.name);
    return input_error(fmt::format("unknown experiment '{}'{}", excerpt(name_or_path),
                                   suggestion(name_or_path, names)));
  }
  Result<Experiment> experiment = parse_experiment(name, text);
  if (experiment) return experiment;
  return in_context(fmt::format("experiment '{}'", name_or_path), std::move(experiment).error());
}

std::vector<ExperimentInfo> experiment_presets() {
  std::vector<ExperimentInfo> presets;
  for (const EmbeddedConfig& config : embedded_configs()) {
    if (std::string(config.kind) != kKind) continue;
    const Result<Json> json = parse_json(config.json);
    CHECK(json.has_value() && json.value().is_object());
    presets.push_back({config.name, json.value().value("description", "")});
  }
  return presets;
}

}  // namespace lsmlab
