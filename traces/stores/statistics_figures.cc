#include "traces/stores/statistics_figures.h"

#include <algorithm>
#include <cmath>

#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

constexpr double kGibibyte = 1024.0 * 1024 * 1024;
constexpr double kFlushRounding = 0.0005;  // GiB of "Flush(GB)"

double column(const StatisticsRow& row, const char* name) {
  const auto found = row.columns.find(name);
  return found == row.columns.end() ? 0 : std::max(0.0, found->second);
}

// Bounded, so that the conversion is defined for any text: a difference of infinities is no number.
std::uint64_t whole(double number) {
  constexpr double kMost = 9e17;
  if (std::isnan(number)) return 0;
  return static_cast<std::uint64_t>(std::llround(std::clamp(number, 0.0, kMost)));
}

std::uint64_t bytes_of(double gibibytes) { return whole(gibibytes * kGibibyte); }

// A figure of a table, and how far the printed digits leave it open on either side.
struct Rounded {
  double value = 0;
  double error = 0;

  [[nodiscard]] double share() const { return value > 0 ? error / value : 1; }
};

// The quotient, and whether two figures may be the same one.
Rounded operator/(const Rounded& a, const Rounded& b) {
  const double value = a.value / b.value;
  return {value, value * (a.share() + b.share())};
}
bool may_be_equal(const Rounded& a, const Rounded& b) {
  return std::abs(a.value - b.value) <= a.error + b.error;
}

// A count whose digits may be cut off: "14M" is from 14 to 15 million. Cut at thousands it has at
// least five digits, and so on.
Rounded count_of(double printed, bool is_cut) {
  const double unit = !is_cut ? 0 : printed < 1e7 ? 1e3 : printed < 1e10 ? 1e6 : 1e9;
  return {printed + unit / 2, unit / 2};
}
Rounded count(const StatisticsRow& row, const char* name) {
  return count_of(column(row, name), row.cut_columns.contains(name));
}

// GiB of a column that the table rounds to a tenth. Speed times duration says more of small
// figures, as far as it agrees: both have more digits.
Rounded gibibytes(const StatisticsRow& row, const char* amount, const char* speed) {
  constexpr double kRounding = 0.05;  // of all columns but the duration
  const JobSeconds& seconds = row.seconds;
  const Rounded rounded{column(row, amount), kRounding};
  const double rate = column(row, speed) / 1024;
  // Speeds count what went to blob files, too.
  if (rate <= 0 || seconds.value <= 0 || column(row, "Wblob(GB)") > 0 ||
      column(row, "Rblob(GB)") > 0) {
    return rounded;
  }
  const Rounded exact{rate * seconds.value,
                      kRounding / 1024 * seconds.value + rate * seconds.error};
  return may_be_equal(exact, rounded) && exact.error < kRounding ? exact : rounded;
}

double written(const StatisticsRow& row) { return gibibytes(row, "Write(GB)", "Wr(MB/s)").value; }
// Of what level 0 wrote and did not read.
double level0_error(const StatisticsRow& row) {
  const double of_reads =
      column(row, "Read(GB)") > 0 ? gibibytes(row, "Read(GB)", "Rd(MB/s)").error : 0;
  return gibibytes(row, "Write(GB)", "Wr(MB/s)").error + of_reads;
}
Rounded exact_read(const StatisticsRow& row) { return gibibytes(row, "Read(GB)", "Rd(MB/s)"); }
double read(const StatisticsRow& row) { return exact_read(row).value; }

struct Sums {
  double jobs = 0;
  double written = 0;  // GiB
  double read = 0;
  double entries_read = 0;
  double entries_dropped = 0;
  double merge_seconds = 0;  // of merges that end below level 0
  double merge_entries = 0;  // which these read
  double base_seconds = 0;   // of them, those of the first row that has some
  double base_entries = 0;
  // GiB of an entry as flushes store it, from merges into the first level below level 0. A deeper
  // level may have another codec; where it may have the same, it often has more digits.
  std::optional<Rounded> per_entry = {};

