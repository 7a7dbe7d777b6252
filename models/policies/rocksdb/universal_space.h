// Which sorted runs RocksDB's universal compaction merges when the newer ones hold too much space
// (PickCompactionToReduceSizeAmp of db/compaction/compaction_picker_universal.cc).
//
// Up to version 8.6, all runs after the newest busy ones merge, and none if another one is busy.
// From 8.7 on (PR 11749) it is the longest span of idle runs that ends at the oldest one, without
// its newest files of level 0: while files merge they still count for the stop of writers. At
// least nine tenths of the newer runs' bytes remain, and their share of the oldest run's still asks
// for the merge (MightExcludeNewL0sToReduceWriteStop).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "models/policies/rocksdb/levels.h"
#include "models/policies/rocksdb/universal_runs.h"

namespace lsmlab {

/// The runs [first, end), counted from the newest run.
struct UniversalWindow {
  std::size_t first = 0;
  std::size_t end = 0;
};

struct UniversalSpaceRules {
  std::uint64_t size_amplification_percent = 200;
  std::uint64_t min_merge_width = 2;
  std::uint64_t max_merge_width = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t stop_runs = 36;  // level0_stop_writes_trigger
  RocksdbVersion version = RocksdbVersion::k7_8;
};

/// Nothing if the newer runs hold too little, or if busy runs are in the way. `runs`: newest first.
/// REQUIRES: not empty. O(runs).
[[nodiscard]] std::optional<UniversalWindow> universal_window_for_space(
    const std::vector<UniversalRun>& runs, const UniversalSpaceRules& rules);

}  // namespace lsmlab
