#include "traces/stores/property_text.h"

#include <algorithm>

#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

constexpr std::uint64_t kPropertyLevelsMax = 64;
constexpr std::string_view kMapMark = "compaction.";

// The map's names of columns, and those of the table.
constexpr std::pair<std::string_view, std::string_view> kMapColumns[] = {
    {"Score", "Score"},         {"ReadGB", "Read(GB)"},   {"RnGB", "Rn(GB)"},
    {"Rnp1GB", "Rnp1(GB)"},     {"WriteGB", "Write(GB)"}, {"WnewGB", "Wnew(GB)"},
    {"MovedGB", "Moved(GB)"},   {"WriteAmp", "W-Amp"},    {"ReadMBps", "Rd(MB/s)"},
    {"WriteMBps", "Wr(MB/s)"},  {"CompSec", "Comp(sec)"}, {"CompMergeCPU", "CompMergeCPU(sec)"},
    {"CompCount", "Comp(cnt)"}, {"AvgSec", "Avg(sec)"},   {"KeyIn", "KeyIn"},
    {"KeyDrop", "KeyDrop"},     {"RblobGB", "Rblob(GB)"}, {"WblobGB", "Wblob(GB)"}};

// "name{labels} value", "name: value", "name=value"
struct NamedNumber {
  std::string_view name;
  std::string_view labels;
  double value = 0;
};

std::optional<NamedNumber> number_of_line(std::string_view line) {
  const std::size_t begin = line.find_first_not_of("> |\t");
  if (begin == std::string_view::npos) return std::nullopt;
  line = trimmed(line.substr(begin));
  NamedNumber number;
  const std::size_t brace = line.find('{');
  const std::size_t close = line.rfind('}');
  std::size_t end = line.find_first_of(" \t:=");
  if (brace < end && close != std::string_view::npos && close > brace) {
    number.labels = line.substr(brace + 1, close - brace - 1);
    number.name = line.substr(0, brace);
    end = close + 1;
  } else {
    if (end == std::string_view::npos) return std::nullopt;
    number.name = line.substr(0, end);
  }
  std::string_view text = line.substr(std::min(line.find_first_not_of(" \t:=|", end), line.size()));
  // "rocksdb.flush.write.bytes COUNT : 5"
  if (text.starts_with("COUNT")) {
    text.remove_prefix(5);
    text = text.substr(std::min(text.find_first_not_of(" \t:="), text.size()));
  }
  double value = 0;
  const auto [last, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || !std::isfinite(value)) return std::nullopt;
  number.value = value;
  return number;
}

// The value of `level` in `cf="default",level="0"`.
std::string_view label_of(std::string_view labels, std::string_view name) {
  for (std::size_t at = labels.find(name); at != std::string_view::npos;
       at = labels.find(name, at + 1)) {
    const bool is_begin = at == 0 || labels[at - 1] == ',' || labels[at - 1] == ' ';
    const std::string_view rest = labels.substr(at + name.size());
    if (!is_begin || !rest.starts_with("=\"")) continue;
    return rest.substr(2, rest.substr(2).find('"'));
  }
  return {};
}

// The level of "rocksdb.num-files-at-level0", of "..._num_files_at_level_0" or of the label.
std::optional<std::uint64_t> level_of_count(const NamedNumber& number) {
  for (const std::string_view mark : {"num-files-at-level", "num_files_at_level"}) {
    auto rest = after(number.name, mark);
    if (!rest) continue;
    if (rest->starts_with('_') || rest->starts_with('-')) rest->remove_prefix(1);
    const auto level = leading_number(rest->empty() ? label_of(number.labels, "level") : *rest);
    return level && *level < kPropertyLevelsMax ? level : std::nullopt;
  }
  return std::nullopt;
}

std::string family_of_count(const NamedNumber& number) {
  std::string family;
  for (const std::string_view name : {"cf", "column_family", "cf_name"}) {
    if (family.empty()) family = std::string(label_of(number.labels, name));
  }
  // "num_files_at_level0[default]"
  const std::size_t bracket = number.name.find('[');
  if (family.empty() && bracket != std::string_view::npos && number.name.ends_with(']')) {
    family = std::string(number.name.substr(bracket + 1, number.name.size() - bracket - 2));
  }
  const std::string_view database = label_of(number.labels, "db");
  if (family.empty()) family = "default";
  return database.empty() ? family : std::string(database) + "." + family;
}

// "rocksdb.cfstats.compaction.L0.ReadGB", "compaction.Sum.KeyIn"
bool add_map_value(StatisticsTable& table, const NamedNumber& number) {
  const auto rest = after(number.name, kMapMark);
  const std::size_t dot = rest ? rest->find('.') : std::string_view::npos;
  if (dot == std::string_view::npos) return false;
  const std::string level(rest->substr(0, dot));
  const std::string_view column = rest->substr(dot + 1);
  const bool is_level = level.size() > 1 && level[0] == 'L' && leading_number(level.substr(1));
  if (!is_level && level != "Sum") return false;
  auto row = std::find_if(table.rows.begin(), table.rows.end(),
                          [&level](const StatisticsRow& one) { return one.level == level; });
  if (row == table.rows.end()) {
    table.rows.emplace_back();
    row = std::prev(table.rows.end());
    row->level = level;
  }
  const double value = std::clamp(number.value, 0.0, 9e18);
  if (column == "NumFiles") row->files = static_cast<std::uint64_t>(value);
  if (column == "CompactedFiles") row->busy_files = static_cast<std::uint64_t>(value);
  if (column == "SizeBytes") row->bytes = static_cast<std::uint64_t>(value);
  if (column == "CompSec") row->seconds = {value, 0};
  for (const auto& [name, shown] : kMapColumns) {
    if (column == name) row->columns.insert_or_assign(std::string(shown), value);
  }
  return true;
}

