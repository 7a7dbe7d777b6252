#include "traces/stores/cassandra_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "models/base/json_parse.h"
#include "models/base/shortened.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

// The values of one entry by column.
using HistoryEntry = std::map<std::string, std::string, std::less<>>;

constexpr std::string_view kHistoryColumns[] = {
    "id",       "keyspace_name", "columnfamily_name", "compacted_at",
    "bytes_in", "bytes_out",     "rows_merged"};
// Since 4.1 and 5.0.
constexpr std::string_view kHistoryNewColumns[] = {"compaction_properties", "compaction_type"};

bool is_history_column(std::string_view word) {
  const auto is = [word](std::string_view name) { return name == word; };
  return std::any_of(std::begin(kHistoryColumns), std::end(kHistoryColumns), is) ||
         std::any_of(std::begin(kHistoryNewColumns), std::end(kHistoryNewColumns), is);
}

// Of 1024 bytes. nodetool -H calls them KB, MB and so on in older versions.
std::optional<int> power_of_unit(std::string_view unit) {
  if (unit == "bytes") return 0;
  constexpr std::string_view kLetters = "KMGT";
  const std::size_t at = unit.empty() ? std::string_view::npos : kLetters.find(unit.front());
  if (at == std::string_view::npos) return std::nullopt;
  const bool is_known = unit.substr(1) == "iB" || unit.substr(1) == "B";
  return is_known ? std::optional<int>(static_cast<int>(at) + 1) : std::nullopt;
}

// A line of a mail or an issue that quotes it.
std::string_view without_quote(std::string_view line) {
  if (!trimmed(line).starts_with('>')) return line;
  return line.substr(std::min(line.find_first_not_of("> \t"), line.size()));
}

// The cells between bars, as cqlsh prints them.
std::vector<std::string_view> cells_of_cqlsh(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const std::size_t bar = line.find('|');
    cells.push_back(trimmed(line.substr(0, bar)));
    if (bar == std::string_view::npos) return cells;
    line.remove_prefix(bar + 1);
  }
}

bool has_cell(const std::vector<std::string_view>& cells, std::string_view name) {
  return std::find(cells.begin(), cells.end(), name) != cells.end();
}

// The columns that a statement selects, in any order, or the first two of an expanded row.
bool is_cqlsh_heading(std::string_view line) {
  const auto cells = cells_of_cqlsh(line);
  return has_cell(cells, "bytes_in") && has_cell(cells, "bytes_out") &&
         has_cell(cells, "columnfamily_name");
}
bool is_expanded_cell(std::string_view line) {
  const auto cells = cells_of_cqlsh(line);
  return cells.size() == 2 && is_history_column(cells[0]);
}

bool is_history_heading(std::string_view line) {
  const auto words = words_of(without_quote(line));
  return words.size() >= std::size(kHistoryColumns) &&
         std::equal(std::begin(kHistoryColumns), std::end(kHistoryColumns), words.begin());
}

class HistoryReader {
 public:
  HistoryReader() { result_.value.system = StoreSystem::kCassandra; }
  void fail(Error error) {
    if (!result_.fault) result_.fault = std::move(error);
  }

  void add(const HistoryEntry& entry, const std::string& place) {
    const auto value = [&entry](std::string_view name) {
      const auto found = entry.find(name);
      return found == entry.end() ? std::string_view() : std::string_view(found->second);
    };
    const auto bytes_in = history_bytes(value("bytes_in"));
    const auto bytes_out = history_bytes(value("bytes_out"));
    const auto micros = history_micros(value("compacted_at"));
    for (const auto& [name, is_known] :
         {std::pair("keyspace_name", !value("keyspace_name").empty()),
          std::pair("columnfamily_name", !value("columnfamily_name").empty()),
          std::pair("compacted_at", micros.has_value()),
          std::pair("bytes_in", bytes_in.has_value()),
          std::pair("bytes_out", bytes_out.has_value())}) {
      if (is_known) continue;
      return fail(input_error(fmt::format("{}: {} is '{}'; expected {}", place, name,
                                          excerpt(value(name)), expected_of(name))));
    }
    LoggedCompaction compaction;
    compaction.family = fmt::format("{}.{}", value("keyspace_name"), value("columnfamily_name"));
    // Only ScyllaDB has these.
    if (compaction.family.starts_with("system_schema.scylla_")) {
      result_.value.system = StoreSystem::kScylladb;
    }
    compaction.micros = *micros;
    compaction.input_bytes = *bytes_in;
    compaction.output_bytes = *bytes_out;
    compaction.rows_merged = merged_rows_of(value("rows_merged"));
    compaction.reason = reason_of(compaction.rows_merged);
    compaction.is_finished = true;
    result_.value.compactions.push_back(std::move(compaction));
  }

