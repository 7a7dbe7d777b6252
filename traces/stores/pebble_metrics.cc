#include "traces/stores/pebble_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/base/shortened.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

// Cells of a row between bars, by the heading of both versions.
constexpr std::size_t kCellTables = 1;
constexpr std::size_t kCellScore = 2;
constexpr std::size_t kCellIn = 3;
constexpr std::size_t kCellIngested = 4;
constexpr std::size_t kCellMoved = 5;
constexpr std::size_t kCellWritten = 6;
constexpr std::size_t kCellRead = 7;
constexpr std::size_t kCellAmp = 8;
constexpr std::size_t kCellsMin = 9;

using Words = std::vector<std::string_view>;

std::vector<Words> cells_of(std::string_view line) {
  std::vector<Words> cells;
  while (true) {
    const std::size_t bar = line.find('|');
    cells.push_back(words_of(line.substr(0, bar)));
    if (bar == std::string_view::npos) return cells;
    line.remove_prefix(bar + 1);
  }
}

// A log of CockroachDB puts '+' before each line after the first one of an entry.
bool ends_with_word(const Words& words, std::string_view word) {
  if (words.empty()) return false;
  std::string_view last = words.back();
  if (last.starts_with('+')) last.remove_prefix(1);
  return last == word;
}

// "level | tables  size val-bl vtables | score | in | ...", behind the prefix of a log line.
bool is_heading_of_levels(const std::vector<Words>& cells) {
  const auto begins = [&](std::size_t cell, std::string_view first) {
    return !cells[cell].empty() && cells[cell].front() == first;
  };
  return cells.size() >= kCellsMin && ends_with_word(cells[0], "level") &&
         begins(kCellTables, "tables") && begins(kCellScore, "score") && begins(kCellIn, "in") &&
         begins(kCellIngested, "tables") && begins(kCellMoved, "tables") &&
         begins(kCellWritten, "tables") && begins(kCellRead, "read") && begins(kCellAmp, "r");
}

// A number with a suffix: counts are decimal ("1.2K"), sizes binary ("1.2KB").
std::optional<std::uint64_t> quantity(std::string_view word) {
  constexpr std::string_view kPrefixes = "KMGTPE";
  const auto value = leading_real(word);
  if (!value) return std::nullopt;
  const std::size_t end = word.find_first_not_of("0123456789.");
  const std::string_view suffix =
      end == std::string_view::npos ? std::string_view() : word.substr(end);
  const bool is_size = suffix.find('B') != std::string_view::npos;
  double scale = 1;
  if (!suffix.empty() && suffix.front() != 'B') {
    const std::size_t power = kPrefixes.find(suffix.front());
    if (power == std::string_view::npos) return std::nullopt;
    scale = std::pow(is_size ? 1024.0 : 1000.0, static_cast<double>(power + 1));
  }
  // Bounded, so that the conversion is defined for any text.
  constexpr double kMost = 9e18;
  return static_cast<std::uint64_t>(std::clamp(std::round(*value * scale), 0.0, kMost));
}

std::uint64_t quantity_at(const Words& words, std::size_t index) {
  return index < words.size() ? quantity(words[index]).value_or(0) : 0;
}

std::optional<double> real_at(const Words& words, std::size_t index) {
  return index < words.size() ? leading_real(words[index]) : std::nullopt;
}

// The quantity after a mark such as "written: ".
std::optional<std::uint64_t> quantity_after(std::string_view line, std::string_view mark) {
  const auto rest = after(line, mark);
  if (!rest) return std::nullopt;
  const Words words = words_of(*rest);
  return words.empty() ? std::nullopt : quantity(words.front());
}

PebbleLevel level_of(const std::vector<Words>& cells) {
  PebbleLevel level;
  level.files = quantity_at(cells[kCellTables], 0);
  level.bytes = quantity_at(cells[kCellTables], 1);
  level.score = real_at(cells[kCellScore], 0);
  level.fill_factor = real_at(cells[kCellScore], 1);
  level.in_bytes = quantity_at(cells[kCellIn], 0);
  level.ingested_bytes = quantity_at(cells[kCellIngested], 1);
  level.moved_bytes = quantity_at(cells[kCellMoved], 1);
  level.written_files = quantity_at(cells[kCellWritten], 0);
  level.written_bytes = quantity_at(cells[kCellWritten], 1);
  level.read_bytes = quantity_at(cells[kCellRead], 0);
  level.sublevels = quantity_at(cells[kCellAmp], 0);
  level.write_amplification = real_at(cells[kCellAmp], 1).value_or(0);
  return level;
}

