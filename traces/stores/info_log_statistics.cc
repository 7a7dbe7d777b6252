// Tables of statistics in RocksDB's information log.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "traces/stores/glued_cells.h"
#include "traces/stores/info_log.h"
#include "traces/stores/missing_rows.h"
#include "traces/stores/pasted_text.h"
#include "traces/stores/statistics_figures.h"
#include "traces/stores/table_guesses.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

constexpr std::string_view kTitle = "** Compaction Stats [";
constexpr std::size_t kSizeColumn = 2;  // behind level and files
constexpr double kWholeRounding = 0.5;
constexpr double kHundredthRounding = 0.005;

double scale_of(std::string_view unit) {
  if (unit.starts_with("K")) return 1024;
  if (unit.starts_with("M")) return 1024.0 * 1024;
  if (unit.starts_with("G")) return 1024.0 * 1024 * 1024;
  if (unit.starts_with("T")) return 1024.0 * 1024 * 1024 * 1024;
  return 1;
}

// RocksDB prints counts of keys with decimal suffixes: "150K", "12M", "3G".
std::optional<double> count_of(std::string_view word) {
  const auto value = leading_real(word);
  if (!value) return std::nullopt;
  const char last = word.back();
  return *value * (last == 'K' ? 1e3 : last == 'M' ? 1e6 : last == 'G' ? 1e9 : 1);
}

// RocksDB cuts off digits of large counts, since 3.10 (NumberToHumanString() in
// util/string_util.cc).
bool is_cut(std::string_view word) {
  return word.ends_with('K') || word.ends_with('M') || word.ends_with('G');
}

// "01:02:3.456" in seconds.
std::optional<double> seconds_of(std::string_view text) {
  double seconds = 0;
  for (int i = 0; i < 3; ++i) {
    const auto part = leading_real(text);
    if (!part) return std::nullopt;
    seconds = seconds * 60 + *part;
    const std::size_t colon = text.find(':');
    if (i < 2 && colon == std::string_view::npos) return std::nullopt;
    if (i < 2) text = text.substr(colon + 1);
  }
  return seconds;
}

bool is_heading(const std::vector<std::string_view>& words) {
  return words.size() > 4 && words[0] == "Level" && words[1] == "Files" && words[3] == "Score";
}

// The property "leveldb.stats". goleveldb has a dividing line for each column.
bool is_leveldb_heading(const std::vector<std::string_view>& words) {
  return words.size() == 6 && words[0] == "Level" &&
         (words[1] == "Files" || words[1] == "Tables") && words[2] == "Size(MB)" &&
         words[3] == "Time(sec)" && words[4] == "Read(MB)" && words[5] == "Write(MB)";
}

// The property "rocksdb.levelstats", which db_bench prints, too.
bool is_levelstats_heading(const std::vector<std::string_view>& words) {
  return words.size() == 3 && words[0] == "Level" && words[1] == "Files" && words[2] == "Size(MB)";
}

// Names that RocksDB had before 2015, as it has them since. From 5.0 to 5.3 units end with a brace:
// "Size(MB}".
std::string known_heading(std::string_view word) {
  if (word.ends_with('}')) return std::string(word.substr(0, word.size() - 1)) + ')';
  if (word == "Write(BG)") return "Write(GB)";
  if (word == "RecordIn") return "KeyIn";
  if (word == "RecordDrop") return "KeyDrop";
  if (word == "Count") return "Comp(cnt)";  // of tables that people draw
  return std::string(word);
}

bool is_level_name(std::string_view word) {
  return word.size() > 1 && word[0] == 'L' && leading_number(word.substr(1)).has_value();
}

// "12.5", "-0.1", "14M", "-nan", and "1.2GB" or "-" of a drawn table.
bool is_figure(std::string_view word) {
  const std::string_view digits = word.starts_with('-') ? word.substr(1) : word;
  return digits.empty() || leading_real(digits) || digits == "nan" || digits == "inf";
}

