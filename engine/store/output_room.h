// How much room a plan's next output file is likely to take, so that the disk can give it in one
// piece: where several files grow at once, each otherwise lies in many, and every piece costs a
// request of its own when the file is removed and its blocks are trimmed.
#pragma once

#include <cstdint>

#include "models/execution/plan_execution.h"
#include "models/tree/tree.h"

namespace lsmlab::engine {

class OutputRoom {
 public:
  /// Of nothing.
  OutputRoom() = default;
  /// REQUIRES: `plan` fits the tree; `sums` are the plan's.
  OutputRoom(const TreeView& tree, const Plan& plan, const PlanSums& sums);

  /// Bytes, a little more than is likely; 0: not known. Files that end early, where a grandparent
  /// does or as the merge dropped much, take less.
  [[nodiscard]] std::uint64_t next_file_bytes() const;
  /// So large a file was written.
  void note_file(std::uint64_t bytes) { rest_bytes_ -= bytes < rest_bytes_ ? bytes : rest_bytes_; }

 private:
  std::uint64_t rest_bytes_ = 0;  // were every entry that goes in to come out
  std::uint64_t file_bytes_ = 0;  // of one that is cut; 0: none is
};

}  // namespace lsmlab::engine
