#include "traces/tools/shell_words.h"

#include <fmt/format.h>

#include <utility>

namespace lsmlab::tools {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Whether only spaces come before the end of the line: pasted lines often end in some.
bool ends_line(std::string_view rest) {
  const std::size_t first = rest.find_first_not_of(" \t\r");
  return first == std::string_view::npos || rest[first] == '\n';
}

class ShellSplitter {
 public:
  [[nodiscard]] Result<ShellCommands> split(std::string_view text) {
    for (at_ = 0; at_ < text.size(); ++at_) {
      if (quote_ != 0) {
        take_quoted(text);
      } else {
        take(text);
      }
    }
    if (quote_ != 0) return input_error(fmt::format("a quote {} does not end", quote_));
    if (parentheses_ > 0) return input_error("a '$(' does not end");
    end_line();
    return std::move(lines_);
  }

 private:
  void take_quoted(std::string_view text) {
    constexpr std::string_view kEscaped = "\"\\$`";  // by a backslash between double quotes
    const char c = text[at_];
    const char next = at_ + 1 < text.size() ? text[at_ + 1] : '\n';
    if (c == quote_) {
      quote_ = 0;
    } else if (quote_ == '"' && c == '\\' && kEscaped.find(next) != std::string_view::npos) {
      word_ += next;
      ++at_;
    } else {
      word_ += c;
    }
  }
  void take(std::string_view text) {
    const char c = text[at_];
    const char next = at_ + 1 < text.size() ? text[at_ + 1] : '\n';
    if (c == '$' && next == '(') {
      take_expansion(text);
    } else if (c == '\'' || c == '"') {
      quote_ = c;
      has_word_ = true;
    } else if (c == '\\' && ends_line(text.substr(at_ + 1))) {
      while (at_ + 1 < text.size() && text[at_] != '\n') ++at_;
      end_word();
    } else if (c == '\\') {
      word_ += next;
      has_word_ = true;
      ++at_;
    } else if (c == '#' && !has_word_) {
      while (at_ + 1 < text.size() && text[at_ + 1] != '\n') ++at_;
    } else if (c == '\n' || c == ';') {
      end_line();
    } else if (c == '&' && next == '&') {
      ++at_;
      end_line();
    } else if (is_space(c) || is_quote_of_page(c, next)) {
      end_word();
    } else {
      word_ += c;
      has_word_ = true;
    }
  }
  // "$(( 8 * 1024 ))" is in one word, with its spaces.
  void take_expansion(std::string_view text) {
    has_word_ = true;
    for (; at_ < text.size(); ++at_) {
      word_ += text[at_];
      if (text[at_] == '(') ++parentheses_;
      if (text[at_] == ')' && --parentheses_ == 0) return;
    }
  }
  // Backquotes around a whole command are those of a page that shows it.
  [[nodiscard]] bool is_quote_of_page(char c, char next) const {
    if (c != '`') return false;
    const bool begins = words_.empty() && !has_word_;
    return begins || next == '\n' || next == '\r' || next == ';' || next == '`';
  }
  void end_word() {
    if (has_word_) words_.push_back(std::move(word_));
    word_.clear();
    has_word_ = false;
  }
  void end_line() {
    end_word();
    if (!words_.empty()) lines_.push_back(std::move(words_));
    words_.clear();
  }

  std::size_t at_ = 0;
  char quote_ = 0;
  int parentheses_ = 0;  // open ones behind a '$'
  std::string word_;
  bool has_word_ = false;
  std::vector<std::string> words_;
  ShellCommands lines_;
};

}  // namespace

Result<ShellCommands> split_shell_words(std::string_view text) { return ShellSplitter().split(text); }

}  // namespace lsmlab::tools
