#include "traces/tools/shell_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <map>
#include <utility>

namespace lsmlab::tools {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Whether only spaces come before the end of the line: pasted lines often end in some.
bool ends_line(std::string_view rest) {
  const std::size_t first = rest.find_first_not_of(" \t\r");
  return first == std::string_view::npos || rest[first] == '\n';
}

bool is_name_letter(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// No program's name begins like a flag, "-f" or "--flag": a page has wrapped the line.
bool begins_with_flag(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  if (!line.starts_with('-')) return false;
  line.remove_prefix(line.starts_with("--") ? 2 : 1);
  return !line.empty() && is_name_letter(line.front());
}

// The name at the beginning of the text; empty if there is none.
std::string_view leading_name(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && is_name_letter(text[end])) ++end;
  return end > 0 && (text[0] < '0' || text[0] > '9') ? text.substr(0, end) : std::string_view();
}

// The name in "name=value" or "name+=value"; empty if the word is neither.
std::string_view assigned_name(std::string_view word) {
  const std::string_view name = leading_name(word);
  const std::string_view rest = word.substr(name.size());
  return rest.starts_with('=') || rest.starts_with("+=") ? name : std::string_view();
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Where the command's own words begin: behind a prompt, or what sets variables, too.
std::size_t first_word_of(const std::vector<std::string>& words) {
  return is_one_of(words.front(), {"$", "export", "readonly", "local", "declare"}) ? 1 : 0;
}

bool only_assigns(const std::vector<std::string>& words) {
  const auto first = words.begin() + static_cast<std::ptrdiff_t>(first_word_of(words));
  return std::all_of(first, words.end(),
                     [](const std::string& word) { return !assigned_name(word).empty(); });
}

// The variables that commands set for those behind them, as far as that is sure without running
// them.
class ShellVariables {
 public:
  [[nodiscard]] const std::string* find(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : &found->second;
  }
  // `is_if_before`: the command runs only if the one before it succeeded.
  void note(const std::vector<std::string>& words, bool is_if_before) {
    note_depth(words);
    const bool is_sure = depth_ == 0 && !(is_if_before && before_is_test_) && only_assigns(words);
    const std::string_view program = words[std::min(first_word_of(words), words.size() - 1)];
    before_is_test_ = is_one_of(program, {"[", "[[", "test"});
    // They may set any variable.
    if (is_one_of(program, {".", "source", "eval"}) || program.starts_with("((")) values_.clear();
    const bool are_names = is_one_of(program, {"unset", "read", "let"});
    for (const std::string& word : words) {
      const std::string name(are_names ? leading_name(word) : assigned_name(word));
      if (name.empty()) continue;
      values_.erase(name);
      const std::string_view value = std::string_view(word).substr(name.size());
      // A command or arithmetic, which nobody evaluates here, or an array.
      const bool is_text = value.find_first_of("$`") == std::string_view::npos &&
                           value.starts_with('=') && !value.starts_with("=(");
      if (is_sure && is_text) values_.emplace(name, value.substr(1));
    }
  }

 private:
  void note_depth(const std::vector<std::string>& words) {
    const std::string_view first = words.front();
    const bool opens = is_one_of(first, {"if", "case", "for", "while", "until", "select"});
    if (opens || std::find(words.begin(), words.end(), "{") != words.end()) ++depth_;
    if (is_one_of(first, {"fi", "esac", "done", "}"}) && depth_ > 0) --depth_;
  }

  std::map<std::string, std::string, std::less<>> values_;
  int depth_ = 0;  // of conditions, loops and functions
  bool before_is_test_ = false;
};

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
    if (parentheses_ > 0) return input_error("a '$(' does not end");
    if (quote_ != 0) return input_error(fmt::format("a quote {} does not end", quote_));
    end_line();
    if (!std::all_of(lines_.begin(), lines_.end(), only_assigns)) {
      std::erase_if(lines_, only_assigns);
    }
    return std::move(lines_);
  }

