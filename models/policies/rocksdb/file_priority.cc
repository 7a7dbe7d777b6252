#include "models/policies/rocksdb/file_priority.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "models/base/check.h"

namespace lsmlab {
namespace {

// For each file, the overlapped bytes of the next level in 1024ths of the file's bytes
// (SortFileByOverlappingRatio). One walk over both levels, as in RocksDB. Files of level 0 are not
// in the order of keys, so there a file only counts files that the walk has not passed. If user
// keys are equal, versions below are older, so their internal keys are larger.
std::vector<std::uint64_t> overlap_ratios(const RocksdbLevels& levels, std::uint32_t level) {
  const FileList& below = levels.files(level + 1);
  std::vector<std::uint64_t> ratios;
  std::size_t next = 0;
  for (const File* file : levels.files(level)) {
    while (next < below.size() && below[next]->keys.largest < file->keys.smallest) ++next;
    std::uint64_t bytes = 0;
    while (next < below.size() && below[next]->keys.smallest < file->keys.largest) {
      bytes += below[next]->bytes.value();
      if (below[next]->keys.largest >= file->keys.largest) break;
      ++next;
    }
    const std::uint64_t own = std::max<std::uint64_t>(levels.compensated_bytes(*file), 1);
    ratios.push_back(static_cast<std::uint64_t>(Uint128{bytes} * 1024 / own));
  }
  return ratios;
}

template <class Key>
void order_by(std::vector<std::size_t>& order, const Key& key) {
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
}

// SortFileByRoundRobin: begins with the first file whose smallest key is at or above the cursor.
void order_round_robin(const RocksdbLevels& levels, std::uint32_t level,
                       std::vector<std::size_t>& order) {
  const FileList& files = levels.files(level);
  if (level == 0) {
    // Also if the files of level 0 are disjoint: RocksDB orders them before it finds that out
    // (PrepareForVersionAppend).
    order_by(order, [&](std::size_t i) { return files[i]->sequences.first; });
    return;
  }
  const std::optional<std::uint64_t> cursor = levels.cursor(level);
  if (!cursor) return;
  const auto first = std::lower_bound(
      files.begin(), files.end(), *cursor,
      [](const File* file, std::uint64_t key) { return file->keys.smallest < key; });
  if (first == files.end()) return;
  std::rotate(order.begin(), order.begin() + (first - files.begin()), order.end());
}

}  // namespace

std::vector<std::size_t> files_by_priority(const RocksdbLevels& levels, std::uint32_t level,
                                           RocksdbPriority priority) {
  CHECK(level + 1 < levels.level_count());
  const FileList& files = levels.files(level);
  std::vector<std::size_t> order(files.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  switch (priority) {
    case RocksdbPriority::kMinOverlappingRatio: {
      const std::vector<std::uint64_t> ratios = overlap_ratios(levels, level);
      order_by(order,
               [&](std::size_t i) { return std::tuple(ratios[i], files[i]->keys.smallest); });
      break;
    }
    case RocksdbPriority::kByCompensatedSize:
      order_by(order, [&](std::size_t i) { return ~levels.compensated_bytes(*files[i]); });
      break;
    case RocksdbPriority::kOldestLargestSeqFirst:
      order_by(order, [&](std::size_t i) { return files[i]->sequences.last; });
      break;
    case RocksdbPriority::kOldestSmallestSeqFirst:
      order_by(order, [&](std::size_t i) { return files[i]->sequences.first; });
      break;
    case RocksdbPriority::kRoundRobin:
      order_round_robin(levels, level, order);
      break;
  }
  return order;
}

}  // namespace lsmlab
