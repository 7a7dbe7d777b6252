// RocksDB's subcompactions: which merges are divided into parts for several threads, and where
// (7.8.3: Compaction::ShouldFormSubcompactions, CompactionJob::GenSubcompactionBoundaries and
// Prepare). RocksDB looks for boundaries at 128 keys of each file; here they lie exactly where the
// sizes have them. Versions before 7.6 cut at ends of input files; here their parts are equal.
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/options.h"
#include "models/base/units.h"
#include "models/policies/fidelity.h"
#include "models/policies/merge_parts.h"
#include "models/policies/rocksdb/levels.h"
#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

struct RocksdbSubcompactions {
  std::uint64_t parts_max = 1;  // max_subcompactions
  RocksdbVersion version = RocksdbVersion::k7_8;
  // Leveled compaction with round robin: merges of all levels have a part for each input file of
  // their first level, while there are idle merge threads.
  bool is_round_robin = false;
  bool is_universal = false;
};

void declare_max_subcompactions(OptionTable& table, std::uint64_t& parts_max);

/// The parts of a merge whose files end at `file_bytes`. `idle_threads`: merge threads without
/// work. REQUIRES: the merge's inputs are in the tree.
[[nodiscard]] MergeParts rocksdb_parts(const RocksdbSubcompactions& rules, const TreeView& tree,
                                       const MergePlan& merge, Bytes file_bytes,
                                       std::uint64_t idle_threads);

/// What of them is modelled.
[[nodiscard]] RuleFidelity rocksdb_subcompactions_fidelity();

}  // namespace lsmlab
