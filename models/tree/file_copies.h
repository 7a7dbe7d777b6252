// Copies: the inputs of merges that stay on disk for lookups (LSbM-tree's compaction buffer). Pure
// functions.
//
// Rule: a lookup may take a key from a copy only if no newer part of the file can have it. So the
// copies of a key are always the newest ones: where a copy goes, the older copies of the same file
// that it overlaps go with it (Teng et al., ICDCS 2017, Section IV: a removed file of the
// compaction buffer sends lookups to the merged level).
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/error.h"
#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

/// Completes the edit of a merge with copies_max above 0: gives the outputs their copies, and
/// freezes those inputs of which there are any. An input that such a merge wrote hands its copies
/// on and goes; each other input becomes a copy itself, and its own copies go. Does nothing if
/// copies_max is 0. REQUIRES: the inputs are in the tree and in edit.removed; the outputs, with
/// their keys, are in edit.added.
void add_copies(const TreeView& tree, const std::vector<PlanInput>& inputs,
                std::uint64_t copies_max, TreeEdit& edit);

/// What is left of a file's copies without those of `trimmed`. REQUIRES: the ids rise.
[[nodiscard]] std::vector<Copy> copies_without(const std::vector<Copy>& copies,
                                               const std::vector<FileId>& trimmed);

/// Where the files stand that have copies of one of the frozen files, each once and in the order of
/// places. O(files with copies that overlap them, * log files).
[[nodiscard]] std::vector<FileLocation> files_with_copies_of(const TreeView& tree,
                                                             const std::vector<FileId>& frozen);

/// Errors: the copy is not within the file's keys, or the file is virtual.
[[nodiscard]] Result<void> check_copy(const File& file, const Copy& copy);

}  // namespace lsmlab