// A drawn table may have a unit in each cell: "512MB" below "Write(GB)".
std::optional<double> figure_of(std::string_view word, std::string_view heading) {
  const auto value = count_of(word);
  const std::size_t unit = word.find_first_of("BKMGT");
  if (!value || !heading.ends_with("(GB)") || !word.ends_with('B')) return value;
  return *value * scale_of(word.substr(unit)) / scale_of("G");
}

// "Reads" of a drawn table are bytes where the cell has a unit, else perhaps a number of them.
std::string_view column_of(std::string_view word, std::string_view heading) {
  if (word.ends_with('B') && (heading == "Reads" || heading == "Read")) return "Read(GB)";
  if (word.ends_with('B') && (heading == "Writes" || heading == "Write")) return "Write(GB)";
  return heading;
}

std::optional<double> real_after(std::string_view text, std::string_view mark) {
  const auto rest = after(text, mark);
  return rest ? leading_real(trimmed(*rest)) : std::nullopt;
}

void begin_rows(StatisticsTable& table) {
  table.rows.clear();
  table.flushes.reset();
  table.flush_seconds.reset();
  table.merge_seconds.reset();
  table.estimated_level.reset();
  table.unplaced.reset();
}

// Headings by the number of columns, and by whether sizes have units, which they have since 2017.
// Source: db/internal_stats.cc of RocksDB 3.5 to 10.3.
std::string heading_of_cells(std::size_t cells, bool has_units) {
  const std::string begin =
      "Level Files Size" + std::string(has_units ? "" : "(MB)") +
      " Score Read(GB) Rn(GB) Rnp1(GB) Write(GB) Wnew(GB) Moved(GB) W-Amp Rd(MB/s) Wr(MB/s) ";
  const std::string jobs = "Comp(sec) Comp(cnt) Avg(sec) ";
  const std::string new_jobs = "Comp(sec) CompMergeCPU(sec) Comp(cnt) Avg(sec) ";
  if (cells == 18) return begin + jobs + "KeyIn KeyDrop";
  if (!has_units && cells == 19) return begin + jobs + "Stall(cnt) KeyIn KeyDrop";
  if (!has_units && cells == 21) {
    return begin + jobs + "Stall(sec) Stall(cnt) Avg(ms) KeyIn KeyDrop";
  }
  if (has_units && cells == 19) return begin + new_jobs + "KeyIn KeyDrop";
  if (has_units && cells == 21) return begin + new_jobs + "KeyIn KeyDrop Rblob(GB) Wblob(GB)";
  return "";
}

// Of a row: what it read is the sum of two columns, and what is new of a write its rest.
bool agrees_with_columns(const std::vector<std::string_view>& cells) {
  constexpr double kRounding = 0.16;  // of three columns with one decimal
  const auto number = [&](std::size_t i) { return leading_real(cells[i]).value_or(-1e9); };
  return std::abs(number(4) - number(5) - number(6)) < kRounding &&
         std::abs(number(7) - number(6) - number(8)) < kRounding;
}

// The heading that a row without one belongs to; empty: none is sure.
std::string heading_of_row(const std::vector<std::string_view>& words) {
  constexpr std::size_t kWholeRowCellsMin = 18;
  if (words.size() < kWholeRowCellsMin || !is_level_name(words[0])) return "";
  const std::size_t slash = words[1].find('/');
  if (slash == std::string_view::npos || slash == 0 ||
      words[1].find_first_not_of("0123456789/") != std::string_view::npos) {
    return "";
  }
  const bool has_units = !is_figure(words[kSizeColumn + 1]);
  std::vector<std::string_view> cells = words;
  if (has_units) cells.erase(cells.begin() + kSizeColumn + 1);
  const std::string heading = heading_of_cells(cells.size(), has_units);
  const bool fits = !heading.empty() &&
                    std::all_of(cells.begin() + kSizeColumn, cells.end(), is_figure) &&
                    agrees_with_columns(cells);
  return fits ? heading : "";
}

}  // namespace

