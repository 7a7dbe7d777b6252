// Which file of a leveled level moves (design-space paper, Section 3.1.4). The option is a priority
// list of criteria. Each criterion keeps the files that are best by it. The next one chooses among
// those; if a criterion applies to no file, it keeps all. If several files are left, they leave in
// turn, as with round-robin.
//
//   round-robin                the first file whose smallest key is above the level's cursor;
//                              after the last file, the first one
//   least-overlap-parent       the file with the fewest overlapped bytes in the next level, per
//                              byte of its own (RocksDB's minimal overlapping ratio; the paper's
//                              LO+1 is the same, Section 4.1)
//   least-overlap-grandparent  the same, two levels down
//   coldest                    least recently accessed
//   oldest                     holds the oldest write
//   most-tombstones            of the dense files, the one with the most tombstones
//   expired-ttl                of those past their time to live, the one with the oldest tombstone
//
// The tree keeps files ordered by the whole list. Only expired-ttl needs more than an order: which
// tombstones are past their time changes with the clock. The list is therefore kept twice, with
// that criterion and without; where the first file of the one is not expired, no file is that could
// be chosen, and the other one counts.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "models/policies/primitives/options.h"
#include "models/tree/tree.h"

namespace lsmlab {

struct FileChoice {
  std::size_t index = 0;      // in the level's newest run
  bool moves_cursor = false;  // round-robin had a say, or settled a tie
};

/// Which files of a level may be chosen.
enum class FileSet { kAll, kDense };

class FileChooser {
 public:
  /// `primitives` must outlive it.
  explicit FileChooser(const Primitives& primitives);

  /// What choices and the triggers ask of the tree.
  [[nodiscard]] std::vector<FileOrdering> orderings() const;

  using MayTake = std::function<bool(const File&)>;
  /// Nothing where no file of the set may be taken. Looks at no more files than those that may not
  /// and two more. REQUIRES: the level is one run.
  [[nodiscard]] std::optional<FileChoice> choose(const TreeView& tree, std::uint32_t level,
                                                 FileSet set, const MayTake& may_take) const;
  /// The same among some files: indexes in the level's run.
  [[nodiscard]] std::optional<FileChoice> choose_among(const TreeView& tree, std::uint32_t level,
                                                       const std::vector<std::size_t>& files,
                                                       const MayTake& may_take) const;

  /// Files by the time since when they are in their level, earliest first. REQUIRES: the trigger
  /// staleness.
  [[nodiscard]] const FileOrder& by_level_time(const TreeView& tree, std::uint32_t level) const;
  /// Files with tombstones, the one with the oldest first. REQUIRES: the trigger tombstone-ttl.
  [[nodiscard]] const FileOrder& by_tombstone_time(const TreeView& tree, std::uint32_t level) const;
  /// Files in which tombstones are dense. REQUIRES: the trigger tombstone-density.
  [[nodiscard]] const FileOrder& dense_files(const TreeView& tree, std::uint32_t level) const;

 private:
  // The places of orderings in orderings().
  struct Places {
    std::optional<std::size_t> plain;
    std::optional<std::size_t> expiring;  // with expired-ttl among the criteria
  };
  [[nodiscard]] FileRanks ranks_of(const File& file, bool is_expiring) const;
  [[nodiscard]] FileRank rank_of(Movement movement, const File& file) const;
  [[nodiscard]] bool is_expired(const TreeView& tree, std::uint32_t level, const File& file) const;
  [[nodiscard]] FileOrdering by_movements(FileSet set, bool is_expiring) const;
  [[nodiscard]] const Places& places(FileSet set) const {
    return set == FileSet::kAll ? all_ : dense_;
  }
  [[nodiscard]] FileChoice settle(std::size_t index, bool has_rivals) const;

  const Primitives& primitives_;
  std::vector<Movement> criteria_;  // those that rank files: neither round-robin nor none
  bool has_expiry_ = false;
  Places all_;
  Places dense_;
  std::optional<std::size_t> level_time_;
  std::optional<std::size_t> tombstone_time_;
};

}  // namespace lsmlab