 private:
  void take_quoted(std::string_view text) {
    constexpr std::string_view kEscaped = "\"\\$`";  // by a backslash between double quotes
    const char c = text[at_];
    const char next = at_ + 1 < text.size() ? text[at_ + 1] : '\n';
    if (c == quote_) {
      quote_ = 0;
    } else if (quote_ == '"' && c == '$' && next == '(') {
      take_expansion(text);
    } else if (quote_ == '"' && c == '$') {
      take_variable(text, true);
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
    } else if (c == '$') {
      take_variable(text, false);
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
    } else if (c == '\n' && has_program() && begins_with_flag(text.substr(at_ + 1))) {
      end_word();
    } else if (c == '\n' || c == ';') {
      end_line();
    } else if (c == '&' && next == '&') {
      ++at_;
      end_line();
      is_if_before_ = true;
    } else if (is_space(c) || is_quote_of_page(c, next)) {
      end_word();
    } else {
      word_ += c;
      has_word_ = true;
    }
  }
  // "$(( 8 * 1024 ))" is in one word, with its spaces. A parenthesis in quotes ends nothing.
  void take_expansion(std::string_view text) {
    has_word_ = true;
    char quote = 0;
    for (; at_ < text.size(); ++at_) {
      const char c = text[at_];
      word_ += c;
      if (quote != 0) {
        if (c == quote) quote = 0;
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if (c == '(') {
        ++parentheses_;
      } else if (c == ')' && --parentheses_ == 0) {
        return;
      }
    }
  }
  // "$name" or "${name}": its value, of which spaces outside of quotes part words. An unknown one
  // stays as it is.
  void take_variable(std::string_view text, bool is_quoted) {
    const std::string_view rest = text.substr(at_ + 1);
    const bool has_brace = rest.starts_with('{');
    const std::string_view name = leading_name(rest.substr(has_brace ? 1 : 0));
    const std::string* const value = has_brace && !rest.substr(name.size() + 1).starts_with('}')
                                         ? nullptr
                                         : variables_.find(name);
    // Values of values may double with each command.
    constexpr std::size_t kExpandedMax = std::size_t{1} << 20;
    const bool is_known = value != nullptr && expanded_ + value->size() < kExpandedMax;
    has_word_ = has_word_ || !is_known || is_quoted;
    if (!is_known) {
      word_ += '$';
      return;
    }
    expanded_ += value->size();
    at_ += name.size() + (has_brace ? 2 : 0);
    for (const char letter : *value) {
      if (is_space(letter) && !is_quoted) {
        end_word();
      } else {
        word_ += letter;
        has_word_ = true;
      }
    }
  }
  // Backquotes around a whole command are those of a page that shows it.
  [[nodiscard]] bool is_quote_of_page(char c, char next) const {
    if (c != '`') return false;
    const bool begins = words_.empty() && !has_word_;
    return begins || next == '\n' || next == '\r' || next == ';' || next == '`';
  }
  // Lines of flags alone are runs of their own.
  [[nodiscard]] bool has_program() const {
    const std::string& first = words_.empty() ? word_ : words_.front();
    return !first.empty() && first.front() != '-';
  }
  void end_word() {
    if (has_word_) words_.push_back(std::move(word_));
    word_.clear();
    has_word_ = false;
  }
  void end_line() {
    end_word();
    if (!words_.empty()) {
      variables_.note(words_, is_if_before_);
      lines_.push_back(std::move(words_));
    }
    words_.clear();
    is_if_before_ = false;
  }

  std::size_t at_ = 0;
  char quote_ = 0;
  int parentheses_ = 0;  // open ones behind a '$'
  std::string word_;
  bool has_word_ = false;
  std::vector<std::string> words_;
  ShellCommands lines_;
  ShellVariables variables_;
  std::size_t expanded_ = 0;   // bytes of values that took the place of variables
  bool is_if_before_ = false;  // "&&" stands before the command
};

}  // namespace

Result<ShellCommands> split_shell_words(std::string_view text) {
  return ShellSplitter().split(text);
}

}  // namespace lsmlab::tools
