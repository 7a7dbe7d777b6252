// Where the output of a merge is cut into files: one rule for simulator and engine. A file ends at
// the first of these limits:
//
//   - Size: the file ends with the entry that brings its measured bytes to the limit. Filter and
//     index come on top of that.
//   - Split key: the file ends before the first entry at or above the cut's split key, once.
//   - Old files (RocksDB 7.8.3's FillFilesToCutForTtl): the file ends before an entry that reaches
//     or leaves a range of the cut's set_apart. As in RocksDB, a file's first entry is not looked
//     at: where it reaches a range, the second entry ends the file.
//   - Shards, guards, or the keys of a plan log: a file begins at each key of the cut's
//     file_begins, unless the one before it has fewer bytes than file_begin_bytes_min. Apart from
//     the size no other rule counts then.
//   - Grandparents (GrandparentRule). Grandparents are the files below the output's level that
//     overlap the inputs' key range. A boundary is a key at which a grandparent begins, or after
//     which it ends.
//     - kOverlapLimit: LevelDB 1.23, Compaction::ShouldStopBefore. Grandparents are files of the
//       next level.
//     - kCompactionLimit, kDynamicFileSize: RocksDB 7.8.3, CompactionOutputs::ShouldStopBefore.
//       Grandparents are files of the first deeper level that has any
//       (CompactionPicker::GetGrandparents). A file ends at a boundary if it and the grandparents
//       that it overlaps exceed grandparent_bytes_max. With kDynamicFileSize a file also ends at a
//       boundary
//       - if the entry skips a whole grandparent of more than an eighth of file_bytes; or
//       - if the file has reached half of file_bytes, plus a twentieth for every boundary that it
//         passed, but at most nine tenths.
//     If there are grandparents, kDynamicFileSize doubles the size limit to twice file_bytes.
//     - kGrandparentBegins: Pebble 2.1.7, compact.OutputSplitter and Runner.TableSplitLimit.
//       Boundaries are only the keys at which a grandparent of the cut's level begins, up to the
//       file's limit. The limit is the first of the cut's limits above the file's smallest key, or
//       the begin of the grandparent with which the file would overlap more than
//       grandparent_bytes_max, whichever is smaller. A file ends before an entry at or above its
//       limit, or above a boundary if the file has half of file_bytes, plus a twentieth for every
//       further boundary that it passed, but at most nine tenths. Its size limit is twice
//       file_bytes while a boundary lies ahead, and then file_bytes. Where a file begins without a
//       boundary, after a full one, the grandparent that began last counts as overlapped.
//     - kGrandparentLimit: Pebble before its commit 87ed4d3bc of February 2023, fileSizeSplitter
//     and
//       findGrandparentLimit. The same limit; a file ends before it, or with file_bytes.
//
// The rules by key are asked before an entry is added. Only entries that the merge keeps are asked
// about: an entry that it drops moves no boundary.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/sizes/sstable_size.h"
#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

/// Keeps a copy of the grandparents' run and looks at a grandparent when the merge reaches it. The
/// tree may change meanwhile.
class OutputCutter {
 public:
  /// `tree` is the tree for which the policy made the plan.
  OutputCutter(const TreeView& tree, const MergePlan& plan);
  OutputCutter(const TreeView& tree, const FlushPlan& plan) : OutputCutter(tree, as_merge(plan)) {}

  /// Whether the open output file ends with the entry that it got last. REQUIRES: the caller asks
  /// as soon as the file could end (entries_to_end()), and ends the file if the answer is true.
  [[nodiscard]] bool ends_after(const SstableSize& file);
  /// The number of entries of one size, at least 1, that may be added until ends_after() must be
  /// asked again. The last of them is included.
  [[nodiscard]] std::uint64_t entries_to_end(const SstableSize& file, std::uint64_t key_bytes,
                                             std::uint64_t value_bytes) const;

  /// The bytes with which the open file ends, by measure(); nothing if no size ends a file. With
  /// Pebble's rules it may change when a boundary is passed and when a file ends.
  [[nodiscard]] std::optional<std::uint64_t> file_bytes_max() const { return file_bytes_max_; }
  [[nodiscard]] CutMeasure measure() const { return cut_.measure; }
  /// In place of ends_after(), for a caller that computed where a file reaches file_bytes_max().
  void end_file();

