#include "traces/stores/table_guesses.h"

#include <algorithm>

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