  Salvaged<InfoLog> finish() {
    InfoLog& log = result_.value;
    std::stable_sort(
        log.compactions.begin(), log.compactions.end(),
        [](const LoggedCompaction& a, const LoggedCompaction& b) { return a.micros < b.micros; });
    if (log.compactions.empty()) {
      fail(input_error("found no compaction in the compaction history"));
    } else {
      log.first_micros = log.compactions.front().micros;
      log.last_micros = log.compactions.back().micros;
    }
    log.events = log.compactions.size();
    return std::move(result_);
  }
  void count_line() { ++result_.value.lines; }

 private:
  static std::string_view expected_of(std::string_view name) {
    if (name == "compacted_at") return "a time such as 2026-11-28T10:30:00.123";
    return name.starts_with("bytes") ? "a number of bytes" : "a name";
  }

  // A partition that came from five SSTables shows that at least five were merged.
  static std::string reason_of(const std::map<std::uint64_t, std::uint64_t>& rows) {
    if (rows.empty()) return "unknown number of SSTables";
    const std::uint64_t tables = rows.rbegin()->first;
    return tables == 1 ? "no partition in two SSTables"
                       : fmt::format("{:>3} SSTables or more", tables);
  }

  Salvaged<InfoLog> result_;
};

// The columns up to bytes_out have no spaces, except where sizes have units.
void add_text_row(HistoryReader& reader, std::string_view line, std::size_t number) {
  HistoryEntry entry;
  auto words = words_of(line);
  std::size_t at = 0;
  for (const std::string_view column : kHistoryColumns) {
    if (at >= words.size() || column == "rows_merged") break;
    std::string& value = entry[std::string(column)];
    value = words[at++];
    const bool has_unit =
        column.starts_with("bytes") && at < words.size() && power_of_unit(words[at]).has_value();
    if (has_unit) value += " " + std::string(words[at++]);
  }
  const std::size_t open = line.find('{');
  if (open != std::string_view::npos) {
    entry["rows_merged"] = line.substr(open, line.find('}', open) - open);
  }
  reader.add(entry, fmt::format("line {}", number));
}

void read_history_text(HistoryReader& reader, std::string_view bytes) {
  Lines lines(bytes);
  bool is_in_table = false;
  bool is_quoted = false;
  while (const auto raw = lines.next()) {
    reader.count_line();
    const std::string_view line = without_quote(*raw);
    if (is_history_heading(line)) {
      is_in_table = true;
      is_quoted = line.size() < raw->size();
    } else if (is_in_table && is_quoted && line.size() == raw->size()) {
      is_in_table = false;  // the answer below a quoted table
    } else if (is_in_table && !trimmed(line).empty()) {
      add_text_row(reader, line, lines.number());
    }
  }
}

// cqlsh prints "null" where a row has no value.
void add_cqlsh_cell(HistoryEntry& entry, std::string_view name, std::string_view value) {
  if (is_history_column(name) && value != "null") entry[std::string(name)] = value;
}

void read_history_cqlsh(HistoryReader& reader, std::string_view bytes) {
  Lines lines(bytes);
  std::vector<std::string_view> headings;
  while (const auto raw = lines.next()) {
    reader.count_line();
    const std::string_view line = without_quote(*raw);
    const auto cells = cells_of_cqlsh(line);
    if (is_cqlsh_heading(line)) {
      headings = cells;
    } else if (!headings.empty() && cells.size() == headings.size()) {
      HistoryEntry entry;
      for (std::size_t i = 0; i < cells.size(); ++i) add_cqlsh_cell(entry, headings[i], cells[i]);
      reader.add(entry, fmt::format("line {}", lines.number()));
    } else if (!headings.empty() && cells.size() > 1) {
      reader.fail(input_error(fmt::format("line {}: has {} columns, and the heading {}",
                                          lines.number(), cells.size(), headings.size())));
    }
  }
}

