#include "traces/stores/cassandra_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/base/shortened.h"
#include "traces/stores/cassandra_history.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

constexpr std::string_view kTablesMark = " sstables to [";
constexpr std::string_view kRatioMark = "% of original)";

bool is_digit_of_log(char letter) { return letter >= '0' && letter <= '9'; }

bool is_clock_of_log(std::string_view text) {
  constexpr std::string_view kForm = "dd:dd:dd";
  return std::equal(kForm.begin(), kForm.end(), text.begin(), [](char form, char letter) {
    return form == 'd' ? is_digit_of_log(letter) : form == letter;
  });
}

// "10:05:27" where it stands last before the message; npos: nowhere.
std::size_t last_clock(std::string_view head) {
  constexpr std::size_t kClock = 8;  // bytes
  if (head.size() < kClock) return std::string_view::npos;
  std::size_t at = head.size() - kClock;
  while (at > 0 && !is_clock_of_log(head.substr(at))) --at;
  return is_clock_of_log(head.substr(at)) ? at : std::string_view::npos;
}

// "Jan 15" before the clock as "01-15".
std::optional<std::string> day_of_syslog(std::string_view before) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const auto words = words_of(before);
  if (words.size() < 2) return std::nullopt;
  const std::string_view month = words[words.size() - 2];
  const std::size_t at = month.size() == 3 ? kMonths.find(month) : std::string_view::npos;
  const auto day = leading_number(words.back());
  if (at == std::string_view::npos || at % 3 != 0 || !day || *day > 31) return std::nullopt;
  return fmt::format("{:02}-{:02}", at / 3 + 1, *day);
}

std::uint64_t micros_of_head(std::string_view head) {
  constexpr std::string_view kLeapYear = "1972";
  constexpr std::size_t kDate = 11;   // bytes, with the separator
  constexpr std::size_t kClock = 12;  // bytes, with milliseconds
  const std::size_t at = last_clock(head);
  if (at == std::string_view::npos) return 0;
  std::string clock(head.substr(at, kClock));
  std::replace(clock.begin(), clock.end(), ',', '.');
  if (at >= kDate) {
    const auto micros = history_micros(fmt::format("{}T{}", head.substr(at - kDate, 10), clock));
    if (micros) return *micros;
  }
  const auto day = day_of_syslog(head.substr(0, at));
  return history_micros(fmt::format("{}-{}T{}", kLeapYear, day.value_or("01-01"), clock))
      .value_or(0);
}

struct LoggedSize {
  double bytes = 0;
  double cut = 0;  // that the printed digits may lack
};

// "35,935 bytes", "10458", "68MB", "1.276GiB". Cassandra prints three decimals with a unit, in some
// locales behind a comma; ScyllaDB cuts all decimals.
std::optional<LoggedSize> size_at(std::string_view text) {
  constexpr std::string_view kPrefixes = "kMGTP";
  const std::size_t end = std::min(text.find_first_not_of("0123456789.,"), text.size());
  std::string digits(text.substr(0, end));
  std::string_view unit = text.substr(end);
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  const char first = unit.empty() ? ' ' : unit.front() == 'K' ? 'k' : unit.front();
  const std::size_t power = kPrefixes.find(first) + 1;  // 0: bytes
  const bool is_binary = power > 0 && unit.substr(1, 2) == "iB";
  if (power > 0 && !is_binary && !unit.substr(1).starts_with('B')) return std::nullopt;
  if (is_binary) std::replace(digits.begin(), digits.end(), ',', '.');
  std::erase(digits, ',');
  const auto value = leading_real(digits);
  if (!value) return std::nullopt;
  const double scale = std::pow(is_binary ? 1024.0 : 1000.0, static_cast<double>(power));
  const bool is_cut = power > 0 && digits.find('.') == std::string::npos;
  return LoggedSize{*value * scale, is_cut ? scale : 0};
}

// Of "/data/ks/table-59e76ce0/me-1-big-Data.db:level=0,...": "ks.table".
std::string family_of_path(std::string_view path) {
  path = path.substr(0, path.find(','));
  std::vector<std::string_view> folders;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    if (slash == std::string_view::npos) break;  // the file's own name
    folders.push_back(path.substr(0, slash));
    path.remove_prefix(slash + 1);
  }
  while (!folders.empty() && (folders.back() == "staging" || folders.back() == "upload" ||
                              folders.back().starts_with('.'))) {
    folders.pop_back();
  }
  if (folders.size() < 2) return "";
  const std::string_view table = folders.back();
  return fmt::format("{}.{}", folders[folders.size() - 2], table.substr(0, table.find('-')));
}

// Of "[Compact ks.table 8f0...] Compacted 4": "ks.table".
std::string family_of_task(std::string_view head) {
  const std::size_t close = head.rfind(']');
  const std::size_t open = close == std::string_view::npos ? close : head.rfind('[', close);
  if (open == std::string_view::npos) return "";
  const auto words = words_of(head.substr(open + 1, close - open - 1));
  const bool is_named = words.size() > 1 && words[1].find('.') != std::string_view::npos;
  return is_named ? std::string(words[1]) : "";
}

