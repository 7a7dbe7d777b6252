// Merges at resolution `range`: computes the densities of the outputs from those of the inputs.
//
// Which keys of a newer source are in an older one too? The newer source's entries whose key has an
// older version somewhere in the tree ("updates") hit a key of the older source with the
// probability that a key of their class, picked among all keys of older data in that part of the
// key space, lies in that source. So a source that holds all older data is hit by every update, and
// one that holds a tenth of it by a tenth of them. How many keys the older data has follows from
// all keys, which lie evenly over the key space, less those that only newer data has. The
// assumption: inside a class and a cell, which keys a source holds is independent of the others.
#pragma once

#include <cstdint>
#include <vector>

#include "models/execution/tombstone_rule.h"
#include "sim/ranges/delete_grace.h"
#include "sim/ranges/older_sources.h"
#include "sim/ranges/placed_keys.h"
#include "sim/ranges/range_outputs.h"
#include "sim/ranges/range_sources.h"

namespace lsmlab {

/// For each class, the keys of the whole key space that are in a merge's inputs or in older data:
/// those that have an entry there and are not deleted there. Empty where no source has updates.
using KeyCounts = std::vector<std::int64_t>;  // in units of FixedCount

/// Keys that updates may hit.
struct OlderKeys {
  KeyCounts counts;
  // Where keys lie, if they were inserted in order; null: evenly over the key space.
  const PlacedKeys* placed = nullptr;
};

struct RangeMergeSums {
  FixedCount tombstones_dropped = 0;
  CohortList dropped;  // several may have one block
};

/// What a merge knows of tombstones beside the sources.
struct TombstoneState {
  // Where cells differ in classes: the keys of each class whose tombstones were dropped but that
  // are still to leave. Grows with the classes. Null: cells do not differ.
  KeyCounts* owed = nullptr;
  // Which tombstones are old enough to go; null: all. Must live until the outputs are finished.
  RipeSplits* ripe = nullptr;
  // Older data that filters are asked about; null: key ranges decide.
  OlderSources* older = nullptr;
};

/// What a newer memtable and the one before it hold together, by class. `older_keys`: for each
/// class, the keys that are in the older memtable or in older data.
[[nodiscard]] ClassList joined_classes(const ClassList& newer, const KeyCounts& older_keys,
                                       const ClassList& older);

/// Appends what the merge of the sources keeps to `outputs`. `sources`: newest first; they must
/// live until the outputs are finished.
RangeMergeSums merge_ranges(std::vector<SourceCursor>& sources, const OlderKeys& keys,
                            TombstoneRule rule, RangeOutputs& outputs,
                            const TombstoneState& state = {});

}  // namespace lsmlab
