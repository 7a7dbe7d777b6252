// Level 0 as Pebble sees it (internal/manifest/l0_sublevels.go, 2.1.7). The begins of files and the
// places behind their ends cut the keys into intervals. A file's sublevel is one above the highest
// sublevel of the older files that share an interval with it; the depth of an interval is the
// number of its files. One object serves one pick; it takes O(files * intervals).
//
// Which running merge has a busy file as an input cannot be seen from a tree: a busy file of level
// 0 counts as an input of a merge within level 0 if it overlaps an idle file of the base level,
// otherwise as one of a merge into the base level.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

/// Files of level 0 that a merge takes (Pebble's L0CompactionFiles).
struct PebbleLevel0Pick {
  std::vector<bool> included;  // by the index of the file, oldest first
  std::uint64_t bytes = 0;
  std::size_t depth_reduction = 0;  // files of the seed interval
  std::size_t seed_sublevel_min = 0;
  std::size_t seed_sublevel_max = 0;
  std::size_t interval_min = 0;  // intervals that the files cover
  std::size_t interval_max = 0;
};

class PebbleSublevels {
 public:
  PebbleSublevels(const TreeView& tree, std::uint32_t base_level);

  /// Files, and files that are no inputs of running merges.
  [[nodiscard]] std::size_t files() const { return files_.size(); }
  [[nodiscard]] std::size_t idle_files() const;
  /// The greatest depth of an interval: sorted runs that a lookup may have to search.
  [[nodiscard]] std::size_t depth() const;
  /// The same without busy files (MaxDepthAfterOngoingCompactions).
  [[nodiscard]] std::size_t idle_depth() const;
  [[nodiscard]] std::size_t sublevels() const { return sublevels_.size(); }
  /// Bytes of the busy files of merges into the base level.
  [[nodiscard]] std::uint64_t leaving_bytes() const;
  /// Keys before which flushes begin a new file: between two of them lie more than `bytes` for each
  /// sublevel, by an even share of a file's bytes for each interval (calculateFlushSplitKeys).
  [[nodiscard]] std::vector<std::uint64_t> flush_split_keys(std::uint64_t bytes) const;

  /// The deepest interval's files, from its lowest sublevel up, with all older files that they
  /// overlap (PickBaseCompaction with a least depth of 1).
  [[nodiscard]] std::optional<PebbleLevel0Pick> pick_for_base() const;
  /// The deepest interval's files, from its highest sublevel down, with all newer files that they
  /// overlap, if four or more of the interval's files are among them (PickIntraL0Compaction).
  [[nodiscard]] std::optional<PebbleLevel0Pick> pick_within() const;
  /// Adds files to a pick for the base level that lie entirely above key `after` and below key
  /// `before` (ExtendL0ForBaseCompactionTo). Returns whether it added any.
  [[nodiscard]] bool extend_for_base(std::optional<std::uint64_t> after,
                                     std::optional<std::uint64_t> before,
                                     PebbleLevel0Pick& pick) const;

  [[nodiscard]] const File& file(std::size_t index) const { return *files_[index].file; }
  [[nodiscard]] std::size_t sublevel(std::size_t index) const { return files_[index].sublevel; }
  [[nodiscard]] std::size_t count(const PebbleLevel0Pick& pick) const;
  [[nodiscard]] KeyRange keys(const PebbleLevel0Pick& pick) const;
  [[nodiscard]] bool any_busy(const PebbleLevel0Pick& pick) const;
  /// As inputs of a plan, newest run first.
  [[nodiscard]] std::vector<PlanInput> inputs(const PebbleLevel0Pick& pick) const;

 private:
  // Where an interval begins: at a key, or right behind it.
  struct Boundary {
    std::uint64_t key = 0;
    bool is_behind = false;
    friend auto operator<=>(const Boundary&, const Boundary&) = default;
  };
  struct Level0File {
    const File* file = nullptr;
    std::size_t run = 0;  // in the tree's level, newest first
    std::size_t first = 0;
    std::size_t last = 0;  // the last interval that it covers
    std::size_t sublevel = 0;
    bool goes_to_base = false;  // busy, in a merge into the base level
  };
  struct Interval {
    Boundary begin;
    std::vector<std::size_t> files;  // by rising sublevel
    std::size_t busy_files = 0;
    std::uint64_t bytes = 0;
    std::size_t reach_min = 0;  // intervals that its files cover
    std::size_t reach_max = 0;
    bool goes_to_base = false;      // a running merge into the base level has it
    bool meets_base_merge = false;  // its files reach such an interval
    [[nodiscard]] std::size_t idle_depth() const { return files.size() - busy_files; }
  };
  struct Scored {
    std::size_t interval = 0;
    std::size_t score = 0;
  };

  void add(const File& file, std::size_t run);
  void place(std::size_t index);
  void note_busy();
  void note_base_merges();
  [[nodiscard]] bool is_base_merging(const File& file) const;
  [[nodiscard]] std::size_t interval_of(const Boundary& boundary) const;
  [[nodiscard]] static std::vector<Scored> sorted(std::vector<Scored> scored);
  [[nodiscard]] PebbleLevel0Pick pick_of(std::size_t index) const;
  void include(std::size_t index, PebbleLevel0Pick& pick) const;
  [[nodiscard]] bool include_sublevel(std::size_t sublevel, PebbleLevel0Pick& pick) const;
  [[nodiscard]] std::optional<PebbleLevel0Pick> base_pick_from(std::size_t seed,
                                                               std::size_t interval) const;
  [[nodiscard]] std::optional<PebbleLevel0Pick> inner_pick_from(std::size_t seed,
                                                                std::size_t interval) const;
  [[nodiscard]] bool base_is_idle(const PebbleLevel0Pick& pick) const;
  /// Adds what lies in the rectangle of these intervals and of the pick's sublevels.
  [[nodiscard]] bool extend(std::size_t interval_min, std::size_t interval_max, bool is_for_base,
                            PebbleLevel0Pick& pick) const;

  const TreeView& tree_;
  const SortedRun* base_ = nullptr;                  // the base level's run; null if it is empty
  std::vector<Level0File> files_;                    // oldest first
  std::vector<Interval> intervals_;                  // the last one only ends the one before it
  std::vector<std::vector<std::size_t>> sublevels_;  // lowest first; files by key
};

}  // namespace lsmlab
