// Which SSTables RocksDB marks for compaction because many of their entries are deletes
// (CompactOnDeletionCollector of 7.8.3, the table property collector that RocksDB offers for this).
// One implementation serves simulator and engine; both feed it the entries of each file that they
// write.
//
// A file is marked
//   - if some window of consecutive entries has enough deletes. RocksDB slides the window by whole
//     buckets: 128 of ceil(entries / 128) entries each. It so looks at all entries of the open
//     bucket and of the 127 buckets before, and counts up to 128 * ceil(entries / 128) entries; or
//   - if the share of deletes among all of its entries reaches a ratio.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/decimal.h"

namespace lsmlab {

struct DeletionMark {
  struct Window {
    std::uint64_t entries = 0;  // at least 1
    std::uint64_t deletes = 0;  // at least 1
    /// The entries of a bucket.
    [[nodiscard]] std::uint64_t bucket_entries() const;
    /// The most entries that are counted together.
    [[nodiscard]] std::uint64_t entries_max() const;
  };
  std::optional<Window> window;
  std::optional<Decimal> ratio;  // above 0, at most 1

  static constexpr std::uint64_t kBuckets = 128;
};

/// Follows the entries of one file. O(1) per entry, and O(kBuckets) memory.
class DeletionMarkCounter {
 public:
  explicit DeletionMarkCounter(const DeletionMark& mark);
  /// Adds the next entry by key.
  void add(bool is_tombstone);
  /// Whether the file would be marked if it ended here. False for a file without entries.
  [[nodiscard]] bool is_marked() const;

 private:
  void slide(bool is_tombstone);

  DeletionMark mark_;
  std::uint64_t bucket_entries_ = 0;    // 0: no window
  std::vector<std::uint64_t> deletes_;  // by bucket of the ring
  std::size_t bucket_ = 0;              // the open one
  std::uint64_t entries_in_bucket_ = 0;
  std::uint64_t deletes_in_window_ = 0;
  bool is_window_dense_ = false;  // some window was
  std::uint64_t entries_ = 0;
  std::uint64_t tombstones_ = 0;
};

}  // namespace lsmlab
