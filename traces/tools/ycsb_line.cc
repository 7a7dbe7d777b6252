#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "models/base/shortened.h"
#include "models/base/suggest.h"
#include "traces/tools/ycsb_properties.h"

namespace lsmlab::tools {
namespace {

// The words of a line as a shell has them.
Result<std::vector<std::string>> shell_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool has_word = false;
  char quote = '\0';
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else {
        word += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      has_word = true;
    } else if (c == '\\' && at + 1 < text.size() &&
               (text[at + 1] == '\n' || text[at + 1] == '\r')) {
      ++at;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (has_word) words.push_back(word);
      word.clear();
      has_word = false;
    } else {
      word += c;
      has_word = true;
    }
  }
  if (quote != '\0') return input_error(fmt::format("a quote does not end: {}", excerpt(word)));
  if (has_word) words.push_back(word);
  return words;
}

// Flags of the programs `ycsb` and site.ycsb.Client that decide no operation.
constexpr std::string_view kFlagsWithValue[] = {"-threads", "-target", "-db", "-l", "-cp"};
constexpr std::string_view kFlagsAlone[] = {"-s", "-t"};

bool is_any(std::string_view word, const auto& words) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// "bin/ycsb" or "./ycsb.sh".
bool is_ycsb(std::string_view word) {
  word.remove_prefix(word.find_last_of('/') + 1);  // 0 if there is no folder
  return word == "ycsb" || word == "ycsb.sh" || word == "ycsb.bat";
}

bool is_property(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0;
}

class LineReader {
 public:
  explicit LineReader(std::vector<std::string> words) : words_(std::move(words)) {}

  [[nodiscard]] Result<YcsbLine> read() {
    BOOST_OUTCOME_TRYV(read_command());
    while (at_ < words_.size()) {
      BOOST_OUTCOME_TRYV(read_word());
    }
    return std::move(line_);
  }

 private:
  // The program, its command and the store.
  [[nodiscard]] Result<void> read_command() {
    if (at_ < words_.size() && is_ycsb(words_[at_])) {
      ++at_;
      if (at_ == words_.size() || (words_[at_] != "load" && words_[at_] != "run")) {
        return input_error("expected load or run after ycsb");
      }
    }
    if (at_ == words_.size() || (words_[at_] != "load" && words_[at_] != "run")) return success();
    line_.only_loads = words_[at_++] == "load";
    if (at_ < words_.size() && words_[at_][0] != '-' && !is_property(words_[at_])) {
      line_.other_words.push_back(words_[at_++]);
    }
    return success();
  }

  [[nodiscard]] Result<std::string> value_of(const std::string& flag) {
    if (at_ < words_.size()) return words_[at_++];
    return input_error(fmt::format("{} has no value", flag));
  }

  [[nodiscard]] Result<void> add_property(const std::string& word) {
    if (!is_property(word) || word.find('\n') != std::string::npos) {
      return input_error(fmt::format("'{}' is no property; expected name=value", excerpt(word)));
    }
    line_.properties += word + "\n";
    return success();
  }

  [[nodiscard]] Result<void> read_word() {
    const std::string word = words_[at_++];
    if (word == "-p") return add_property(BOOST_OUTCOME_TRYX(value_of(word)));
    if (word == "-P") {
      line_.files.push_back(BOOST_OUTCOME_TRYX(value_of(word)));
      return success();
    }
    if (word == "-load") {
      line_.only_loads = true;
      return success();
    }
    if (is_any(word, kFlagsAlone) || word.starts_with("-jvm-args=")) {
      line_.other_words.push_back(word);
      return success();
    }
    if (is_any(word, kFlagsWithValue)) {
      line_.other_words.push_back(fmt::format("{} {}", word, BOOST_OUTCOME_TRYX(value_of(word))));
      return success();
    }
    if (!word.empty() && word[0] != '-') return add_property(word);
    std::vector<std::string> flags{"-P", "-p", "-load"};
    for (const std::string_view flag : kFlagsWithValue) flags.emplace_back(flag);
    for (const std::string_view flag : kFlagsAlone) flags.emplace_back(flag);
    return input_error(
        fmt::format("YCSB has no flag '{}'{}", excerpt(word), suggestion(word, flags)));
  }

  std::vector<std::string> words_;
  std::size_t at_ = 0;
  YcsbLine line_;
};

}  // namespace

Result<YcsbLine> parse_ycsb_line(std::string_view text) {
  return LineReader(BOOST_OUTCOME_TRYX(shell_words(text))).read();
}

}  // namespace lsmlab::tools
