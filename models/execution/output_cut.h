// Where the output of a merge is cut into files: one rule for simulator and engine.
//
//   By size: an output file ends with the entry that brings what the cut measures to its limit;
//   filter and index come on top.
//   By key, asked before an entry is added: once at the cut's split key.
//   By keys that a log gives, in place of all others: at each of the cut's file_begins.
//   By grandparents, asked before an entry is added (GrandparentRule). Grandparents are the files
//   below the output's level that the inputs' range overlaps, boundaries the keys at which such a
//   file begins and after which it ends:
//     kOverlapLimit: LevelDB 1.23, Compaction::ShouldStopBefore; the whole next level.
//     kCompactionLimit, kDynamicFileSize: RocksDB 7.8.3, CompactionOutputs::ShouldStopBefore; the
//     first deeper level that has any (CompactionPicker::GetGrandparents). A file ends at a
//     boundary where it and the grandparents that it overlaps are larger than
//     grandparent_bytes_max. With kDynamicFileSize it also ends there
//       - if the entry leaves out a whole grandparent of more than an eighth of file_bytes; or
//       - if the file has half of file_bytes, and a twentieth more for every boundary passed, up to
//         nine tenths;
//     and where there are grandparents the limit by size is twice file_bytes.
//
// Asked of kept entries only: an entry that the merge drops moves no boundary.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/sizes/sstable_size.h"
#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

class OutputCutter {
 public:
  /// `tree` is the tree that the plan was made for.
  OutputCutter(const TreeView& tree, const MergePlan& plan);

  /// Whether the open output file ends with the entry that it got last. To be asked once the file
  /// could end (entries_to_end()); where the answer is true, the caller ends it.
  [[nodiscard]] bool ends_after(const SstableSize& file);
  /// How many entries of one size may be added before ends_after() need be asked, the last one
  /// included; at least 1.
  [[nodiscard]] std::uint64_t entries_to_end(const SstableSize& file, std::uint64_t key_bytes,
                                             std::uint64_t value_bytes) const;

  /// The largest key for which ends_before() is known to be false and need not be asked, whatever
  /// the file's size; nothing where every key up to the end is such. Does not fall.
  [[nodiscard]] std::optional<std::uint64_t> quiet_until() const;

  /// Whether the open output file, as it is without the entry, ends before an entry of this key.
  /// Keys must rise from call to call. Also to be asked, with an empty file, of an entry that
  /// begins a file and is not quiet: the answer is then false, but the boundaries move.
  [[nodiscard]] bool ends_before(std::uint64_t key, const SstableSize& file);

 private:
  struct Grandparent {
    KeyRange keys;
    std::uint64_t bytes = 0;
  };
  void collect_grandparents(const TreeView& tree, const MergePlan& plan);
  [[nodiscard]] std::optional<std::uint64_t> last_key_before_boundary() const;
  [[nodiscard]] std::uint64_t measured(const SstableSize& file) const;
  [[nodiscard]] bool passes_begin(std::uint64_t key);
  [[nodiscard]] bool passes_overlap_limit(std::uint64_t key);
  [[nodiscard]] std::uint64_t cross_boundaries(std::uint64_t key);
  [[nodiscard]] bool ends_at_boundary(std::uint64_t crossed, std::uint64_t overlapped_before,
                                      std::uint64_t file_bytes) const;
  void begin_file();

  OutputCut cut_;
  std::size_t next_begin_ = 0;  // of cut_.file_begins
  std::vector<Grandparent> grandparents_;
  std::optional<std::uint64_t> file_bytes_max_;
  std::size_t next_ = 0;                // the first grandparent whose end is not passed
  bool in_gap_ = true;                  // the last key stood before that grandparent (RocksDB)
  std::uint64_t overlapped_bytes_ = 0;  // of grandparents, by the open file
  std::uint64_t boundaries_ = 0;        // that the open file passed
  bool has_seen_key_ = false;
  std::uint64_t last_key_ = 0;  // that ends_before() was asked about
  bool has_ended_ = false;      // ends_after() ended a file since
};

}  // namespace lsmlab
