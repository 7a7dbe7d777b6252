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

// What a line says of its time.
enum class TimeForm { kNone, kClock, kDay, kDate };

struct LineTime {
  TimeForm form = TimeForm::kNone;
  std::uint64_t micros = 0;
};

// After which times without a date, or without a year, are the same again.
std::optional<std::uint64_t> period_micros(TimeForm form) {
  constexpr std::uint64_t kDay = 86'400'000'000;
  constexpr std::uint64_t kYear = 365 * kDay;
  if (form == TimeForm::kClock) return kDay;
  return form == TimeForm::kDay ? std::optional<std::uint64_t>(kYear) : std::nullopt;
}

LineTime time_of_head(std::string_view head) {
  constexpr std::string_view kLeapYear = "1972";
  constexpr std::size_t kDate = 11;   // bytes, with the separator
  constexpr std::size_t kClock = 12;  // bytes, with milliseconds
  const std::size_t at = last_clock(head);
  if (at == std::string_view::npos) return {};
  std::string clock(head.substr(at, kClock));
  std::replace(clock.begin(), clock.end(), ',', '.');
  if (at >= kDate) {
    const auto micros = history_micros(fmt::format("{}T{}", head.substr(at - kDate, 10), clock));
    if (micros) return {TimeForm::kDate, *micros};
  }
  const auto day = day_of_syslog(head.substr(0, at));
  const auto micros =
      history_micros(fmt::format("{}-{}T{}", kLeapYear, day.value_or("01-01"), clock));
  if (!micros) return {};
  return {day ? TimeForm::kDay : TimeForm::kClock, *micros};
}

struct LoggedSize {
  double bytes = 0;
  double cut = 0;  // that the printed digits may lack
};

// What divides thousands, by the locale.
constexpr std::string_view kGroupMarks[] = {".", ",", "\u00a0", "\u202f", "\u2019", "'"};

// "1.234.567": a count of bytes, in groups of digits.
std::optional<double> grouped_bytes(std::string_view text) {
  constexpr std::size_t kGroup = 3;  // digits behind the last mark
  std::string digits;
  std::size_t last_mark = 0;  // digits before it
  while (!text.empty()) {
    const auto* const mark =
        std::find_if(std::begin(kGroupMarks), std::end(kGroupMarks),
                     [text](std::string_view one) { return text.starts_with(one); });
    if (mark == std::end(kGroupMarks)) {
      digits += text.front();
      text.remove_prefix(1);
    } else {
      last_mark = digits.size();
      text.remove_prefix(mark->size());
      if (last_mark == 0) return std::nullopt;
    }
  }
  if (last_mark > 0 && digits.size() - last_mark != kGroup) return std::nullopt;
  return digits.find_first_not_of("0123456789") == std::string::npos ? leading_real(digits)
                                                                     : std::nullopt;
}

// "35,935 bytes", "10458", "68MB", "1.276GiB". Cassandra prints three decimals with a unit, in some
// locales behind a comma; ScyllaDB cuts all decimals.
std::optional<LoggedSize> size_at(std::string_view text) {
  constexpr std::string_view kPrefixes = "kMGTP";
  std::size_t end = text.size();
  while (end > 0 && (text[end - 1] >= 'A' && text[end - 1] <= 'z')) --end;
  const std::string_view unit = text.substr(end);
  const std::string_view number = trimmed(text.substr(0, end));
  if (unit.empty() || unit == "bytes" || unit == "B") {
    const auto bytes = grouped_bytes(number);
    return bytes ? std::optional<LoggedSize>({*bytes, 0}) : std::nullopt;
  }
  const std::size_t prefix = kPrefixes.find(unit.front() == 'K' ? 'k' : unit.front());
  const bool is_binary = unit.substr(1) == "iB";
  if (prefix == std::string_view::npos || (!is_binary && unit.substr(1) != "B")) {
    return std::nullopt;
  }
  std::string digits(number);
  std::replace(digits.begin(), digits.end(), ',', '.');
  const auto value = decimal_number(digits);
  if (!value) return std::nullopt;
  const double scale = std::pow(is_binary ? 1024.0 : 1000.0, static_cast<double>(prefix + 1));
  const bool is_cut = digits.find('.') == std::string::npos;
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

// Of ScyllaDB's jobs that end with such a line. Other brackets name threads and hosts.
bool is_task(std::string_view word) {
  constexpr std::string_view kStems[] = {"Compact", "Major", "Reshape", "Reshard",
                                         "Cleanup", "Clean", "Scrub",   "Upgrad",
                                         "Validat", "Split", "Index",   "Rewrite"};
  return std::any_of(std::begin(kStems), std::end(kStems),
                     [word](std::string_view stem) { return word.starts_with(stem); });
}

// Of "[Compact ks.table 8f0...] Compacted 4": "ks.table".
std::string family_of_task(std::string_view head) {
  const std::size_t close = head.rfind(']');
  const std::size_t open = close == std::string_view::npos ? close : head.rfind('[', close);
  if (open == std::string_view::npos) return "";
  const auto words = words_of(head.substr(open + 1, close - open - 1));
  if (words.size() < 2 || !is_task(words[0])) return "";
  const char first = words[1].front();
  const bool has_letter = (first >= 'A' && first <= 'Z') || (first >= 'a' && first <= 'z');
  const bool is_named = has_letter && words[1].find('.') != std::string_view::npos;
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
    compaction.micros = note_time(time_of_head(line.substr(0, mark)));
    compaction.reason = reason_of(head, *tables);
    compaction.input_bytes = whole_bytes(sizes->first.bytes);
    compaction.output_bytes = whole_bytes(sizes->second.bytes);
    read_ = {read_.bytes + sizes->first.bytes, read_.cut + sizes->first.cut};
    written_ = {written_.bytes + sizes->second.bytes, written_.cut + sizes->second.cut};
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
    if (!has_order_) {
      for (LoggedCompaction& compaction : log.compactions) compaction.micros = 0;
    }
    std::stable_sort(
        log.compactions.begin(), log.compactions.end(),
        [](const LoggedCompaction& a, const LoggedCompaction& b) { return a.micros < b.micros; });
    if (!log.compactions.empty()) {
      log.first_micros = log.compactions.front().micros;
      log.last_micros = log.compactions.back().micros;
    }
    log.events = log.compactions.size();
    log.read_cut_share = share_of_cut(read_);
    log.written_cut_share = share_of_cut(written_);
    return std::move(result_);
  }

 private:
  // Lines of several forms have no common clock, and a jump back by most of a period begins a new
  // one.
  std::uint64_t note_time(const LineTime& time) {
    const auto period = period_micros(time.form);
    if (last_time_) {
      has_order_ = has_order_ && time.form == last_time_->form &&
                   (!period || time.micros + *period / 2 > last_time_->micros);
    }
    last_time_ = time;
    return time.micros;
  }

  static std::optional<double> share_of_cut(const LoggedSize& sum) {
    return sum.cut > 0 && sum.bytes > 0 ? std::optional<double>(sum.cut / sum.bytes) : std::nullopt;
  }

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
  LoggedSize read_;
  LoggedSize written_;
  std::optional<LineTime> last_time_;
  bool has_order_ = true;
};

}  // namespace

bool is_compaction_log(std::string_view bytes) {
  for (std::size_t at = bytes.find(kTablesMark); at != std::string_view::npos;
       at = bytes.find(kTablesMark, at)) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    if (bytes.substr(at, end - at).find(kRatioMark) != std::string_view::npos) return true;
    at = end;
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
