// Reads the information log (LOG, LOG.old.*) of RocksDB or LevelDB: options, flushes, compactions,
// moves, stalls, tables of statistics. Pure functions of the bytes. Times are those at the lines'
// beginning, in microseconds since 1970; they are local times, which are taken as UTC.
// Moments put steps of one log into their order. They are RocksDB's own times of its events (a line
// may be written much later than its event), or line numbers in LevelDB, which has no others.
// Source: RocksDB 5 to 11 db/flush_job.cc, db/compaction/compaction_job.cc, db/event_helpers.cc,
// db/internal_stats.cc; LevelDB 1.23 db/db_impl.cc.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "traces/io/byte_file.h"
#include "traces/stores/db_bench_heading.h"
#include "traces/stores/options_file.h"
#include "traces/stores/salvaged.h"

namespace lsmlab::stores {

/// An SSTable that the log saw.
struct LoggedTable {
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;
  std::uint64_t entries = 0;
  std::uint64_t deletes = 0;
  std::uint64_t raw_key_bytes = 0;  // with 8 bytes for each entry's sequence number and kind
  std::uint64_t raw_value_bytes = 0;
  std::uint64_t data_bytes = 0;  // data blocks, compressed
  std::string compression = {};
};

/// The reason of LevelDB's flushes of what a log held when the store was opened.
inline constexpr const char* kRecoveredLog = "log recovered at opening";

struct LoggedFlush {
  std::string family;
  std::uint64_t micros = 0;  // when it ended; if the end is not in the log, when it started
  std::uint64_t job = 0;
  std::string reason;
  std::uint64_t memtable_entries = 0;
  std::uint64_t memtable_deletes = 0;
  std::uint64_t memtable_bytes = 0;  // keys and values; 0: unknown
  std::uint32_t level = 0;
  std::vector<LoggedTable> outputs;
  std::string compression;
  bool is_finished = false;
  std::uint64_t begin_moment = 0;  // 0: unknown
  std::uint64_t end_moment = 0;    // when its file became part of the tree; 0: unknown

