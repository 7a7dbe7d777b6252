#include "traces/stores/text_repair.h"

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <utility>
#include <vector>

#include "traces/stores/pasted_text.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

constexpr std::size_t kDressMax = 200;  // bytes before a line

bool is_dress_digit(char letter) { return letter >= '0' && letter <= '9'; }
bool is_dress_space(char letter) { return letter == ' ' || letter == '\t'; }
bool is_dress_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_';
}

// Text that a shell of Windows wrote; characters beyond ASCII are of no use here.
std::optional<std::string> of_utf16(std::string_view text) {
  const bool is_little = text.starts_with("\xFF\xFE");
  if (!is_little && !text.starts_with("\xFE\xFF")) return std::nullopt;
  std::string plain;
  for (std::size_t at = 2; at + 1 < text.size(); at += 2) {
    const char low = text[is_little ? at : at + 1];
    const char high = text[is_little ? at + 1 : at];
    plain += high == 0 ? low : '?';
  }
  return plain;
}

// "\x1b[32m"
void erase_colours(std::string& text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t escape = std::min(text.find("\x1b[", at), text.size());
    plain.append(text, at, escape - at);
    if (escape == text.size()) break;
    const std::size_t end = text.find_first_not_of("0123456789;", escape + 2);
    at = end == std::string::npos ? text.size() : end + 1;
  }
  text = std::move(plain);
}

// How far `line` goes like `first`, as a position in each. A run of digits is like another one, and
// a run of spaces.
std::pair<std::size_t, std::size_t> common_part(std::string_view first, std::size_t first_end,
                                                std::string_view line) {
  std::size_t a = 0;
  std::size_t b = 0;
  while (a < first_end && b < line.size()) {
    bool (*const is_of_run)(char) = is_dress_digit(first[a])   ? is_dress_digit
                                    : is_dress_space(first[a]) ? is_dress_space
                                                               : nullptr;
    if (is_of_run == nullptr) {
      if (first[a] != line[b]) break;
      ++a;
      ++b;
      continue;
    }
    if (!is_of_run(line[b])) break;
    while (a < first_end && is_of_run(first[a])) ++a;
    while (b < line.size() && is_of_run(line[b])) ++b;
  }
  return {a, b};
}

// A dress ends behind a sign or a space, not within a word.
std::size_t without_word(std::string_view first, std::size_t end) {
  while (end > 0 && (is_dress_letter(first[end - 1]) || is_dress_digit(first[end - 1]))) --end;
  return end;
}

// Behind "out.txt:12:" or "12:" of grep; 0: the line has none. A time is no name of a file.
std::size_t end_of_grep_mark(std::string_view line) {
  std::size_t at = 0;
  for (int part = 0; part < 2; ++part) {
    const std::size_t digits = std::min(line.find_first_not_of("0123456789", at), line.size());
    if (digits > at && digits < line.size() && line[digits] == ':') return digits + 1;
    const std::size_t colon = line.find(':', at);
    if (part > 0 || colon == std::string_view::npos || is_dress_digit(line.front()) ||
        line.substr(0, colon).find_first_of(" \t\"'{[") != std::string_view::npos) {
      return 0;
    }
    at = colon + 1;
  }
  return 0;
}

bool erase_grep_marks(std::string& text) {
  std::string bare;
  std::size_t count = 0;
  std::uint64_t last = 0;
  Lines lines(text);
  while (const auto line = lines.next()) {
    const std::size_t end = end_of_grep_mark(*line);
    if (end == 0 && !trimmed(*line).empty()) return false;
    const std::size_t colon = end < 2 ? std::string_view::npos : line->rfind(':', end - 2);
    const std::size_t begin = colon == std::string_view::npos ? 0 : colon + 1;
    const std::uint64_t number = leading_number(line->substr(begin)).value_or(0);
    if (end > 0 && number <= last) return false;
    if (end > 0) last = number;
    bare.append(line->substr(end)).push_back('\n');
    ++count;
  }
  constexpr std::size_t kLinesMin = 3;
  if (count < kLinesMin) return false;
  text = std::move(bare);
  return true;
}

std::vector<std::string_view> filled_lines(std::string_view text) {
  std::vector<std::string_view> filled;
  Lines lines(text);
  while (const auto line = lines.next()) {
    if (!trimmed(*line).empty()) filled.push_back(*line);
  }
  return filled;
}

}  // namespace

std::optional<std::string> repaired_text(std::string_view text) {
  constexpr std::pair<std::string_view, std::string_view> kReplaced[] = {
      {"\u00a0", " "},  {"\u202f", " "}, {"\u200b", ""}, {"&nbsp;", " "},
      {"&quot;", "\""}, {"&#34;", "\""}, {"&#39;", "'"}, {"&apos;", "'"},
      {"&lt;", "<"},    {"&gt;", ">"},   {"&amp;", "&"}};
  if (auto plain = of_utf16(text)) return repaired_text(*plain).value_or(*plain);
  if (text.substr(0, 1U << 16).find('\0') != std::string_view::npos) return std::nullopt;
  std::string repaired(text);
  bool is_changed = repaired.find("\x1b[") != std::string::npos;
  if (is_changed) erase_colours(repaired);
  for (const auto& [from, to] : kReplaced) {
    if (repaired.find(from) == std::string::npos) continue;
    is_changed = true;
    boost::algorithm::replace_all(repaired, from, to);
  }
  // An editor's quotes, where it left no other.
  for (const auto& [from, to] : {std::pair("\u2018", "'"), std::pair("\u2019", "'"),
                                 std::pair("\u201c", "\""), std::pair("\u201d", "\"")}) {
    if (repaired.find(from) == std::string::npos || text.find(to) != std::string_view::npos)
      continue;
    is_changed = true;
    boost::algorithm::replace_all(repaired, from, to);
  }
  // A string of a program, in one line.
  const bool is_one_line = repaired.find('\n') == std::string::npos && !repaired.starts_with('{') &&
                           !repaired.starts_with('[');
  if (is_one_line && repaired.find("\\n") != std::string::npos) {
    is_changed = true;
    repaired = unescaped_text(repaired);
  }
  is_changed = erase_grep_marks(repaired) || is_changed;
  return is_changed ? std::optional(std::move(repaired)) : std::nullopt;
}

std::optional<std::string> without_common_dress(std::string_view text) {
  constexpr std::size_t kLinesMin = 3;
  const std::vector<std::string_view> filled = filled_lines(text);
  if (filled.empty()) return std::nullopt;
  if (filled.size() < kLinesMin) return std::nullopt;
  const std::string_view first = filled.front();
  std::size_t end = std::min(first.size(), kDressMax);
  for (const std::string_view line : filled) end = common_part(first, end, line).first;
  end = without_word(first, end);
  if (end == 0) return std::nullopt;
  const bool has_quotes = first.substr(0, end).ends_with('"');
  const bool has_bars = std::all_of(filled.begin(), filled.end(), [](std::string_view line) {
    return trimmed(line).ends_with('|');
  });
  std::string bare;
  Lines lines(text);
  while (const auto line = lines.next()) {
    std::string rest(line->substr(std::min(common_part(first, end, *line).second, line->size())));
    if (has_quotes) {
      erase_suffix(rest);
      boost::algorithm::replace_all(rest, "\\\"", "\"");
    } else if (has_bars && rest.find_last_of('|') != std::string::npos) {
      rest.resize(rest.find_last_of('|'));
    }
    bare += rest + '\n';
  }
  return bare;
}

}  // namespace lsmlab::stores