// A name may be any bytes, a line's end among them (Besu).
void StatisticsReader::begin_table(std::string_view line, std::uint64_t micros) {
  const std::string_view rest = *after(line, kTitle);
  const std::size_t end = rest.rfind(']');
  if (end != std::string_view::npos) return begin_family(std::string(rest.substr(0, end)), micros);
  end_table();
  open_name_ = std::string(rest) + '\n';
}

void StatisticsReader::begin_family(std::string name, std::uint64_t micros) {
  family_ = std::move(name);
  headings_.clear();
  StatisticsTable& table = log_.statistics[family_];
  table.family = family_;
  table.micros = micros;
}

void StatisticsReader::add_totals(std::string_view line) {
  if (const auto rest = after(line, "Cumulative writes: ")) {
    log_.ingested_gigabytes = real_after(*rest, "ingest: ");
    const auto words = words_of(*rest);
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i] != "keys,") continue;
      log_.written_keys = count_of(words[i - 1]);
      log_.written_keys_are_cut = is_cut(words[i - 1]);
    }
  } else if (const auto stall = after(line, "Cumulative stall: ")) {
    log_.stalled_seconds = seconds_of(*stall);
    log_.stalled_percent = real_after(*stall, "H:M:S, ");
  }
  const auto table = log_.statistics.find(family_);
  if (table == log_.statistics.end()) return;
  if (line.starts_with("Uptime(secs): ")) {
    table->second.uptime_seconds = real_after(line, "Uptime(secs): ");
  } else if (line.starts_with("Flush(GB): ")) {
    // "accumulative" until 2015.
    table->second.flushed_gigabytes = real_after(line, "cumulative ");
  } else if (const auto files = after(line, "AddFile(")) {
    add_ingested(*files, table->second);
  } else if (const auto old = after(line, "Stalls(count): ")) {
    table->second.stalls.clear();
    add_stalls(*old, false);
  } else if (const auto counts = after(line, "Write Stall (count): ")) {
    if (line.find("write-buffer-manager") != std::string_view::npos) return;  // of the database
    table->second.stalls.clear();
    add_stalls(*counts, true);
  }
}

// "GB): cumulative 0.000, interval 0.000", "Total Files): cumulative 4, interval 0"
void StatisticsReader::add_ingested(std::string_view text, StatisticsTable& table) {
  const double number = real_after(text, "cumulative ").value_or(0);
  const auto count = static_cast<std::uint64_t>(std::clamp(number, 0.0, 1e15));
  if (text.starts_with("GB)")) table.ingested_gigabytes = number;
  if (text.starts_with("Total Files)")) table.ingested_files = count;
  if (text.starts_with("L0 Files)")) table.ingested_level0_files = count;
}

// "3 level0_slowdown, ..." until RocksDB 7.8, "cf-l0-file-count-limit-delays: 3, ..." since.
void StatisticsReader::add_stalls(std::string_view counts, bool name_first) {
  StatisticsTable& table = log_.statistics[family_];
  while (!counts.empty()) {
    const std::size_t comma = counts.find(',');
    const std::string_view item = trimmed(counts.substr(0, comma));
    counts = comma == std::string_view::npos ? std::string_view() : counts.substr(comma + 1);
    const std::size_t middle = name_first ? item.rfind(": ") : item.find(' ');
    if (middle == std::string_view::npos || item.starts_with("interval")) continue;
    const std::string_view name = name_first ? item.substr(0, middle) : item.substr(middle + 1);
    const auto count = leading_real(name_first ? item.substr(middle + 2) : item);
    if (count && *count > 0) table.stalls[std::string(name)] = *count;
  }
}

