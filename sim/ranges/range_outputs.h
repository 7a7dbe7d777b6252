// Cuts the output of a merge at resolution `range` into files, by the rules of
// models/execution/output_cut.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/execution/output_cut.h"
#include "sim/ranges/range_contents.h"
#include "sim/ranges/range_sizes.h"
#include "sim/ranges/range_sources.h"

namespace lsmlab {

/// A written SSTable that has no id yet.
struct RangeFile {
  RangeContents contents;
  // The members keys, bytes, entries, tombstones, key_bytes, value_bytes and sequences are set.
  File file;
};

class RangeOutputs {
 public:
  /// `mix`: an estimate of the output's puts and tombstones. REQUIRES: mix.entries() > 0.
  RangeOutputs(const SstableFormat& format, const RangeSizes& sizes, OutputCutter cutter,
               const EntryMix& mix, std::size_t cells);

  /// Appends entries that lie evenly between two keys, begin included. REQUIRES: begin < end;
  /// segments follow each other by key; the origins' parts live until finish().
  void append(std::uint64_t begin, std::uint64_t end, const ClassList& classes,
              std::span<const Origin> origins);
  /// The files, by key; none if there is no whole entry.
  [[nodiscard]] std::vector<RangeFile> finish();

 private:
  struct Segment {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    ClassList classes;
    FixedCount entries = 0;
  };
  // A key of the open file, and the counts of its entries below.
  struct Knot {
    std::uint64_t key = 0;
    ClassCounts counts;
  };
  void add(const Segment& segment);
  /// Takes the first part of a segment off.
  [[nodiscard]] static Segment split(Segment& segment, std::uint64_t share, std::uint64_t at);
  void open_at(std::uint64_t key);
  void close_at(std::uint64_t largest);
  [[nodiscard]] SstableSize open_size() const;
  void take(const Segment& segment);
  [[nodiscard]] SequenceSpan draw_sequences() const;
  void fill_cells(RangeContents& contents) const;
  [[nodiscard]] FixedCount room() const;

  const SstableFormat format_;
  const RangeSizes& sizes_;
  OutputCutter cutter_;
  const std::size_t cells_;
  std::optional<std::uint64_t> entries_max_;  // of a file
  std::vector<RangeFile> files_;
  FixedCount written_ = 0;         // entries of all files, of the open one too
  std::uint64_t begun_after_ = 0;  // whole entries before the open file
  bool is_open_ = false;
  std::vector<Knot> knots_;
  ClassList classes_;
  std::span<const Origin> origins_;             // of the segment at hand
  FixedCount origin_entries_ = 0;               // of that segment
  std::vector<Origin> file_origins_;            // of the open file
  std::optional<std::uint64_t> next_smallest_;  // of the file that follows one that was full
};

}  // namespace lsmlab