// The table of Pebble before 1.0: "__level_____count____size___score______in__ingest(sz_cnt)...".
// Numbers and their units are words of their own: "76 G".
constexpr std::string_view kOldHeading = "__level_____count____size___score";
constexpr std::size_t kOldColumns = 14;

// A log of CockroachDB puts a '+' before the line.
std::vector<std::string> old_cells_of(std::string_view line) {
  const std::size_t plus = line.rfind('+');
  if (plus != std::string_view::npos) line.remove_prefix(plus + 1);
  std::vector<std::string> cells;
  for (const std::string_view word : words_of(line)) {
    const bool is_unit =
        word.size() == 1 && std::string_view("BKMGTPE").find(word[0]) != std::string_view::npos;
    if (is_unit && !cells.empty()) {
      cells.back() += word;
    } else {
      cells.emplace_back(word);
    }
  }
  return cells;
}

// A size there has a binary suffix without B: "839M".
std::uint64_t old_bytes(std::string cell) {
  if (!cell.ends_with('B')) cell += 'B';
  return quantity(cell).value_or(0);
}

PebbleLevel old_level_of(const std::vector<std::string>& cells) {
  PebbleLevel level;
  level.files = quantity(cells[1]).value_or(0);
  level.bytes = old_bytes(cells[2]);
  level.score = leading_real(cells[3]);
  level.in_bytes = old_bytes(cells[4]);
  level.ingested_bytes = old_bytes(cells[5]);
  level.moved_bytes = old_bytes(cells[7]);
  level.written_bytes = old_bytes(cells[9]);
  level.written_files = quantity(cells[10]).value_or(0);
  level.read_bytes = old_bytes(cells[11]);
  level.sublevels = quantity(cells[12]).value_or(0);
  level.write_amplification = leading_real(cells[13]).value_or(0);
  return level;
}

class MetricsReader {
 public:
  void add_line(std::string_view line, std::size_t number) {
    if (line.find(kOldHeading) != std::string_view::npos) {
      if (is_in_levels_) fail_cut(number);
      begin(kOldColumns, number);
      is_old_ = true;
      return;
    }
    if (is_old_ && is_in_levels_) return add_old_row(line, number);
    if (is_old_ && is_in_table_) add_old_total(line);
    const std::vector<Words> cells = cells_of(line);
    if (is_heading_of_levels(cells)) {
      if (is_in_levels_) fail_cut(number);
      begin(cells.size(), number);
    } else if (is_in_levels_) {
      add_row(line, cells, number);
    } else if (is_in_table_) {
      add_total(line);
    }
  }

  Salvaged<PebbleMetrics> finish() {
    if (is_in_levels_) fail_cut(heading_line_);
    if (is_in_table_) take();
    if (result_.value.tables == 0 && !result_.fault) {
      result_.fault = input_error("found no table of Pebble's metrics with all of its levels");
    }
    return std::move(result_);
  }

 private:
  void fail(Error error) {
    if (!result_.fault) result_.fault = std::move(error);
  }
  void fail_cut(std::size_t number) {
    fail(input_error(fmt::format("line {}: the table of metrics that begins at line {} is cut",
                                 number, heading_line_)));
    is_in_levels_ = false;
  }

  void begin(std::size_t columns, std::size_t number) {
    if (is_in_table_) take();
    table_ = {};
    columns_ = columns;
    heading_line_ = number;
    is_in_levels_ = true;
    is_old_ = false;
  }

  void add_old_row(std::string_view line, std::size_t number) {
    const std::vector<std::string> cells = old_cells_of(line);
    if (cells.empty()) return;
    const bool is_whole = cells.size() == kOldColumns;
    if (is_whole && cells[0] == "WAL") {
      table_.log_in_bytes = old_bytes(cells[4]);
      table_.log_written_bytes = old_bytes(cells[9]);
    } else if (is_whole && cells[0] == std::to_string(table_.levels.size()) &&
               table_.levels.size() < kPebbleLevels) {
      table_.levels.push_back(old_level_of(cells));
    } else if (is_whole && cells[0] == "total" && table_.levels.size() == kPebbleLevels) {
      table_.total_write_amplification = leading_real(cells[13]);
      is_in_levels_ = false;
      is_in_table_ = true;
    } else {
      fail(input_error(
          fmt::format("line {}: found '{}'; expected the row of level {}, with {} "
                      "numbers",
                      number, excerpt(trimmed(line)), table_.levels.size(), kOldColumns)));
      is_in_levels_ = false;
    }
  }

