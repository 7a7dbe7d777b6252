#include "traces/stores/pebble_properties.h"

#include <fmt/format.h>

#include <cmath>

#include "traces/stores/pebble_metrics.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

bool is_properties_heading(const std::vector<std::string_view>& words) {
  if (words.size() != kPebbleLevels + 1 || words.back() != "TOTAL") return false;
  for (std::size_t i = 0; i < kPebbleLevels; ++i) {
    if (words[i] != fmt::format("L{}", i)) return false;
  }
  return true;
}

// "62B", "1.2KB", "393GB", "1.1 G" of old versions, whose unit is a word of its own.
std::optional<std::uint64_t> bytes_of_cell(std::string_view number, std::string_view unit) {
  constexpr std::string_view kUnits = "BKMGTPE";
  const auto value = leading_real(number);
  const std::size_t power = unit.empty() ? 0 : kUnits.find(unit.front());
  if (!value || *value < 0 || power == std::string_view::npos) return std::nullopt;
  const double bytes = std::ldexp(*value, static_cast<int>(10 * power));
  return bytes < 9e18 ? std::optional(static_cast<std::uint64_t>(bytes)) : std::nullopt;
}

// The sizes of a row; empty: it has other cells.
std::vector<std::uint64_t> cells_of_properties(const std::vector<std::string_view>& words) {
  std::vector<std::uint64_t> cells;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const std::size_t end = word.find_first_not_of("0123456789.");
    std::string_view unit = end == std::string_view::npos ? std::string_view() : word.substr(end);
    const bool has_own_unit = unit.empty() && i + 1 < words.size() &&
                              words[i + 1].find_first_of("0123456789") == std::string_view::npos;
    if (has_own_unit) unit = words[++i];
    const auto bytes = bytes_of_cell(word, unit);
    if (!bytes) return {};
    cells.push_back(*bytes);
  }
  return cells.size() == kPebbleLevels + 1 ? cells : std::vector<std::uint64_t>();
}

}  // namespace

InfoLog read_pebble_properties(std::string_view text) {
  InfoLog log;
  log.system = StoreSystem::kPebble;
  StatisticsTable table;
  Lines lines(text);
  bool is_in_table = false;
  while (const auto line = lines.next()) {
    const auto words = words_of(trimmed(*line));
    if (is_properties_heading(words)) {
      is_in_table = true;
      table = StatisticsTable();
      continue;
    }
    if (!is_in_table || words.empty()) continue;
    const auto cells = cells_of_properties(words);
    if (cells.empty()) continue;
    if (words[0] == "count" && table.rows.empty()) {
      for (std::size_t i = 0; i < kPebbleLevels; ++i) {
        StatisticsRow& row = table.rows.emplace_back();
        row.level = fmt::format("L{}", i);
        row.files = cells[i];
      }
    }
    const bool is_size = words[0] == "data" || words[0] == "index" || words[0] == "filter";
    if (!is_size || table.rows.empty()) continue;
    for (std::size_t i = 0; i < kPebbleLevels; ++i) table.rows[i].bytes += cells[i];
  }
  table.family = "default";
  table.has_sizes_only = true;
  table.tables = 1;
  if (!table.rows.empty()) log.statistics.emplace("default", std::move(table));
  return log;
}

bool is_pebble_properties(std::string_view text) {
  return !read_pebble_properties(text).statistics.empty();
}

}  // namespace lsmlab::stores