// The words below the headings, those of a size and its unit as the size. Nothing if they do not
// fit: a line may be cut, but what does not belong below the headings would shift all behind it.
std::vector<std::string_view> StatisticsReader::cells_of(
    const std::vector<std::string_view>& words) {
  // Level, files/busy files and size. Until 2017 the unit stood in the heading, not at the size.
  if (headings_.size() <= kSizeColumn + 1 || words.size() <= kSizeColumn + 1) return {};
  std::vector<std::string_view> cells = words;
  const std::string_view unit = words[kSizeColumn + 1];
  if (headings_[kSizeColumn] != "Size(MB)" && !is_figure(unit)) {
    cells[kSizeColumn] = {words[kSizeColumn].data(), unit.data() + unit.size()};
    cells.erase(cells.begin() + kSizeColumn + 1);
  }
  cells = taken_apart(std::move(cells), headings_);
  if (cells.size() <= headings_.size() &&
      std::all_of(cells.begin() + kSizeColumn, cells.end(), is_figure)) {
    return cells;
  }
  if (!fault_) {
    fault_ = input_error(
        fmt::format("row {} of a table of statistics does not fit its {} headings; it is left out",
                    words[0], headings_.size()));
  }
  return {};
}

// Versions before 6.0 print whole seconds. The number of jobs times their mean then often says
// more.
std::optional<JobSeconds> StatisticsReader::seconds_of_jobs(
    const std::vector<std::string_view>& cells) const {
  constexpr double kMeanRounding = 0.0005;
  const auto cell = [&](std::string_view heading) -> std::string_view {
    const auto found = std::find(headings_.begin(), headings_.end(), heading);
    const auto at = static_cast<std::size_t>(found - headings_.begin());
    return at < cells.size() ? cells[at] : std::string_view();
  };
  const std::string_view text = cell("Comp(sec)");
  const auto seconds = leading_real(text);
  if (!seconds) return std::nullopt;
  const bool is_whole = text.find('.') == std::string_view::npos;
  const JobSeconds printed{*seconds, is_whole ? kWholeRounding : kHundredthRounding};
  const double jobs = leading_real(cell("Comp(cnt)")).value_or(0);
  const double mean = leading_real(cell("Avg(sec)")).value_or(0);
  const JobSeconds of_mean{jobs * mean, jobs * kMeanRounding};
  const bool agrees = std::abs(of_mean.value - printed.value) <= of_mean.error + printed.error;
  return mean > 0 && agrees && of_mean.error < printed.error ? of_mean : printed;
}

// The row of the threads that flush has their jobs in a column of its own.
void StatisticsReader::add_flushes(const std::vector<std::string_view>& words) {
  const auto cells = cells_of(words);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (headings_[i] == "Comp(cnt)") {
      log_.statistics[family_].flushes = leading_number(cells[i]);
    }
  }
  if (const auto seconds = seconds_of_jobs(cells)) {
    log_.statistics[family_].flush_seconds = seconds;
  }
}

// The threads that merge have a row for each of their pools.
void StatisticsReader::add_merges(const std::vector<std::string_view>& words) {
  if (words.size() <= kSizeColumn + 1) return;
  std::vector<std::string_view> cells = words;
  cells.erase(cells.begin() + kSizeColumn + 1);  // the unit of the size
  const auto seconds = seconds_of_jobs(cells);
  if (!seconds) return;
  std::optional<JobSeconds>& all = log_.statistics[family_].merge_seconds;
  const JobSeconds sum = all.value_or(JobSeconds());
  all = JobSeconds{sum.value + seconds->value, sum.error + seconds->error};
}

