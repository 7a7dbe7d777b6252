#include "traces/stores/pebble_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/base/shortened.h"
#include "traces/stores/pebble_cells.h"
#include "traces/stores/pebble_split_tables.h"
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
// Numbers and their units are words of their own: "76 G". r-amp came in April 2020, val-bl in 2022,
// where a store has value blocks.
constexpr std::string_view kOldHeading = "__level_____count____size___score";
constexpr std::size_t kOldColumns = 13;
constexpr std::string_view kOldReadAmp = "r-amp";
constexpr std::string_view kOldValueBlocks = "val-bl";

// A log of CockroachDB puts a '+' before the line, a program's source or a mail "//" or ">".
std::vector<std::string> old_cells_of(std::string_view line) {
  const std::size_t plus = line.rfind('+');
  if (plus != std::string_view::npos) line.remove_prefix(plus + 1);
  std::vector<std::string> cells;
  for (const std::string_view word : words_of(line)) {
    if (cells.empty() && (word == "//" || word == "#" || word.starts_with('>'))) continue;
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

PebbleLevel old_level_of(const std::vector<std::string>& cells, bool has_read_amp) {
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
  if (has_read_amp) level.sublevels = quantity(cells[12]).value_or(0);
  level.write_amplification = leading_real(cells[has_read_amp ? 13 : 12]).value_or(0);
  return level;
}

class MetricsReader {
 public:
  void add_line(std::string_view line, std::size_t number) {
    if (line.find(kOldHeading) != std::string_view::npos) {
      end_split();
      if (is_in_levels_) fail_cut(number);
      has_read_amp_ = line.find(kOldReadAmp) != std::string_view::npos;
      const bool has_value_blocks = line.find(kOldValueBlocks) != std::string_view::npos;
      begin(kOldColumns + (has_read_amp_ ? 1 : 0) + (has_value_blocks ? 1 : 0), number);
      is_old_ = true;
      return;
    }
    if (is_old_ && is_in_levels_) return add_old_row(line, number);
    if (is_old_ && is_in_table_) add_old_total(line);
    const std::vector<Words> cells = cells_of(line);
    const bool is_heading = is_heading_of_levels(cells);
    if (PebbleSplitTables::begins_with(cells)) {
      end_split();
      if (is_in_table_) take();
      heading_line_ = number;
      split_.emplace();
    } else if (split_ && !is_heading) {
      add_split_line(line, cells, number);
    } else if (is_heading) {
      end_split();
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
    end_split();
    if (result_.value.levels.empty() && !result_.fault) {
      result_.fault = input_error("found no table of Pebble's metrics with all of its levels");
    }
    return std::move(result_);
  }

 private:
  void fail(Error error) {
    if (!result_.fault) result_.fault = std::move(error);
  }
  void fail_cut(std::size_t number) {
    const std::size_t levels = table_.levels.size();
    table_.has_sums = levels == kPebbleLevels;
    fail(input_error(fmt::format(
        "line {}: the table of metrics that begins at line {} is cut: {}", number, heading_line_,
        table_.has_sums ? "its row of totals is missing"
                        : fmt::format("{} of {} levels were read", levels, kPebbleLevels))));
    end_cut();
  }

  void add_split_line(std::string_view line, const std::vector<Words>& cells, std::size_t number) {
    split_->add_line(cells);
    if (split_->is_damaged()) {
      fail(input_error(fmt::format(
          "line {}: found '{}'; expected the row of a level, with as many columns between bars as "
          "its heading has",
          number, excerpt(trimmed(line)))));
    }
    if (split_->is_done() || split_->is_damaged()) end_split();
  }

  void end_split() {
    if (!split_) return;
    const bool is_whole = split_->is_whole();
    table_ = split_->take();
    split_.reset();
    if (is_whole) return take();
    fail(input_error(fmt::format(
        "the tables of metrics that begin at line {} are cut: not both have a row of totals",
        heading_line_)));
    end_cut();
  }

  // Of a text without a whole table, the levels that were read of one are better than nothing.
  void end_cut() {
    is_in_levels_ = false;
    if (result_.value.tables == 0) result_.value = std::move(table_);
    table_ = {};
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
    const bool is_whole = cells.size() == columns_;
    if (cells[0] == "WAL" && cells.size() >= kOldColumns) {
      table_.log_in_bytes = old_bytes(cells[4]);
      table_.log_written_bytes = old_bytes(cells[9]);
    } else if (is_whole && cells[0] == std::to_string(table_.levels.size()) &&
               table_.levels.size() < kPebbleLevels) {
      table_.levels.push_back(old_level_of(cells, has_read_amp_));
    } else if (is_whole && cells[0] == "total" && table_.levels.size() == kPebbleLevels) {
      table_.total_write_amplification = leading_real(cells[has_read_amp_ ? 13 : 12]);
      is_in_levels_ = false;
      is_in_table_ = true;
    } else if (table_.levels.size() == kPebbleLevels && cells[0] != "total") {
      fail_cut(number);
    } else {
      fail(
          input_error(fmt::format("line {}: found '{}'; expected the row of level {}, with {} "
                                  "numbers",
                                  number, excerpt(trimmed(line)), table_.levels.size(), columns_)));
      end_cut();
    }
  }

  // "flush 49", "compact 1.2K 0B 144M (size == estimated-debt, ...)".
  void add_old_total(std::string_view line) {
    const std::vector<std::string> cells = old_cells_of(line);
    if (cells.size() < 2) return;
    if (cells[0] == "flush") table_.flushes = quantity(cells[1]);
    if (cells[0] == "ctype") add_old_kinds(line, cells);
    if (cells[0] != "compact") return;
    table_.compactions = quantity(cells[1]);
    if (cells.size() > 2) table_.debt_bytes = old_bytes(cells[2]);
  }

  // "ctype 1.2K 0 3 10 (size == default, score == delete, in == elision, ingest == move)", and
  // later "ctype 55 1 0 3 0 (default, delete, elision, move, read)".
  void add_old_kinds(std::string_view line, const std::vector<std::string>& cells) {
    const std::size_t open = line.find('(');
    if (open == std::string_view::npos) return;
    std::string_view names = line.substr(open + 1);
    for (std::size_t i = 1; i < cells.size() && !names.empty(); ++i) {
      const std::size_t end = names.find_first_of(",)");
      const Words words = words_of(names.substr(0, end));
      const auto kind_count = quantity(cells[i]);
      if (words.empty() || !kind_count) return;
      if (*kind_count > 0) table_.kinds[std::string(words.back())] = *kind_count;
      names = end == std::string_view::npos ? std::string_view() : names.substr(end + 1);
    }
  }

  // A table counts from its row of totals on. What follows it may be cut.
  void take() {
    const std::uint64_t tables = result_.value.tables + 1;
    result_.value = std::move(table_);
    result_.value.tables = tables;
    result_.value.has_sums = true;
    is_in_table_ = false;
  }

  void add_row(std::string_view line, const std::vector<Words>& cells, std::size_t number) {
    // The rule below the heading.
    if (cells.size() == 1 || line.find("--+--") != std::string_view::npos) return;
    const bool is_total = ends_with_word(cells[0], "total");
    if (table_.levels.size() == kPebbleLevels && !is_total) return fail_cut(number);
    const std::string expected = std::to_string(table_.levels.size());
    const bool is_level =
        table_.levels.size() < kPebbleLevels && ends_with_word(cells[0], expected);
    if (cells.size() != columns_ || (!is_total && !is_level) ||
        (is_total && table_.levels.size() != kPebbleLevels)) {
      fail(
          input_error(fmt::format("line {}: found '{}'; expected the row of level {}, with {} "
                                  "columns between bars",
                                  number, excerpt(trimmed(line)), expected, columns_)));
      end_cut();
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
  bool has_read_amp_ = false;  // the older table
  std::optional<PebbleSplitTables> split_;
};

}  // namespace

bool is_pebble_metrics(std::string_view bytes) {
  // A log of CockroachDB has a table every ten minutes.
  const std::string_view head = bytes.substr(0, std::size_t{1} << 26);
  if (head.find(kOldHeading) != std::string_view::npos) return true;
  std::size_t at = 0;
  while ((at = head.find("| tables", at)) != std::string_view::npos) {
    const std::size_t begin = head.rfind('\n', at) + 1;
    const std::size_t end = std::min(head.find('\n', at), head.size());
    const std::vector<Words> cells = cells_of(head.substr(begin, end - begin));
    if (is_heading_of_levels(cells) || PebbleSplitTables::begins_with(cells)) return true;
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
