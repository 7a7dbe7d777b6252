#include "traces/stores/pebble_cells.h"

#include <algorithm>
#include <cmath>

#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {

std::vector<Words> cells_of(std::string_view line) {
  std::vector<Words> cells;
  while (true) {
    const std::size_t bar = line.find('|');
    cells.push_back(words_of(line.substr(0, bar)));
    if (bar == std::string_view::npos) return cells;
    line.remove_prefix(bar + 1);
  }
}

bool ends_with_word(const Words& words, std::string_view word) {
  if (words.empty()) return false;
  std::string_view last = words.back();
  if (last.starts_with('+')) last.remove_prefix(1);
  return last == word;
}

std::optional<std::uint64_t> quantity(std::string_view word) {
  constexpr std::string_view kPrefixes = "KMGTPE";
  const auto value = leading_real(word);
  if (!value) return std::nullopt;
  const std::size_t end = word.find_first_not_of("0123456789.");
  const std::string_view suffix =
      end == std::string_view::npos ? std::string_view() : word.substr(end);
  const bool is_size = suffix.find('B') != std::string_view::npos;
  double scale = 1;
  if (!suffix.empty() && suffix.front() != 'B') {
    const std::size_t power = kPrefixes.find(suffix.front());
    if (power == std::string_view::npos) return std::nullopt;
    scale = std::pow(is_size ? 1024.0 : 1000.0, static_cast<double>(power + 1));
  }
  // Bounded, so that the conversion is defined for any text.
  constexpr double kMost = 9e18;
  return static_cast<std::uint64_t>(std::clamp(std::round(*value * scale), 0.0, kMost));
}

std::uint64_t quantity_at(const Words& words, std::size_t index) {
  return index < words.size() ? quantity(words[index]).value_or(0) : 0;
}

std::optional<double> real_at(const Words& words, std::size_t index) {
  return index < words.size() ? leading_real(words[index]) : std::nullopt;
}

std::optional<std::uint64_t> quantity_after(std::string_view line, std::string_view mark) {
  const auto rest = after(line, mark);
  if (!rest) return std::nullopt;
  const Words words = words_of(*rest);
  return words.empty() ? std::nullopt : quantity(words.front());
}

}  // namespace lsmlab::stores