void StatisticsReader::add_row(const std::vector<std::string_view>& words) {
  const auto cells = cells_of(words);
  if (cells.empty()) return;
  StatisticsRow row;
  row.level = std::string(cells[0]);
  row.files = leading_number(cells[1]).value_or(0);
  const std::size_t slash = cells[1].find('/');
  if (slash != std::string_view::npos) {
    row.busy_files = leading_number(cells[1].substr(slash + 1)).value_or(0);
  }
  // Bounded, so that the conversion is defined for any text.
  constexpr double kBytesMax = 1e18;
  const std::string_view size = cells[kSizeColumn];
  const std::size_t unit = std::min(size.find_first_of("BKMGT"), size.size());
  const bool has_unit = headings_[kSizeColumn] != "Size(MB)";
  const double bytes =
      leading_real(size).value_or(0) * scale_of(has_unit ? size.substr(unit) : "MB");
  row.bytes = static_cast<std::uint64_t>(std::clamp(bytes, 0.0, kBytesMax));
  for (std::size_t i = kSizeColumn + 1; i < cells.size(); ++i) {
    const std::string column(column_of(cells[i], headings_[i]));
    if (const auto value = figure_of(cells[i], column)) row.columns[column] = *value;
    if (is_cut(cells[i])) row.cut_columns.insert(column);
  }
  row.seconds = seconds_of_jobs(cells).value_or(JobSeconds());
  StatisticsTable& table = log_.statistics[family_];
  if (level_of_row(row)) forget_missing_row(table);
  // "grep L0 LOG" gives the rows of one level after the other, and people leave headings out.
  const bool is_again = std::any_of(table.rows.begin(), table.rows.end(),
                                    [&](const auto& other) { return other.level == row.level; });
  if (is_again) {
    begin_rows(table);
    ++table.tables;
  }
  table.rows.push_back(std::move(row));
  if (table.rows.back().level == "Sum") add_missing_row(table);
}

// "  0        1        2         3        0      1085"
void StatisticsReader::add_leveldb_row(const std::vector<std::string_view>& words) {
  const auto level = leading_number(words[0]);
  const auto number = [&words](std::size_t i) { return leading_real(words[i]).value_or(0); };
  if (words.size() != 6 || !level) return;
  constexpr double kMebibytesMax = 1e12;
  StatisticsRow row;
  row.level = fmt::format("L{}", *level);
  row.files = leading_number(words[1]).value_or(0);
  row.bytes = static_cast<std::uint64_t>(std::clamp(number(2), 0.0, kMebibytesMax) * 1048576);
  row.seconds = {number(3), kWholeRounding};
  row.columns["Read(GB)"] = number(4) / 1024;
  row.columns["Write(GB)"] = number(5) / 1024;
  log_.statistics[family_].rows.push_back(std::move(row));
}

// "  0        5       10"; older versions name the level as in other tables.
void StatisticsReader::add_levelstats_row(const std::vector<std::string_view>& words) {
  const auto level = leading_number(words[0].substr(words[0].starts_with('L') ? 1 : 0));
  const auto files = words.size() == 3 ? leading_number(words[1]) : std::nullopt;
  const auto mebibytes = files ? leading_real(words[2]) : std::nullopt;
  if (!level || !mebibytes) return;
  constexpr double kMebibytesMax = 1e12;
  StatisticsRow row;
  row.level = fmt::format("L{}", *level);
  row.files = *files;
  row.bytes = static_cast<std::uint64_t>(std::clamp(*mebibytes, 0.0, kMebibytesMax) * 1048576);
  log_.statistics[family_].rows.push_back(std::move(row));
}

bool StatisticsReader::continues(std::string_view message) const {
  const std::string_view text = trimmed(message);
  if (text.starts_with(kTitle)) return true;
  const auto words = words_of(text);
  if (family_.empty() || words.empty()) return false;
  if (is_level_name(words[0]) || words[0].starts_with("---")) return true;
  constexpr std::string_view kFirstWords[] = {"Level",
                                              "Priority",
                                              "Sum",
                                              "Int",
                                              "Low",
                                              "High",
                                              "User",
                                              "Bottom",
                                              "Uptime(secs):",
                                              "Flush(GB):",
                                              "AddFile(GB):",
                                              "AddFile(Total",
                                              "AddFile(L0",
                                              "AddFile(Keys):",
                                              "Cumulative",
                                              "Interval",
                                              "Stalls(count):",
                                              "Write",
                                              "Blob",
                                              "**"};
  return std::find(std::begin(kFirstWords), std::end(kFirstWords), words[0]) !=
         std::end(kFirstWords);
}

