// What a run yields, whoever ran it: the counts, and the figures that follow from them, each
// defined once, here. Byte sums are 128-bit: they cannot overflow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/options.h"
#include "models/units.h"

namespace lsmlab {

struct Totals {
  std::uint64_t flushes = 0;
  std::uint64_t merges = 0;
  std::uint64_t moves = 0;
  std::uint64_t links = 0;
  Uint128 user_bytes = 0;     // keys and values accepted; at flush resolution the flush sizes
  Uint128 bytes_flushed = 0;  // what every flush takes, or would take on its own, as an SSTable
  Uint128 flush_bytes_written = 0;  // by flushes that were written as SSTables of their own
  Uint128 merge_bytes_written = 0;
  Uint128 merge_bytes_read = 0;  // of SSTables: a memtable that a merge takes is not on disk
  Uint128 wal_bytes_written = 0;
  Uint128 manifest_bytes_written = 0;
  std::uint64_t entries_dropped = 0;
  std::uint64_t tombstones_dropped = 0;

  friend bool operator==(const Totals&, const Totals&) = default;
};

/// Sorted runs that a point lookup may have to visit, counted after each flush.
struct SortedRunCounts {
  Uint128 sum = 0;
  std::uint64_t max = 0;
  friend bool operator==(const SortedRunCounts&, const SortedRunCounts&) = default;
};

/// The largest part of the data that was on disk twice: bytes of SSTables that a merge was reading
/// over bytes flushed by then. Kept as a fraction, so that it is exact.
struct TransientSpace {
  std::uint64_t merge_input_bytes = 0;
  std::uint64_t flushed_bytes = 1;
  /// REQUIRES: `flushed` does not fall from call to call, so that fewer input bytes cannot be a
  /// larger part.
  void observe(std::uint64_t input_bytes, std::uint64_t flushed) {
    if (input_bytes <= merge_input_bytes) return;
    if (Uint128{input_bytes} * flushed_bytes > Uint128{merge_input_bytes} * flushed) {
      merge_input_bytes = input_bytes;
      flushed_bytes = flushed;
    }
  }
  friend bool operator==(const TransientSpace&, const TransientSpace&) = default;
};

struct LevelSummary {
  std::uint64_t runs = 0;
  std::uint64_t files = 0;
  Uint128 bytes = 0;
  std::uint64_t entries = 0;
  std::uint64_t tombstones = 0;
  friend bool operator==(const LevelSummary&, const LevelSummary&) = default;
};

/// The table of accounting (docs/results.md): one function, so one definition.
struct Amplification {
  double write = 0;            // SSTable bytes written / user bytes
  double write_flushed = 0;    // SSTable bytes written / bytes flushed
  double write_total = 0;      // SSTable, WAL and manifest bytes written / user bytes
  double read_mean = 0;        // sorted runs, mean over flushes
  std::uint64_t read_max = 0;  // sorted runs, largest after a flush
  double space = 0;            // bytes of live files / bytes of live entries
  double space_transient = 0;  // largest total of files on disk / bytes flushed by then
};
/// `live_bytes_ratio`: bytes of live files over bytes of live entries at the end; 1 where keys are
/// unique.
[[nodiscard]] Amplification amplification_of(const Totals& totals, const SortedRunCounts& runs,
                                             const TransientSpace& transient,
                                             double live_bytes_ratio);

/// a / b, 0 where b is 0.
[[nodiscard]] double ratio_of(Uint128 a, Uint128 b);

/// One figure's name, unit and definition, for tables and reports.
struct FigureDefinition {
  const char* name;
  const char* definition;
};
[[nodiscard]] const std::vector<FigureDefinition>& figure_definitions();

/// Figures over the course of a run; columns of equal length.
struct Series {
  std::vector<std::uint64_t> flushes;
  std::vector<Uint128> bytes_flushed;
  std::vector<double> write_flushed;
  std::vector<std::uint64_t> sorted_runs;
  std::vector<double> read_mean;
  std::vector<double> space_transient;
  std::vector<std::uint64_t> merges;
  friend bool operator==(const Series&, const Series&) = default;
};

/// The stack after one flush, for short runs.
struct StackSnapshot {
  std::vector<std::uint64_t> bytes;  // oldest first
  std::vector<std::uint32_t> levels;
  friend bool operator==(const StackSnapshot&, const StackSnapshot&) = default;
};

/// The least that any eager stable schedule could have written (models/floor.h).
struct FloorResult {
  std::uint64_t k = 0;           // SSTables that the schedule may keep
  bool is_policy_bound = false;  // k is the policy's own; otherwise the most that the run reached
  std::optional<Uint128> bytes_written;
  std::string method;  // "closed form", "dynamic program", or why there is none
  // The paper's bound (1) without its O(1/k), where k is the policy's own.
  std::optional<double> worst_case_bound;
};

struct RunResult {
  std::string source;
  std::string policy;
  std::string policy_label;
  ResolvedOptions policy_options;
  std::string workload;
  ResolvedOptions workload_options;
  std::string mode;
  std::string resolution;
  std::uint64_t seed = 0;
  bool complete = true;
  Totals totals;
  SortedRunCounts runs;
  TransientSpace transient;
  double live_bytes_ratio = 1;  // live files' bytes / live entries' bytes; 1: unique keys
  std::vector<LevelSummary> final_levels;
  Series series;
  std::vector<StackSnapshot> stacks;
  std::optional<FloorResult> floor;
  double wall_seconds = 0;
};

}  // namespace lsmlab
