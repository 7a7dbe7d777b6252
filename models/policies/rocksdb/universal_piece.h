// The part of a tree that RocksDB 7.8.3 merges in universal compaction's incremental mode when the
// newer runs hold too much space (PickIncrementalForReduceSizeAmp of
// db/compaction/compaction_picker_universal.cc):
//
//  1. A window slides over the files of the second last run, with the files of the last run that it
//     overlaps. When both together exceed a size, or at the last file, the window's fanout is
//     compared: bytes of the last run per byte of the second last. The least one below the limit is
//     the pick. Then the window shrinks from its first file on until it is below the size. Where a
//     file of the last run lies between two files of the second last, a new window begins.
//  2. More files of the second last run join if that adds no file of the last one.
//  3. Files of upper levels join that lie within the range of the part below them. A level that
//     overlaps the range without a file inside it ends this; RocksDB goes on, and so could put
//     newer data below older data.
#pragma once

#include <cstdint>
#include <vector>

#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

struct PieceRun {
  std::uint32_t level = 0;
  const SortedRun* run = nullptr;
};

/// The inputs, newest run first; empty if there is no such part. `runs`: those of levels below
/// level 0, from the shallowest on. O(files of the last two runs): RocksDB looks at each of them,
/// too.
[[nodiscard]] std::vector<PlanInput> universal_piece(const std::vector<PieceRun>& runs,
                                                     double fanout_max, std::uint64_t window_bytes);

}  // namespace lsmlab
