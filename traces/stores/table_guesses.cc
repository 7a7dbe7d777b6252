#include "traces/stores/table_guesses.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/quantity_text.h"
#include "models/base/units.h"
#include "traces/stores/level_scores.h"

namespace lsmlab::stores {

unsigned newest_version_of(const std::vector<std::string>& headings) {
  constexpr unsigned kBeforeMergeCpu = 5018;
  constexpr unsigned kBeforeBlobs = 6018;
  const auto has = [&headings](const char* name) {
    return std::find(headings.begin(), headings.end(), name) != headings.end();
  };
  // The last column that tables of every version have.
  if (!has("Comp(cnt)") || has("Rblob(GB)")) return 0;
  return has("CompMergeCPU(sec)") ? kBeforeBlobs : kBeforeMergeCpu;
}

unsigned oldest_version_of(const std::vector<std::string>& headings) {
  constexpr unsigned kFirstPreCompressed = 10003;
  const bool has = std::find(headings.begin(), headings.end(), "WPreComp(GB)") != headings.end();
  return has ? kFirstPreCompressed : 0;
}

bool has_dynamic_levels(const FamilyFigures& figures, unsigned version) {
  constexpr unsigned kFirstDynamic = 8004;
  constexpr std::size_t kLevels = 7;
  if (figures.source != HistorySource::kStatistics) return version >= kFirstDynamic;
  if (has_deeper_base_level(figures)) return true;
  const bool is_shallow = figures.levels.size() > 1 && figures.levels.size() < kLevels;
  return version >= kFirstDynamic && !is_shallow;
}

std::optional<std::string> universal_by_scores(const FamilyFigures& figures) {
  if (figures.source != HistorySource::kStatistics) return std::nullopt;
  const std::vector<LevelFigures>& levels = figures.levels;
  std::vector<std::size_t> held;  // levels below level 0 that have bytes
  for (std::size_t i = 1; i < levels.size(); ++i) {
    if (levels[i].score.value_or(0) > 0) return std::nullopt;
    if (levels[i].bytes.value_or(0) > 0 && levels[i].files > 0) held.push_back(i);
  }
  if (held.size() < 2 || held.back() < 3 || !levels[held.back()].score) return std::nullopt;
  // Leveled compaction has files of neighbouring levels in a job, and 25 times the size of a file.
  constexpr std::uint64_t kFilesOfJob = 100;
  constexpr std::string_view kWhy =
      " in the table, which leveled compaction does not have; no file names compaction_style";
  const bool are_busy = std::all_of(held.begin(), held.end(), [&](std::size_t i) {
    return levels[i].busy_files >= levels[i].files;
  });
  if (held.size() > 2 && are_busy && levels[held.front()].files > kFilesOfJob) {
    return fmt::format("all files of levels {} to {} are in compactions{}", held.front(),
                       held.back(), kWhy);
  }
  // Of dynamic levels, the target above the last one is a tenth of its bytes, or a tenth of
  // max_bytes_for_level_base. A score is printed as 0.0 below 0.05; both limits are four times
  // that. Levels that do not change had to fill one after the other, and would have scores.
  constexpr double kBytesMin = 0.2 * 25.6 * 1048576;
  constexpr double kShareMin = 0.02;
  const std::size_t above = held[held.size() - 2];
  const LevelFigures& level = levels[above];
  const auto busy = static_cast<double>(std::min(level.busy_files, level.files));
  const double bytes =
      static_cast<double>(*level.bytes) * (1 - busy / static_cast<double>(level.files));
  const bool is_large =
      bytes >= kBytesMin && bytes >= kShareMin * static_cast<double>(*levels[held.back()].bytes);
  if (!is_large) return std::nullopt;
  return fmt::format("level {} has {} and score 0.0, and level {} is below it{}", above,
                     bytes_text(*level.bytes), held.back(), kWhy);
}

bool lacks_last_level(const FamilyFigures& figures) {
  return figures.source == HistorySource::kStatistics && figures.levels.size() > 1 &&
         figures.levels.back().score.value_or(0) > 0;
}

std::optional<GuessedLevels> levels_of_table(const FamilyFigures& figures, bool is_universal) {
  constexpr std::size_t kDefault = 7;
  const std::size_t rows = figures.levels.size();
  const bool is_dynamic = has_deeper_base_level(figures);
  if (is_universal) {
    if (rows < kDefault || (figures.table_is_cut && rows == kDefault)) return std::nullopt;
    return GuessedLevels{rows, "the table's last level, which universal compaction fills first"};
  }
  if (lacks_last_level(figures) && (is_dynamic || rows >= kDefault)) {
    return GuessedLevels{
        std::max(rows + 1, kDefault),
        fmt::format("level {} has a score in the table, so it is not the last level, whose row is "
                    "missing, with its bytes and what was written there{}",
                    rows - 1, rows < kDefault ? "; this is RocksDB's default" : "")};
  }
  if (!is_dynamic || rows < 3) return std::nullopt;
  return GuessedLevels{
      rows, "the table's last level: a level above it is missing, so levels are dynamic"};
}

std::uint64_t mean_memtable_bytes(const FamilyFigures& figures) {
  constexpr std::uint64_t kMemtableOverhead = 24;  // of each entry, which a file has not
  constexpr std::uint64_t kFileOverhead = 11;
  const FlushFigures& flushes = figures.flushes;
  const DbBenchHeading& heading = figures.db_bench;
  const std::uint64_t entries = std::max<std::uint64_t>(1, flushes.entries);
  const std::uint64_t written = std::max(flushes.memtable_entries, entries);
  const std::uint64_t stated = heading.key_bytes + heading.value_bytes + kFileOverhead;
  const Uint128 in_file = heading.states_entries() ? Uint128{stated} * written
                                                   : Uint128{flushes.bytes} * written / entries;
  return static_cast<std::uint64_t>((in_file + Uint128{kMemtableOverhead} * written) /
                                    std::max<std::uint64_t>(1, flushes.flushes));
}

std::optional<MeanFile> file_size_of_levels(const FamilyFigures& figures) {
  constexpr std::uint64_t kFilesMin = 8;
  constexpr std::uint64_t kBytesMax = std::uint64_t{1} << 40;
  constexpr std::uint64_t kDefaultBytes = std::uint64_t{64} << 20;
  if (figures.source != HistorySource::kStatistics) return std::nullopt;
  for (std::size_t level = figures.levels.size(); level-- > 1;) {
    const LevelFigures& found = figures.levels[level];
    if (found.files < kFilesMin || !found.bytes) continue;
    const std::uint64_t bytes = *found.bytes / found.files;
    // Files end early at borders of the level below.
    const bool is_default = bytes > kDefaultBytes / 2 && bytes < kDefaultBytes + kDefaultBytes / 8;
    if (bytes == 0 || bytes > kBytesMax || is_default) return std::nullopt;
    return MeanFile{level, bytes};
  }
  return std::nullopt;
}

}  // namespace lsmlab::stores