void StatisticsReader::begin_columns(const std::vector<std::string_view>& words) {
  headings_.clear();
  for (const std::string_view word : words) headings_.push_back(known_heading(word));
  is_level_table_ = words[0] == "Level";
  if (!is_level_table_) return;
  StatisticsTable& table = log_.statistics[family_];
  begin_rows(table);
  ++table.tables;
  table.newest_version = newest_version_of(headings_);
  table.oldest_version = oldest_version_of(headings_);
}

// People copy rows without their heading, too.
void StatisticsReader::begin_without_heading(const std::vector<std::string_view>& words,
                                             std::uint64_t micros) {
  const std::string heading = heading_of_row(words);
  if (heading.empty()) return;
  begin_family("default", micros);
  begin_columns(words_of(heading));
}

bool StatisticsReader::has_full_table() const {
  return std::any_of(log_.statistics.begin(), log_.statistics.end(), [](const auto& one) {
    return !one.second.rows.empty() && !one.second.has_sizes_only;
  });
}

void StatisticsReader::add_line(std::string_view line, std::uint64_t micros) {
  if (!open_name_.empty()) {
    const std::string name = std::exchange(open_name_, "");
    const std::size_t end = line.rfind("] **");
    if (end != std::string_view::npos)
      return begin_family(name + std::string(line.substr(0, end)), micros);
  }
  line = trimmed(line);
  if (line.starts_with(kTitle)) return begin_table(line, micros);
  if (line.starts_with("** ")) end_table();
  add_totals(line);
  const auto words = words_of(line);
  if (words.empty()) return;
  const bool is_leveldb = is_leveldb_heading(words);
  // People often copy a table without its title.
  const bool is_levelstats = is_levelstats_heading(words);
  // db_bench prints it below the table that has more.
  if (is_levelstats && has_full_table()) return end_table();
  if (is_leveldb || is_levelstats || (family_.empty() && is_heading(words))) {
    begin_family("default", micros);
    if (is_leveldb) log_.system = StoreSystem::kLeveldb;
    if (is_leveldb) log_.statistics[family_].is_goleveldb = words[1] == "Tables";
  }
  if (family_.empty()) begin_without_heading(words, micros);
  if (family_.empty()) return;
  if (words[0] == "Level" || words[0] == "Priority") {
    begin_columns(words);
    log_.statistics[family_].has_sizes_only = is_levelstats;
  } else if (!is_level_table_ && words[0] == "High") {
    add_flushes(words);
  } else if (!is_level_table_ && (words[0] == "Low" || words[0] == "Bottom")) {
    add_merges(words);
  } else if (is_level_table_ && log_.system == StoreSystem::kLeveldb) {
    add_leveldb_row(words);
  } else if (is_level_table_ && log_.statistics[family_].has_sizes_only) {
    add_levelstats_row(words);
  } else if (is_level_table_ && !headings_.empty() &&
             (words[0] == "Sum" || words[0] == "Int" || is_level_name(words[0]))) {
    add_row(words);
  }
}

bool is_statistics(std::string_view bytes) {
  const std::string head = unescaped_text(bytes.substr(0, 1U << 20));
  Lines lines(head);
  while (const auto line = lines.next()) {
    const std::string text = unquoted_line(*line);
    if (text.find(kTitle) != std::string::npos) return true;
    const auto words = words_of(text);
    if (is_heading(words) || is_leveldb_heading(words) || is_levelstats_heading(words) ||
        !heading_of_row(words).empty()) {
      return true;
    }
  }
  return false;
}

}  // namespace lsmlab::stores
