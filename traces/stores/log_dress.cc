#include "traces/stores/log_dress.h"

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>

#include "traces/stores/log_lines.h"
#include "traces/stores/pasted_text.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_log_line(std::string_view text) { return log_line(text).has_value(); }

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

// Ceph's own lines, which are most of its log, begin with a time, too.
bool is_of_host(std::string_view line) {
  return line.size() > 10 && is_digit(line[0]) && line[4] == '-' && line[7] == '-' &&
         (line[10] == 'T' || line[10] == ' ');
}

// "LOG:12:2026/11/28-08:00:50.826342 ..." of grep.
std::size_t begin_of_grepped(std::string_view line) {
  constexpr std::size_t kPathMax = 300;
  for (std::size_t at = line.find(':'); at < kPathMax; at = line.find(':', at + 1)) {
    if (micros_of_line(line.substr(at + 1))) return at + 1;
  }
  return std::string_view::npos;
}

// A container's times differ from line to line.
bool begins_alike(std::string_view line, std::string_view dress) {
  if (line.size() < dress.size()) return false;
  return std::equal(dress.begin(), dress.end(), line.begin(),
                    [](char a, char b) { return a == b || (is_digit(a) && is_digit(b)); });
}

}  // namespace

std::string_view LogDress::bare(std::string_view line) {
  if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  if (is_log_line(line)) {
    dress_.clear();
    source_.clear();
    return with_own_quotes(line);
  }
  std::size_t begin = begin_of_own_text(line, is_log_line);
  const bool is_original =
      begin != std::string_view::npos && line.substr(0, begin).ends_with(kOriginalTimeMark);
  if (is_original) begin = std::string_view::npos;
  if (begin == std::string_view::npos) begin = begin_of_grepped(line);
  if (begin == std::string_view::npos) {
    if (auto own = foreign_.own_form(line)) {
      source_ = foreign_.source();
      unquoted_ = std::move(*own);
      return unquoted_;
    }
    if (!dress_.empty() && begins_alike(line, dress_)) return line.substr(dress_.size());
    return dress_.empty() && is_of_host(line) ? std::string_view() : without_list_mark(line);
  }
  dress_ = line.substr(0, begin);
  source_.clear();
  if (!dress_.ends_with('"')) return with_own_quotes(line.substr(begin));
  unquoted_ = line.substr(begin);
  erase_suffix(unquoted_);
  boost::algorithm::replace_all(unquoted_, "\\\"", "\"");
  return unquoted_;
}

std::string_view LogDress::with_own_quotes(std::string_view line) {
  auto plain = with_plain_quotes(line);
  if (!plain) return line;
  unquoted_ = std::move(*plain);
  return unquoted_;
}

bool has_log_lines(std::string_view text) {
  Lines lines(text);
  while (const auto line = lines.next()) {
    if (is_log_line(LogDress().bare(*line))) return true;
  }
  return false;
}

}  // namespace lsmlab::stores
