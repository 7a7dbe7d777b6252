#include "traces/stores/pasted_text.h"

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>

#include "traces/stores/info_log.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

// "": "text",
std::string_view value_of_member(std::string_view line) {
  const std::string_view member = trimmed(line);
  if (!member.starts_with('"')) return line;
  const std::size_t begin = member.find("\": \"");
  const std::size_t end = member.rfind('"');
  if (begin == std::string_view::npos || end < begin + 4) return line;
  return member.substr(begin + 4, end - begin - 4);
}

// Where the word that begins at or after `begin`, and the space behind it, end.
std::size_t end_of_word(std::string_view text, std::size_t begin) {
  const std::size_t word = text.find_first_not_of(' ', begin);
  const std::size_t space = text.find(' ', word);
  return std::min(text.size(), space == std::string_view::npos ? space : space + 1);
}

// "L0 8/0", "Sum 27/3": the first words of a row.
bool is_row(std::string_view text) {
  constexpr std::string_view kNames[] = {"Sum", "Int", "Low", "High", "User", "Bottom"};
  constexpr std::size_t kWordsMax = 40;  // bytes of both
  const auto words = words_of(text.substr(0, kWordsMax));
  if (words.size() < 2) return false;
  const bool is_level = words[0].size() > 1 && words[0][0] == 'L' &&
                        words[0].find_first_not_of("0123456789", 1) == std::string_view::npos;
  const bool is_named =
      std::find(std::begin(kNames), std::end(kNames), words[0]) != std::end(kNames);
  const std::size_t slash = words[1].find('/');
  return (is_level || is_named) && slash != std::string_view::npos && slash > 0 &&
         words[1].find_first_not_of("0123456789/") == std::string_view::npos;
}

bool begins_table_line(std::string_view text) {
  constexpr std::string_view kMarks[] = {"** Compaction Stats [",
                                         "** DB Stats",
                                         "Uptime(secs): ",
                                         "Flush(GB): ",
                                         "AddFile(",
                                         "Cumulative ",
                                         "Interval ",
                                         "Stalls(count): ",
                                         "Write Stall (count): ",
                                         "Blob file count"};
  const bool is_marked = std::any_of(std::begin(kMarks), std::end(kMarks),
                                     [&](std::string_view mark) { return text.starts_with(mark); });
  if (is_marked || is_row(text)) return true;
  const auto words = words_of(text.substr(0, 40));
  return words.size() > 1 && (words[0] == "Level" || words[0] == "Priority") &&
         (words[1] == "Files" || words[1] == "Tables");
}

// "| L0 | 4/0 | 108 KB | 0.5 |" as "L0 4/0 108KB 0.5": the cells of a drawn table, one word each. A
// line in a frame, or with a host before a bar, has fewer of them.
void join_cells(std::string& text) {
  constexpr std::size_t kDrawnCellsMin = 5;
  constexpr std::string_view kEmphasis = "*`";
  std::string joined;
  std::size_t cells = 0;
  for (std::string_view rest = trimmed(text); !rest.empty(); ++cells) {
    const std::size_t bar = rest.find('|');
    const std::size_t before = joined.size();
    for (const char letter : rest.substr(0, bar)) {
      if (letter != ' ' && kEmphasis.find(letter) == std::string_view::npos) joined += letter;
    }
    if (joined.size() == before) joined += '-';
    joined += ' ';
    rest.remove_prefix(bar == std::string_view::npos ? rest.size() : bar + 1);
  }
  if (cells >= kDrawnCellsMin) text = std::move(joined);
}

void erase_prefix(std::string& text) {
  const std::size_t begin = begin_of_own_text(text, begins_table_line);
  // Spaces alone are the text's own.
  if (begin != std::string::npos && begin != text.find_first_not_of(" \t")) text.erase(0, begin);
}

// Of a comment in a program's source.
std::string_view without_comment_mark(std::string_view line) {
  const std::string_view text = trimmed(line);
  if (text.starts_with("// ")) return trimmed(text.substr(2));
  return text.starts_with("* ") ? trimmed(text.substr(1)) : line;
}

}  // namespace

std::size_t begin_of_own_text(std::string_view line, bool (*is_own)(std::string_view)) {
  constexpr std::size_t kPrefixMax = 400;
  for (std::size_t at = line.find_first_not_of(" \t"); at < kPrefixMax;) {
    const std::size_t word = line[at] == '"' || line[at] == '\'' ? at + 1 : at;
    if (is_own(line.substr(std::min(line.find_first_not_of(' ', word), line.size())))) return word;
    const std::size_t space = line.find_first_of(" \t", at);
    at = space == std::string_view::npos ? space : line.find_first_not_of(" \t", space);
  }
  return std::string_view::npos;
}

void erase_suffix(std::string& text) {
  for (;;) {
    while (!text.empty() && text.back() == ' ') text.pop_back();
    if (text.ends_with("\\n")) {
      text.resize(text.size() - 2);
    } else if (!text.empty() &&
               std::string_view("\",'+;\\").find(text.back()) != std::string_view::npos) {
      text.pop_back();
    } else {
      return;
    }
  }
}

std::string unescaped_text(std::string_view text) {
  std::string result(text);
  boost::algorithm::replace_all(result, "\\n", "\n");
  boost::algorithm::replace_all(result, "\\t", " ");
  return result;
}

std::string unquoted_line(std::string_view line) {
  constexpr std::string_view kMarks = "> |\t";
  std::string text(value_of_member(without_comment_mark(line)));
  boost::algorithm::replace_all(text, "&nbsp;", " ");
  // Spaces alone are the text's own.
  const std::size_t begin = text.find_first_not_of(kMarks);
  const std::size_t mark = text.find_first_of(">|");
  if (begin != std::string::npos && mark < begin) text.erase(0, begin);
  join_cells(text);
  boost::algorithm::replace_all(text, "|", " ");
  if (micros_of_line(text)) text.erase(0, end_of_word(text, end_of_word(text, 0)));
  erase_suffix(text);
  erase_prefix(text);
  return text;
}

}  // namespace lsmlab::stores
