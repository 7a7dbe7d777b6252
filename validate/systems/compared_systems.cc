#include "validate/systems/compared_systems.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "models/base/quantity_text.h"
#include "models/base/shortened.h"
#include "models/base/suggest.h"
#include "validate/catalog/catalog.h"
#include "validate/catalog/run_scale.h"
#include "validate/results/result_json.h"
#include "validate/results/result_query.h"

namespace lsmlab {

const std::array<SystemFigure, kSystemFigureCount> kSystemFigures{{
    {"write", "amplification.write", 1, false, "SSTable bytes written / bytes of keys and values"},
    {"W-Amp", "amplification.write_flushed", 1, false, "the same / bytes flushed"},
    {"runs", "amplification.read_mean", 1, false,
     "sorted runs that a lookup may visit, mean over flushes"},
    {"space", "amplification.space", 1, false,
     "bytes of files / bytes of live entries, at the end"},
    {"peak space", "disk.peak_space", 1, false,
     "the same where files take most room, inputs and outputs of running merges included"},
    {"forgets P50", "deletes.gone_after_p50", 1000, false,
     "thousands of operations until a delete is physically gone, the median of those that are "
     "gone at the end"},
    {"P99", "deletes.gone_after_p99", 1000, false, "the same, which 99 of 100 do not exceed"},
    {"left %", "deletes.present_share", 0.01, false,
     "share of the deletes that are still there at the end"},
    {"stalled s", "stalls[].nanoseconds", 1e9, true,
     "seconds that writers were stalled, with a clock"},
    {"put P99.9 ms", "latency.put.p99.9_ns", 1e6, true, "latency of puts, with a clock"},
}};

namespace {

constexpr std::string_view kDefaults = "-defaults";

bool has_preset(const std::vector<Preset>& presets, const std::string& family) {
  return std::any_of(presets.begin(), presets.end(), [&](const Preset& preset) {
    return preset.spec.name == family && preset.name.ends_with(kDefaults);
  });
}

std::vector<std::pair<std::string, Spec>> systems_by_name() {
  std::vector<std::pair<std::string, Spec>> systems;
  const std::vector<Preset>& presets = policy_presets();
  for (const Preset& preset : presets) {
    if (preset.name.ends_with(kDefaults)) systems.emplace_back(preset.name, Spec{preset.name, {}});
  }
  for (const PolicyFamily& family : policy_families()) {
    if (family.fidelity.empty() || family.is_idealised) continue;
    if (has_preset(presets, family.name)) continue;
    if (family.name == "rocksdb-fifo") continue;
    systems.emplace_back(family.name, Spec{family.name, {}});
  }
  return systems;
}

Result<ComparedSystem> system_of(const std::string& name, const Spec& spec, Bytes memtable) {
  const ConfiguredPolicy own = BOOST_OUTCOME_TRYX(policy_of_spec(spec));
  const RunScale scale =
      BOOST_OUTCOME_TRYX(RunScale::ratio(memtable.value(), own.store.buffer.value()));
  ComparedSystem system{name, scaled_policy(spec, own, scale), {}};
  Parameters& parameters = system.policy.parameters;
  std::erase_if(parameters, [](const auto& given) {
    return given.first == "compression" || given.first == "bottommost_compression" ||
           given.first == "table_format" || given.first == "arena_block" ||
           given.first == "allocator";
  });
  // A preset may set them.
  parameters.emplace_back("compression", "none");
  parameters.emplace_back("table_format", "lsmlab");
  StallRules stalls = own.stalls;
  scale_stalls(stalls, scale);
  if (own.estimates_pending_bytes && own.stalls.pending_slowdown_bytes.value() > 0) {
    system.stalls = {
        {"pending_slowdown_bytes", std::to_string(stalls.pending_slowdown_bytes.value())},
        {"pending_stop_bytes", std::to_string(stalls.pending_stop_bytes.value())}};
  }
  return system;
}

// What a run that was stopped knows says little, so that it gives no figures.
void add_figures(const RunResult& result, bool is_timed, SystemFigures& row) {
  row.complete = row.complete && result.complete;
  if (!result.complete) return;
  const nlohmann::ordered_json json = result_to_json(result);
  const bool forgets = figure_number(json, "deletes.gone").value_or(0) > 0;
  for (std::size_t f = 0; f < kSystemFigures.size(); ++f) {
    const SystemFigure& figure = kSystemFigures[f];
    if (figure.is_timed != is_timed) continue;
    // No time is known of deletes that never go.
    const bool is_age = std::string_view(figure.path).starts_with("deletes.gone_after");
    const auto value = figure_number(json, figure.path);
    if (value && (forgets || !is_age)) row.values[f] = *value / figure.unit;
  }
}

RunSpec run_of(const ComparedSystem& system, const SystemsQuestion& question, bool is_timed) {
  RunSpec spec;
  spec.policy = system.policy;
  spec.workload = question.workload;
  if (!is_timed) return spec;
  spec.options.is_stepped = false;
  spec.device = question.device;
  spec.stalls = system.stalls;
  return spec;
}

}  // namespace

Result<std::vector<ComparedSystem>> compared_systems(Bytes memtable,
                                                     std::span<const std::string> names) {
  const auto known = systems_by_name();
  std::vector<std::string> all;
  for (const auto& [name, spec] : known) all.push_back(name);
  std::vector<std::string> chosen;
  for (const std::string& name : names) {
    // The table shows names without their ending.
    const auto found = std::find_if(all.begin(), all.end(), [&](const std::string& one) {
      return one == name || one == name + std::string(kDefaults);
    });
    if (found == all.end()) {
      return input_error(
          fmt::format("no system is named '{}'{}", excerpt(name), suggestion(name, all)));
    }
    chosen.push_back(*found);
  }
  std::vector<ComparedSystem> systems;
  for (const auto& [name, spec] : known) {
    if (!names.empty() && std::find(chosen.begin(), chosen.end(), name) == chosen.end()) continue;
    systems.push_back(BOOST_OUTCOME_TRYX(system_of(name, spec, memtable)));
  }
  return systems;
}

Result<std::vector<SystemFigures>> compare_systems(const SystemsQuestion& question,
                                                   const BatchOptions& options) {
  const std::vector<ComparedSystem> systems =
      BOOST_OUTCOME_TRYX(compared_systems(question.memtable, question.names));
  if (BOOST_OUTCOME_TRYX(is_flush_workload(question.workload))) {
    return input_error(fmt::format(
        "--workload {}: consists of flush sizes, and the systems need operations; 'lsmlab "
        "workloads' lists such workloads, as load:entries=1M",
        excerpt(spec_text(question.workload))));
  }
  const bool has_clock = !question.device.name.empty();
  RunResolver resolver;
  std::vector<ResolvedRun> runs;
  for (const bool is_timed : {false, true}) {
    if (is_timed && !has_clock) continue;
    // A fault of workload or device is no system's.
    BOOST_OUTCOME_TRY(resolver.resolve(run_of({"none", {"none", {}}, {}}, question, is_timed)));
    for (const ComparedSystem& system : systems) {
      auto run = resolver.resolve(run_of(system, question, is_timed));
      if (!run) return in_context(system.name, run.error());
      runs.push_back(std::move(run).value());
    }
  }
  const std::vector<RunResult> results = BOOST_OUTCOME_TRYX(run_simulations(runs, options));
  std::vector<SystemFigures> figures;
  for (std::size_t i = 0; i < systems.size(); ++i) {
    SystemFigures& row = figures.emplace_back(SystemFigures{systems[i], true, {}});
    add_figures(results[i], false, row);
    if (has_clock) add_figures(results[systems.size() + i], true, row);
  }
  std::stable_sort(figures.begin(), figures.end(),
                   [](const SystemFigures& a, const SystemFigures& b) {
                     const bool has_both = a.values[0] && b.values[0];
                     return has_both ? *a.values[0] < *b.values[0] : a.values[0].has_value();
                   });
  return figures;
}

}  // namespace lsmlab
