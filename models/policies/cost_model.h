// The closed-form cost model of a family: what a paper says that its policies cost. This header
// defines the inputs and outputs of a model. The formulas are in models/theory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/options.h"
#include "models/policies/flush_mode.h"

namespace lsmlab {

/// What a figure of a model is about. kCostKinds below has a row for each kind, and
/// validate/results/cost_figures.cc names the run's figure of the same meaning: it does not compile
/// if it lacks a kind.
enum class CostKind {
  kWriteFlushed,
  kWriteFlushedFloor,
  kWriteFlushedMax,
  kWriteFlushedAbout,
  kWriteFlushedOrder,
  kWorstCaseBound,
  kReadMean,
  kReadMeanAbout,
  kReadMeanOrder,
  kReadMax,
  kSpaceTransientMax,
  kSmallRegimeFlushes,
  kLevels,
  kWriteAmplification,
  kReadAmplification,
  kWriteBytesPerSecond,
  kReadBytesPerSecond,
  kBytesPerSecond,
  kMergeBytes,
  kTailLatencyNs,
  kSpaceOverheadMax,
  kLookupAbsentBlocks,
  kScanRuns,
  kUpdateBlocks,
  kLookupAbsentBlocksLive,
  kScanRunsLive,
  kUpdateBlocksLive,
};

struct CostKindRow {
  CostKind kind;
  std::string_view name;  // the result's name for the figure, if results have it too
  std::string_view unit;
};

/// Every kind, in the order of the enumeration.
inline constexpr std::array kCostKinds{
    CostKindRow{CostKind::kWriteFlushed, "write_flushed", "bytes/byte"},
    CostKindRow{CostKind::kWriteFlushedFloor, "write_flushed_floor", "bytes/byte"},
    CostKindRow{CostKind::kWriteFlushedMax, "write_flushed_max", "bytes/byte"},
    CostKindRow{CostKind::kWriteFlushedAbout, "write_flushed_about", "bytes/byte"},
    CostKindRow{CostKind::kWriteFlushedOrder, "write_flushed_order", "bytes/byte"},
    CostKindRow{CostKind::kWorstCaseBound, "worst_case_bound", "bytes/byte"},
    CostKindRow{CostKind::kReadMean, "read_mean", "runs"},
    CostKindRow{CostKind::kReadMeanAbout, "read_mean_about", "runs"},
    CostKindRow{CostKind::kReadMeanOrder, "read_mean_order", "runs"},
    CostKindRow{CostKind::kReadMax, "read_max", "runs"},
    CostKindRow{CostKind::kSpaceTransientMax, "space_transient_max", "bytes/byte"},
    CostKindRow{CostKind::kSmallRegimeFlushes, "small_regime_flushes", "flushes"},
    CostKindRow{CostKind::kLevels, "levels", "levels"},
    CostKindRow{CostKind::kWriteAmplification, "write_amplification", "bytes/byte"},
    CostKindRow{CostKind::kReadAmplification, "read_amplification", "SSTables and slices"},
    CostKindRow{CostKind::kWriteBytesPerSecond, "write_bytes_per_second", "bytes/s"},
    CostKindRow{CostKind::kReadBytesPerSecond, "read_bytes_per_second", "bytes/s"},
    CostKindRow{CostKind::kBytesPerSecond, "bytes_per_second", "bytes/s"},
    CostKindRow{CostKind::kMergeBytes, "merge_bytes", "bytes"},
    CostKindRow{CostKind::kTailLatencyNs, "tail_latency_ns", "ns"},
    CostKindRow{CostKind::kSpaceOverheadMax, "space_overhead_max", "bytes/byte"},
    CostKindRow{CostKind::kLookupAbsentBlocks, "lookup_absent_blocks", "blocks/operation"},
    CostKindRow{CostKind::kScanRuns, "scan_runs", "runs/operation"},
    CostKindRow{CostKind::kUpdateBlocks, "update_blocks", "blocks/operation"},
    CostKindRow{CostKind::kLookupAbsentBlocksLive, "lookup_absent_blocks_live", "blocks/operation"},
    CostKindRow{CostKind::kScanRunsLive, "scan_runs_live", "runs/operation"},
    CostKindRow{CostKind::kUpdateBlocksLive, "update_blocks_live", "blocks/operation"},
};

constexpr bool are_cost_kinds_in_order() {
  for (std::size_t i = 0; i < kCostKinds.size(); ++i) {
    if (static_cast<std::size_t>(kCostKinds[i].kind) != i) return false;
  }
  return kCostKinds.back().kind == CostKind::kUpdateBlocksLive;  // the last of the enumeration
}
static_assert(are_cost_kinds_in_order());

/// One figure of a model, for a table or a result.
struct CostFigure {
  CostKind kind;
  double value = 0;
  std::string source;  // the expression, and the paper and section that give it

  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string unit() const;
};

/// Nothing if no kind has that name.
[[nodiscard]] std::optional<CostKind> cost_kind_of_name(std::string_view name);

/// What a model needs to know about a run.
struct ModelledRun {
  ResolvedOptions policy_options;
  std::uint64_t flushes = 0;
  std::optional<std::uint64_t> data_bytes;  // of all files at the end; known if the run has keys
  // Bandwidth of the device; either both values are known or neither.
  std::optional<std::uint64_t> device_write_bytes_per_second;
  std::optional<std::uint64_t> device_read_bytes_per_second;
  double lookup_bytes_per_second = 0;  // bytes that lookups read from the device per second
  std::optional<double> write_share;   // puts and deletes over all operations
  std::uint64_t entries = 0;           // in files at the end
  double entry_bytes = 0;              // mean of key and value of all writes; 0: unknown
  std::optional<double> live_share;    // bytes of live entries over those of files, at the end

  /// The value of the policy's option of that name. Nothing if the policy has no such option, or if
  /// it is not a count.
  [[nodiscard]] std::optional<std::uint64_t> count(std::string_view option) const;
  /// The same of any number.
  [[nodiscard]] std::optional<double> number(std::string_view option) const;
  /// The policy's option "flush"; eager if it has no such option.
  [[nodiscard]] FlushMode flush_mode() const;
};

/// The model's figures for a run; empty if the model does not apply to it.
using CostModel = std::vector<CostFigure> (*)(const ModelledRun& run);

}  // namespace lsmlab
