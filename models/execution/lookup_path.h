// Which files a point lookup visits, in which order: the one rule for simulator and engine.
//
// Levels top down, a level's runs newest first; in a run the one file that is responsible for the
// key, its slices newest to oldest before the file itself (LDC, Section III-B-3). It ends at the
// first version found, but for policies that do not keep runs in the order of their age
// (Policy::keeps_age_order()): there every run is asked, and the newest version counts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/tree/tree.h"

namespace lsmlab {

/// The file that is responsible for the key: the first one that ends at it or above, or the last.
[[nodiscard]] inline std::size_t responsible_file(const SortedRun& run, std::uint64_t key) {
  const auto file =
      std::lower_bound(run.files.begin(), run.files.end(), key,
                       [](const File& f, std::uint64_t sought) { return f.keys.largest < sought; });
  return std::min(static_cast<std::size_t>(file - run.files.begin()), run.files.size() - 1);
}

[[nodiscard]] inline bool holds(const KeyRange& keys, std::uint64_t key) {
  return keys.smallest <= key && key <= keys.largest;
}

namespace lookup_path {

/// The file's slices and the file itself, as far as their ranges hold the key.
template <class Ask>
[[nodiscard]] bool walk_file(const FileLocation& at, const File& file, std::uint64_t key,
                             Ask& ask) {
  for (auto slice = file.slices.rbegin(); slice != file.slices.rend(); ++slice) {
    if (holds(slice->keys, key) && ask(at, slice->frozen_file)) return true;
  }
  return holds(file.keys, key) && ask(at, file.id);
}

}  // namespace lookup_path

/// Calls touch(location) for a file when the lookup reaches it, or a slice that hangs on it, by key
/// range; then, before any filter, `bool ask(location, table)` for the slices' frozen files and the
/// file itself. The walk ends where `ask` says true: a version was found, or it failed, which the
/// caller notes for itself. `touch` may change what a lookup may change in a tree (last accesses).
///
/// Returns the first file that was searched, where another one was searched after it: the one that
/// LevelDB charges with a seek (db/version_set.cc, Version::Get). As there, a file counts as
/// searched when its key range holds the key, whatever its filter says; slices count to the file
/// that they hang on.
template <class Touch, class Ask>
[[nodiscard]] std::optional<FileLocation> walk_lookup(const TreeView& tree, std::uint64_t key,
                                                      Touch&& touch, Ask&& ask) {
  std::optional<FileLocation> first;
  std::optional<FileLocation> searched_in_vain;
  for (std::size_t level = 0; level < tree.levels().size(); ++level) {
    const std::vector<SortedRun>& runs = tree.levels()[level].runs;
    for (std::size_t run = 0; run < runs.size(); ++run) {
      const FileLocation at{level, run, responsible_file(runs[run], key)};
      const File& file = runs[run].files[at.file];
      const bool is_reached =
          holds(file.keys, key) ||
          std::any_of(file.slices.begin(), file.slices.end(),
                      [key](const Slice& slice) { return holds(slice.keys, key); });
      if (!is_reached) continue;
      touch(at);
      if (first && !searched_in_vain) searched_in_vain = first;
      if (!first) first = at;
      if (lookup_path::walk_file(at, file, key, ask)) return searched_in_vain;
    }
  }
  return searched_in_vain;
}

}  // namespace lsmlab