  /// Whether files end at given keys, behind which the run of the outputs may have other files.
  [[nodiscard]] bool ends_at_given_keys() const { return cut_.file_begins.has_value(); }

  /// The largest key up to which ends_before() is certainly false, whatever the file's size, so
  /// that the caller need not ask. Nothing if that holds for every key. The value never falls.
  [[nodiscard]] std::optional<std::uint64_t> quiet_until() const;

  /// Whether the open output file ends before an entry of this key. `file` does not contain the
  /// entry yet. REQUIRES: keys rise from call to call. The caller must also ask, with an empty
  /// file, about an entry that begins a file and lies above quiet_until(): the answer is then
  /// false, but the boundaries move.
  [[nodiscard]] bool ends_before(std::uint64_t key, const SstableSize& file);

 private:
  struct Grandparent {
    KeyRange keys;
    std::uint64_t bytes = 0;
  };
  void find_grandparents(const TreeView& tree, const MergePlan& plan);
  [[nodiscard]] bool has_grandparent() const { return next_ < end_; }
  void set_next(std::size_t next);
  [[nodiscard]] std::optional<std::uint64_t> last_key_before_boundary() const;
  void find_begins(const TreeView& tree, const MergePlan& plan, const KeyRange& keys);
  [[nodiscard]] std::optional<std::uint64_t> next_begin_of_grandparent() const;
  /// Before which key the open file may end whatever its size.
  [[nodiscard]] std::optional<std::uint64_t> next_boundary() const;
  void begin_at_boundary(std::uint64_t key);
  void begin_behind_full_file();
  void set_limit(std::uint64_t overlapped_bytes);
  void set_size_limit();
  [[nodiscard]] bool passes_grandparent_begin(std::uint64_t key, const SstableSize& file);
  [[nodiscard]] std::uint64_t measured(const SstableSize& file) const;
  /// Whether a range of set_apart is not passed.
  [[nodiscard]] bool has_set_apart() const { return next_apart_ < cut_.set_apart.size(); }
  [[nodiscard]] std::uint64_t last_key_before_apart() const;
  [[nodiscard]] bool passes_apart(std::uint64_t key);
  [[nodiscard]] bool passes_begin(std::uint64_t key);
  [[nodiscard]] bool passes_overlap_limit(std::uint64_t key);
  void find_overlap_end();
  [[nodiscard]] std::uint64_t cross_boundaries(std::uint64_t key);
  [[nodiscard]] bool ends_at_boundary(std::uint64_t crossed, std::uint64_t overlapped_before,
                                      std::uint64_t file_bytes) const;
  void begin_file();

  OutputCut cut_;
  std::size_t next_begin_ = 0;                    // index in cut_.file_begins
  std::size_t next_apart_ = 0;                    // the first range of set_apart that is not passed
  bool is_apart_ = false;                         // the open file has an entry of that range
  std::shared_ptr<const RunFiles> grandparents_;  // shared, so that at_ outlives a move
  RunFiles::Iterator at_;
  std::size_t next_ = 0;  // the first grandparent whose end is not passed
  std::size_t end_ = 0;   // the index after the last grandparent
  Grandparent at_next_;   // that of next_
  std::optional<std::uint64_t> file_bytes_max_;
  bool in_gap_ = true;  // the last key was smaller than that grandparent's keys (RocksDB)
  std::uint64_t overlapped_bytes_ = 0;  // bytes of grandparents that the open file overlaps
  // kOverlapLimit: the largest key before which the overlap stays within its limit; none: it always
  // does
  std::optional<std::uint64_t> overlap_end_;
  // Pebble's rules: before this key the open file ends; next_ is the first grandparent that
  // begins above the last key
  std::optional<std::uint64_t> limit_;
  bool begins_output_ = true;     // no key was asked about
  std::size_t first_ = 0;         // the first grandparent
  std::size_t next_limit_ = 0;    // the first of cut_.limits above the last key
  std::uint64_t boundaries_ = 0;  // boundaries that the open file passed
  bool has_seen_key_ = false;
  std::uint64_t last_key_ = 0;  // the last key that ends_before() was asked about
  bool has_ended_ = false;      // ends_after() has ended a file since then
};

}  // namespace lsmlab