// After EXPAND ON: "@ Row 1", and then a line of each column.
void read_history_expanded(HistoryReader& reader, std::string_view bytes) {
  Lines lines(bytes);
  HistoryEntry entry;
  std::size_t begin = 0;
  const auto end_row = [&] {
    if (!entry.empty()) reader.add(entry, fmt::format("line {}", begin));
    entry.clear();
  };
  while (const auto raw = lines.next()) {
    reader.count_line();
    const std::string_view line = without_quote(*raw);
    if (trimmed(line).starts_with("@ Row ")) {
      end_row();
      begin = lines.number();
    } else if (is_expanded_cell(line)) {
      const auto cells = cells_of_cqlsh(line);
      add_cqlsh_cell(entry, cells[0], cells[1]);
    }
  }
  end_row();
}

// 'a value', "a value" or a value.
std::string unquoted_scalar(std::string_view text) {
  text = trimmed(text);
  if (text.size() >= 2 && (text.front() == '\'' || text.front() == '"') &&
      text.back() == text.front()) {
    text = text.substr(1, text.size() - 2);
  }
  return std::string(text);
}

// A list of blocks "- name: value", "  name: value". A long value goes on in the next line.
void read_history_yaml(HistoryReader& reader, std::string_view bytes) {
  HistoryEntry entry;
  std::size_t begin = 0;
  std::string* last = nullptr;
  const auto end_entry = [&] {
    if (entry.empty()) return;
    for (auto& [name, value] : entry) value = unquoted_scalar(value);
    reader.add(entry, fmt::format("line {}", begin));
    entry.clear();
    last = nullptr;
  };
  Lines lines(bytes);
  while (const auto raw = lines.next()) {
    reader.count_line();
    std::string_view line = trimmed(*raw);
    if (line.starts_with("- ")) {
      end_entry();
      begin = lines.number();
      line = trimmed(line.substr(2));
    }
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && is_history_column(line.substr(0, colon))) {
      last = &entry[std::string(line.substr(0, colon))];
      *last = trimmed(line.substr(colon + 1));
    } else if (last != nullptr) {
      *last += " " + std::string(line);
    }
  }
  end_entry();
}

// The end of the object that begins at `begin`; nothing if the text ends before.
std::optional<std::size_t> end_of_object(std::string_view bytes, std::size_t begin) {
  bool is_in_string = false;
  std::size_t depth = 0;
  for (std::size_t at = begin; at < bytes.size(); ++at) {
    const char byte = bytes[at];
    if (is_in_string) {
      if (byte == '\\') ++at;
      is_in_string = byte != '"';
    } else if (byte == '"') {
      is_in_string = true;
    } else if (byte == '{') {
      ++depth;
    } else if (byte == '}' && --depth == 0) {
      return at + 1;
    }
  }
  return std::nullopt;
}

// Entry by entry, so that those before a cut are read.
void read_history_json(HistoryReader& reader, std::string_view bytes) {
  std::size_t at = bytes.find('[');
  for (std::size_t number = 1; at != std::string_view::npos; ++number) {
    at = bytes.find_first_of("{]", at);
    if (at == std::string_view::npos || bytes[at] == ']') break;
    const std::string place = fmt::format("entry {}", number);
    const auto end = end_of_object(bytes, at);
    if (!end) return reader.fail(input_error(place + ": the input ends within it: it was cut"));
    const auto parsed = parse_json(bytes.substr(at, *end - at));
    at = *end;
    if (!parsed || !parsed.value().is_object()) {
      reader.fail(input_error(place + ": is not a JSON object"));
      continue;
    }
    HistoryEntry entry;
    for (const auto& [name, value] : parsed.value().items()) {
      if (!is_history_column(name)) continue;
      entry[name] = value.is_string() ? value.get<std::string>() : value.dump();
    }
    reader.add(entry, place);
  }
  if (at == std::string_view::npos) {
    reader.fail(input_error("the input ends before the end of the list: it was cut"));
  }
}

bool is_history_json(std::string_view head) {
  return trimmed(head.substr(0, 64)).starts_with('{') &&
         head.substr(0, 256).find("\"CompactionHistory\"") != std::string_view::npos;
}

enum class HistoryKind { kNone, kText, kJson, kYaml, kCqlsh, kExpanded };

