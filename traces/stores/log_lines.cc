#include "traces/stores/log_lines.h"

#include <algorithm>

#include "traces/stores/info_log.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

constexpr std::size_t kTimeBytes = 26;  // of RocksDB's own
constexpr std::string_view kCephMark = " rocksdb: ";
constexpr std::size_t kSummaryLevelsMax = 256;

// "2026-11-27T01:16:03.511" and the like, with three to nine digits of a second.
std::optional<std::uint64_t> micros_of(std::string_view time) {
  constexpr std::size_t kSecondsEnd = 19;
  constexpr std::size_t kMicrosDigits = 6;
  if (time.size() <= kSecondsEnd || (time[kSecondsEnd] != '.' && time[kSecondsEnd] != ',')) {
    return std::nullopt;
  }
  std::string own(time.substr(0, kSecondsEnd));
  own[4] = own[7] = '/';
  own[10] = '-';
  std::string_view fraction = time.substr(kSecondsEnd + 1, kMicrosDigits);
  fraction = fraction.substr(0, fraction.find_first_not_of("0123456789"));
  if (fraction.empty()) return std::nullopt;
  own += '.' + std::string(fraction) + std::string(kMicrosDigits - fraction.size(), '0');
  return micros_of_line(own);
}

std::optional<LogLine> line_of_ceph(std::string_view line) {
  const auto micros = micros_of(line);
  const std::size_t mark = micros ? line.find(kCephMark) : std::string_view::npos;
  if (mark == std::string_view::npos) return std::nullopt;
  // Before version 15 a space stands between date and time.
  const auto words = words_of(line.substr(0, mark));
  const std::size_t thread = line[10] == ' ' ? 2 : 1;
  if (words.size() <= thread) return std::nullopt;
  return LogLine{*micros, words[thread], line.substr(mark + kCephMark.size())};
}

// The text between '[' and ']' at the front, which is removed.
std::optional<std::string_view> take_bracket(std::string_view& line) {
  if (!line.starts_with('[')) return std::nullopt;
  const std::size_t close = line.find(']');
  if (close == std::string_view::npos) return std::nullopt;
  const std::string_view text = line.substr(1, close - 1);
  line = line.substr(close + 1);
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return text;
}

std::optional<LogLine> line_of_tikv(std::string_view line) {
  const auto time = take_bracket(line);
  const auto micros = time ? micros_of(*time) : std::nullopt;
  if (!micros) return std::nullopt;
  const auto thread = take_bracket(line);
  const auto severity = thread ? take_bracket(line) : std::nullopt;
  if (!severity) return std::nullopt;
  return LogLine{*micros, *thread, line};
}

// A message may begin with its severity, "[WARN] ", and the place in the source,
// "[db/flush_job.cc:1] " (since version 6).
std::string_view without_origin(std::string_view message) {
  // A line that was written later than it was made: "(Original Log Time 2026/11/28-08:00:50.826342)
  // ".
  if (message.starts_with("(Original Log Time ")) {
    const std::size_t close = message.find(") ");
    if (close != std::string_view::npos) message = trimmed(message.substr(close + 2));
  }
  while (message.starts_with('[')) {
    const std::size_t close = message.find("] ");
    if (close == std::string_view::npos) break;
    const std::string_view word = message.substr(1, close - 1);
    const bool is_severity = word == "WARN" || word == "ERROR" || word == "FATAL" ||
                             word == "INFO" || word == "DEBUG" || word == "HEADER";
    if (!is_severity && word.find(".cc:") == std::string_view::npos) break;
    message = trimmed(message.substr(close + 2));
  }
  return message;
}

}  // namespace

std::string_view without_list_mark(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return line;
  const std::string_view text = line.substr(begin);
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const bool is_bullet = text.starts_with("- ") || text.starts_with("* ");
  const std::string_view mark = text.substr(digits, 2);
  const bool is_number = digits > 0 && (mark == ". " || mark == ") ");
  if (!is_bullet && !is_number) return line;
  return text.substr(digits + 2);
}

std::optional<LogLine> log_line(std::string_view line) {
  if (line.starts_with('[')) return line_of_tikv(line);
  const auto micros = micros_of_line(line);
  if (!micros) return line_of_ceph(line);
  std::string_view message = line.substr(std::min(line.size(), kTimeBytes + 1));
  const std::size_t space = message.find(' ');
  const std::string_view thread = message.substr(0, space);
  message = space == std::string_view::npos ? std::string_view() : message.substr(space + 1);
  return LogLine{*micros, thread, message};
}

std::optional<std::string> version_of_message(std::string_view message) {
  if (const auto own = after(message, "RocksDB version: ")) return std::string(trimmed(*own));
  const auto speedb = after(message, "Speedb version: ");
  const auto base = speedb ? after(*speedb, "(") : std::nullopt;
  const std::size_t end = base ? base->find(')') : std::string_view::npos;
  if (end == std::string_view::npos) return std::nullopt;
  return std::string(trimmed(base->substr(0, end)));
}

std::optional<bool> jemalloc_of_message(std::string_view message) {
  const auto answer = after(message, "Jemalloc supported: ");
  return answer ? std::optional(answer->starts_with('1')) : std::nullopt;
}

std::optional<std::string> family_of_message(std::string_view message, std::string_view mark) {
  const std::string_view rest = without_origin(trimmed(message));
  const std::size_t end = rest.find(mark);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view head = trimmed(rest.substr(0, end));
  if (head.size() < 2 || head.front() != '[' || head.back() != ']') return std::nullopt;
  return std::string(head.substr(1, head.size() - 2));
}

std::optional<std::vector<std::uint64_t>> files_of_summary(std::string_view message) {
  const auto list = after(message, " files[");
  const std::size_t end = list ? list->find("] max score ") : std::string_view::npos;
  if (end == std::string_view::npos) return std::nullopt;
  std::vector<std::uint64_t> files;
  for (const std::string_view word : words_of(list->substr(0, end))) {
    const auto count = leading_number(word);
    if (!count || files.size() == kSummaryLevelsMax) return std::nullopt;
    files.push_back(*count);
  }
  return files;
}

std::uint64_t made_micros(std::string_view message, std::uint64_t line_micros) {
  const auto original = after(message.substr(0, 32), "(Original Log Time ");
  return original ? micros_of_line(message.substr(19)).value_or(line_micros) : line_micros;
}

std::uint64_t zone_micros(std::uint64_t local, std::uint64_t utc) {
  constexpr std::int64_t kQuarter = std::int64_t{15} * 60 * 1'000'000;
  const auto ahead = static_cast<std::int64_t>(local - utc);
  const std::int64_t quarters = (ahead + (ahead < 0 ? -kQuarter / 2 : kQuarter / 2)) / kQuarter;
  return static_cast<std::uint64_t>(quarters) * static_cast<std::uint64_t>(kQuarter);
}

}  // namespace lsmlab::stores
