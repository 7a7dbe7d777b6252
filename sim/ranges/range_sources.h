// The inputs of a merge at resolution `range`: sorted runs, slices and the memtable, each a row of
// files by key. A sweep over the key space takes from each source what lies below the next
// boundary.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/ranges/range_contents.h"

namespace lsmlab {

/// A file of a source, or the part of it within a window.
struct SourcePart {
  const RangeContents* contents = nullptr;
  KeyRange window;
  SequenceSpan sequences;
  const std::vector<CohortList>* deletes = nullptr;  // as in RangeContents
};

/// Takes the entries of a row of files from the smallest key to the largest.
class SourceCursor {
 public:
  /// REQUIRES: the parts lie by key, do not overlap, and their contents outlive the cursor.
  explicit SourceCursor(std::vector<SourcePart> parts);

  [[nodiscard]] bool is_done() const { return part_ == parts_.size(); }
  /// The next key, above all keys so far, at which the density may change. REQUIRES: !is_done().
  [[nodiscard]] std::uint64_t next_boundary() const { return boundary_; }
  /// The file at hand. REQUIRES: !is_done(); the cursor outlives the result.
  [[nodiscard]] const SourcePart& part() const { return parts_[part_]; }
  /// Takes the entries below `key`, and returns how many classes they have; `taken` gets their
  /// counts. REQUIRES: key <= next_boundary(); keys rise from call to call; `taken` has room for
  /// the classes of total().
  std::size_t take_below(std::uint64_t key, ClassCounts* taken);
  /// The sequence numbers of the cell that take_below() took from last, and the share of the cell's
  /// entries that it took.
  [[nodiscard]] const SequenceSpan& taken_ages() const;
  /// The cohorts of the tombstones around this cell; null: there are none.
  [[nodiscard]] const CohortList* taken_deletes() const;
  [[nodiscard]] std::uint64_t taken_share() const;
  [[nodiscard]] const std::vector<SourcePart>& parts() const { return parts_; }
  /// The counts of all parts together.
  [[nodiscard]] const ClassList& total() const { return total_; }

 private:
  void enter_part();
  void enter_cell();
  /// As take_below() inside the cell at hand, where cells differ in classes.
  void take_by_class(std::uint64_t key, ClassCounts* taken);
  [[nodiscard]] std::uint64_t part_end() const;
  /// The shares of the part's entries below a key in the cell at hand.
  [[nodiscard]] KindShares shares_below(std::uint64_t key);
  /// The shares of what the cell at hand has below a key.
  [[nodiscard]] CellDraws::Shares inner_shares_below(std::uint64_t key);

  std::vector<SourcePart> parts_;
  ClassList total_;
  std::size_t part_ = 0;
  std::size_t cell_ = 0;
  bool is_inside_ = false;
  std::uint64_t boundary_ = 0;
  // Of the cell at hand, whose entries lie between two keys.
  std::uint64_t cell_begin_ = 0;
  std::uint64_t cell_end_ = 0;
  KindShares shares_before_;
  KindShares shares_after_;
  std::optional<CellDraws> draws_;  // once a boundary inside the cell asked for them
  KindShares boundary_shares_;      // of the part's entries below the boundary
  KindShares taken_shares_;         // of the part's entries that are taken
  CellDraws::Shares taken_inner_;   // the same of the cell's; where cells differ in classes
  // Where take_below() took from last, and its part of the file's entries.
  const SourcePart* taken_part_ = nullptr;
  std::size_t taken_cell_ = 0;
  std::uint64_t taken_of_part_ = 0;
};

}  // namespace lsmlab
