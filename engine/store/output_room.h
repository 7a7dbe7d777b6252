// Predicts the size of a plan's next output file, so that the file system can allocate it in one
// piece. Without that, files that grow at the same time lie in many pieces each, and each piece
// costs a request when the file is removed and its blocks are trimmed.
#pragma once

#include <cstdint>

#include "models/execution/plan_execution.h"
#include "models/tree/tree.h"

namespace lsmlab::engine {

class OutputRoom {
 public:
  /// Predicts nothing.
  OutputRoom() = default;
  /// REQUIRES: `plan` fits the tree; `sums` are the plan's.
  OutputRoom(const TreeView& tree, const Plan& plan, const PlanSums& sums);

  /// Expected bytes of the next file, with a small margin; 0: unknown. Files that end early, at a
  /// grandparent's boundary or because the merge dropped much, are smaller.
  [[nodiscard]] std::uint64_t next_file_bytes() const;
  /// Records the size of a file that was written.
  void note_file(std::uint64_t bytes) { rest_bytes_ -= bytes < rest_bytes_ ? bytes : rest_bytes_; }

 private:
  std::uint64_t rest_bytes_ = 0;  // left to write if the plan drops no entry
  std::uint64_t file_bytes_ = 0;  // size at which files are cut; 0: not cut
};

}  // namespace lsmlab::engine
