#include "traces/stores/statistics_figures.h"

#include <algorithm>
#include <cmath>

#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

constexpr double kGibibyte = 1024.0 * 1024 * 1024;

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

// GiB of a column that the table rounds to a tenth. Speed times duration says more of small
// figures, as far as it agrees: both have more digits.
double gibibytes(const StatisticsRow& row, const char* amount, const char* speed) {
  constexpr double kRounding = 0.05;  // of all columns but the duration
  constexpr double kSecondsRounding = 0.005;
  const double rounded = column(row, amount);
  const double rate = column(row, speed) / 1024;
  const double seconds = column(row, "Comp(sec)");
  // Speeds count what went to blob files, too.
  if (rate <= 0 || seconds <= 0 || column(row, "Wblob(GB)") > 0 || column(row, "Rblob(GB)") > 0) {
    return rounded;
  }
  const double exact = rate * seconds;
  const double error = kRounding / 1024 * seconds + rate * kSecondsRounding;
  const bool agrees = std::abs(exact - rounded) <= kRounding + error;
  return agrees && error < kRounding ? exact : rounded;
}

double written(const StatisticsRow& row) { return gibibytes(row, "Write(GB)", "Wr(MB/s)"); }
double read(const StatisticsRow& row) { return gibibytes(row, "Read(GB)", "Rd(MB/s)"); }

struct Sums {
  double jobs = 0;
  double written = 0;  // GiB
  double read = 0;
  double entries_read = 0;
  double entries_dropped = 0;
  double merge_seconds = 0;  // of merges that end below level 0
  double merge_entries = 0;  // which these read
  double newest_read = 0;    // GiB, into the first level below level 0
  double newest_entries = 0;

  // GiB of an entry as flushes store it. Deeper levels may have another codec.
  [[nodiscard]] double per_entry() const {
    if (newest_entries > 0 && newest_read > 0) return newest_read / newest_entries;
    return entries_read > 0 ? read / entries_read : 0;
  }
};

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
    const bool is_newest = *at > 0 && (!above || *above == 0);
    above = at;
    figures.moved_bytes += level.moved_bytes;
    figures.blob_written_bytes += bytes_of(column(row, "Wblob(GB)"));
    sums.jobs += column(row, "Comp(cnt)");
    sums.written += written(row);
    sums.read += read(row);
    // Newer versions of RocksDB count the entries of memtables in level 0, too.
    const bool is_flushed = *at == 0 && read(row) == 0;
    const double merged = is_flushed ? 0 : column(row, "KeyIn");
    sums.entries_read += merged;
    if (is_newest) {
      sums.newest_read += read(row);
      sums.newest_entries += merged;
    }
    if (*at > 0) {
      sums.merge_seconds += column(row, "Comp(sec)");
      sums.merge_entries += merged;
    }
    sums.entries_dropped += column(row, "KeyDrop");
  }
  return sums;
}

const StatisticsRow* row_of_level0(const StatisticsTable& table) {
  for (const StatisticsRow& row : table.rows) {
    if (level_of_row(row) == 0U) return &row;
  }
  return nullptr;
}

// Tables of LevelDB count no flushes: as many as memtables of its default size make.
std::uint64_t flushes_in(const StatisticsRow& level0, double flushed) {
  constexpr double kBufferGibibytes = 4.0 / 1024;
  const bool has_count = level0.columns.contains("Comp(cnt)");
  return whole(std::max(1.0, has_count ? column(level0, "Comp(cnt)") : flushed / kBufferGibibytes));
}

// Durations are printed to a hundredth of a second, so shorter sums tell no speed.
constexpr double kSecondsMin = 0.5;

JobSpeed speed_of(double seconds, double entries) {
  if (seconds < kSecondsMin || entries < 1) return {};
  return {whole(seconds * 1e6), whole(entries)};
}

// Entries of unknown keys and values: of such a size in a file, which has eleven bytes more than
// key and value.
void set_entries(FlushFigures& flushes, double entry_bytes) {
  constexpr double kKeyBytes = 16;
  constexpr double kOverhead = 11;
  if (entry_bytes < 1) return;
  flushes.entries =
      std::max<std::uint64_t>(1, whole(static_cast<double>(flushes.bytes) / entry_bytes));
  const double both = std::max(entry_bytes - kOverhead, kKeyBytes / 2 + 1);
  const double key = both > 2 * kKeyBytes ? kKeyBytes : kKeyBytes / 2;
  flushes.raw_key_bytes = whole(static_cast<double>(flushes.entries) * key);
  flushes.raw_value_bytes = whole(static_cast<double>(flushes.entries) * (both - key));
}

}  // namespace

std::optional<std::size_t> level_of_row(const StatisticsRow& row) {
  if (row.level.size() < 2 || row.level[0] != 'L') return std::nullopt;
  const auto level = leading_number(std::string_view(row.level).substr(1, 2));
  return level ? std::optional<std::size_t>(*level) : std::nullopt;
}

void fill_from_statistics(FamilyFigures& figures, const StatisticsTable& table) {
  const StatisticsRow* const level0 = row_of_level0(table);
  if (level0 == nullptr) return;
  // What merges within level 0 wrote stands in its row, too.
  const double flushed =
      table.flushed_gigabytes.value_or(std::max(0.0, written(*level0) - read(*level0)));
  const std::uint64_t flushes = table.flushes.value_or(flushes_in(*level0, flushed));
  if (bytes_of(flushed) == 0 || flushes == 0) return;
  figures.source = HistorySource::kStatistics;
  const Sums sums = add_rows(figures, table);
  const bool flushes_only = read(*level0) == 0;
  // Known to three digits where level 0 has flushes only.
  if (flushes_only) figures.levels[0].written_bytes = bytes_of(flushed);
  figures.flushes.bytes = bytes_of(flushed);
  figures.flushes.flushes = flushes;
  figures.flushes.is_counted = table.flushes || level0->columns.contains("Comp(cnt)");
  figures.merges = whole(sums.jobs - static_cast<double>(flushes));
  figures.merge_read_bytes = bytes_of(sums.read);
  figures.merge_written_bytes = bytes_of(sums.written - flushed);
  figures.merge_input_entries = whole(sums.entries_read);
  figures.merge_output_entries = whole(sums.entries_read - sums.entries_dropped);
  figures.history_seconds = table.uptime_seconds.value_or(0);
  const double memtables = flushes_only ? column(*level0, "KeyIn") : 0;
  set_entries(figures.flushes, memtables > 0
                                   ? static_cast<double>(figures.flushes.bytes) / memtables
                                   : sums.per_entry() * kGibibyte);
  figures.flush_speed =
      speed_of(table.flush_seconds.value_or(flushes_only ? column(*level0, "Comp(sec)") : 0),
               static_cast<double>(figures.flushes.entries));
  figures.merge_speed = speed_of(sums.merge_seconds, sums.merge_entries);
}

}  // namespace lsmlab::stores