  void add_per_entry(const StatisticsRow& row) {
    const Rounded bytes = exact_read(row);
    const Rounded entries = count(row, "KeyIn");
    if (bytes.value <= 0 || entries.value <= 0) return;
    const Rounded one = bytes / entries;
    if (!per_entry || (may_be_equal(one, *per_entry) && one.error < per_entry->error)) {
      per_entry = one;
    }
  }
};

bool has_merges(const StatisticsTable& table) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [](const StatisticsRow& row) { return level_of_row(row) && read(row) > 0; });
}

void add_unplaced(Sums& sums, FamilyFigures& figures, const StatisticsRow& row) {
  figures.moved_bytes += bytes_of(column(row, "Moved(GB)"));
  sums.jobs += column(row, "Comp(cnt)");
  sums.written += written(row);
  sums.read += read(row);
  sums.entries_read += count(row, "KeyIn").value;
  sums.entries_dropped += count(row, "KeyDrop").value;
}

// A row has what was read for merges into its level: from the level itself (Rnp1), and from the one
// above (Rn), which is the row before.
Sums add_rows(FamilyFigures& figures, const StatisticsTable& table) {
  Sums sums;
  std::optional<std::size_t> above;
  for (const StatisticsRow& row : table.rows) {
    const std::optional<std::size_t> at = level_of_row(row);
    if (!at) continue;
    if (*at >= figures.levels.size()) figures.levels.resize(*at + 1);
    LevelFigures& level = figures.levels[*at];
    level.written_bytes = bytes_of(written(row));
    level.moved_bytes = bytes_of(column(row, "Moved(GB)"));
    if (row.columns.contains("Rnp1(GB)")) {
      level.read_bytes = level.read_bytes.value_or(0) + bytes_of(column(row, "Rnp1(GB)"));
    }
    if (above && row.columns.contains("Rn(GB)")) {
      LevelFigures& source = figures.levels[*above];
      source.read_bytes = source.read_bytes.value_or(0) + bytes_of(column(row, "Rn(GB)"));
    }
    above = at;
    figures.moved_bytes += level.moved_bytes;
    figures.blob_written_bytes += bytes_of(column(row, "Wblob(GB)"));
    sums.jobs += column(row, "Comp(cnt)");
    sums.written += written(row);
    sums.read += read(row);
    // Newer versions of RocksDB count the entries of memtables in level 0, too.
    const bool is_flushed = *at == 0 && read(row) == 0;
    const double merged = is_flushed ? 0 : count(row, "KeyIn").value;
    sums.entries_read += merged;
    if (*at > 0) {
      sums.add_per_entry(row);
      sums.merge_seconds += row.seconds.value;
      sums.merge_entries += merged;
      if (sums.base_entries == 0) {
        sums.base_seconds = row.seconds.value;
        sums.base_entries = merged;
      }
    }
    sums.entries_dropped += count(row, "KeyDrop").value;
  }
  if (table.unplaced) add_unplaced(sums, figures, *table.unplaced);
  return sums;
}

const StatisticsRow* row_of_level0(const StatisticsTable& table) {
  for (const StatisticsRow& row : table.rows) {
    if (level_of_row(row) == 0U) return &row;
  }
  return nullptr;
}

// Level 0's jobs are its flushes where it has no merges of its own; files that the user made count
// as one each. Otherwise the threads that flush have a row of their own, which lacks the flushes of
// an opening store. Tables of LevelDB count no flushes: as many as memtables of its default size
// make.
std::uint64_t flushes_of(const StatisticsTable& table, const StatisticsRow& level0,
                         double flushed) {
  constexpr double kBufferGibibytes = 4.0 / 1024;
  if (!level0.columns.contains("Comp(cnt)"))
    return whole(std::max(1.0, flushed / kBufferGibibytes));
  const std::uint64_t jobs = whole(column(level0, "Comp(cnt)"));
  const std::uint64_t made = jobs - std::min(jobs, table.ingested_level0_files);
  if (read(level0) == 0 && made >= table.flushes.value_or(0)) return made;
  return table.flushes.value_or(std::max<std::uint64_t>(1, made));
}

