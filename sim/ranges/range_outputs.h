// Cuts the output of a merge at resolution `range` into files, by the rules of
// models/execution/output_cut.h.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/execution/output_cut.h"
#include "sim/ranges/delete_cohorts.h"
#include "sim/ranges/range_contents.h"
#include "sim/ranges/range_sizes.h"

namespace lsmlab {

/// A written SSTable that has no id yet.
struct RangeFile {
  RangeContents contents;
  // The members keys, bytes, entries, tombstones, key_bytes, value_bytes and sequences are set.
  File file;
};

/// What is known of the cells of a file.
struct CellRule {
  std::size_t count = 1;
  bool are_unequal = false;  // their widths follow the densities: sim/ranges/cell_bounds.h
  bool has_ages = false;     // the span of their sequence numbers: policies may choose files by age
  bool has_mixes = false;  // the classes of their entries: young classes are not where old ones are
  bool are_keys_at_random = false;  // and not in order: where a file is cut, gaps are drawn
};

/// What a merge knows of its output before it writes it.
struct ExpectedOutput {
  EntryMix mix;            // puts and tombstones
  std::uint64_t seed = 0;  // tells the merge from others
};

class RangeOutputs {
 public:
  /// REQUIRES: expected.mix.entries() > 0.
  RangeOutputs(const SstableFormat& format, const RangeSizes& sizes, OutputCutter cutter,
               const ExpectedOutput& expected, const CellRule& cells);
  [[nodiscard]] bool has_ages() const { return cells_.has_ages; }
  [[nodiscard]] bool has_mixes() const { return cells_.has_mixes; }

  /// Entries that lie evenly between two keys.
  struct EvenEntries {
    const ClassList& classes;
    SequenceSpan ages;          // of their sequence numbers
    const OriginList& deletes;  // of their tombstones
  };
  /// Appends entries between two keys, begin included. REQUIRES: begin < end; segments follow each
  /// other by key.
  void append(std::uint64_t begin, std::uint64_t end, const EvenEntries& entries);
  /// The files, by key; none if there is no whole entry.
  [[nodiscard]] std::vector<RangeFile> finish();

 private:
  struct Segment {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    ClassList classes;
    FixedCount entries = 0;
    SequenceSpan ages;
    OriginList deletes;
  };
  // A key of the open file, and the counts of its entries below.
  struct Knot {
    std::uint64_t key = 0;
    ClassCounts counts;
    SequenceSpan ages;   // of the entries since the knot before
    OriginList deletes;  // of the tombstones since the knot before
  };
  void set_entries_max();
  void add(Segment segment);
  /// Draws whether there is an entry in the segment. Thin entries may lie over dense grandparents,
  /// and a file ends where an entry skips a grandparent. If there is no entry, the next segment
  /// takes over the counts.
  [[nodiscard]] static bool has_entry(const Segment& segment);
  /// Takes the first part of a segment off.
  [[nodiscard]] Segment split(Segment& segment, std::uint64_t share, std::uint64_t at) const;
  [[nodiscard]] static std::uint64_t spacing(const Segment& segment);
  void open_at(std::uint64_t key);
  enum class Fill { kFull, kPart };
  /// Ends the open file in front of a given key, and the next one begins behind it: with the
  /// entries beside it, if keys lie at random.
  void close_before(const Segment& next);
  void close_at(std::uint64_t largest, Fill fill = Fill::kPart);
  [[nodiscard]] SstableSize open_size() const;
  void take(const Segment& segment);
  void fill_cells(RangeContents& contents) const;
  void fill_mixes(RangeContents& contents) const;
  void fill_ages(RangeContents& contents) const;
  void fill_deletes(RangeContents& contents) const;
  /// The entries that the open file still takes of a segment, if it has so many.
  [[nodiscard]] FixedCount room_for(const Segment& segment) const;

  const SstableFormat format_;
  const RangeSizes& sizes_;
  OutputCutter cutter_;
  const EntryMix mix_;
  const std::uint64_t seed_;
  const CellRule cells_;
  std::optional<std::uint64_t> bytes_max_;    // of the open file, by the cutter
  std::optional<std::uint64_t> entries_max_;  // that reach it, with the mix of the whole output
  std::optional<std::uint64_t> puts_max_;     // puts that reach it
  std::vector<RangeFile> files_;
  SequenceSpan seen_;              // the last span that was appended
  FixedCount written_ = 0;         // entries of all files, of the open one too
  std::uint64_t begun_after_ = 0;  // whole entries before the open file
  bool is_open_ = false;
  std::vector<Knot> knots_;
  ClassList classes_;
  std::vector<ClassList> knot_classes_;         // for each knot as its counts; with mixes only
  std::optional<Segment> deferred_;             // a segment without an entry
  std::optional<std::uint64_t> next_smallest_;  // of the file that follows one that was full
};

}  // namespace lsmlab
