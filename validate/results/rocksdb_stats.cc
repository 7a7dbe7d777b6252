#include "validate/results/rocksdb_stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "models/execution/write_stall.h"
#include "models/policies/rocksdb/levels.h"
#include "validate/results/phase_levels_text.h"

namespace lsmlab {
namespace {

constexpr double kMebi = 1024.0 * 1024;
constexpr double kGibi = kMebi * 1024;

double real_of(Uint128 value) { return static_cast<double>(value); }

// "%.2f" with the unit that RocksDB chooses: KB, MB, GB or TB, each 1024 of the one before.
std::string size_text(Uint128 bytes) {
  constexpr std::array<const char*, 4> kUnits{"KB", "MB", "GB", "TB"};
  double size = real_of(bytes) / 1024;
  std::size_t unit = 0;
  for (; unit + 1 < kUnits.size() && size >= 1024; ++unit) size /= 1024;
  return fmt::format("{:.2f} {}", size, kUnits[unit]);
}

// Counts of keys and writes, cut down to whole thousands, millions or billions.
std::string count_text(Uint128 count) {
  if (count < 10'000) return fmt::format("{}", static_cast<std::uint64_t>(count));
  if (count < 10'000'000) return fmt::format("{}K", static_cast<std::uint64_t>(count / 1'000));
  if (count < 10'000'000'000) {
    return fmt::format("{}M", static_cast<std::uint64_t>(count / 1'000'000));
  }
  return fmt::format("{}G", static_cast<std::uint64_t>(count / 1'000'000'000));
}

std::string duration_text(std::uint64_t ns) {
  const std::uint64_t seconds = ns / 1'000'000'000;
  return fmt::format("{:02}:{:02}:{:05.3f} H:M:S", seconds / 3600, seconds / 60 % 60,
                     static_cast<double>(ns % 60'000'000'000) / 1e9);
}

std::string header_text(const std::string& name, std::string_view group_by) {
  const std::string title = fmt::format("\n** Compaction Stats [{}] **\n", name);
  const std::string columns = fmt::format(
      "{}    Files   Size     Score Read(GB)  Rn(GB) Rnp1(GB) Write(GB) Wnew(GB) Moved(GB) W-Amp "
      "Rd(MB/s) Wr(MB/s) Comp(sec) CompMergeCPU(sec) Comp(cnt) Avg(sec) KeyIn KeyDrop Rblob(GB) "
      "Wblob(GB)\n",
      group_by);
  return title + columns + std::string(columns.size(), '-') + "\n";
}

// What a table is of.
struct Shown {
  std::vector<LevelSummary> levels;
  std::vector<OutputTraffic> by_output_level;
  std::vector<JobTimes> job_times;
  std::uint64_t merges = 0;
  Uint128 bytes_flushed = 0;
  Uint128 flush_bytes_written = 0;
  Uint128 merge_bytes_written = 0;
  Uint128 merge_bytes_read = 0;
  double seconds = 0;  // 0 without a clock
};

// The store when the last operation was done, while merges may run: what db_bench shows.
Shown at_last_operation(const LastOperation& last) {
  const PartFigures& sums = last.sums;
  return {last.levels,
          sums.by_output_level,
          last.job_times,
          sums.merges,
          sums.bytes_flushed,
          sums.flush_bytes_written,
          sums.merge_bytes_written,
          sums.merge_bytes_read,
          static_cast<double>(sums.nanoseconds.value_or(0)) / 1e9};
}

// Without a clock no merge is late, and a run may end with a flush. RocksDB, where it runs itself,
// tells no times of jobs.
Shown shown_of(const RunResult& run) {
  const bool has_times = run.time && !run.time->job_times.empty();
  if (has_times && run.at_last_operation) return at_last_operation(*run.at_last_operation);
  const Totals& totals = run.totals;
  double seconds = 0;
  if (run.machine) {
    seconds = static_cast<double>(run.machine->simulated_ns) / 1e9;
  } else if (run.time) {
    seconds = run.wall_seconds;
  }
  return {run.final_levels,
          totals.by_output_level,
          {},
          totals.merges,
          totals.bytes_flushed,
          totals.flush_bytes_written,
          totals.merge_bytes_written,
          totals.merge_bytes_read,
          seconds};
}

struct Row {
  std::string name;
  std::uint64_t files = 0;
  std::uint64_t merging_files = 0;
  Uint128 bytes = 0;
  double score = 0;
  double write_amplification = 0;
  OutputTraffic traffic;
  JobTimes times = {};
};

// 0 without a clock.
double per_second(double amount, double seconds) { return seconds > 0 ? amount / seconds : 0; }

// There are no blob files: their columns hold 0.
std::string row_text(const Row& row) {
  const OutputTraffic& traffic = row.traffic;
  const Uint128 read = traffic.bytes_read_others + traffic.bytes_read_own;
  const double seconds = static_cast<double>(row.times.flush_ns + row.times.merge_ns) / 1e9;
  const double processor_seconds =
      static_cast<double>(row.times.flush_processor_ns + row.times.merge_processor_ns) / 1e9;
  const double added = real_of(traffic.bytes_written) - real_of(traffic.bytes_read_own);
  return fmt::format(
      "{:>4} {:>6}/{:<3} {:>8} {:5.1f} {:8.1f} {:7.1f} {:8.1f} {:9.1f} {:8.1f} {:9.1f} {:5.1f} "
      "{:8.1f} {:8.1f} {:9.2f} {:17.2f} {:9} {:8.3f} {:>7} {:>6} {:9.1f} {:9.1f}\n",
      row.name, row.files, row.merging_files, size_text(row.bytes), row.score,
      real_of(read) / kGibi, real_of(traffic.bytes_read_others) / kGibi,
      real_of(traffic.bytes_read_own) / kGibi, real_of(traffic.bytes_written) / kGibi,
      added / kGibi, real_of(traffic.bytes_moved_in) / kGibi, row.write_amplification,
      per_second(real_of(read) / kMebi, seconds),
      per_second(real_of(traffic.bytes_written) / kMebi, seconds), seconds, processor_seconds,
      traffic.jobs, traffic.jobs == 0 ? 0 : seconds / static_cast<double>(traffic.jobs),
      count_text(traffic.entries_read), count_text(traffic.entries_dropped), 0.0, 0.0);
}

std::optional<std::uint64_t> count_option(const RunResult& run, std::string_view name) {
  for (const auto& [option, value] : run.policy_options) {
    const auto* count = std::get_if<std::uint64_t>(&value);
    if (option == name && count != nullptr) return *count;
  }
  return std::nullopt;
}

bool flag_option(const RunResult& run, std::string_view name) {
  for (const auto& [option, value] : run.policy_options) {
    const bool* flag = std::get_if<bool>(&value);
    if (option == name && flag != nullptr) return *flag;
  }
  return false;
}

// Nothing for a policy without RocksDB's targets of levels.
std::optional<RocksdbShape> shape_of(const RunResult& run) {
  if (run.policy_family != "rocksdb-leveled") return std::nullopt;
  const auto levels = count_option(run, "levels");
  const auto base = count_option(run, "level_base");
  const auto ratio = count_option(run, "size_ratio");
  const auto trigger = count_option(run, "l0_trigger");
  if (!levels || !base || !ratio || !trigger) return std::nullopt;
  RocksdbShape shape;
  shape.levels = static_cast<std::uint32_t>(*levels);
  shape.level_base = *base;
  shape.size_ratio = *ratio;
  shape.l0_trigger = *trigger;
  shape.dynamic_levels = flag_option(run, "dynamic_levels");
  return shape;
}

// Files or bytes over what the level may hold, without RocksDB's surcharge for deletes. The last
// level may hold everything.
std::vector<double> scores_of(const RunResult& run, const std::vector<LevelSummary>& levels) {
  std::vector<double> scores(levels.size(), 0.0);
  const std::optional<RocksdbShape> shape = shape_of(run);
  if (!shape || scores.empty() || scores.size() > shape->levels) return scores;
  std::vector<std::uint64_t> bytes(shape->levels, 0);
  for (std::size_t level = 0; level < scores.size(); ++level) {
    bytes[level] = static_cast<std::uint64_t>(levels[level].bytes);
  }
  const RocksdbTargets targets = rocksdb_targets(*shape, bytes);
  scores[0] = static_cast<double>(levels[0].files) / static_cast<double>(shape->l0_trigger);
  if (!shape->dynamic_levels) {
    scores[0] =
        std::max(scores[0], static_cast<double>(bytes[0]) / static_cast<double>(shape->level_base));
  }
  for (std::size_t level = 1; level < scores.size() && level + 1 < shape->levels; ++level) {
    scores[level] =
        static_cast<double>(bytes[level]) / static_cast<double>(targets.max_bytes[level]);
  }
  return scores;
}

// RocksDB's rows: levels that hold files or that a flush or merge wrote to.
std::vector<Row> level_rows(const RunResult& run, const Shown& shown) {
  const std::vector<OutputTraffic>& traffic = shown.by_output_level;
  const std::vector<double> scores = scores_of(run, shown.levels);
  std::vector<Row> rows;
  for (std::size_t level = 0; level < std::max(traffic.size(), shown.levels.size()); ++level) {
    Row row{fmt::format("L{}", level), 0, 0, 0, 0, 0, {}};
    if (level < traffic.size()) row.traffic = traffic[level];
    if (level < shown.job_times.size()) row.times = shown.job_times[level];
    if (level < shown.levels.size()) {
      row.files = shown.levels[level].files;
      row.merging_files = shown.levels[level].merging_files;
      row.bytes = shown.levels[level].bytes;
      row.score = scores[level];
    }
    if (row.files == 0 && row.traffic.jobs == 0) continue;
    const Uint128 arrived = level == 0 ? shown.bytes_flushed : row.traffic.bytes_read_others;
    row.write_amplification = ratio_of(row.traffic.bytes_written, arrived);
    rows.push_back(std::move(row));
  }
  return rows;
}

Row sum_row(const Shown& shown, const std::vector<Row>& levels) {
  Row sum{"Sum", 0, 0, 0, 0, 0, {}};
  for (const Row& level : levels) {
    sum.files += level.files;
    sum.merging_files += level.merging_files;
    sum.bytes += level.bytes;
    sum.traffic += level.traffic;
    sum.times += level.times;
  }
  sum.write_amplification = ratio_of(sum.traffic.bytes_written, shown.bytes_flushed);
  return sum;
}

// The interval since the last table, which here is the whole run. RocksDB adds a byte to what was
// flushed.
Row interval_row(const Shown& shown, const Row& sum) {
  return {"Int",       0,        0,
          0,           0,        ratio_of(sum.traffic.bytes_written, shown.bytes_flushed + 1),
          sum.traffic, sum.times};
}

// Merges have RocksDB's low priority, flushes its high one.
std::string priority_rows(const Shown& shown, const Row& sum) {
  Row merges{"Low", 0, 0, 0, 0, 0, sum.traffic};
  merges.traffic.jobs = shown.merges;
  merges.traffic.bytes_written = shown.merge_bytes_written;
  merges.traffic.bytes_moved_in = 0;
  merges.times = {0, 0, sum.times.merge_ns, sum.times.merge_processor_ns};
  Row flushes{"High", 0, 0, 0, 0, 0, {}};
  flushes.traffic.jobs = sum.traffic.jobs - shown.merges;
  flushes.traffic.bytes_written = shown.flush_bytes_written;
  flushes.times = {sum.times.flush_ns, sum.times.flush_processor_ns, 0, 0};
  std::string text;
  if (merges.traffic.jobs > 0) text += row_text(merges);
  if (flushes.traffic.jobs > 0) text += row_text(flushes);
  return text;
}

std::uint64_t stalls_of(const RunResult& run, StallReason reason) {
  if (!run.time || !run.time->stalls) return 0;
  std::uint64_t count = 0;
  for (const StallFigures& stall : *run.time->stalls) {
    if (stall.reason == stall_reason_name(reason)) count += stall.count;
  }
  return count;
}

std::string stalls_text(const RunResult& run) {
  using enum StallReason;
  constexpr std::pair<std::optional<StallReason>, const char*> kCounts[] = {
      {kLevel0Slowdown, "level0_slowdown"},
      {std::nullopt, "level0_slowdown_with_compaction"},
      {kLevel0Stop, "level0_numfiles"},
      {std::nullopt, "level0_numfiles_with_compaction"},
      {kPendingStop, "stop for pending_compaction_bytes"},
      {kPendingSlowdown, "slowdown for pending_compaction_bytes"},
      {kFullMemtables, "memtable_compaction"},
      {kMemtableSlowdown, "memtable_slowdown"}};
  std::string text = "Stalls(count): ";
  std::uint64_t sum = 0;
  for (const auto& [reason, name] : kCounts) {
    const std::uint64_t count = reason ? stalls_of(run, *reason) : 0;
    text += fmt::format("{} {}, ", count, name);
    sum += count;
  }
  return text + fmt::format("interval {} total count\n", sum);
}

std::string totals_text(const RunResult& run, const Shown& shown, const Row& sum) {
  const double seconds = shown.seconds;
  const double busy = static_cast<double>(sum.times.flush_ns + sum.times.merge_ns) / 1e9;
  const double flushed = real_of(shown.bytes_flushed) / kGibi;
  const double written = real_of(sum.traffic.bytes_written);
  const double read = real_of(shown.merge_bytes_read);
  std::string text = fmt::format(
      "\nBlob file count: 0, total size: 0.0 GB, garbage size: 0.0 GB, space amp: 0.0\n\n"
      "Uptime(secs): {0:.1f} total, {0:.1f} interval\n"
      "Flush(GB): cumulative {1:.3f}, interval {1:.3f}\n"
      "AddFile(GB): cumulative 0.000, interval 0.000\n"
      "AddFile(Total Files): cumulative 0, interval 0\n"
      "AddFile(L0 Files): cumulative 0, interval 0\n"
      "AddFile(Keys): cumulative 0, interval 0\n",
      seconds, flushed);
  for (const char* span : {"Cumulative", "Interval"}) {
    text += fmt::format(
        "{} compaction: {:.2f} GB write, {:.2f} MB/s write, {:.2f} GB read, {:.2f} MB/s read, "
        "{:.1f} seconds\n",
        span, written / kGibi, per_second(written / kMebi, seconds), read / kGibi,
        per_second(read / kMebi, seconds), busy);
  }
  return text + stalls_text(run);
}

// "** DB Stats **": what clients wrote. Each write is a commit group of its own.
std::string database_text(const RunResult& run) {
  const double seconds = shown_of(run).seconds;
  const std::uint64_t writes =
      run.keys ? run.keys->operations.puts + run.keys->operations.deletes : 0;
  const std::string written = count_text(writes);
  const double ingested = real_of(run.totals.user_bytes);
  const double logged = real_of(run.totals.wal_bytes_written);
  std::uint64_t stalled_ns = 0;
  if (run.time && run.time->stalls) {
    for (const StallFigures& stall : *run.time->stalls) stalled_ns += stall.nanoseconds;
  }
  std::string text =
      fmt::format("\n** DB Stats **\nUptime(secs): {0:.1f} total, {0:.1f} interval\n", seconds);
  for (const bool is_interval : {false, true}) {
    const char* span = is_interval ? "Interval" : "Cumulative";
    text += fmt::format(
        "{0} writes: {1} writes, {1} keys, {1} commit groups, {2:.1f} writes per commit group, "
        "ingest: {3:.2f} {4}, {5:.2f} MB/s\n"
        "{0} WAL: {6} writes, 0 syncs, {7:.2f} writes per sync, written: {8:.2f} GB, {9:.2f} MB/s\n"
        "{0} stall: {10}, {11:.1f} percent\n",
        span, written, writes > 0 ? 1.0 : 0.0, ingested / (is_interval ? kMebi : kGibi),
        is_interval ? "MB" : "GB", per_second(ingested / kMebi, seconds),
        logged > 0 ? written : "0", logged > 0 ? static_cast<double>(writes) : 0.0, logged / kGibi,
        per_second(logged / kMebi, seconds), duration_text(stalled_ns),
        per_second(static_cast<double>(stalled_ns) / 1e7, seconds));
  }
  return text;
}

std::string table_text(const RunResult& run, const std::string& name) {
  const Shown shown = shown_of(run);
  const std::vector<Row> levels = level_rows(run, shown);
  const Row sum = sum_row(shown, levels);
  std::string text = header_text(name, "Level");
  for (const Row& level : levels) text += row_text(level);
  text += row_text(sum) + row_text(interval_row(shown, sum));
  text += header_text(name, "Priority") + priority_rows(shown, sum);
  return text + totals_text(run, shown, sum) + phase_levels_text(run);
}

// The workload as a SPEC, without absent parameters.
std::string workload_text(const RunResult& run) {
  std::string text = run.workload;
  const char* separator = ":";
  for (const auto& [name, value] : run.workload_options) {
    if (std::holds_alternative<std::monostate>(value)) continue;
    text += separator + name + "=" + option_value_text(value);
    separator = ",";
  }
  return text;
}

}  // namespace

std::string rocksdb_stats_text(std::span<const RunResult> runs) {
  if (runs.size() == 1) return database_text(runs[0]) + table_text(runs[0], "default");
  const bool is_one_workload = std::all_of(runs.begin(), runs.end(), [&](const RunResult& run) {
    return run.workload == runs[0].workload && run.workload_options == runs[0].workload_options;
  });
  std::string text;
  for (const RunResult& run : runs) {
    text += table_text(run, is_one_workload
                                ? run.policy_label
                                : fmt::format("{} on {}", run.policy_label, workload_text(run)));
  }
  return text;
}

std::string rocksdb_stats_note(std::span<const RunResult> runs) {
  const auto has_times = [](const RunResult& run) {
    return run.time && !run.time->job_times.empty();
  };
  if (std::all_of(runs.begin(), runs.end(), has_times)) return {};
  return "rocksdb-stats: seconds and speeds are not known and shown as 0 where a run has no clock "
         "(docs/rocksdb-stats.md)";
}

}  // namespace lsmlab