// Durations are printed to a hundredth of a second, so shorter sums tell no speed.
constexpr double kSecondsMin = 0.5;

JobSpeed speed_of(double seconds, double entries) {
  if (seconds < kSecondsMin || entries < 1) return {};
  return {whole(seconds * 1e6), whole(entries)};
}

// Of so many written keys up to a memtable is not flushed yet.
Rounded flushed_of(const Rounded& keys, std::uint64_t flushes) {
  const double half_memtable = keys.value / static_cast<double>(flushes + 1) / 2;
  return {keys.value - half_memtable, keys.error + half_memtable};
}

// Whether the family has most of the database's writes: flushes leave out what memtables overwrote,
// and compress, but seldom to less than a quarter.
bool is_of_family(const DatabaseWrites& database, double flushed) {
  constexpr double kIngestedMax = 4;  // times what is flushed
  return !database.has_other_families && database.ingested_gigabytes > 0 &&
         database.ingested_gigabytes <= kIngestedMax * flushed;
}

// Entries that were written, and those that flushes left of them. Both are one number where the
// table's digits leave that open.
void set_entries(FlushFigures& flushes, const Rounded& flushed, const Rounded& written,
                 const std::optional<Rounded>& per_entry) {
  const Rounded left = per_entry ? flushed / *per_entry : written;
  const bool is_known = written.value > 0;
  const bool are_equal = is_known && may_be_equal(written, left);
  const bool is_less = is_known && written.value < left.value;  // merges read others than flushed
  const bool takes_written = are_equal ? written.share() < left.share() : is_less;
  flushes.entries = std::max<std::uint64_t>(1, whole(takes_written ? written.value : left.value));
  flushes.memtable_entries =
      is_known && !are_equal && !is_less ? whole(written.value) : flushes.entries;
}

// Entries of unknown keys and values have eleven bytes more than these in a file.
void set_entry_bytes(FlushFigures& flushes, const DbBenchHeading& heading) {
  if (heading.states_entries()) {
    flushes.raw_key_bytes = flushes.entries * heading.key_bytes;
    flushes.raw_value_bytes = flushes.entries * heading.value_bytes;
    return;
  }
  constexpr double kKeyBytes = 16;
  constexpr double kOverhead = 11;
  const double entry_bytes =
      static_cast<double>(flushes.bytes) / static_cast<double>(flushes.entries);
  const double both = std::max(entry_bytes - kOverhead, kKeyBytes / 2 + 1);
  const double key = both > 2 * kKeyBytes ? kKeyBytes : kKeyBytes / 2;
  flushes.raw_key_bytes = whole(static_cast<double>(flushes.entries) * key);
  flushes.raw_value_bytes = whole(static_cast<double>(flushes.entries) * (both - key));
}

void set_flushes(FamilyFigures& figures, const StatisticsTable& table, double flushed,
                 std::uint64_t flushes) {
  const StatisticsRow& level0 = *row_of_level0(table);
  const bool flushes_only = read(level0) == 0;
  // Known to three digits where level 0 has flushes only.
  if (flushes_only) figures.levels[0].written_bytes = bytes_of(flushed);
  figures.flushes.bytes = bytes_of(flushed);
  figures.flushes.flushes = flushes;
  figures.flushes.is_counted =
      table.flushes || (flushes_only && level0.columns.contains("Comp(cnt)"));
  if (!figures.flushes.is_counted) figures.flushes.flushes_max = whole(column(level0, "Comp(cnt)"));
}

}  // namespace

std::optional<std::size_t> level_of_row(const StatisticsRow& row) {
  if (row.level.size() < 2 || row.level[0] != 'L') return std::nullopt;
  const auto level = leading_number(std::string_view(row.level).substr(1, 2));
  return level ? std::optional<std::size_t>(*level) : std::nullopt;
}

