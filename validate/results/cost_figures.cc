#include "validate/results/cost_figures.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "models/base/check.h"
#include "models/policies/registry.h"
#include "validate/results/result_figure.h"

namespace lsmlab {
namespace {

std::optional<std::uint64_t> count_of(const ResolvedOptions& options, std::string_view name) {
  for (const auto& [option, value] : options) {
    const auto* count = std::get_if<std::uint64_t>(&value);
    if (option == name && count != nullptr) return *count;
  }
  return std::nullopt;
}

std::optional<double> ratio_where(Uint128 a, Uint128 b) {
  return b == 0 ? std::nullopt : std::optional(ratio_of(a, b));
}

std::uint64_t writes_of(const RunResult& result) {
  return result.keys ? result.keys->operations.puts + result.keys->operations.deletes : 0;
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
  for (const LevelSummary& level : result.final_levels) run.entries += level.entries;
  run.entries += keys.frozen.entries;
  run.entry_bytes = ratio_where(result.totals.user_bytes, writes_of(result)).value_or(0);
  if (keys.final.space && *keys.final.space > 0) run.live_share = 1 / *keys.final.space;
  return run;
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

std::optional<double> merge_bytes(const RunResult& run) {
  return ratio_where(run.totals.merge_bytes_read, run.totals.merges);
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

std::optional<double> blocks_per_absent(const RunResult& run) {
  if (!run.keys || !run.keys->reads) return std::nullopt;
  const LookupFigures& gets = run.keys->reads->gets_absent;
  return ratio_where(gets.blocks.blocks_fetched, gets.count);
}

std::optional<double> runs_per_scan(const RunResult& run) {
  if (!run.keys || !run.keys->reads) return std::nullopt;
  return ratio_where(run.keys->reads->scans.runs_touched, run.keys->reads->scans.count);
}

std::optional<double> blocks_per_write(const RunResult& run) {
  const std::optional<std::uint64_t> block = count_of(run.policy_options, "block_size");
  if (!block) return std::nullopt;
  return ratio_where(run.totals.flush_bytes_written + run.totals.merge_bytes_written,
                     Uint128{*block} * writes_of(run));
}

// A figure of a run, as a model's figures are compared with it.
struct RunFigure {
  std::string words;
  Averaging averaging;  // over measured runs
  std::function<std::optional<double>(const RunResult&)> value;
};

std::optional<double> number_of_run(const ResultFigure& figure, const RunResult& run) {
  const auto instances = figure.group().instances(run);
  if (!instances || instances->empty()) return std::nullopt;
  const FigureReading reading = figure.descriptor().read(instances->front().of);
  if (const auto* whole = std::get_if<Uint128>(&reading)) return static_cast<double>(*whole);
  const auto* number = std::get_if<double>(&reading);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

// A figure that results have: its descriptor says how to read and how to average it.
RunFigure own(const ResultFigure& figure) {
  return {figure.name(), figure.descriptor().averaging,
          [&figure](const RunResult& run) { return number_of_run(figure, run); }};
}

// Nothing where no run has such a figure.
std::optional<RunFigure> run_figure_of(CostKind model) {
  using enum Averaging;
  const ResultFigures& figures = result_figures();
  switch (model) {
    case CostKind::kWriteFlushed:
    case CostKind::kWriteFlushedFloor:
    case CostKind::kWriteFlushedMax:
    case CostKind::kWriteFlushedAbout:
    case CostKind::kWriteFlushedOrder:
    case CostKind::kWorstCaseBound:
      return own(figures.write_flushed);
    case CostKind::kReadMean:
    case CostKind::kReadMeanAbout:
    case CostKind::kReadMeanOrder:
      return own(figures.read_mean);
    case CostKind::kReadMax:
      return own(figures.read_max);
    case CostKind::kSpaceTransientMax:
      return own(figures.space_transient);
    case CostKind::kSmallRegimeFlushes:
      return own(figures.flushes);
    case CostKind::kLevels:
      return RunFigure{"levels that hold files, without level 0", kMean, levels_in_use};
    case CostKind::kWriteAmplification:
      return own(figures.write);
    case CostKind::kReadAmplification:
      return RunFigure{"sorted runs and slices that a get visits", kMean, runs_per_get};
    case CostKind::kWriteBytesPerSecond:
      return RunFigure{"bytes that clients write per second", kRate, write_bytes_per_second};
    case CostKind::kReadBytesPerSecond:
      return std::nullopt;
    case CostKind::kBytesPerSecond:
      return RunFigure{"operations per second times the bytes of a record", kRate,
                       bytes_per_second};
    case CostKind::kMergeBytes:
      return RunFigure{"mean bytes that a merge reads", kMean, merge_bytes};
    case CostKind::kTailLatencyNs:
      return RunFigure{"P99.9 of puts", kMean, put_tail_ns};
    case CostKind::kLookupAbsentBlocks:
    case CostKind::kLookupAbsentBlocksLive:
      return RunFigure{"data blocks that a get of an absent key fetches", kMean, blocks_per_absent};
    case CostKind::kScanRuns:
    case CostKind::kScanRunsLive:
      return RunFigure{"sorted runs that a scan reads", kMean, runs_per_scan};
    case CostKind::kUpdateBlocks:
    case CostKind::kUpdateBlocksLive:
      return RunFigure{"data blocks that flushes and merges write for each write", kMean,
                       blocks_per_write};
    case CostKind::kSpaceOverheadMax:
      return RunFigure{"frozen bytes / file bytes (half of the frozen ones are obsolete)", kMean,
                       frozen_share};
  }
  CHECK(false);  // the cases are all kinds
  return std::nullopt;
}

ComparedCost compared(CostFigure model, const RunResult& result) {
  const std::optional<RunFigure> figure = run_figure_of(model.kind);
  if (!figure) return {std::move(model), "", std::nullopt};
  return {std::move(model), figure->words, figure->value(result)};
}

}  // namespace

std::optional<Averaging> cost_averaging(const std::string& name) {
  const std::optional<CostKind> kind = cost_kind_of_name(name);
  const std::optional<RunFigure> figure = kind ? run_figure_of(*kind) : std::nullopt;
  return figure ? std::optional(figure->averaging) : std::nullopt;
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
