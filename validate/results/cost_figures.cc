#include "validate/results/cost_figures.h"

#include <algorithm>
#include <iterator>
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
  if (result.machine) {
    const ResolvedOptions& device = result.machine->device_options;
    run.device_write_bytes_per_second = count_of(device, "write_bandwidth");
    run.device_read_bytes_per_second = count_of(device, "read_bandwidth");
  }
  if (!result.keys) return run;
  const KeySection& keys = *result.keys;
  run.data_bytes = static_cast<std::uint64_t>(keys.final.file_bytes);
  if (keys.reads && result.machine && result.machine->simulated_ns > 0) {
    run.lookup_bytes_per_second = static_cast<double>(keys.reads->blocks().bytes_read) * 1e9 /
                                  static_cast<double>(result.machine->simulated_ns);
  }
  if (keys.operations.sum() > 0) {
    run.write_share =
        ratio_of(keys.operations.puts + keys.operations.deletes, keys.operations.sum());
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
  return result.keys ? result.keys->operations.puts + result.keys->operations.deletes : 0;
}

// The rate of operations times the bytes of a record (LDC paper, equation 2).
std::optional<double> bytes_per_second(const RunResult& result) {
  if (!result.time || !result.time->operations_per_second || writes_of(result) == 0)
    return std::nullopt;
  return *result.time->operations_per_second *
         ratio_of(result.totals.user_bytes, writes_of(result));
}

std::optional<double> write_bytes_per_second(const RunResult& result) {
  const bool has_reads = result.keys && result.keys->operations.sum() != writes_of(result);
  return has_reads ? std::nullopt : bytes_per_second(result);
}

std::optional<double> runs_per_get(const RunResult& result) {
  if (!result.keys || !result.keys->reads) return std::nullopt;
  LookupFigures gets = result.keys->reads->gets_found;
  gets += result.keys->reads->gets_absent;
  return ratio_where(gets.runs_touched, gets.count);
}

std::optional<double> put_tail_ns(const RunResult& result) {
  if (!result.time || !result.time->latency.puts) return std::nullopt;
  return static_cast<double>(result.time->latency.puts->p99_9_ns);
}

std::optional<double> levels_in_use(const RunResult& result) {
  std::uint64_t levels = 0;
  for (std::size_t level = 1; level < result.final_levels.size(); ++level) {
    if (result.final_levels[level].files > 0) ++levels;
  }
  return static_cast<double>(levels);
}

std::optional<double> frozen_share(const RunResult& result) {
  if (!result.keys) return std::nullopt;
  return ratio_where(result.keys->frozen.bytes, result.keys->final.file_bytes);
}

using OfRun = std::optional<double> (*)(const RunResult&);

constexpr OfRun kWriteFlushed = [](const RunResult& run) {
  return std::optional(amplification_of(run).write_flushed);
};
constexpr OfRun kReadMean = [](const RunResult& run) {
  return std::optional(amplification_of(run).read_mean);
};

// A figure of models, and the run's figure of the same meaning.
struct CostRow {
  std::string_view model;   // the name of the model's figure
  std::string_view figure;  // the run's figure in words
  Averaging averaging;
  OfRun value;
};

using enum Averaging;
constexpr CostRow kCosts[] = {
    {"write_flushed", "write_flushed", kMean, kWriteFlushed},
    {"write_flushed_floor", "write_flushed", kMean, kWriteFlushed},
    {"write_flushed_max", "write_flushed", kMean, kWriteFlushed},
    {"write_flushed_about", "write_flushed", kMean, kWriteFlushed},
    {"write_flushed_order", "write_flushed", kMean, kWriteFlushed},
    {"worst_case_bound", "write_flushed", kMean, kWriteFlushed},
    {"read_mean", "read_mean", kMean, kReadMean},
    {"read_mean_about", "read_mean", kMean, kReadMean},
    {"read_mean_order", "read_mean", kMean, kReadMean},
    {"read_max", "read_max", kMean,
     [](const RunResult& run) {
       return std::optional(static_cast<double>(amplification_of(run).read_max));
     }},
    {"space_transient_max", "space_transient", kMean,
     [](const RunResult& run) { return std::optional(amplification_of(run).space_transient); }},
    {"small_regime_flushes", "flushes", kMean,
     [](const RunResult& run) { return std::optional(static_cast<double>(run.totals.flushes)); }},
    {"levels", "levels that hold files, without level 0", kMean, levels_in_use},
    {"write_amplification", "write", kMean,
     [](const RunResult& run) { return std::optional(amplification_of(run).write); }},
    {"read_amplification", "sorted runs and slices that a get visits", kMean, runs_per_get},
    {"write_bytes_per_second", "bytes that clients write per second", kRate,
     write_bytes_per_second},
    {"bytes_per_second", "operations per second times the bytes of a record", kRate,
     bytes_per_second},
    {"merge_bytes", "mean bytes that a merge reads", kMean,
     [](const RunResult& run) {
       return ratio_where(run.totals.merge_bytes_read, run.totals.merges);
     }},
    {"tail_latency_ns", "P99.9 of puts", kMean, put_tail_ns},
    {"space_overhead_max", "frozen bytes / file bytes (half of the frozen ones are obsolete)",
     kMean, frozen_share},
};

// Null if runs have no such figure.
const CostRow* row_of(std::string_view model) {
  const auto* row = std::find_if(std::begin(kCosts), std::end(kCosts),
                                 [&](const CostRow& cost) { return cost.model == model; });
  return row == std::end(kCosts) ? nullptr : row;
}

ComparedCost compared(CostFigure model, const RunResult& result) {
  const CostRow* row = row_of(model.name);
  if (row == nullptr) return {std::move(model), "", std::nullopt};
  return {std::move(model), std::string(row->figure), row->value(result)};
}

}  // namespace

Averaging cost_averaging(const std::string& name) {
  const CostRow* row = row_of(name);
  return row == nullptr ? Averaging::kNone : row->averaging;
}

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
