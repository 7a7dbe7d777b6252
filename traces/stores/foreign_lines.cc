#include "traces/stores/foreign_lines.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>

#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

constexpr std::string_view kForeignEventMark = "EVENT_LOG_v1 {";
constexpr std::size_t kForeignPrefixMax = 600;
constexpr std::size_t kNowhere = std::string_view::npos;

bool fits(std::string_view text, std::string_view form) {
  return text.size() >= form.size() &&
         std::equal(form.begin(), form.end(), text.begin(), [](char wanted, char letter) {
           return wanted == 'd' ? letter >= '0' && letter <= '9' : wanted == letter;
         });
}

// "[default] " before a mark, if it stands there.
std::size_t with_family(std::string_view line, std::size_t mark) {
  const std::string_view head = line.substr(0, mark);
  if (!head.ends_with("] ")) return mark;
  const std::size_t open = head.rfind('[');
  return open == kNowhere ? mark : open;
}

// Where RocksDB's message begins.
std::size_t begin_of_message(std::string_view line) {
  std::size_t event = line.find(kForeignEventMark);
  if (event != kNowhere) {
    const std::size_t original = line.substr(0, event).rfind(kOriginalTimeMark);
    return original == kNowhere ? event : original;
  }
  const std::string_view head = line.substr(0, kForeignPrefixMax);
  const std::size_t original = head.find(kOriginalTimeMark);
  if (original != kNowhere) return original;
  for (const std::string_view mark :
       {"[JOB ", "compacted to: ", "Level summary: ", "Moving #", "Moved #",
        "Stalling writes because", "Stopping writes because"}) {
    const std::size_t at = head.find(mark);
    if (at != kNowhere) return with_family(line, at);
  }
  for (const std::string_view mark : {"RocksDB version: ", "Options for column family ["}) {
    const std::size_t at = head.find(mark);
    if (at != kNowhere) return at;
  }
  const std::size_t option = head.find(" Options.");
  return option == kNowhere || line.find(':', option) == kNowhere ? kNowhere : option + 1;
}

// "I240702 03:28:09.254802 " of CockroachDB, "I0213 00:00:05.312952 " of glog.
std::string time_of_glog(std::string_view prefix) {
  constexpr std::string_view kYear = "1972";
  if (prefix.empty() || std::string_view("DIWEF").find(prefix[0]) == kNowhere) return "";
  std::string_view rest = prefix.substr(1);
  std::string year(kYear);
  if (fits(rest, "dddddd dd:dd:dd.dddddd")) {
    year = "20" + std::string(rest.substr(0, 2));
    rest.remove_prefix(2);
  }
  if (!fits(rest, "dddd dd:dd:dd.dddddd")) return "";
  return fmt::format("{}/{}/{}-{}", year, rest.substr(0, 2), rest.substr(2, 2), rest.substr(5, 15));
}

// "2016-04-16 16:18:24,510" anywhere in the prefix.
std::string time_of_iso(std::string_view prefix) {
  constexpr std::size_t kSecondsEnd = 19;
  for (std::size_t at = 0; at + kSecondsEnd < prefix.size(); ++at) {
    const std::string_view text = prefix.substr(at);
    if (!fits(text, "dddd-dd-dd dd:dd:dd") && !fits(text, "dddd-dd-ddTdd:dd:dd")) continue;
    std::string_view fraction = text.substr(kSecondsEnd);
    const bool has_fraction = fraction.starts_with('.') || fraction.starts_with(',');
    fraction = has_fraction ? fraction.substr(1, 6) : std::string_view();
    fraction = fraction.substr(0, fraction.find_first_not_of("0123456789"));
    return fmt::format("{}/{}/{}-{}.{:0<6}", text.substr(0, 4), text.substr(5, 2),
                       text.substr(8, 2), text.substr(11, 8), fraction);
  }
  return "";
}

// Of an event, whose member has it in UTC.
std::string time_of_event(std::string_view message) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 52;
  const auto member = after(message, "\"time_micros\":");
  const auto micros = member ? leading_number(trimmed(*member)) : std::nullopt;
  if (!micros || *micros > kMost) return "";
  return fmt::format("{:%Y/%m/%d-%H:%M:%S}.{:06}",
                     fmt::gmtime(static_cast<std::time_t>(*micros / 1'000'000)),
                     *micros % 1'000'000);
}

// "5d3f [R]" of "T 5d3f P abcd [R]: ".
std::string source_of(std::string_view prefix) {
  const auto tablet = after(prefix, "] T ");
  const auto peer = tablet ? after(*tablet, " P ") : std::nullopt;
  const std::size_t open = peer ? peer->find(" [") : kNowhere;
  const std::size_t close = open == kNowhere ? kNowhere : peer->find("]:", open);
  if (close == kNowhere) return "";
  return fmt::format("{} {}", tablet->substr(0, tablet->find(' ')),
                     peer->substr(open + 1, close - open));
}

// "29099" behind the time of glog.
std::string_view thread_of(std::string_view prefix) {
  const auto words = words_of(prefix);
  const bool is_number =
      words.size() > 2 && words[2].find_first_not_of("0123456789") == std::string_view::npos;
  return is_number ? words[2] : "-";
}

}  // namespace

std::optional<std::string> with_plain_quotes(std::string_view line) {
  const std::size_t event = line.find(kForeignEventMark);
  if (event == kNowhere) return std::nullopt;
  const std::string_view first = trimmed(line.substr(event + kForeignEventMark.size()));
  std::string text(line);
  if (first.starts_with("&quot;")) {
    boost::algorithm::replace_all(text, "&quot;", "\"");
  } else if (first.starts_with("&#34;")) {
    boost::algorithm::replace_all(text, "&#34;", "\"");
  } else if (first.starts_with("\\\"")) {
    boost::algorithm::replace_all(text, "\\\"", "\"");
  } else if (first.starts_with("\u201c") || first.starts_with("\u201d")) {
    boost::algorithm::replace_all(text, "\u201c", "\"");
    boost::algorithm::replace_all(text, "\u201d", "\"");
  } else {
    return std::nullopt;
  }
  return text;
}

std::optional<std::string> ForeignLines::own_form(std::string_view line) {
  const auto plain = with_plain_quotes(line);
  if (plain) line = *plain;
  const std::size_t begin = begin_of_message(line);
  if (begin == kNowhere) return std::nullopt;
  const std::string_view prefix = line.substr(0, begin);
  std::string_view message = line.substr(begin);
  const bool is_event = message.find(kForeignEventMark) != kNowhere;
  if (is_event && message.find('}') != kNowhere) {
    // An attribute, or the rest of a program's statement, may follow.
    const std::size_t end = message.rfind('}') + 1;
    const bool has_rest = message.find_first_not_of(" \t\r", end) != kNowhere;
    if (has_rest) message = message.substr(0, end);
  }
  std::string time = time_of_glog(prefix);
  if (time.empty()) time = time_of_iso(prefix);
  if (time.empty() && is_event) time = time_of_event(message);
  if (time.empty()) time = last_time_;
  if (time.empty()) return std::nullopt;
  last_time_ = time;
  source_ = source_of(prefix);
  return fmt::format("{} {} {}", time, thread_of(prefix), message);
}

}  // namespace lsmlab::stores
