// What makes RocksDB 7.8.3 compact single files while no level asks for a compaction
// (NeedsCompaction and SetupInitialFiles of db/compaction/compaction_picker_level.cc): files that
// were marked when they were written (models/sizes/deletion_mark.h), then files that may hold data
// that was first written too long ago (ttl), and then files that were written too long ago
// (periodic compaction).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/options.h"
#include "models/policies/rocksdb/levels.h"
#include "models/sizes/deletion_mark.h"
#include "models/tree/file_order.h"

namespace lsmlab {

struct RocksdbFileTriggers {
  std::optional<std::uint64_t> mark_window;
  std::optional<std::uint64_t> mark_deletes;
  std::optional<Decimal> mark_ratio;
  std::optional<std::uint64_t> ttl;           // operations
  std::optional<std::uint64_t> periodic_age;  // operations

  void declare(OptionTable& table);
  [[nodiscard]] std::vector<std::string> validate() const;
  /// Nothing if no option marks files.
  [[nodiscard]] std::optional<DeletionMark> mark() const;
  /// What next_marked() asks of the tree; empty if no option marks files.
  [[nodiscard]] std::vector<FileOrdering> orderings() const;
};

/// A file of the tree by its level and its index in RocksdbLevels.
struct RocksdbFilePlace {
  std::uint32_t level = 0;
  std::size_t index = 0;
};

/// The first idle marked file of the shallowest level that has one (PickFilesMarkedForCompaction).
/// Files of the deepest level with data do not count (ComputeFilesMarkedForCompaction): their
/// tombstones are gone, or have nowhere to go. Nor do files of level 0 while one of them is busy.
/// RocksDB first tries a marked file at random; this is the first of its list: the newest file of
/// level 0, and the file with the smallest keys of another level. `ordering`: the number of
/// orderings() in the tree. O(busy files) and O(files of level 0).
[[nodiscard]] std::optional<RocksdbFilePlace> next_marked(const RocksdbLevels& levels,
                                                          std::size_t ordering);

/// The first idle file of the shallowest level that has one whose oldest ancestor is more than
/// `ttl` old (ComputeExpiredTtlFiles). Files of the deepest level with data do not count: they have
/// nowhere to go. Order and costs are those of next_periodic().
[[nodiscard]] std::optional<RocksdbFilePlace> next_expired(const RocksdbLevels& levels,
                                                           std::uint64_t ttl);
/// The shallowest level but the last one that has such a file, be it the deepest with data, and
/// whatever runs in level 0.
[[nodiscard]] std::optional<std::uint32_t> first_expired_level(const RocksdbLevels& levels,
                                                               std::uint64_t ttl);

/// By how much RocksDB 7.8.3 divides the overlapping ratio of a file that comes near its ttl, so
/// that it is merged before (db/compaction/file_pri.h, FileTtlBooster): by 1 up to half of the ttl
/// and some more, the deeper the level the longer; from then on by a number that rises with the
/// age.
class RocksdbTtlBoost {
 public:
  /// Without a ttl, in level 0 and in the deepest level with data: always 1.
  RocksdbTtlBoost(const RocksdbLevels& levels, std::uint32_t level,
                  std::optional<std::uint64_t> ttl);
  [[nodiscard]] std::uint64_t of(const File& file) const;
  /// Whether it is above 1 for any of several files.
  [[nodiscard]] bool is_any_above_1(const RunSums& files) const {
    return last_boosted_ && files.first_ancestor.value <= *last_boosted_;
  }

 private:
  std::uint64_t now_ = 0;
  std::uint64_t begin_age_ = 0;
  std::uint64_t step_ = 1;
  // The youngest ancestor whose file is divided by more than 1; nothing if none can be.
  std::optional<std::uint64_t> last_boosted_;
};

/// The deepest level that holds a file; 0 if there is none.
[[nodiscard]] std::uint32_t deepest_level(const RocksdbLevels& levels);

/// The first idle file of the shallowest level that has one which was written more than `age` ago
/// (ComputeFilesMarkedForPeriodicCompaction). Unlike a marked file it is rewritten in its level, so
/// files of the deepest level count, too. Files of level 0 wait while one of them is busy. In level
/// 0 the newest file is first, in other levels the one with the smallest keys. O(levels * log
/// files), and O(log files) for each busy file that is due.
[[nodiscard]] std::optional<RocksdbFilePlace> next_periodic(const RocksdbLevels& levels,
                                                            std::uint64_t age);

}  // namespace lsmlab
