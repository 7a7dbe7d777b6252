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

}  // namespace

std::string unquoted_line(std::string_view line) {
  constexpr std::string_view kMarks = "> |\t";
  std::string text(value_of_member(line));
  boost::algorithm::replace_all(text, "&nbsp;", " ");
  // Spaces alone are the text's own.
  const std::size_t begin = text.find_first_not_of(kMarks);
  const std::size_t mark = text.find_first_of(">|");
  if (begin != std::string::npos && mark < begin) text.erase(0, begin);
  boost::algorithm::replace_all(text, "|", " ");
  if (micros_of_line(text)) text.erase(0, end_of_word(text, end_of_word(text, 0)));
  return text;
}

}  // namespace lsmlab::stores