  // "flush 49", "compact 1.2K 0B 144M (size == estimated-debt, ...)".
  void add_old_total(std::string_view line) {
    const std::vector<std::string> cells = old_cells_of(line);
    if (cells.size() < 2) return;
    if (cells[0] == "flush") table_.flushes = quantity(cells[1]);
    if (cells[0] != "compact") return;
    table_.compactions = quantity(cells[1]);
    if (cells.size() > 2) table_.debt_bytes = old_bytes(cells[2]);
  }

  // A table counts from its row of totals on. What follows it may be cut.
  void take() {
    const std::uint64_t tables = result_.value.tables + 1;
    result_.value = std::move(table_);
    result_.value.tables = tables;
    is_in_table_ = false;
  }

  void add_row(std::string_view line, const std::vector<Words>& cells, std::size_t number) {
    // The rule below the heading.
    if (cells.size() == 1 || line.find("--+--") != std::string_view::npos) return;
    const bool is_total = ends_with_word(cells[0], "total");
    const std::string expected = std::to_string(table_.levels.size());
    const bool is_level =
        table_.levels.size() < kPebbleLevels && ends_with_word(cells[0], expected);
    if (cells.size() != columns_ || (!is_total && !is_level) ||
        (is_total && table_.levels.size() != kPebbleLevels)) {
      fail(
          input_error(fmt::format("line {}: found '{}'; expected the row of level {}, with {} "
                                  "columns between bars",
                                  number, excerpt(trimmed(line)), expected, columns_)));
      is_in_levels_ = false;
      return;
    }
    if (is_level) {
      table_.levels.push_back(level_of(cells));
      return;
    }
    table_.total_write_amplification = real_at(cells[kCellAmp], 1);
    is_in_levels_ = false;
    is_in_table_ = true;
  }

  void add_total(std::string_view line) {
    if (line.find("WAL: ") != std::string_view::npos) {
      table_.log_in_bytes = quantity_after(line, "in: ");
      table_.log_written_bytes = quantity_after(line, "written: ");
    } else if (line.find("Flushes: ") != std::string_view::npos) {
      table_.flushes = quantity_after(line, "Flushes: ");
    } else if (line.find("Compactions: ") != std::string_view::npos) {
      table_.compactions = quantity_after(line, "Compactions: ");
      table_.debt_bytes = quantity_after(line, "estimated debt: ");
    } else if (const auto kinds = line.find("default: "); kinds != std::string_view::npos) {
      add_pairs(line.substr(kinds), table_.kinds);
    } else if (const auto types = after(line, "Compression types:")) {
      add_pairs(*types, table_.compression);
    } else if (line.find("Tombstones: ") != std::string_view::npos) {
      table_.tombstones = quantity_after(line, "Tombstones: ");
    } else if (line.find("Ingestions: ") != std::string_view::npos) {
      take();  // other lines of a log may follow
    }
  }

  // "default: 61  delete: 0  ...", of which those above 0 are kept.
  static void add_pairs(std::string_view text, std::map<std::string, std::uint64_t>& counts) {
    const Words words = words_of(text);
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      if (!words[i].ends_with(':')) continue;
      const auto count = leading_number(words[i + 1]);
      if (count && *count > 0) {
        counts[std::string(words[i].substr(0, words[i].size() - 1))] = *count;
      }
    }
  }

  Salvaged<PebbleMetrics> result_;
  PebbleMetrics table_;
  std::size_t columns_ = 0;
  std::size_t heading_line_ = 0;
  bool is_in_levels_ = false;  // between the heading and the row of totals
  bool is_in_table_ = false;   // after the row of totals
  bool is_old_ = false;        // of Pebble before 1.0
};

}  // namespace

bool is_pebble_metrics(std::string_view bytes) {
  // A log of CockroachDB has a table every ten minutes.
  const std::string_view head = bytes.substr(0, std::size_t{1} << 26);
  if (head.find(kOldHeading) != std::string_view::npos) return true;
  std::size_t at = 0;
  while ((at = head.find("level | tables", at)) != std::string_view::npos) {
    const std::size_t begin = head.rfind('\n', at) + 1;
    const std::size_t end = std::min(head.find('\n', at), head.size());
    if (is_heading_of_levels(cells_of(head.substr(begin, end - begin)))) return true;
    at = end;
  }
  return false;
}

Salvaged<PebbleMetrics> read_pebble_metrics(std::string_view bytes) {
  MetricsReader reader;
  Lines lines(bytes);
  while (const auto line = lines.next()) reader.add_line(*line, lines.number());
  return reader.finish();
}

}  // namespace lsmlab::stores