// By the first line that tells it. Other text may stand above a table.
HistoryKind kind_of_history(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 1U << 16);
  if (is_history_json(head)) return HistoryKind::kJson;
  bool has_row = false;
  Lines lines(head);
  while (const auto raw = lines.next()) {
    const std::string_view line = without_quote(*raw);
    if (is_history_heading(line)) return HistoryKind::kText;
    if (trimmed(line) == "CompactionHistory:") return HistoryKind::kYaml;
    if (is_cqlsh_heading(line)) return HistoryKind::kCqlsh;
    if (trimmed(line).starts_with("@ Row ")) has_row = true;
    const bool is_family =
        has_row && is_expanded_cell(line) && cells_of_cqlsh(line)[0] == "columnfamily_name";
    if (is_family) return HistoryKind::kExpanded;
  }
  return HistoryKind::kNone;
}

}  // namespace

std::optional<std::uint64_t> history_bytes(std::string_view text) {
  const auto words = words_of(text);
  if (words.empty()) return std::nullopt;
  if (words.size() == 1) {
    return words[0].find_first_not_of("0123456789") == std::string_view::npos
               ? leading_number(words[0])
               : std::nullopt;
  }
  const auto value = decimal_number(words[0]);
  const auto power = power_of_unit(words[1]);
  if (!value || !power) return std::nullopt;
  constexpr double kMost = 9e18;
  const double bytes = *value * std::pow(1024.0, *power);
  return static_cast<std::uint64_t>(std::clamp(bytes, 0.0, kMost));
}

std::optional<std::uint64_t> history_micros(std::string_view text) {
  constexpr std::uint64_t kMillisMax = std::uint64_t{1} << 53;
  if (text.find('-') == std::string_view::npos) {
    const auto millis = leading_number(text);
    if (!millis || *millis > kMillisMax) return std::nullopt;
    return *millis * 1000;
  }
  const auto field = [text](std::size_t at, std::size_t size) -> std::optional<unsigned> {
    if (at + size > text.size()) return std::nullopt;
    unsigned value = 0;
    for (const char c : text.substr(at, size)) {
      if (c < '0' || c > '9') return std::nullopt;
      value = value * 10 + static_cast<unsigned>(c - '0');
    }
    return value;
  };
  const auto year = field(0, 4);
  const auto month = field(5, 2);
  const auto day = field(8, 2);
  const auto hour = field(11, 2);
  const auto minute = field(14, 2);
  if (!year || !month || !day || !hour || !minute) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(*month), std::chrono::day(*day)};
  if (!date.ok() || *year < 1970 || *hour > 23 || *minute > 59) return std::nullopt;
  double seconds = 0;
  if (text.size() > 17 && text[16] == ':') seconds = leading_real(text.substr(17)).value_or(0);
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  const std::uint64_t minutes = (static_cast<std::uint64_t>(days) * 24 + *hour) * 60 + *minute;
  return minutes * 60'000'000 +
         static_cast<std::uint64_t>(std::llround(std::clamp(seconds, 0.0, 60.0) * 1e6));
}

std::map<std::uint64_t, std::uint64_t> merged_rows_of(std::string_view text) {
  std::map<std::uint64_t, std::uint64_t> rows;
  while (!text.empty()) {
    const std::size_t at = text.find_first_of("0123456789");
    if (at == std::string_view::npos) break;
    text.remove_prefix(at);
    const auto tables = leading_number(text);
    const std::size_t colon = text.find(':');
    if (!tables || colon == std::string_view::npos) break;
    text = trimmed(text.substr(colon + 1));
    const auto count = leading_number(text);
    if (!count) break;
    rows[*tables] += *count;
    text.remove_prefix(std::min(text.size(), text.find_first_not_of("0123456789")));
  }
  return rows;
}

bool is_compaction_history(std::string_view bytes) {
  return kind_of_history(bytes) != HistoryKind::kNone;
}

Salvaged<InfoLog> read_compaction_history(std::string_view bytes) {
  HistoryReader reader;
  switch (kind_of_history(bytes)) {
    case HistoryKind::kJson:
      read_history_json(reader, bytes);
      break;
    case HistoryKind::kYaml:
      read_history_yaml(reader, bytes);
      break;
    case HistoryKind::kCqlsh:
      read_history_cqlsh(reader, bytes);
      break;
    case HistoryKind::kExpanded:
      read_history_expanded(reader, bytes);
      break;
    case HistoryKind::kText:
    case HistoryKind::kNone:
      read_history_text(reader, bytes);
      break;
  }
  return reader.finish();
}

}  // namespace lsmlab::stores
