// The result of a run, simulated or real: its counts, and the figures that follow from them. Each
// figure is defined once, here. Byte sums have 128 bits, so they cannot overflow.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/accounting/job_times.h"
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

/// The largest total of files on disk, divided by the bytes flushed at that moment. It is kept as a
/// fraction, which is exact. It starts at 1, its value after the first flush.
struct TransientSpace {
  Uint128 disk_bytes = 1;
  std::uint64_t flushed_bytes = 1;
  /// `disk`: bytes of all files, outputs of a running merge included.
  void observe(Uint128 disk, std::uint64_t flushed) {
    if (disk * flushed_bytes > disk_bytes * flushed) {
      disk_bytes = disk;
      flushed_bytes = flushed;
    }
  }
  /// Observes the end of a merge whose outputs are as large as its inputs: the disk then holds the
  /// flushed bytes once and `input_bytes` more. REQUIRES: `flushed` does not fall from call to
  /// call; then fewer input bytes are never a larger share.
  void observe_merge(std::uint64_t input_bytes, std::uint64_t flushed) {
    if (disk_bytes - flushed_bytes >= input_bytes) return;
    observe(Uint128{flushed} + input_bytes, flushed);
  }
  friend bool operator==(const TransientSpace& a, const TransientSpace& b) {
    return a.disk_bytes * b.flushed_bytes == b.disk_bytes * a.flushed_bytes;
  }
};

/// The most that a store's files took on disk.
struct DiskPeaks {
  Uint128 file_bytes = 0;  // outputs of running merges and their inputs included
  Uint128 live_bytes = 0;  // keys and values of all live keys at that moment
  std::uint64_t merge_output_max_bytes = 0;
  void observe(Uint128 files, Uint128 live) {
    if (files <= file_bytes) return;
    file_bytes = files;
    live_bytes = live;
  }
  /// Bytes on disk / live bytes at the peak; nothing where nothing was live.
  [[nodiscard]] std::optional<double> space() const;
  friend bool operator==(const DiskPeaks&, const DiskPeaks&) = default;
};

/// Sums over a part of a run: from its first operation to its last, or from the run's begin.
struct PartFigures {
  std::string name;
  std::uint64_t operations = 0;
  std::uint64_t puts = 0;
  std::uint64_t deletes = 0;
  std::uint64_t gets = 0;
  std::uint64_t scans = 0;
  std::uint64_t flushes = 0;
  std::uint64_t merges = 0;
  std::uint64_t moves = 0;
  Uint128 user_bytes = 0;
  Uint128 bytes_flushed = 0;
  Uint128 flush_bytes_written = 0;
  Uint128 merge_bytes_read = 0;
  Uint128 merge_bytes_written = 0;
  std::uint64_t blocks_read = 0;               // gets and scans read them from the device
  Uint128 file_bytes = 0;                      // at the end of the part
  std::optional<std::uint64_t> nanoseconds;    // with a clock
  std::optional<std::uint64_t> clients;        // that sent the operations, on a simulated machine
  std::vector<OutputTraffic> by_output_level;  // flushes and merges by the level they write to
  /// The part after `earlier`, whose sums are contained in these.
  [[nodiscard]] PartFigures since(const PartFigures& earlier) const;
  friend bool operator==(const PartFigures&, const PartFigures&) = default;
};

struct LevelSummary {
  std::uint64_t runs = 0;
  std::uint64_t files = 0;
  Uint128 bytes = 0;
  std::uint64_t entries = 0;
  std::uint64_t tombstones = 0;
  std::uint64_t merging_files = 0;  // inputs of plans that run
  friend bool operator==(const LevelSummary&, const LevelSummary&) = default;
};

/// The store when the last operation was done, before the final flush and the merges that were
/// still running or due.
struct LastOperation {
  PartFigures sums;
  std::vector<LevelTraffic> by_level;
  std::vector<LevelSummary> levels;
  std::vector<JobTimes> job_times;  // of finished jobs, by output level; empty without a clock
  friend bool operator==(const LastOperation&, const LastOperation&) = default;
};