std::uint64_t whole_bytes(double bytes) {
  constexpr double kMost = 9e18;
  return static_cast<std::uint64_t>(std::clamp(bytes, 0.0, kMost));
}

class CompactionLogReader {
 public:
  CompactionLogReader() { result_.value.system = StoreSystem::kCassandra; }

  void add_line(std::string_view line, std::size_t number) {
    ++result_.value.lines;
    const std::size_t mark = line.find(kTablesMark);
    const std::size_t ratio = mark == std::string_view::npos ? mark : line.find(kRatioMark, mark);
    if (ratio == std::string_view::npos) return;
    const std::string_view outputs = line.substr(mark + kTablesMark.size());
    const std::size_t close = outputs.find(']');
    const auto sizes =
        close == std::string_view::npos ? std::nullopt : sizes_of(outputs.substr(close + 1));
    const auto head = words_of(line.substr(0, mark));
    const auto tables = head.empty() ? std::nullopt : leading_number(head.back());
    if (!sizes || !tables) {
      if (!result_.fault) {
        result_.fault = input_error(fmt::format(
            "line {}: found '{}'; expected the number of SSTables of a compaction and its bytes "
            "before and after",
            number, excerpt(line.substr(mark))));
      }
      return;
    }
    LoggedCompaction compaction;
    compaction.family = family_of_task(line.substr(0, mark));
    if (compaction.family.empty()) compaction.family = family_of_path(outputs.substr(0, close));
    if (compaction.family.empty()) compaction.family = "(not named: nothing was left of it)";
    compaction.micros = micros_of_head(line.substr(0, mark));
    compaction.reason = reason_of(head, *tables);
    compaction.input_bytes = whole_bytes(sizes->first.bytes);
    compaction.output_bytes = whole_bytes(sizes->second.bytes);
    cut_bytes_ += sizes->first.cut + sizes->second.cut;
    all_bytes_ += sizes->first.bytes + sizes->second.bytes;
    if (const auto rows = after(line.substr(ratio), "merge counts were ")) {
      compaction.rows_merged = merged_rows_of(rows->substr(0, rows->find('}')));
    }
    compaction.is_finished = true;
    if (line.find(" compaction - ") != std::string_view::npos) {
      result_.value.system = StoreSystem::kScylladb;
    }
    result_.value.compactions.push_back(std::move(compaction));
  }

  Salvaged<InfoLog> finish() {
    InfoLog& log = result_.value;
    std::stable_sort(
        log.compactions.begin(), log.compactions.end(),
        [](const LoggedCompaction& a, const LoggedCompaction& b) { return a.micros < b.micros; });
    if (!log.compactions.empty()) {
      log.first_micros = log.compactions.front().micros;
      log.last_micros = log.compactions.back().micros;
    }
    log.events = log.compactions.size();
    if (cut_bytes_ > 0 && all_bytes_ > 0) log.cut_share = cut_bytes_ / all_bytes_;
    return std::move(result_);
  }

 private:
  // ". 68MB to 61MB (~89% of original)", " to level=0.  35,935 bytes to 35,942 (~100% of ..."
  static std::optional<std::pair<LoggedSize, LoggedSize>> sizes_of(std::string_view text) {
    text = text.substr(0, text.find(" (~"));
    const std::size_t to = text.rfind(" to ");
    const std::size_t dot = text.find(". ");
    if (to == std::string_view::npos || dot == std::string_view::npos || to < dot) {
      return std::nullopt;
    }
    const auto before = size_at(trimmed(text.substr(dot + 1, to - dot - 1)));
    const auto behind = size_at(trimmed(text.substr(to + 4)));
    if (!before || !behind) return std::nullopt;
    return std::pair(*before, *behind);
  }

  // "Compacted 4", "Compacted (8f0...) 4", "Reshaped 32"
  static std::string reason_of(const std::vector<std::string_view>& head, std::uint64_t tables) {
    std::string_view verb = head.size() > 1 ? head[head.size() - 2] : std::string_view();
    const bool has_task = verb.ends_with(')');
    if (has_task) verb = "Compacted";
    const std::string text = fmt::format("{:>3} SSTables", tables);
    return verb == "Compacted" ? text : fmt::format("{} ({})", text, verb);
  }

  Salvaged<InfoLog> result_;
  double cut_bytes_ = 0;
  double all_bytes_ = 0;
};

}  // namespace

bool is_compaction_log(std::string_view bytes) {
  for (std::size_t at = bytes.find(kTablesMark); at != std::string_view::npos;
       at = bytes.find(kTablesMark, at + 1)) {
    const std::string_view line = bytes.substr(at, bytes.find('\n', at) - at);
    if (line.find(kRatioMark) != std::string_view::npos) return true;
  }
  return false;
}

Salvaged<InfoLog> read_compaction_log(std::string_view bytes) {
  CompactionLogReader reader;
  Lines lines(bytes);
  while (const auto line = lines.next()) reader.add_line(*line, lines.number());
  return reader.finish();
}

}  // namespace lsmlab::stores
