// How Cassandra's and ScyllaDB's SizeTieredCompactionStrategy sort SSTables into tiers of similar
// size ("buckets") and choose the tier to merge. Their TimeWindowCompactionStrategy and
// LeveledCompactionStrategy use the same rules within a window and within level 0.
//
// Both take SSTables by rising size. One joins a tier if it is larger than bucket_low and smaller
// than bucket_high times the tier's average, or if both are smaller than min_sstable_size. Only the
// newest tier can fit: an older one that did not fit a smaller SSTable fits none that is larger.
//
// Cassandra 5.0.4 (SizeTieredCompactionStrategy.getBuckets, mostInterestingBucket):
//  - the average is rounded down with every SSTable that joins;
//  - a tier is cut to its max_threshold hottest SSTables, and counts if min_threshold are left;
//  - the hottest tier is merged, which is the sum of its SSTables' reads a second and key; of
//    equally hot ones that with the largest SSTables. (A comment there says the smallest.)
// Here every key is read alike, so every SSTable is equally hot: a table with reads merges the tier
// of most SSTables, one without reads the tier of the largest. Of a tier that is too large, the
// smallest SSTables are merged.
//
// ScyllaDB (size_tiered_compaction_strategy.cc):
//  - the average is exact, and an SSTable joins only if the tier's smallest one stays above
//    bucket_low times the new average, unless it is smaller than min_sstable_size;
//  - the tier of most SSTables is merged, counted up to max_threshold; of equals that of the
//    smallest; of a tier that is too large, the smallest SSTables.
//
// Neither defines the order of equal sizes. Here it is the oldest first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/base/decimal.h"
#include "models/base/options.h"
#include "models/base/units.h"
#include "models/policies/cassandra/sstables.h"

namespace lsmlab {

struct SizeTierOptions {
  std::uint64_t min_threshold = 4;
  std::uint64_t max_threshold = 32;
  Bytes min_sstable_size{std::uint64_t{50} << 20};
  Decimal bucket_low{1, 2};
  Decimal bucket_high{3, 2};

  void declare(OptionTable& table);
  [[nodiscard]] std::vector<std::string> validate() const;
};

struct SizedSstable {
  std::uint64_t bytes = 0;
  std::size_t position = 0;  // in a list of SSTables, oldest first
};

/// By rising size, the older one first where equal.
using SizeTier = std::vector<SizedSstable>;

/// By bytes on disk, as Cassandra compares them.
[[nodiscard]] SizeTier sized(const std::vector<Sstable>& sstables);

/// The smallest tier first.
[[nodiscard]] std::vector<SizeTier> cassandra_tiers(SizeTier sstables,
                                                    const SizeTierOptions& options);
/// `groups_small`: false if no SSTable counts as smaller than min_sstable_size.
[[nodiscard]] std::vector<SizeTier> scylla_tiers(SizeTier sstables, const SizeTierOptions& options,
                                                 bool groups_small);

/// What is merged of these tiers; empty if none has min_threshold SSTables. `is_read`: lookups
/// reach the table.
[[nodiscard]] SizeTier cassandra_choice(const std::vector<SizeTier>& tiers,
                                        const SizeTierOptions& options, bool is_read);
[[nodiscard]] SizeTier scylla_choice(const std::vector<SizeTier>& tiers,
                                     const SizeTierOptions& options, std::uint64_t min_threshold);

/// The SSTables of a tier, oldest first. REQUIRES: the tier is of `sstables`.
[[nodiscard]] std::vector<Sstable> members_of(const SizeTier& tier,
                                              const std::vector<Sstable>& sstables);

/// What Cassandra merges of these SSTables of one window or level, oldest first; empty if nothing.
[[nodiscard]] std::vector<Sstable> cassandra_tier_to_merge(const TreeView& tree,
                                                           const std::vector<Sstable>& sstables,
                                                           const SizeTierOptions& options);

}  // namespace lsmlab
