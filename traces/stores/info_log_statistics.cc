// Tables of statistics in RocksDB's information log.
#include <algorithm>

#include "traces/stores/info_log.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

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

bool is_heading(std::string_view line) {
  const auto words = words_of(line);
  return words.size() > 4 && words[0] == "Level" && words[1] == "Files" && words[3] == "Score";
}

std::optional<double> real_after(std::string_view text, std::string_view mark) {
  const auto rest = after(text, mark);
  return rest ? leading_real(trimmed(*rest)) : std::nullopt;
}

}  // namespace

void StatisticsReader::begin_table(std::string_view line, std::uint64_t micros) {
  const std::string_view rest = *after(line, "** Compaction Stats [");
  const std::size_t end = rest.rfind("] **");
  family_ = std::string(rest.substr(0, end));
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
      if (words[i] == "keys,") log_.written_keys = count_of(words[i - 1]);
    }
  } else if (const auto stall = after(line, "Cumulative stall: ")) {
    log_.stalled_seconds = seconds_of(*stall);
    log_.stalled_percent = real_after(*stall, "H:M:S, ");
  }
  const auto table = log_.statistics.find(family_);
  if (table == log_.statistics.end()) return;
  if (line.starts_with("Uptime(secs): ")) {
    table->second.uptime_seconds = real_after(line, "Uptime(secs): ");
  } else if (line.starts_with("Flush(GB): cumulative ")) {
    table->second.flushed_gigabytes = real_after(line, "cumulative ");
  } else if (const auto old = after(line, "Stalls(count): ")) {
    table->second.stalls.clear();
    add_stalls(*old, false);
  } else if (const auto counts = after(line, "Write Stall (count): ")) {
    if (line.find("write-buffer-manager") != std::string_view::npos) return;  // of the database
    table->second.stalls.clear();
    add_stalls(*counts, true);
  }
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

// The row of the threads that flush has their jobs in a column of its own.
void StatisticsReader::add_flushes(const std::vector<std::string_view>& words) {
  for (std::size_t i = 0; i < headings_.size(); ++i) {
    // A size and its unit are two words.
    if (i + 1 >= words.size()) break;
    if (headings_[i] == "Comp(cnt)") {
      log_.statistics[family_].flushes = leading_number(words[i + 1]);
    } else if (headings_[i] == "Comp(sec)") {
      log_.statistics[family_].flush_seconds = leading_real(words[i + 1]);
    }
  }
}

void StatisticsReader::add_row(const std::vector<std::string_view>& words) {
  // Level, files/busy files, size, its unit, then the columns from "Score" on.
  constexpr std::size_t kWordsBefore = 4;
  constexpr std::size_t kHeadingsBefore = 3;
  if (words.size() <= kWordsBefore || headings_.size() <= kHeadingsBefore) return;
  StatisticsRow row;
  row.level = std::string(words[0]);
  row.files = leading_number(words[1]).value_or(0);
  const std::size_t slash = words[1].find('/');
  if (slash != std::string_view::npos) {
    row.busy_files = leading_number(words[1].substr(slash + 1)).value_or(0);
  }
  // Bounded, so that the conversion is defined for any text.
  constexpr double kBytesMax = 1e18;
  const double bytes = leading_real(words[2]).value_or(0) * scale_of(words[3]);
  row.bytes = static_cast<std::uint64_t>(std::clamp(bytes, 0.0, kBytesMax));
  for (std::size_t i = kWordsBefore; i < words.size(); ++i) {
    const std::size_t column = i - kWordsBefore + kHeadingsBefore;
    if (column >= headings_.size()) break;
    if (const auto value = count_of(words[i])) row.columns[headings_[column]] = *value;
  }
  log_.statistics[family_].rows.push_back(std::move(row));
}

void StatisticsReader::add_line(std::string_view line, std::uint64_t micros) {
  if (line.starts_with("** Compaction Stats [")) {
    begin_table(line, micros);
    return;
  }
  if (line.starts_with("** ")) end_table();
  add_totals(line);
  const auto words = words_of(line);
  if (words.empty()) return;
  // People often copy a table without its title.
  if (family_.empty() && is_heading(line)) begin_table("** Compaction Stats [default] **", micros);
  if (family_.empty()) return;
  if (words[0] == "Level" || words[0] == "Priority") {
    headings_.assign(words.begin(), words.end());
    is_level_table_ = words[0] == "Level";
    if (is_level_table_) {
      log_.statistics[family_].rows.clear();
      log_.statistics[family_].flushes.reset();
      log_.statistics[family_].flush_seconds.reset();
    }
  } else if (!is_level_table_ && words[0] == "High") {
    add_flushes(words);
  } else if (is_level_table_ && !headings_.empty() &&
             (words[0] == "Sum" || words[0] == "Int" ||
              (words[0].size() > 1 && words[0][0] == 'L' && leading_number(words[0].substr(1))))) {
    add_row(words);
  }
}

bool is_statistics(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 1U << 20);
  if (head.find("** Compaction Stats [") != std::string_view::npos) return true;
  Lines lines(head);
  while (const auto line = lines.next()) {
    if (is_heading(*line)) return true;
  }
  return false;
}

}  // namespace lsmlab::stores