void fill_from_statistics(FamilyFigures& figures, const StatisticsTable& table,
                          const DatabaseWrites& database) {
  figures.has_sizes_only = table.has_sizes_only;
  if (table.has_sizes_only) return;
  figures.lacks_rows = table.unplaced.has_value();
  const StatisticsRow* const level0 = row_of_level0(table);
  if (level0 == nullptr) {
    figures.lacks_level0 = std::any_of(table.rows.begin(), table.rows.end(), [](const auto& row) {
      return level_of_row(row).has_value();
    });
    return;
  }
  figures.estimated_level = table.estimated_level;
  // LevelDB prints neither scores nor sums.
  figures.table_is_cut = level0->columns.contains("Score") &&
                         std::none_of(table.rows.begin(), table.rows.end(),
                                      [](const StatisticsRow& row) { return row.level == "Sum"; });
  // What merges within level 0 wrote stands in its row, too.
  const double flushed =
      table.flushed_gigabytes.value_or(std::max(0.0, written(*level0) - read(*level0)));
  const std::uint64_t flushes = flushes_of(table, *level0, flushed);
  const bool has_flushes = bytes_of(flushed) > 0 && flushes > 0;
  // A store that was opened again, and then merged only. An earlier table says more of its flushes.
  const bool has_merges_only = figures.source == HistorySource::kNone && has_merges(table);
  if (!has_flushes && !has_merges_only) {
    for (const StatisticsRow& row : table.rows) {
      if (level_of_row(row)) figures.unsized_jobs += whole(column(row, "Comp(cnt)"));
    }
    return;
  }
  figures.source = HistorySource::kStatistics;
  const Sums sums = add_rows(figures, table);
  figures.moves_are_known = level0->columns.contains("Moved(GB)");
  const bool flushes_only = read(*level0) == 0;
  if (has_flushes) set_flushes(figures, table, flushed, flushes);
  const std::uint64_t other_jobs = flushes + table.ingested_files;
  figures.merges = whole(sums.jobs) - std::min(whole(sums.jobs), other_jobs);
  figures.ingested_bytes = bytes_of(table.ingested_gigabytes);
  figures.ingested_files = table.ingested_files;
  figures.merge_read_bytes = bytes_of(sums.read);
  const double within_level0 = flushes_only ? 0 : std::max(0.0, written(*level0) - flushed);
  figures.merge_written_bytes = bytes_of(sums.written - written(*level0) + within_level0);
  figures.merge_input_entries = whole(sums.entries_read);
  figures.merge_output_entries = whole(sums.entries_read - sums.entries_dropped);
  figures.history_seconds = table.uptime_seconds.value_or(0);
  const double of_level0 = flushes_only ? column(*level0, "KeyIn") : 0;
  const bool is_own = is_of_family(database, flushed);
  const Rounded all = count_of(database.keys, database.keys_are_cut);
  const Rounded written_entries = of_level0 > 0 ? count(*level0, "KeyIn")
                                  : is_own      ? flushed_of(all, flushes)
                                                : Rounded{};
  if (has_flushes && (written_entries.value > 0 || sums.per_entry)) {
    const Rounded known{flushed, table.flushed_gigabytes ? kFlushRounding : level0_error(*level0)};
    set_entries(figures.flushes, known, written_entries, sums.per_entry);
    // No family has more entries than were written to all of them.
    if (database.keys > 0 && figures.flushes.entries > whole(all.value + all.error)) {
      figures.flushes.entries = figures.flushes.memtable_entries = whole(all.value);
    }
    set_entry_bytes(figures.flushes, figures.db_bench);
  }
  const JobSeconds flush_seconds =
      table.flush_seconds.value_or(flushes_only ? level0->seconds : JobSeconds());
  figures.flush_speed = speed_of(flush_seconds.value, static_cast<double>(figures.flushes.entries));
  figures.merge_speed = speed_of(sums.merge_seconds, sums.merge_entries);
  figures.base_merge_speed = speed_of(sums.base_seconds, sums.base_entries);
}

}  // namespace lsmlab::stores
