// Small helpers that take text of other programs apart.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lsmlab::stores {

[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\f\v";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

/// The lines of a text, without their line ends.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}
  [[nodiscard]] std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    const std::size_t end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    ended_ = end != std::string_view::npos;
    rest_ = ended_ ? rest_.substr(end + 1) : std::string_view();
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    ++number_;
    return line;
  }
  /// Number of the line that next() returned last; the first is 1.
  [[nodiscard]] std::size_t number() const { return number_; }
  /// False: the text ended before the end of that line.
  [[nodiscard]] bool is_whole() const { return ended_; }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
  bool ended_ = true;
};

[[nodiscard]] inline std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(" \t", at)) != std::string_view::npos) {
    const std::size_t end = text.find_first_of(" \t", at);
    words.push_back(text.substr(at, end - at));
    if (end == std::string_view::npos) break;
    at = end;
  }
  return words;
}

/// The text after the first `mark`; nothing if it is not there.
[[nodiscard]] inline std::optional<std::string_view> after(std::string_view text,
                                                           std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  return text.substr(at + mark.size());
}

/// The whole number at the beginning of the text; nothing if there is none below 2^64.
[[nodiscard]] inline std::optional<std::uint64_t> leading_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc()) return std::nullopt;
  return value;
}

/// The number with an optional fraction at the beginning of the text; nullopt for inf and nan, too.
[[nodiscard]] inline std::optional<double> leading_real(std::string_view text) {
  double value = 0;
  const auto [end, fault] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (fault != std::errc() || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// A number that is the whole text, with a decimal point, or with the comma of other languages
/// where it cannot divide thousands: one or two digits follow it, or only a 0 is before it.
[[nodiscard]] inline std::optional<double> decimal_number(std::string_view text) {
  const std::size_t comma = text.find(',');
  const bool has_comma = comma != std::string_view::npos;
  const std::size_t decimals = has_comma ? text.size() - comma - 1 : 0;
  if (has_comma && (decimals == 0 || (decimals > 2 && text.substr(0, comma) != "0"))) {
    return std::nullopt;
  }
  std::string number(text);
  if (has_comma) number[comma] = '.';
  double value = 0;
  const char* const last = number.data() + number.size();
  const auto [end, fault] = std::from_chars(number.data(), last, value, std::chars_format::fixed);
  if (fault != std::errc() || end != last || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace lsmlab::stores