enum class ByteKind { kNone, kFlushed, kMergeWritten, kMergeRead };

// "rocksdb.flush.write.bytes" of RocksDB's statistics, "Rocksdb_flush_write_bytes" of MyRocks,
// "rocksdb_flushed_bytes" of CockroachDB, and TiKV's two counters with the kind in a label.
ByteKind kind_of_counter(const NamedNumber& number) {
  std::string name;
  for (const char letter : number.name) {
    name += letter == '.' || letter == '-'   ? '_'
            : letter >= 'A' && letter <= 'Z' ? letter + 32
                                             : letter;
  }
  for (const std::string_view end : {"_total", "_count"}) {
    if (name.ends_with(end)) name.resize(name.size() - end.size());
  }
  const std::string_view type = label_of(number.labels, "type");
  const bool is_merge = name.ends_with("compaction_flow_bytes");
  const bool is_flow = !is_merge && name.ends_with("engine_flow_bytes");
  const auto ends_with = [&name](std::initializer_list<std::string_view> ends) {
    return std::any_of(ends.begin(), ends.end(),
                       [&name](std::string_view end) { return name.ends_with(end); });
  };
  if (ends_with({"flush_write_bytes", "flushed_bytes", "l0_bytes_flushed"}) ||
      (is_flow && type == "flush_write_bytes")) {
    return ByteKind::kFlushed;
  }
  if (ends_with({"compact_write_bytes", "compacted_bytes_written"}) ||
      (is_merge && type == "bytes_written")) {
    return ByteKind::kMergeWritten;
  }
  return ends_with({"compact_read_bytes", "compacted_bytes_read"}) ||
                 (is_merge && type == "bytes_read")
             ? ByteKind::kMergeRead
             : ByteKind::kNone;
}

// Statistics print a counter again at each dump; the series of an exporter differ in their labels.
class CounterSums {
 public:
  bool add(const NamedNumber& number) {
    const ByteKind kind = kind_of_counter(number);
    if (kind == ByteKind::kNone || number.value < 0 || number.value > 9e18) return false;
    std::string database(label_of(number.labels, "db"));
    const std::string_view node = label_of(number.labels, "store");
    if (database.empty() && !node.empty()) database = "store " + std::string(node);
    if (database.empty()) database = "default";
    std::string series = std::string(number.name) + std::string(number.labels);
    series_[{std::move(database), kind}][std::move(series)] = number.value;
    return true;
  }
  [[nodiscard]] std::map<std::string, ByteCounters> sums() const {
    std::map<std::string, ByteCounters> sums;
    for (const auto& [place, series] : series_) {
      double sum = 0;
      for (const auto& [name, value] : series) sum += value;
      const auto bytes = static_cast<std::uint64_t>(std::min(sum, 9e18));
      ByteCounters& counters = sums[place.first];
      if (place.second == ByteKind::kFlushed) counters.flushed = bytes;
      if (place.second == ByteKind::kMergeWritten) counters.merge_written = bytes;
      if (place.second == ByteKind::kMergeRead) counters.merge_read = bytes;
    }
    return sums;
  }

 private:
  std::map<std::pair<std::string, ByteKind>, std::map<std::string, double>> series_;
};

}  // namespace

InfoLog read_property_text(std::string_view text) {
  InfoLog log;
  StatisticsTable table;
  table.family = "default";
  CounterSums counters;
  Lines lines(text);
  while (const auto line = lines.next()) {
    const auto number = number_of_line(*line);
    if (!number || add_map_value(table, *number) || counters.add(*number)) continue;
    const auto level = level_of_count(*number);
    if (!level || number->value < 0 || number->value > 1e9) continue;
    std::vector<std::uint64_t>& files = log.level_files[family_of_count(*number)];
    if (*level >= files.size()) files.resize(*level + 1);
    files[*level] = static_cast<std::uint64_t>(number->value);
  }
  // One level tells nothing of the tree.
  std::erase_if(log.level_files, [](const auto& one) { return one.second.size() < 2; });
  // Levels above the sums, as the table has them.
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [](const StatisticsRow& a, const StatisticsRow& b) {
                     return (a.level == "Sum") < (b.level == "Sum");
                   });
  table.tables = 1;
  if (!table.rows.empty()) log.statistics.emplace("default", std::move(table));
  log.counters = counters.sums();
  return log;
}

bool is_property_text(std::string_view text) {
  const InfoLog log = read_property_text(text);
  return !log.statistics.empty() || !log.level_files.empty() || !log.counters.empty();
}

}  // namespace lsmlab::stores