  [[nodiscard]] std::uint64_t bytes() const;
};

/// The input files of one level.
struct CompactionInput {
  std::uint32_t level = 0;
  std::uint64_t files = 0;
  std::vector<std::uint64_t> numbers;  // empty: only the count is known
  std::optional<std::uint64_t> bytes;
};

struct LoggedCompaction {
  std::string family;
  std::uint64_t micros = 0;  // as above
  std::uint64_t job = 0;
  std::string reason;  // the store's own word; empty: unknown
  std::vector<CompactionInput> inputs;
  bool inputs_are_known = true;  // false: the log began after the compaction
  std::optional<std::uint64_t> input_bytes;
  std::uint32_t output_level = 0;
  std::uint64_t output_files = 0;
  std::uint64_t output_bytes = 0;
  std::uint64_t input_entries = 0;
  std::uint64_t output_entries = 0;
  std::uint64_t duration_micros = 0;
  std::uint64_t threads = 1;  // that divided it (subcompactions)
  std::string compression;
  std::vector<LoggedTable> outputs;
  /// Of Cassandra: partitions written, by the number of SSTables that each was merged from.
  std::map<std::uint64_t, std::uint64_t> rows_merged = {};
  bool is_finished = false;
  std::uint64_t begin_moment = 0;  // 0: unknown
  std::uint64_t end_moment = 0;    // when its outputs became part of the tree; 0: unknown
};

struct LoggedMove {
  std::string family;
  std::uint64_t micros = 0;
  std::uint32_t level = 0;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> numbers = {};  // of the files; empty: unknown
  std::uint64_t begin_moment = 0;           // when they were chosen; 0: unknown
  std::uint64_t end_moment = 0;
};

enum class StallCause { kLevel0Files, kMemtables, kPendingBytes, kOther };
[[nodiscard]] std::string_view name_of(StallCause cause);

/// The store slowed or stopped its writers. RocksDB reports it again after each flush or compaction
/// while the rule applies.
struct LoggedStall {
  std::string family;
  std::uint64_t micros = 0;
  StallCause cause = StallCause::kOther;
  bool is_stop = false;
};

/// What jobs took, summed, and how far the printed digits leave it open on either side.
struct JobSeconds {
  double value = 0;
  double error = 0;
};

/// "** Compaction Stats [family] **": the table of the levels.
struct StatisticsRow {
  std::string level;        // "L0", "Sum", "Int"
  std::uint64_t files = 0;  // all, and those in a merge
  std::uint64_t busy_files = 0;
  std::uint64_t bytes = 0;
  std::map<std::string, double> columns;  // the others, by the name in the heading
  std::set<std::string> cut_columns;      // counts that lack digits: "14M"
  JobSeconds seconds;
};
struct StatisticsTable {
  std::string family;
  std::uint64_t micros = 0;
  std::vector<StatisticsRow> rows;
  std::optional<double> uptime_seconds;
  std::optional<double> flushed_gigabytes;  // GiB
  std::optional<std::uint64_t> flushes;     // jobs of the threads that flush
  std::optional<JobSeconds> flush_seconds;  // of these jobs
  std::optional<JobSeconds> merge_seconds;  // of the jobs of the threads that merge
  double ingested_gigabytes = 0;            // GiB of files that the user made ("AddFile")
  std::uint64_t ingested_files = 0;         // each is a job of its level
  std::uint64_t ingested_level0_files = 0;
  bool is_goleveldb = false;
  bool has_sizes_only = false;                 // the property "rocksdb.levelstats"
  std::uint64_t tables = 0;                    // of the family that were read; this is the last
  std::optional<std::size_t> estimated_level;  // whose row is Sum minus the others
  std::optional<StatisticsRow> unplaced;       // the same, of levels that are not known
  unsigned newest_version = 0;                 // newest_version_of() its columns
  unsigned oldest_version = 0;                 // oldest_version_of() them
  std::map<std::string, double> stalls;        // counts by name, those that are not 0
};

/// Bytes that a store counted since it was opened.
struct ByteCounters {
  std::optional<std::uint64_t> flushed;
  std::optional<std::uint64_t> merge_written;
  std::optional<std::uint64_t> merge_read;
};

struct InfoLog {
  StoreSystem system = StoreSystem::kRocksdb;
  StoreOptions options;  // the dump at the head of the log
  bool has_jemalloc = false;
  std::uint64_t first_micros = 0;
  std::uint64_t last_micros = 0;
  std::uint64_t lines = 0;
  std::uint64_t events = 0;
  std::uint64_t option_changes = 0;  // calls of SetOptions()
  std::vector<LoggedFlush> flushes;
  std::vector<LoggedCompaction> compactions;
  std::vector<LoggedMove> moves;
  std::vector<LoggedStall> stalls;
  std::map<std::string, std::vector<std::uint64_t>> level_files;  // last lsm_state, by family
  std::map<std::string, StatisticsTable> statistics;              // the last one, by family
  std::optional<double> stalled_seconds;  // "Cumulative stall" of the last statistics
  std::optional<double> stalled_percent;
  std::optional<double> ingested_gigabytes;  // "Cumulative writes ... ingest", GiB
  std::optional<double> written_keys;
  bool written_keys_are_cut = false;  // they lack digits: "8000K"
  // That the bytes which compactions read and wrote may lack: "68MB".
  std::optional<double> read_cut_share;
  std::optional<double> written_cut_share;
  DbBenchHeading db_bench;                       // above a table of its output
  std::map<std::string, ByteCounters> counters;  // of a text of counters alone, by database
};

[[nodiscard]] bool is_rocksdb_log(std::string_view bytes);
[[nodiscard]] bool is_leveldb_log(std::string_view bytes);

/// Faults (each names the line): an EVENT_LOG_v1 line that is not JSON (it is left out, and reading
/// goes on; a last line without its end is cut or being written); no line with a time.
[[nodiscard]] Salvaged<InfoLog> read_rocksdb_log(std::string_view bytes);
[[nodiscard]] Salvaged<InfoLog> read_leveldb_log(std::string_view bytes);

/// Takes the lines of a log one after the other.
class InfoLogReader {
 public:
  InfoLogReader() = default;
  InfoLogReader(const InfoLogReader&) = delete;
  InfoLogReader& operator=(const InfoLogReader&) = delete;
  virtual ~InfoLogReader() = default;
  /// The database that the next lines are of, where a log is that of many; empty: it is not said.
  virtual void set_source(const std::string& /*source*/) {}
  /// `is_whole`: the line has its end. `number`: from 1.
  virtual void add_line(std::string_view line, bool is_whole, std::size_t number) = 0;
  [[nodiscard]] virtual Salvaged<InfoLog> finish() = 0;
};
[[nodiscard]] std::unique_ptr<InfoLogReader> rocksdb_log_reader();
[[nodiscard]] std::unique_ptr<InfoLogReader> leveldb_log_reader();

/// What decides the kind of a file: its first bytes.
inline constexpr std::size_t kInfoLogHeadBytes = ByteReader::kBufferBytes;
/// A longer line is read to this length, and is a fault.
inline constexpr std::size_t kInfoLogLineBytesMax = std::size_t{16} << 20;

/// The reader for a log that begins with `head`; null: it is no log.
[[nodiscard]] std::unique_ptr<InfoLogReader> info_log_reader(std::string_view head);
/// Reads a log of any size. Memory grows with its events, not with its other lines. Errors: those
/// of reading the file.
[[nodiscard]] Result<Salvaged<InfoLog>> read_info_log(ByteReader& file, InfoLogReader& reader);

/// Only tables of statistics: as db_bench prints them, or the property "leveldb.stats"; also as
/// traces/stores/pasted_text.h reads them.
[[nodiscard]] bool is_statistics(std::string_view bytes);

/// A log line's time; nothing if the line does not begin with one.
[[nodiscard]] std::optional<std::uint64_t> micros_of_line(std::string_view line);

/// Takes the lines of tables of statistics out of a log.
class StatisticsReader {
 public:
  explicit StatisticsReader(InfoLog& log) : log_(log) {}
  /// Forgets the table that the lines belong to: a new log line has begun.
  void end_table() { family_.clear(); }
  void add_line(std::string_view line, std::uint64_t micros);
  /// Whether a log line's message is one of a table: collectors of logs give each line a time.
  [[nodiscard]] bool continues(std::string_view message) const;
  /// The first row that was left out, because its words do not fit the heading.
  [[nodiscard]] const std::optional<Error>& fault() const { return fault_; }

