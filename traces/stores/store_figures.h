// Figures of one column family, from all files that were read: the tree by level, flushes, merges
// by reason and level, write amplification over time, stalls. Bytes are those of SSTable files.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "traces/stores/store_events.h"
#include "traces/stores/store_reading.h"

namespace lsmlab::stores {

struct LevelFigures {
  std::uint64_t files = 0;
  std::uint64_t busy_files = 0;             // of them, in compactions, where a table tells it
  std::optional<std::uint64_t> bytes;       // none: only the number of files is known
  std::optional<std::uint64_t> sublevels;   // sorted runs of level 0 of Pebble
  std::optional<double> target_bytes;       // none: the level has no target
  std::optional<double> score;              // 1 and more: the level is due
  std::uint64_t written_bytes = 0;          // by flushes and merges
  std::optional<std::uint64_t> read_bytes;  // by merges; none: unknown
  std::uint64_t moved_bytes = 0;            // into this level, without rewriting
  std::string compression;                  // of the last output; empty: unknown
  std::uint64_t data_bytes = 0;             // data blocks of outputs, as stored
  std::uint64_t raw_bytes = 0;              // keys and values in them
};

/// How long flushes or merges took, of those whose duration a LOG or a table of statistics tells.
struct JobSpeed {
  std::uint64_t micros = 0;
  std::uint64_t entries = 0;  // that flushes wrote, or merges read
  /// Nanoseconds an entry; none: unknown.
  [[nodiscard]] std::optional<std::uint64_t> entry_ns() const;
};

/// The same for merges that several threads divided (subcompactions).
struct DividedSpeed {
  JobSpeed durations;
  std::uint64_t merges = 0;
  std::uint64_t thread_entries = 0;  // entries times the threads of their merge
  /// Threads of a merge, in the mean over entries. REQUIRES: durations.entries > 0.
  [[nodiscard]] double threads() const {
    return static_cast<double>(thread_entries) / static_cast<double>(durations.entries);
  }
};

struct ReasonFigures {
  std::uint64_t merges = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t written_bytes = 0;
};

/// A tenth of the run.
struct TenthFigures {
  std::uint64_t flushed_bytes = 0;
  std::uint64_t merged_bytes = 0;  // written by merges
};

struct FlushFigures {
  std::uint64_t flushes = 0;
  bool is_counted = true;          // false: the number of flushes is a guess
  std::uint64_t flushes_max = 0;   // where it is one: jobs of level 0; 0: not known
  std::uint64_t unfinished = 0;    // whose end is not in the log
  std::uint64_t without_file = 0;  // that ended, and of whose file the log has nothing
  std::uint64_t bytes = 0;
  std::uint64_t entries = 0;  // written to files
  std::uint64_t deletes = 0;
  std::uint64_t memtable_entries = 0;  // before the flush dropped obsolete ones
  std::uint64_t memtable_deletes = 0;
  std::uint64_t raw_key_bytes = 0;  // without the 8 bytes of the sequence number
  std::uint64_t raw_value_bytes = 0;
  std::map<std::string, std::uint64_t> reasons;
  std::vector<std::uint64_t> sizes;  // of each flush in order, in bytes
};

/// Of the last flushes of a LOG, which had half of the writes, and the merges since.
struct LateFigures {
  std::uint64_t memtable_entries = 0;
  std::uint64_t memtable_deletes = 0;
  double memtable_squares = 0;      // sum of the squares of the entries of each memtable
  std::uint64_t entries = 0;        // written to files
  std::uint64_t merge_dropped = 0;  // entries
};

/// kMetrics: sums of a table of metrics only.
/// kStatistics: a table of compaction statistics only.
/// kCompactions: a compaction history without flushes.
/// kCounters: counters of bytes only.
enum class HistorySource {
  kNone,
  kLog,
  kCompactions,
  kManifest,
  kMetrics,
  kStatistics,
  kCounters,
};
/// Whether the source has sums only, not the single flushes and merges.
[[nodiscard]] constexpr bool has_sums_only(HistorySource source) {
  return source == HistorySource::kMetrics || source == HistorySource::kStatistics ||
         source == HistorySource::kCounters;
}
[[nodiscard]] std::string_view name_of(HistorySource source);

struct FamilyFigures {
  std::string name;
  HistorySource source = HistorySource::kNone;
  std::string tree_source;  // empty: the tree is unknown
  // Of RocksDB, by the columns of a table (table_guesses.h); 0: unknown.
  unsigned newest_version = 0;
  unsigned oldest_version = 0;
  DbBenchHeading db_bench;  // above that table
  std::vector<LevelFigures> levels;
  FlushFigures flushes;
  std::optional<LateFigures> late = {};  // none: unknown
  std::uint64_t merges = 0;
  std::uint64_t merge_read_bytes = 0;
  std::uint64_t merge_written_bytes = 0;
  std::uint64_t merge_input_entries = 0;
  std::uint64_t merge_output_entries = 0;
  std::uint64_t blob_written_bytes = 0;  // into blob files, which no other figure counts
  std::uint64_t ingested_files = 0;  // that the user made; from a table of statistics or a MANIFEST
  std::uint64_t ingested_bytes = 0;
  JobSpeed flush_speed;
  JobSpeed merge_speed;  // of merges with one thread
  // Of these, where a table tells it, those into the first level below level 0: merges of level 0,
  // which several threads may have divided without the table saying so.
  JobSpeed base_merge_speed;
  DividedSpeed divided_speed;
  std::uint64_t moves = 0;
  std::uint64_t moved_bytes = 0;
  bool table_is_cut = false;  // a table without its row of sums, and perhaps of levels
  std::optional<std::size_t> estimated_level;  // whose row a table lacks: Sum minus the others
  bool lacks_rows = false;                     // it is not clear of which levels rows are missing
  bool has_sizes_only = false;     // a table of files and sizes: nothing is known of flushes
  bool lacks_merges = false;       // of counters: none of what compactions wrote
  bool has_files_only = false;     // the same of a list of files
  std::uint64_t unsized_jobs = 0;  // of a table that wrote less than its digits show
  bool moves_are_known = true;     // false: a table without a column of them
  bool lacks_level0 = false;  // a table of statistics without its row: nothing is known of flushes
  std::uint64_t unfinished = 0;  // flushes and merges whose end is not in the log
  bool reads_are_known = true;   // false: the sizes of some inputs are unknown
  std::map<std::string, ReasonFigures> reasons;
  std::map<std::uint64_t, std::uint64_t> rows_merged;  // as in LoggedCompaction
  std::array<TenthFigures, 10> tenths = {};
  bool tenths_are_of_time = false;              // false: of the number of steps
  std::map<std::string, std::uint64_t> stalls;  // "stop: level-0 files" and their number
  double seconds = 0;                           // that the logs cover
  double writing_seconds = 0;                   // of these, up to the last flush of each log
  double history_seconds = 0;                   // that the history covers; 0: unknown

  /// Bytes written by flushes and merges over bytes written by flushes; none: nothing was flushed.
  [[nodiscard]] std::optional<double> write_amplification() const;
  /// Entries of flushed memtables over the time of the logs up to their last flush, with idle times
  /// before it; none: unknown.
  [[nodiscard]] std::optional<double> writes_per_second() const;
};

[[nodiscard]] FamilyFigures figures_of(const Store& store, const std::string& family);
/// The same with the events of the store, which figures of several families share.
[[nodiscard]] FamilyFigures figures_of(const Store& store, const StoreEvents& events,
                                       const std::string& family);

/// Targets of the levels in bytes by the family's options; empty: unknown, or not leveled.
[[nodiscard]] std::vector<double> level_targets(const Store& store, const std::string& family,
                                                const std::vector<LevelFigures>& levels);
/// Sets the score and target of each level that no table gave one.
void fill_scores(FamilyFigures& figures, const Store& store);

}  // namespace lsmlab::stores
