// Which files a point lookup visits, and in which order: one rule for simulator and engine.
//
// A lookup visits levels from the top down, and the runs of a level newest first. In each run it
// visits the one file that is responsible for the key: first the file's slices, newest first, then
// the file itself, unless it is virtual (LDC, Section III-B-3). It ends at the first version that
// it finds. Where the file has copies, the lookup first asks whether the file may have the key; if
// so, it visits the copies, newest first, before the file (LSbM, lsbm/version_set.cc,
// Version::Get). The exception are policies that do not keep runs in the order of their age
// (Policy::keeps_age_order()): there the lookup asks every run, and the newest version counts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/tree/tree.h"

namespace lsmlab {

/// The index of the file that is responsible for the key: the first file whose largest key is at or
/// above it, or else the last file. REQUIRES: there is a file.
[[nodiscard]] inline std::size_t responsible_file(const RunFiles& files, std::uint64_t key) {
  return std::min(files.first_ending_from(key), files.size() - 1);
}

[[nodiscard]] inline bool holds(const KeyRange& keys, std::uint64_t key) {
  return keys.smallest <= key && key <= keys.largest;
}

namespace lookup_path {

/// Asks the file's slices and copies and then the file itself, if their key ranges contain the key.
template <class Ask, class MayHold>
[[nodiscard]] bool walk_file(const FileLocation& at, const File& file, std::uint64_t key, Ask& ask,
                             MayHold& may_hold) {
  const auto has_key = [key](const Copy& copy) { return holds(copy.keys, key); };
  if (std::any_of(file.copies.begin(), file.copies.end(), has_key)) {
    if (!may_hold(at, file.id)) return false;
    for (const Copy& copy : file.copies) {
      if (has_key(copy) && ask(at, copy.frozen_file)) return true;
    }
  }
  for (auto slice = file.slices.rbegin(); slice != file.slices.rend(); ++slice) {
    if (holds(slice->keys, key) && ask(at, slice->frozen_file)) return true;
  }
  return !file.is_virtual && holds(file.keys, key) && ask(at, file.id);
}

}  // namespace lookup_path

/// Calls touch(location) for each file that the lookup reaches: the key is in the range of the file
/// or of one of its slices. Then it calls `bool ask(location, table)`, before any filter, for the
/// frozen files of slices and copies, and for the file itself. `bool may_hold(location, table)`
/// asks the filter of a file that has copies of the key's range, before these. The walk ends when
/// `ask` returns true: a version was found, or a read failed, which the caller must remember
/// itself. `touch` may change what a lookup may change in a tree (last accesses).
///
/// Returns the first file that the lookup searched, if it searched a second one after it: LevelDB
/// charges that file with a seek (db/version_set.cc, Version::Get). As in LevelDB, a file counts as
/// searched when its key range contains the key, whatever its filter says. A slice counts as part
/// of the file that it is linked to.
template <class Touch, class Ask, class MayHold>
[[nodiscard]] std::optional<FileLocation> walk_lookup(const TreeView& tree, std::uint64_t key,
                                                      Touch&& touch, Ask&& ask,
                                                      MayHold&& may_hold) {
  std::optional<FileLocation> first;
  std::optional<FileLocation> searched_in_vain;
  for (std::size_t level = 0; level < tree.levels().size(); ++level) {
    const std::vector<SortedRun>& runs = tree.levels()[level].runs;
    for (std::size_t run = 0; run < runs.size(); ++run) {
      const FileLocation at{level, run, responsible_file(runs[run].files, key)};
      const File& file = runs[run].files[at.file];
      const bool is_reached =
          holds(file.keys, key) ||
          std::any_of(file.slices.begin(), file.slices.end(),
                      [key](const Slice& slice) { return holds(slice.keys, key); });
      if (!is_reached) continue;
      touch(at);
      if (first && !searched_in_vain) searched_in_vain = first;
      if (!first) first = at;
      if (lookup_path::walk_file(at, file, key, ask, may_hold)) return searched_in_vain;
    }
  }
  return searched_in_vain;
}

/// The same where no file has copies.
template <class Touch, class Ask>
[[nodiscard]] std::optional<FileLocation> walk_lookup(const TreeView& tree, std::uint64_t key,
                                                      Touch&& touch, Ask&& ask) {
  return walk_lookup(tree, key, touch, ask, [](const FileLocation&, FileId) { return true; });
}

}  // namespace lsmlab
