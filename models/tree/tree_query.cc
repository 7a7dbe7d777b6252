#include "models/tree/tree_query.h"

#include <algorithm>

#include "models/base/check.h"

namespace lsmlab {

std::span<const File> overlapping_files(const SortedRun& run, const KeyRange& keys) {
  const auto first =
      std::lower_bound(run.files.begin(), run.files.end(), keys.smallest,
                       [](const File& file, std::uint64_t key) { return file.keys.largest < key; });
  const auto last = std::upper_bound(
      first, run.files.end(), keys.largest,
      [](std::uint64_t key, const File& file) { return key < file.keys.smallest; });
  return {first, last};
}

const SortedRun* newest_run(const TreeView& tree, std::uint32_t level) {
  if (level >= tree.levels().size() || tree.levels()[level].runs.empty()) return nullptr;
  return &tree.levels()[level].runs.front();
}

OutputTarget leveled_target(const TreeView& tree, std::uint32_t level) {
  const SortedRun* run = newest_run(tree, level);
  return {level, run != nullptr ? std::optional(run->id) : std::nullopt};
}

std::optional<std::uint32_t> deepest_level(const TreeView& tree) {
  for (std::size_t level = tree.levels().size(); level-- > 0;) {
    if (!tree.levels()[level].runs.empty()) return static_cast<std::uint32_t>(level);
  }
  return std::nullopt;
}

Bytes level_bytes(const TreeView& tree, std::uint32_t level) {
  Bytes sum;
  if (level >= tree.levels().size()) return sum;
  for (const SortedRun& run : tree.levels()[level].runs) sum += run.bytes();
  return sum;
}

Bytes sum_of_bytes(std::span<const File> files) {
  Bytes sum;
  for (const File& file : files) sum += file.bytes;
  return sum;
}

bool any_busy(std::span<const File> files) {
  return std::any_of(files.begin(), files.end(), [](const File& file) { return file.busy; });
}

std::vector<Bytes> overlap_bytes(const SortedRun& upper, const SortedRun* lower) {
  std::vector<Bytes> overlaps(upper.files.size());
  if (lower == nullptr) return overlaps;
  const std::vector<File>& below = lower->files;
  std::size_t first = 0;  // first file of `below` that the file may overlap
  std::size_t end = 0;    // index after the last one
  Bytes bytes;            // sum over the files [first, end)
  for (std::size_t i = 0; i < upper.files.size(); ++i) {
    const KeyRange& keys = upper.files[i].keys;
    for (; end < below.size() && below[end].keys.smallest <= keys.largest; ++end) {
      bytes += below[end].bytes;
    }
    for (; first < end && below[first].keys.largest < keys.smallest; ++first) {
      bytes -= below[first].bytes;
    }
    overlaps[i] = bytes;
  }
  return overlaps;
}

KeyRange range_of(std::span<const File> files) {
  CHECK(!files.empty());
  return {files.front().keys.smallest, files.back().keys.largest};
}

KeyRange hull_of(const KeyRange& a, const KeyRange& b) {
  return {std::min(a.smallest, b.smallest), std::max(a.largest, b.largest)};
}

PlanInput input_of(std::uint32_t level, const SortedRun& run, std::span<const File> files) {
  PlanInput input{level, run.id, {}};
  for (const File& file : files) input.files.push_back(file.id);
  return input;
}

}  // namespace lsmlab
