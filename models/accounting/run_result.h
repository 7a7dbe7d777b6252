// What a run yields, whoever ran it: the counts, and the figures that follow from them, each
// defined once, here. Byte sums are 128-bit: they cannot overflow.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/accounting/totals.h"
#include "models/base/options.h"
#include "models/base/units.h"

namespace lsmlab {

struct OperationCounts {
  std::uint64_t puts = 0;
  std::uint64_t deletes = 0;
  std::uint64_t gets = 0;
  std::uint64_t scans = 0;
  [[nodiscard]] std::uint64_t sum() const { return puts + deletes + gets + scans; }
  friend bool operator==(const OperationCounts&, const OperationCounts&) = default;
};

/// Sorted runs that a point lookup may have to visit, counted after each flush.
struct SortedRunCounts {
  Uint128 sum = 0;
  std::uint64_t max = 0;
  friend bool operator==(const SortedRunCounts&, const SortedRunCounts&) = default;
};

/// The largest total of files on disk over the bytes flushed by then. Kept as a fraction, so that
/// it is exact; 1 at the start, as after the first flush.
struct TransientSpace {
  Uint128 disk_bytes = 1;
  std::uint64_t flushed_bytes = 1;
  /// Every file there is, outputs of a running merge included.
  void observe(Uint128 disk, std::uint64_t flushed) {
    if (disk * flushed_bytes > disk_bytes * flushed) {
      disk_bytes = disk;
      flushed_bytes = flushed;
    }
  }
  /// The same where what was flushed stands on disk once, and a merge's inputs twice.
  /// REQUIRES: `flushed` does not fall from call to call, so that fewer input bytes cannot be a
  /// larger part.
  void observe_merge(std::uint64_t input_bytes, std::uint64_t flushed) {
    if (disk_bytes - flushed_bytes >= input_bytes) return;
    observe(Uint128{flushed} + input_bytes, flushed);
  }
  friend bool operator==(const TransientSpace& a, const TransientSpace& b) {
    return a.disk_bytes * b.flushed_bytes == b.disk_bytes * a.flushed_bytes;
  }
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
  double write = 0;             // SSTable bytes written / user bytes
  double write_flushed = 0;     // SSTable bytes written / bytes flushed
  double write_total = 0;       // SSTable, WAL and manifest bytes written / user bytes
  double read_mean = 0;         // sorted runs, mean over flushes
  std::uint64_t read_max = 0;   // sorted runs, largest after a flush
  std::optional<double> space;  // bytes of live files / bytes of live entries, where any are
  double space_transient = 0;   // largest total of files on disk / bytes flushed by then
};
/// `live_bytes_ratio`: bytes of live files over bytes of live entries at the end; 1 where keys are
/// unique, nothing where files hold nothing live.
[[nodiscard]] Amplification amplification_of(const Totals& totals, const SortedRunCounts& runs,
                                             const TransientSpace& transient,
                                             std::optional<double> live_bytes_ratio);

/// a / b, 0 where b is 0.
[[nodiscard]] double ratio_of(Uint128 a, Uint128 b);

/// Data blocks that reads asked for. Filters and indexes are taken to be in memory.
struct BlockReads {
  std::uint64_t blocks_fetched = 0;  // from the block cache or the device
  std::uint64_t blocks_read = 0;     // from the device
  Uint128 bytes_read = 0;            // of those, as stored
  BlockReads& operator+=(const BlockReads& other);
  friend bool operator==(const BlockReads&, const BlockReads&) = default;
};

/// Sums over point lookups.
struct LookupFigures {
  std::uint64_t count = 0;
  std::uint64_t memtable_hits = 0;  // that ended at a version in the memtable, tombstones included
  // Sorted runs whose file for the key has it in its key range, as far as the lookup went; a slice
  // counts as a run of its own.
  std::uint64_t runs_touched = 0;
  std::uint64_t filter_checks = 0;
  std::uint64_t false_positives = 0;  // filters that said yes where the key was not
  BlockReads blocks;
  LookupFigures& operator+=(const LookupFigures& other);
  friend bool operator==(const LookupFigures&, const LookupFigures&) = default;
};

/// Sums over scans.
struct ScanFigures {
  std::uint64_t count = 0;
  std::uint64_t entries = 0;       // live ones, that the scans showed
  std::uint64_t runs_touched = 0;  // sorted runs that a block was fetched from; a slice is one
  BlockReads blocks;
  friend bool operator==(const ScanFigures&, const ScanFigures&) = default;
};

struct ReadFigures {
  LookupFigures gets_found;
  LookupFigures gets_absent;  // deleted keys included
  ScanFigures scans;
  [[nodiscard]] BlockReads blocks() const;
  friend bool operator==(const ReadFigures&, const ReadFigures&) = default;
};

/// Blocks read from the device per point lookup, of present keys and absent ones; 0 without any.
[[nodiscard]] double read_blocks_of(const ReadFigures& reads);

/// Bytes read and written by one merge, over all merges.
struct MergeSizes {
  std::uint64_t p50_bytes = 0;
  std::uint64_t p90_bytes = 0;
  std::uint64_t p99_bytes = 0;
  std::uint64_t max_bytes = 0;
  double mean_bytes = 0;
  friend bool operator==(const MergeSizes&, const MergeSizes&) = default;
};
/// REQUIRES: sorted. Percentiles by nearest rank: the smallest size that at least so many in a
/// hundred do not pass. All 0 where there was no merge.
[[nodiscard]] MergeSizes merge_sizes_of(std::span<const std::uint64_t> sorted);

/// What only a run that knows keys can tell, as it stood after some flush.
struct KeyRunFigures {
  std::uint64_t operations = 0;
  Uint128 user_bytes = 0;
  double write = 0;  // SSTable bytes written / user bytes
  std::uint64_t moves = 0;
  std::uint64_t links = 0;
  Uint128 merge_bytes_read = 0;
  Uint128 merge_bytes_written = 0;
  Uint128 file_bytes = 0;        // of files in the tree, frozen ones included
  std::uint64_t tombstones = 0;  // in files
  std::uint64_t entries_dropped = 0;
  std::uint64_t tombstones_dropped = 0;
  MergeSizes merge_sizes;  // of the merges so far
  // Operations since the oldest of them was written; nothing where there is none.
  std::optional<std::uint64_t> oldest_tombstone_age;
  std::optional<double> space;  // bytes of live files / bytes of live entries, where it was counted
  std::uint64_t gets = 0;
  std::uint64_t scans = 0;
  std::uint64_t blocks_read = 0;  // by both, from the device
  friend bool operator==(const KeyRunFigures&, const KeyRunFigures&) = default;
};

/// Figures in the course of a run.
struct SeriesPoint {
  std::uint64_t flushes = 0;
  Uint128 bytes_flushed = 0;
  double write_flushed = 0;
  std::uint64_t sorted_runs = 0;
  double read_mean = 0;
  double space_transient = 0;
  std::uint64_t merges = 0;
  std::optional<KeyRunFigures> keys;
  friend bool operator==(const SeriesPoint&, const SeriesPoint&) = default;
};
using Series = std::vector<SeriesPoint>;

/// The stack after one flush, for short runs.
struct StackSnapshot {
  std::vector<std::uint64_t> bytes;  // oldest first
  std::vector<std::uint32_t> levels;
  friend bool operator==(const StackSnapshot&, const StackSnapshot&) = default;
};

/// The least that any eager stable schedule could have written (models/theory/floor.h).
struct FloorResult {
  std::uint64_t k = 0;           // SSTables that the schedule may keep
  bool is_policy_bound = false;  // k is the policy's own; otherwise the most that the run reached
  std::optional<Uint128> bytes_written;
  std::string method;  // "closed form", "dynamic program", or why there is none
  // The paper's bound (1) without its O(1/k), where k is the policy's own.
  std::optional<double> worst_case_bound;
};

/// How long the operations of one kind took.
struct LatencyFigures {
  std::uint64_t count = 0;
  double mean_ns = 0;
  std::uint64_t p50_ns = 0;  // percentiles by nearest rank (models/accounting/latency_histogram.h)
  std::uint64_t p90_ns = 0;
  std::uint64_t p99_ns = 0;
  std::uint64_t p99_9_ns = 0;
  std::uint64_t p99_99_ns = 0;
  std::uint64_t max_ns = 0;
  friend bool operator==(const LatencyFigures&, const LatencyFigures&) = default;
};

/// By operation; nothing where there was none of the kind.
struct OperationLatencies {
  std::optional<LatencyFigures> all;  // operations of every kind together
  std::optional<LatencyFigures> puts;
  std::optional<LatencyFigures> deletes;
  std::optional<LatencyFigures> gets;
  std::optional<LatencyFigures> scans;
};

/// Writers that were held up for one reason.
struct StallFigures {
  std::string reason;
  std::uint64_t count = 0;
  std::uint64_t nanoseconds = 0;
  std::uint64_t longest_ns = 0;
};

/// What a simulated device did (models/machine/device_model.h).
struct DeviceFigures {
  std::uint64_t read_requests = 0;
  std::uint64_t write_requests = 0;
  std::uint64_t trims = 0;
  Uint128 bytes_trimmed = 0;
  std::uint64_t pauses = 0;     // that something waited for
  std::uint64_t paused_ns = 0;  // for which the channel was held so
  std::uint64_t shared_ns = 0;  // for which it was held longer as large requests shared it
  Uint128 bytes_read = 0;
  Uint128 bytes_written = 0;
  std::uint64_t transfer_ns = 0;  // that the channel was held
  Uint128 latency_ns = 0;         // of requests, beside their transfers
  Uint128 waited_ns = 0;          // of requests, for a place and for the channel
  std::uint64_t last_done_ns = 0;
  friend bool operator==(const DeviceFigures&, const DeviceFigures&) = default;
};

/// What a flash drive wrote for a store (models/machine/flash_translation.h).
struct FlashFigures {
  Uint128 host_bytes_written = 0;   // in whole pages
  Uint128 flash_bytes_written = 0;  // with what garbage collection wrote again
  double write_amplification = 0;   // the second over the first
  std::uint64_t erased_blocks = 0;
  std::uint64_t erases_max = 0;  // of a block
  // What host writes uniform over a full drive would amount to, for comparison.
  double uniform_write_amplification = 0;
  // At the rate of the run; nothing where the drive was not written once in all.
  std::optional<double> drive_writes_per_day;
  std::optional<double> years;  // until blocks are worn out
};

/// A moment of a simulated run with a clock; sums are since the beginning.
struct TimePoint {
  std::uint64_t time_ns = 0;
  std::uint64_t operations = 0;  // done
  Uint128 device_bytes_read = 0;
  Uint128 device_bytes_written = 0;
  std::uint64_t device_busy_ns = 0;  // that the channel was held
  std::uint64_t stalled_ns = 0;      // that writers were held up
  std::uint64_t waiting_memtables = 0;
  std::uint64_t sorted_runs = 0;
  std::uint64_t running_plans = 0;
  std::uint64_t file_bytes = 0;     // outputs of running plans as far as they are written included
  std::uint64_t backlog_bytes = 0;  // that running plans have still to read and write
  // The same and what flushes and merges after them would (models/execution/merge_debt.h), if no
  // write came any more. Asked for at some of the moments only, and not known where it is too much
  // to count.
  std::optional<std::uint64_t> merge_debt_bytes;
  friend bool operator==(const TimePoint&, const TimePoint&) = default;
};

/// How long a merge took to read and write its files, and what of that its thread worked, and
/// waited for a core; the rest it waited for the device, stops of the whole machine included. 0
/// where the system does not tell.
struct MergeTime {
  std::uint64_t operations_before = 0;  // that were done when it began
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t nanoseconds = 0;
  std::uint64_t processor_ns = 0;
  std::uint64_t core_wait_ns = 0;
};

/// Bytes that a store counted as written to its files, against what the kernel saw.
struct WrittenCheck {
  // Where they were written: "wal", "flush", "merge", "manifest", "other"; what was written for
  // merges that came to nothing included.
  std::vector<std::pair<std::string, Uint128>> bytes_by_kind;
  Uint128 counted_bytes = 0;            // their sum
  std::optional<Uint128> kernel_bytes;  // nothing where the system does not tell
  /// Within 1 %; nothing where the kernel's count is not known.
  [[nodiscard]] std::optional<bool> agrees() const;
};

/// What a store holds at the end, read back key by key and held against what was written.
struct VerificationFigures {
  std::uint64_t keys_checked = 0;
  std::uint64_t mismatches = 0;
  std::optional<std::string> first_mismatch;
};

/// Of a run that knows keys: resolution `key`, simulated or real.
struct KeySection {
  OperationCounts operations;
  MergeSizes merge_sizes;
  KeyRunFigures final;
  LevelSummary frozen;               // files that slices refer to (LDC)
  std::optional<ReadFigures> reads;  // where there were any, and the store tells
};

/// Of a run with a clock, simulated or real. Latencies and rate are of what came after the loading.
struct TimeSection {
  OperationLatencies latency;
  std::optional<double> operations_per_second;  // nothing where no operation was measured
  std::uint64_t loading_operations = 0;
  std::optional<std::vector<StallFigures>> stalls;  // nothing where the store does not tell
};

/// Of a run whose machine is simulated: what it was, and what it did.
struct MachineSection {
  std::string device;
  ResolvedOptions device_options;
  ResolvedOptions client_options;
  DeviceFigures device_figures;
  std::optional<FlashFigures> flash;  // where the device is a flash drive
  std::uint64_t simulated_ns = 0;     // until all was done
  std::uint64_t cpu_busy_ns = 0;      // of all cores
  std::uint64_t cpu_stops = 0;        // as the quota of processor time was used up
  std::uint64_t cpu_stopped_ns = 0;
  std::uint64_t peak_file_bytes = 0;  // outputs of running plans included
  std::vector<TimePoint> series;
};

/// Of a run on files.
struct FileSection {
  ResolvedOptions engine_options;
  WrittenCheck written;
  std::optional<VerificationFigures> verification;  // where it was asked for
};

struct RunResult {
  std::string source;
  std::string policy;
  std::string policy_family;
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
  // Live files' bytes / live entries' bytes; 1: unique keys; nothing: files, and nothing live.
  std::optional<double> live_bytes_ratio = 1;
  std::vector<LevelSummary> final_levels;
  Series series;
  std::vector<StackSnapshot> stacks;
  std::optional<FloorResult> floor;
  std::vector<MergeTime> merge_times;  // evenly spaced ones where there were very many
  std::optional<KeySection> keys;
  std::optional<TimeSection> time;
  std::optional<MachineSection> machine;
  std::optional<FileSection> files;
  double wall_seconds = 0;
};

}  // namespace lsmlab
