// When Cassandra merges one SSTable by itself to drop its tombstones
// (AbstractCompactionStrategy.worthDroppingTombstones, and its use in
// SizeTieredCompactionStrategy.getNextBackgroundSSTables, of 4.0 to 5.0). An SSTable is a sorted
// run, or under leveling a file.
//
// It is worth merging, if nothing else is to be merged, and
//   1. it was written at least tombstone_compaction_interval ago. The merge may drop nothing, and
//      without that time it would follow itself for ever; and
//   2. more than tombstone_threshold of its entries are tombstones that gc_grace lets go; and
//   3. one of these holds:
//      - unchecked_tombstone_compaction is true;
//      - no other SSTable overlaps it;
//      - it has tombstones only, which gc_grace lets go, and all are older than every write of the
//        SSTables that overlap it and hold something else
//        (CompactionController.getFullyExpiredSSTables);
//      - the keys outside the key ranges of all overlapping SSTables, newer ones included, are such
//        a share of its keys that even their tombstones alone would exceed the threshold.
// Of several, Cassandra merges the largest; here, of equal ones, the oldest.
//
// How many tombstones gc_grace lets go is estimated from the file's DeletionTimes, as Cassandra
// does from its histogram (SSTableReader.getEstimatedDroppableTombstoneRatio).
//
// Differences from Cassandra: gc_grace counts writes. Cassandra estimates the keys outside ranges
// from samples of its index, and gives up with fewer than two. Here a file's keys count as uniform
// in its range, as Cassandra's hashed tokens are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/decimal.h"
#include "models/base/options.h"
#include "models/policies/fidelity.h"
#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

/// How long Cassandra and ScyllaDB keep tombstones (gc_grace_seconds). The tree's newest write is
/// the present.
struct TombstoneGrace {
  std::uint64_t writes = 0;

  void declare(OptionTable& table);
  /// The tombstones that are old enough.
  [[nodiscard]] std::uint64_t ripe(const TreeView& tree, const File& file) const;
  [[nodiscard]] std::uint64_t ripe(const TreeView& tree, const SortedRun& run) const;
  /// "gc_grace" if it is given: then the policy needs keys.
  void add_name(std::vector<std::string>& options_that_need_keys) const;
};

/// The row about which tombstones a merge drops: both systems ask the Bloom filters of SSTables
/// with older data (PreRemove::kFilters).
[[nodiscard]] RuleFidelity purge_fidelity(std::string source);

struct DroppableTombstones {
  TombstoneGrace grace;
  std::optional<Decimal> threshold;       // none: no SSTable is merged by itself
  std::optional<std::uint64_t> interval;  // operations
  bool is_unchecked = false;

  void declare(OptionTable& table);
  [[nodiscard]] std::vector<std::string> validate() const;
  /// Those of its options that are given and need keys.
  [[nodiscard]] std::vector<std::string> options_that_need_keys() const;
  /// The merge of one idle run by itself, which stays in its level; nothing if none is worth it.
  /// O(runs * log runs) for each run that has enough tombstones. REQUIRES: a threshold is given.
  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const;
  /// Whether a run is worth merging, busy or not. REQUIRES: as above; the run is in the tree.
  [[nodiscard]] bool is_worth_merging(const TreeView& tree, const SortedRun& run) const;
  /// The same of one file of a run. Where a run has more than a few files that overlap it, they
  /// count as one that holds older data, so that this costs O(runs * log files).
  [[nodiscard]] bool is_worth_merging(const TreeView& tree, const SortedRun& run,
                                      const File& file) const;
};

}  // namespace lsmlab
