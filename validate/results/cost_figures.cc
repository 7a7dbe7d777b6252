#include "validate/results/cost_figures.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "models/policies/registry.h"

namespace lsmlab {
namespace {

std::optional<std::uint64_t> count_of(const ResolvedOptions& options, std::string_view name) {
  for (const auto& [option, value] : options) {
    const auto* count = std::get_if<std::uint64_t>(&value);
    if (option == name && count != nullptr) return *count;
  }
  return std::nullopt;
}

ModelledRun modelled(const RunResult& result) {
  ModelledRun run;
  run.policy_options = result.policy_options;
  run.flushes = result.totals.flushes;
  if (result.final_keys) {
    run.data_bytes = static_cast<std::uint64_t>(result.final_keys->file_bytes);
  }
  run.device_write_bytes_per_second = count_of(result.device_options, "write_bandwidth");
  run.device_read_bytes_per_second = count_of(result.device_options, "read_bandwidth");
  if (result.reads && result.simulated_ns > 0) {
    run.lookup_bytes_per_second = static_cast<double>(result.reads->blocks().bytes_read) * 1e9 /
                                  static_cast<double>(result.simulated_ns);
  }
  if (result.operations && result.operations->sum() > 0) {
    run.write_share =
        ratio_of(result.operations->puts + result.operations->deletes, result.operations->sum());
  }
  return run;
}

Amplification amplification_of(const RunResult& result) {
  return amplification_of(result.totals, result.runs, result.transient, result.live_bytes_ratio);
}

std::optional<double> ratio_where(Uint128 a, Uint128 b) {
  return b == 0 ? std::nullopt : std::optional(ratio_of(a, b));
}

std::uint64_t writes_of(const RunResult& result) {
  return result.operations ? result.operations->puts + result.operations->deletes : 0;
}

// Of a record moved by each operation, as equation 2 of the LDC paper has it.
std::optional<double> bytes_per_second(const RunResult& result) {
  if (!result.operations_per_second || writes_of(result) == 0) return std::nullopt;
  return *result.operations_per_second * ratio_of(result.totals.user_bytes, writes_of(result));
}

std::optional<double> write_bytes_per_second(const RunResult& result) {
  const bool has_reads = result.operations && result.operations->sum() != writes_of(result);
  return has_reads ? std::nullopt : bytes_per_second(result);
}

std::optional<double> runs_per_get(const RunResult& result) {
  if (!result.reads) return std::nullopt;
  LookupFigures gets = result.reads->gets_found;
  gets += result.reads->gets_absent;
  return ratio_where(gets.runs_touched, gets.count);
}

std::optional<double> put_tail_ns(const RunResult& result) {
  if (!result.latency || !result.latency->puts) return std::nullopt;
  return static_cast<double>(result.latency->puts->p99_9_ns);
}

std::optional<double> levels_in_use(const RunResult& result) {
  std::uint64_t levels = 0;
  for (std::size_t level = 1; level < result.final_levels.size(); ++level) {
    if (result.final_levels[level].files > 0) ++levels;
  }
  return static_cast<double>(levels);
}

std::optional<double> frozen_share(const RunResult& result) {
  if (!result.frozen || !result.final_keys) return std::nullopt;
  return ratio_where(result.frozen->bytes, result.final_keys->file_bytes);
}

struct OfRun {
  std::string_view model;  // the beginning of the model's figure's name
  std::string_view figure;
  std::optional<double> (*value)(const RunResult&);
};

constexpr OfRun kOfRun[] = {
    {"write_flushed", "write_flushed",
     [](const RunResult& run) { return std::optional(amplification_of(run).write_flushed); }},
    {"worst_case_bound", "write_flushed",
     [](const RunResult& run) { return std::optional(amplification_of(run).write_flushed); }},
    {"read_mean", "read_mean",
     [](const RunResult& run) { return std::optional(amplification_of(run).read_mean); }},
    {"read_max", "read_max",
     [](const RunResult& run) {
       return std::optional(static_cast<double>(amplification_of(run).read_max));
     }},
    {"space_transient_max", "space_transient",
     [](const RunResult& run) { return std::optional(amplification_of(run).space_transient); }},
    {"small_regime_flushes", "flushes",
     [](const RunResult& run) { return std::optional(static_cast<double>(run.totals.flushes)); }},
    {"levels", "levels with files, level 0 aside", levels_in_use},
    {"write_amplification", "write",
     [](const RunResult& run) { return std::optional(amplification_of(run).write); }},
    {"read_amplification", "runs and slices in a get's range", runs_per_get},
    {"write_bytes_per_second", "bytes written by clients a second", write_bytes_per_second},
    {"bytes_per_second", "a record's bytes each operation a second", bytes_per_second},
    {"merge_bytes", "mean bytes that a merge reads",
     [](const RunResult& run) {
       return ratio_where(run.totals.merge_bytes_read, run.totals.merges);
     }},
    {"tail_latency_ns", "P99.9 of puts", put_tail_ns},
    {"space_overhead_max", "frozen files over all, whose half is in vain", frozen_share},
};

ComparedCost compared(CostFigure model, const RunResult& result) {
  for (const OfRun& of_run : kOfRun) {
    if (!model.name.starts_with(of_run.model)) continue;
    return {std::move(model), std::string(of_run.figure), of_run.value(result)};
  }
  return {std::move(model), "", std::nullopt};
}

}  // namespace

std::vector<ComparedCost> cost_figures_of(const RunResult& result) {
  const std::optional<PolicyFamily> family = policy_family(result.policy_family);
  if (!family || family->cost_model == nullptr) return {};
  std::vector<ComparedCost> costs;
  for (CostFigure& figure : family->cost_model(modelled(result))) {
    costs.push_back(compared(std::move(figure), result));
  }
  return costs;
}

}  // namespace lsmlab
