// Files that a policy takes from several sorted runs, with the runs that they are in.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

struct FileOfRun {
  std::uint32_t level = 0;
  const SortedRun* run = nullptr;  // of the tree, which must not change meanwhile
  const File* file = nullptr;
};

/// Brings them into the order in which a plan takes them: levels downwards, in each the newest run
/// first, in each run by key. REQUIRES: they are of one tree.
void sort_as_inputs(std::vector<FileOfRun>& files);

/// The inputs of a plan that takes these files. REQUIRES: files of one run follow each other by
/// key.
[[nodiscard]] std::vector<PlanInput> inputs_of(std::span<const FileOfRun> files);

}  // namespace lsmlab