 private:
  void begin_table(std::string_view line, std::uint64_t micros);
  void begin_family(std::string name, std::uint64_t micros);
  void begin_without_heading(const std::vector<std::string_view>& words, std::uint64_t micros);
  void add_totals(std::string_view line);
  void begin_columns(const std::vector<std::string_view>& words);
  [[nodiscard]] std::vector<std::string_view> cells_of(const std::vector<std::string_view>& words);
  void add_row(const std::vector<std::string_view>& words);
  [[nodiscard]] bool has_full_table() const;
  void add_levelstats_row(const std::vector<std::string_view>& words);
  void add_leveldb_row(const std::vector<std::string_view>& words);
  [[nodiscard]] std::optional<JobSeconds> seconds_of_jobs(
      const std::vector<std::string_view>& cells) const;
  void add_flushes(const std::vector<std::string_view>& words);
  void add_merges(const std::vector<std::string_view>& words);
  void add_stalls(std::string_view counts, bool name_first);
  static void add_ingested(std::string_view text, StatisticsTable& table);

  InfoLog& log_;
  std::string family_;     // of the table that the next lines belong to; empty: none
  std::string open_name_;  // of a family, in which a line ended
  bool is_level_table_ = false;
  std::vector<std::string> headings_;
  std::optional<Error> fault_;
};

}  // namespace lsmlab::stores