/// The amplifications of a run. amplification_of() is their only definition.
struct Amplification {
  double write = 0;             // SSTable bytes written / user bytes
  double write_flushed = 0;     // SSTable bytes written / bytes flushed
  double write_total = 0;       // SSTable, WAL and manifest bytes written / user bytes
  double read_mean = 0;         // sorted runs, mean over flushes
  std::uint64_t read_max = 0;   // sorted runs, largest after a flush
  std::optional<double> space;  // bytes of live files / bytes of live entries, where any are
  double space_transient = 0;   // largest total of files on disk / bytes flushed by then
};
/// `live_bytes_ratio`: bytes of live files / bytes of live entries at the end. 1 where keys are
/// unique; nothing where no entry in the files is live.
[[nodiscard]] Amplification amplification_of(const Totals& totals, const SortedRunCounts& runs,
                                             const TransientSpace& transient,
                                             std::optional<double> live_bytes_ratio);

/// a / b, 0 where b is 0.
[[nodiscard]] double ratio_of(Uint128 a, Uint128 b);

/// Data blocks that reads needed. Filters and indexes are assumed to be in memory.
struct BlockReads {
  std::uint64_t blocks_fetched = 0;  // from the block cache or the device
  std::uint64_t blocks_read = 0;     // from the device
  Uint128 bytes_read = 0;            // stored size of the blocks in `blocks_read`
  BlockReads& operator+=(const BlockReads& other);
  friend bool operator==(const BlockReads&, const BlockReads&) = default;
};

/// Sums over point lookups.
struct LookupFigures {
  std::uint64_t count = 0;
  std::uint64_t memtable_hits = 0;  // lookups that ended at a put or tombstone in the memtable
  // Sorted runs, among those that lookups reached, with a file whose key range contains the key. A
  // slice counts as a run of its own.
  std::uint64_t runs_touched = 0;
  std::uint64_t filter_checks = 0;
  std::uint64_t false_positives = 0;  // filters that said yes for a key that the file lacks
  BlockReads blocks;
  LookupFigures& operator+=(const LookupFigures& other);
  friend bool operator==(const LookupFigures&, const LookupFigures&) = default;
};

