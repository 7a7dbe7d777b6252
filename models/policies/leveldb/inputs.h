// The inputs of a LevelDB merge (db/version_set.cc: PickCompaction, SetupOtherInputs): the file
// that leaves a level, the files of its level that must go with it, and the files of the next level
// that these overlap. The upper inputs then grow to all files of their level that overlap the
// merge, if that adds no further file of the next level and the inputs stay below 25 times
// file_size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/base/units.h"
#include "models/policies/leveldb/rules.h"
#include "models/policies/policy.h"
#include "models/tree/file_order.h"
#include "models/tree/plan.h"
#include "models/tree/run_files.h"
#include "models/tree/tree.h"

namespace lsmlab {

/// Files of one level that a merge takes.
struct LeveldbInputSet {
  std::vector<PlanInput> inputs;
  KeyRange keys;
  Bytes bytes;
  std::size_t files = 0;

  void add(std::uint32_t level, const SortedRun& run, const FileSpan& taken);
};

struct LeveldbInputs {
  LeveldbInputSet upper;
  LeveldbInputSet lower;

  /// All, newest to oldest.
  [[nodiscard]] std::vector<PlanInput> all() const;
  /// Whether a single file may move to the next level without being rewritten: it overlaps nothing
  /// there, and at most grandparent_bytes_max() in the level after that.
  [[nodiscard]] bool may_move(const TreeView& tree, const LeveldbOptions& options) const;
};

/// The files that lookups searched in vain as often as the policy's seeks_max() allows, by key. The
/// policy must outlive the ordering.
[[nodiscard]] FileOrdering files_worn_by_seeks(const Policy& policy, std::string name);

/// The inputs of the merge that the level's files within `keys` start. REQUIRES: there are some.
[[nodiscard]] LeveldbInputs leveldb_inputs(const TreeView& tree, std::uint32_t level,
                                           const KeyRange& keys, const LeveldbOptions& options);

}  // namespace lsmlab
