#include "traces/stores/table_guesses.h"

#include <algorithm>

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