/// Sums over scans.
struct ScanFigures {
  std::uint64_t count = 0;
  std::uint64_t entries = 0;       // live entries that the scans returned
  std::uint64_t runs_touched = 0;  // sorted runs that gave a block; a slice counts as a run
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

/// Blocks that point lookups read from the device / point lookups. 0 without lookups.
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
/// Percentiles are by nearest rank: the smallest size that at least so many percent of the merges
/// do not exceed. All 0 without merges. REQUIRES: `sorted` is in rising order.
[[nodiscard]] MergeSizes merge_sizes_of(std::span<const std::uint64_t> sorted);

/// Figures of a run at resolution `key` after one of its flushes.
struct KeyRunFigures {
  std::uint64_t operations = 0;
  Uint128 user_bytes = 0;
  double write = 0;  // SSTable bytes written / user bytes
  std::uint64_t moves = 0;
  std::uint64_t links = 0;
  Uint128 merge_bytes_read = 0;
  Uint128 merge_bytes_written = 0;
  Uint128 file_bytes = 0;        // frozen files included
  std::uint64_t tombstones = 0;  // in files
  std::uint64_t entries_dropped = 0;
  std::uint64_t tombstones_dropped = 0;
  MergeSizes merge_sizes;  // of the merges so far
  // Operations since the oldest tombstone in files was written; nothing without tombstones.
  std::optional<std::uint64_t> oldest_tombstone_age;
  std::optional<double> space;  // bytes of live files / bytes of live entries, where counted
  std::uint64_t gets = 0;
  std::uint64_t scans = 0;
  std::uint64_t blocks_read = 0;  // gets and scans read them from the device
  friend bool operator==(const KeyRunFigures&, const KeyRunFigures&) = default;
};

/// Figures at one moment of a run.
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

/// The stack of SSTables after one flush. Short runs record it.
struct StackSnapshot {
  std::vector<std::uint64_t> bytes;  // oldest first
  std::vector<std::uint32_t> levels;
  friend bool operator==(const StackSnapshot&, const StackSnapshot&) = default;
};

/// The lower bound: the least that any eager stable schedule can write (models/theory/floor.h).
struct FloorResult {
  std::uint64_t k = 0;           // SSTables that the schedule may keep at most
  bool is_policy_bound = false;  // true: k is the policy's bound; false: the most that the run kept
  std::optional<Uint128> bytes_written;
  std::string method;  // "closed form", "dynamic program", or why there is none
  // The bound (1) of the merge-policies paper without its O(1/k), where k is the policy's bound.
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

/// Latencies by kind of operation; nothing for a kind that did not occur.
struct OperationLatencies {
  std::optional<LatencyFigures> all;  // all kinds together
  std::optional<LatencyFigures> puts;
  std::optional<LatencyFigures> deletes;
  std::optional<LatencyFigures> gets;
  std::optional<LatencyFigures> scans;
};

/// Stalls of writers for one reason.
struct StallFigures {
  std::string reason;
  std::uint64_t count = 0;
  std::uint64_t nanoseconds = 0;
  std::uint64_t longest_ns = 0;
};

/// Operations that arrived while no client was free to send them. A client waits for its own
/// operation, so a stall of the store makes later operations wait here.
struct ArrivalFigures {
  std::uint64_t delayed = 0;
  std::uint64_t delayed_ns = 0;  // summed
  std::uint64_t longest_ns = 0;
};

/// Requests, bytes and times of a simulated device (models/machine/device_model.h).
struct DeviceFigures {
  std::uint64_t read_requests = 0;
  std::uint64_t write_requests = 0;
  std::uint64_t trims = 0;
  Uint128 bytes_trimmed = 0;
  std::uint64_t pauses = 0;     // pauses of the device that a request met
  std::uint64_t paused_ns = 0;  // time that these pauses held the channel
  std::uint64_t shared_ns = 0;  // time that sharing by large requests held the channel longer
  Uint128 bytes_read = 0;
  Uint128 bytes_written = 0;
  std::uint64_t transfer_ns = 0;   // time that the channel was held
  Uint128 latency_ns = 0;          // latencies of all requests, without their transfers
  Uint128 waited_ns = 0;           // time that requests waited for a place and for the channel
  std::uint64_t last_done_ns = 0;  // when the last request was done
  friend bool operator==(const DeviceFigures&, const DeviceFigures&) = default;
};

/// Bytes that a flash drive wrote for a store, and its wear (models/machine/flash_translation.h).
struct FlashFigures {
  Uint128 host_bytes_written = 0;   // in whole pages
  Uint128 flash_bytes_written = 0;  // bytes that garbage collection wrote again included
  double write_amplification = 0;   // flash_bytes_written / host_bytes_written
  std::uint64_t erased_blocks = 0;
  std::uint64_t erases_max = 0;  // most erasures of one block
  // The write amplification of uniform host writes over a full drive, for comparison.
  double uniform_write_amplification = 0;
  // Whether the run wrote less than the drive's capacity: garbage collection has then hardly begun,
  // and the two figures below take uniform_write_amplification in place of the run's.
  bool is_extrapolated = false;
  // At the rate of the run; nothing where it wrote nothing.
  std::optional<double> drive_writes_per_day;
  std::optional<double> years;  // until blocks are worn out
};

/// A moment of a timed simulation. Sums begin at the start of the run.
struct TimePoint {
  std::uint64_t time_ns = 0;
  std::uint64_t operations = 0;  // operations done
  Uint128 device_bytes_read = 0;
  Uint128 device_bytes_written = 0;
  std::uint64_t device_busy_ns = 0;  // time that the channel was held
  std::uint64_t stalled_ns = 0;      // time that writers were stalled
  std::uint64_t waiting_memtables = 0;
  std::uint64_t sorted_runs = 0;
  std::uint64_t running_plans = 0;
  std::uint64_t file_bytes = 0;     // outputs of running plans count as far as they are written
  std::uint64_t backlog_bytes = 0;  // bytes that running plans have still to read and write
  // backlog_bytes, plus the bytes of the flushes and merges that would follow if writes ended now
  // (models/execution/merge_debt.h). Nothing where it was not computed, or is too much to count.
  std::optional<std::uint64_t> merge_debt_bytes;
  friend bool operator==(const TimePoint&, const TimePoint&) = default;
};

/// The time of one merge. Its thread works, waits for a core, and waits for the device for the rest
/// of the time. Pauses of the whole machine count as waiting for the device. Where several threads
/// divide the merge, their times are means.
struct MergeTime {
  std::uint64_t operations_before = 0;  // operations done when the merge began
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t nanoseconds = 0;   // the whole duration
  std::uint64_t processor_ns = 0;  // the thread worked; 0 where the system does not tell
  std::uint64_t core_wait_ns = 0;  // the thread waited for a core; 0 where the system does not tell
};

/// Bytes that a store counted as written to its files, and the kernel's count of the same.
struct WrittenCheck {
  // By kind of file: "wal", "flush", "merge", "manifest", "other". Bytes of merges that failed are
  // included.
  std::vector<std::pair<std::string, Uint128>> bytes_by_kind;
  Uint128 counted_bytes = 0;            // the sum over kinds
  std::optional<Uint128> kernel_bytes;  // nothing where the system does not tell
  /// Whether both counts agree within 1 % of the store's. Nothing without a kernel's count.
  [[nodiscard]] std::optional<bool> agrees() const;
};

/// The store's contents at the end, read key by key and compared with what the run wrote.
struct VerificationFigures {
  std::uint64_t keys_checked = 0;
  std::uint64_t mismatches = 0;
  std::optional<std::string> first_mismatch;
};

/// Kept ranges of data blocks, which tell early that a tombstone hides nothing.
struct KeptRangeFigures {
  std::uint64_t tests = 0;         // tombstones whose keys were sought in them
  std::uint64_t dropped = 0;       // tombstones that the key ranges of files would have kept
  std::uint64_t memory_bytes = 0;  // of the ranges at the end
  friend bool operator==(const KeptRangeFigures&, const KeptRangeFigures&) = default;
};

/// From a delete until it is gone.
struct DeleteTimes {
  double mean = 0;
  std::uint64_t p50 = 0;
  std::uint64_t p99 = 0;
  std::uint64_t max = 0;
  friend bool operator==(const DeleteTimes&, const DeleteTimes&) = default;
};

/// What became of deletes whose memtables were flushed (models/accounting/delete_ages.h).
struct DeleteFigures {
  std::uint64_t flushed = 0;                    // tombstones that flushes wrote
  std::uint64_t gone = 0;                       // dropped: nothing older of their keys exists
  std::uint64_t superseded = 0;                 // replaced by newer versions of their keys
  std::uint64_t present = 0;                    // in files at the end
  DeleteTimes gone_after;                       // in operations of the clients
  std::optional<DeleteTimes> gone_after_ns;     // with a clock
  std::optional<KeptRangeFigures> kept_ranges;  // with pre_remove=blocks
  friend bool operator==(const DeleteFigures&, const DeleteFigures&) = default;
};

/// A run at resolution `key`, simulated or real.
struct KeySection {
  OperationCounts operations;
  MergeSizes merge_sizes;
  KeyRunFigures final;
  LevelSummary frozen;               // frozen files (LDC)
  std::optional<ReadFigures> reads;  // nothing without reads, or where the store does not tell
  std::optional<DeleteFigures>
      deletes;  // nothing without deletes, or where the store does not tell
};

/// A run with a clock, simulated or real. Latencies and rate leave out the loading of the store.
struct TimeSection {
  OperationLatencies latency;
  std::optional<double> operations_per_second;  // nothing where no operation was measured
  std::uint64_t loading_operations = 0;
  std::optional<std::vector<StallFigures>> stalls;  // nothing where the store does not tell
  std::optional<ArrivalFigures> arrivals;           // where operations arrive at times of their own
  std::vector<JobTimes> job_times;  // by output level; empty where the store does not tell
};

/// A run on a simulated machine: the machine's options, and its figures.
struct MachineSection {
  std::string device;
  ResolvedOptions device_options;
  ResolvedOptions client_options;
  DeviceFigures device_figures;
  std::optional<FlashFigures> flash;  // where the device is a flash drive
  std::uint64_t simulated_ns = 0;     // until everything was done
  std::uint64_t cpu_busy_ns = 0;      // summed over cores
  std::uint64_t cpu_stops = 0;        // pauses of the machine at the quota of processor time
  std::uint64_t cpu_stopped_ns = 0;   // their time
  std::vector<TimePoint> series;
};

/// A run on files.
struct FileSection {
  ResolvedOptions engine_options;
  WrittenCheck written;
  std::optional<VerificationFigures> verification;  // where the caller asked for it
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
  std::optional<std::uint64_t> cells;  // of a file, at resolution range
  std::uint64_t seed = 0;
  bool complete = true;
  Totals totals;
  SortedRunCounts runs;
  TransientSpace transient;
  DiskPeaks disk;
  // Bytes of live files / bytes of live entries. 1 where keys are unique; nothing where no entry in
  // the files is live.
  std::optional<double> live_bytes_ratio = 1;
  std::vector<LevelSummary> final_levels;
  Series series;
  std::vector<StackSnapshot> stacks;
  std::optional<FloorResult> floor;
  std::vector<MergeTime> merge_times;  // evenly spaced merges where there were very many
  std::vector<PartFigures> parts;      // empty where the run has one part only
  std::optional<LastOperation> at_last_operation;  // nothing at resolution flush
  std::optional<KeySection> keys;
  std::optional<TimeSection> time;
  std::optional<MachineSection> machine;
  std::optional<FileSection> files;
  double wall_seconds = 0;
};

}  // namespace lsmlab
