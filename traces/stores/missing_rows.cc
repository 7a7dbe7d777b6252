#include "traces/stores/missing_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "traces/stores/statistics_figures.h"

namespace lsmlab::stores {
namespace {

constexpr double kGigabytesRounding = 0.05;  // GiB

// What Sum adds up. Other columns are quotients.
constexpr const char* kAddedColumns[] = {
    "Read(GB)",  "Rn(GB)",    "Rnp1(GB)",          "Write(GB)",   "Wnew(GB)",
    "Moved(GB)", "Comp(sec)", "CompMergeCPU(sec)", "Comp(cnt)",   "KeyIn",
    "KeyDrop",   "Rblob(GB)", "Wblob(GB)",         "WPreComp(GB)"};

std::optional<double> column_of_row(const StatisticsRow& row, const char* name) {
  const auto found = row.columns.find(name);
  return found == row.columns.end() ? std::nullopt : std::optional<double>(found->second);
}

// Sum minus the rows of levels; nothing: no row is missing, or the rows are not those of Sum.
std::optional<StatisticsRow> missing_part(const StatisticsTable& table) {
  StatisticsRow rest = table.rows.back();
  double rows = 1;
  for (const StatisticsRow& row : table.rows) {
    if (!level_of_row(row)) continue;
    ++rows;
    if (row.files > rest.files || row.busy_files > rest.busy_files) return std::nullopt;
    rest.files -= row.files;
    rest.busy_files -= row.busy_files;
    rest.bytes -= std::min(rest.bytes, row.bytes);
    for (const char* const name : kAddedColumns) {
      const auto part = column_of_row(row, name);
      if (part && rest.columns.contains(name)) rest.columns[name] -= *part;
    }
  }
  for (const char* const name : kAddedColumns) {
    const auto left = rest.columns.find(name);
    if (left == rest.columns.end()) continue;
    const bool is_amount = std::string_view(name).ends_with("(GB)");
    if (is_amount && left->second < -kGigabytesRounding * rows) return std::nullopt;
    // Digits of the amounts are rounded, and those of keys cut.
    if (is_amount && left->second < kGigabytesRounding * rows) left->second = 0;
    left->second = std::max(0.0, left->second);
  }
  const double jobs = column_of_row(rest, "Comp(cnt)").value_or(0);
  if (rest.files == 0 && jobs < 1) return std::nullopt;
  return rest;
}

// No merge into level 0 reads another level, and each merge into another one does, which column Rn
// has. Where level 0 wrote little, rounding hides that.
bool is_level0_alone(const StatisticsTable& table, const StatisticsRow& rest) {
  constexpr double kTimes = 10;
  const auto from_above = column_of_row(rest, "Rn(GB)");
  const double least = kTimes * kGigabytesRounding * static_cast<double>(table.rows.size());
  return from_above == 0.0 && column_of_row(rest, "Write(GB)").value_or(0) >= least;
}

// Levels with rows follow each other below level 0; dynamic levels begin at a deeper one.
std::optional<std::size_t> missing_level(const StatisticsTable& table, const StatisticsRow& rest) {
  std::map<std::size_t, std::uint64_t> bytes;
  for (const StatisticsRow& row : table.rows) {
    if (const auto level = level_of_row(row)) bytes[*level] = row.bytes;
  }
  if (bytes.empty()) return std::nullopt;
  const std::size_t last = bytes.rbegin()->first;
  if (!bytes.contains(0)) {
    const bool has_gap = last - bytes.begin()->first + 1 != bytes.size();
    return has_gap || !is_level0_alone(table, rest) ? std::nullopt : std::optional<std::size_t>(0);
  }
  if (last == 0) return std::nullopt;
  bytes.erase(0);
  const std::size_t first = bytes.begin()->first;
  const std::size_t gaps = last - first + 1 - bytes.size();
  if (gaps > 1) return std::nullopt;
  if (gaps == 0) return first > 1 && rest.bytes < bytes[last] ? first - 1 : last + 1;
  std::size_t level = first;
  while (bytes.contains(level)) ++level;
  return level;
}

}  // namespace

void add_missing_row(StatisticsTable& table) {
  const bool has_levels = std::any_of(table.rows.begin(), table.rows.end(), [](const auto& row) {
    return level_of_row(row).has_value();
  });
  if (!has_levels) return;
  auto rest = missing_part(table);
  if (!rest) return;
  for (const char* const quotient : {"Score", "Rd(MB/s)", "Wr(MB/s)", "Avg(sec)", "W-Amp"}) {
    rest->columns.erase(quotient);
  }
  rest->seconds = {column_of_row(*rest, "Comp(sec)").value_or(0), 0.5};
  const auto level = missing_level(table, *rest);
  if (!level) {
    table.unplaced = std::move(rest);
    return;
  }
  rest->level = fmt::format("L{}", *level);
  table.estimated_level = level;
  const auto behind = std::find_if(table.rows.begin(), table.rows.end(), [&](const auto& row) {
    return level_of_row(row).value_or(*level) > *level || !level_of_row(row);
  });
  table.rows.insert(behind, std::move(*rest));
}

void forget_missing_row(StatisticsTable& table) {
  table.unplaced.reset();
  if (!table.estimated_level) return;
  std::erase_if(table.rows,
                [&](const auto& row) { return level_of_row(row) == table.estimated_level; });
  table.estimated_level.reset();
}

}  // namespace lsmlab::stores
