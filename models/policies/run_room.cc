#include "models/policies/run_room.h"

#include <algorithm>

#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

bool meets_busy_file(const TreeView& tree, const std::vector<KeyRange>& keys) {
  bool meets = false;
  for (const Level& level : tree.levels()) {
    if (level.sums.busy_files == 0) continue;
    for (const SortedRun& run : level.runs) {
      run.files.visit_busy([&](const File& file) {
        meets = meets || std::any_of(keys.begin(), keys.end(), [&](const KeyRange& range) {
                  return file.keys.overlaps(range);
                });
      });
    }
  }
  return meets;
}

}  // namespace

std::optional<RunId> run_with_room(const TreeView& tree, std::uint32_t level,
                                   const std::vector<KeyRange>& keys,
                                   const std::vector<FileId>& leaving) {
  if (level >= tree.levels().size() || meets_busy_file(tree, keys)) return std::nullopt;
  std::vector<FileId> sorted = leaving;
  std::sort(sorted.begin(), sorted.end());
  const auto leaves = [&](const File& file) {
    return std::binary_search(sorted.begin(), sorted.end(), file.id);
  };
  for (const SortedRun& run : tree.levels()[level].runs) {
    const bool has_room = std::all_of(keys.begin(), keys.end(), [&](const KeyRange& range) {
      const FileSpan meeting = overlapping_files(run, range);
      return std::all_of(meeting.begin(), meeting.end(), leaves);
    });
    if (has_room) return run.id;
  }
  return std::nullopt;
}

}  // namespace lsmlab
