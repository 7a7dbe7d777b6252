// What the simulator knows of an SSTable's entries at resolution `range`: how many there are in
// each cell of the key range, and how many of each popularity class. No entry is stored.
//
//   - Cells divide the file's key range into parts of equal width. Inside a cell, entries lie at
//     random: how many lie in its first half, in the first half of that, and so on, is drawn with
//     the variance of a fair coin for each entry. How many of them are tombstones is drawn, too.
//     The draws are a function of the file's seed and of the place, so that every reader of a file
//     sees the same entries.
//   - If keys are inserted in order and other operations write them too, cells have unequal
//     widths (sim/ranges/cell_bounds.h). All entries are then of one class, because popular keys
//     are a part of the key space.
//   - A popularity class is a set of keys that operations use equally often
//     (sim/ranges/key_population.h). Each cell has the same mix of classes, the file's, unless
//     classes age: where a merge took a part of the level, young classes have no older neighbours.
//   - Each cell knows the span of its entries' sequence numbers. They are not alike in the cells of
//     a file: its parts were merged at different times.
//   - Entries without an older version, and tombstones, have shares of cells of their own: where
//     deeper data begins or ends inside a file, they change abruptly.
//
// Counts are expected values in fixed point: integer arithmetic gives the same bits on any machine.
#pragma once

#include <bit>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/base/units.h"
#include "models/execution/delete_cohort.h"
#include "models/tree/plan.h"
#include "sim/ranges/aging_classes.h"
#include "sim/ranges/cell_draws.h"

namespace lsmlab {

/// Numbers of entries in fixed point: multiples of 2^-12. So a petabyte of entries of one byte
/// fits.
inline constexpr unsigned kCountBits = 12;
inline constexpr double kCountUnits = 4096;  // of one entry
using FixedCount = std::uint64_t;
[[nodiscard]] constexpr FixedCount fixed_count(std::uint64_t entries) {
  return entries << kCountBits;
}
[[nodiscard]] constexpr std::uint64_t rounded(FixedCount count) {
  return (count + (FixedCount{1} << (kCountBits - 1))) >> kCountBits;
}

/// Shares of a whole, in multiples of 2^-32.
inline constexpr std::uint64_t kWholeShare = std::uint64_t{1} << 32;
/// `share` of a count, rounded down.
[[nodiscard]] constexpr FixedCount part_of(FixedCount count, std::uint64_t share) {
  return static_cast<FixedCount>(Uint128{count} * share >> 32);
}
/// part / whole as a share; a whole if both are 0. REQUIRES: part <= whole.
[[nodiscard]] std::uint64_t share_of(std::uint64_t part, std::uint64_t whole);

/// Entries of one popularity class.
struct ClassCounts {
  FixedCount entries = 0;     // one for each key that the file holds
  FixedCount oldest = 0;      // of these, entries whose key has no older version in the tree
  FixedCount tombstones = 0;  // of these, tombstones
  void add(const ClassCounts& other) {
    entries += other.entries;
    oldest += other.oldest;
    tombstones += other.tombstones;
  }
  void subtract(const ClassCounts& other) {
    entries -= other.entries;
    oldest -= other.oldest;
    tombstones -= other.tombstones;
  }
  friend bool operator==(const ClassCounts&, const ClassCounts&) = default;
};
/// Keys with an entry in these counts that are not deleted there, less keys that have older
/// entries. So over all sources they add up to the live keys.
[[nodiscard]] inline std::int64_t new_keys(const ClassCounts& counts) {
  return static_cast<std::int64_t>(counts.oldest) - static_cast<std::int64_t>(counts.tombstones);
}
using ClassList = boost::container::small_vector<ClassCounts, 1>;

/// The same share for each kind of count, or one for each.
struct KindShares {
  std::uint64_t entries = 0;
  std::uint64_t oldest = 0;
  std::uint64_t tombstones = 0;
  [[nodiscard]] static KindShares all(std::uint64_t share) { return {share, share, share}; }
};
[[nodiscard]] ClassCounts part_of(const ClassCounts& counts, const KindShares& shares);
/// What lies between two shares, so that parts add up to the whole.
[[nodiscard]] ClassCounts part_between(const ClassCounts& counts, const KindShares& first,
                                       const KindShares& last);
/// first + share * (last - first); tombstones have a share of their own.
[[nodiscard]] KindShares share_between(const KindShares& first, const KindShares& last,
                                       const CellDraws::Shares& share);

[[nodiscard]] FixedCount total_entries(const ClassList& classes);
[[nodiscard]] ClassCounts sum_of(const ClassList& classes);
[[nodiscard]] ClassList part_of(const ClassList& classes, std::uint64_t share);
void add_to(ClassList& sum, const ClassList& classes);
void merge_classes(ClassList& classes, const ClassMerges& merges);

/// The key at which the cell-th of `cells` equal parts of a range begins. REQUIRES: `cells` is a
/// power of two.
[[nodiscard]] inline std::uint64_t cell_boundary(const KeyRange& keys, std::size_t cell,
                                                 std::size_t cells) {
  const Uint128 width = keys.largest - keys.smallest;
  return keys.smallest + static_cast<std::uint64_t>(width * cell >> std::countr_zero(cells));
}

/// Shares of one class below the end of a cell, each below a whole.
struct CellShares {
  std::uint32_t entries = 0;
  std::uint32_t oldest = 0;
  std::uint32_t tombstones = 0;
};

[[nodiscard]] CellShares cell_shares(const ClassCounts& below, const ClassCounts& all);

struct RangeContents {
  KeyRange keys;
  // The inner boundaries of cells; empty: cells are equally wide.
  std::vector<std::uint64_t> cell_keys;
  // The share of the entries below each inner boundary of cells. One cell has none.
  std::vector<std::uint32_t> entries_below;
  // The same of entries without older versions and of tombstones; empty if they lie as all entries
  // do.
  std::vector<std::uint32_t> oldest_below;
  std::vector<std::uint32_t> tombstones_below;
  ClassList classes;
  // For each inner boundary of cells, the shares of each class below it; empty if each cell has the
  // mix of the file.
  std::vector<CellShares> classes_below;
  // The cohorts of the tombstones in each zone (sim/ranges/delete_cohorts.h); a zone is an equal
  // number of cells. Empty: there are no tombstones.
  std::vector<CohortList> deletes;
  // The smallest and the largest sequence number of each cell's entries; empty: those of the file.
  std::vector<SequenceSpan> ages;
  // Of the draws inside cells; nothing if entries lie at equal distances.
  std::optional<std::uint64_t> seed;
  // The smallest distance of two keys; 0: not known. Where each possible key has an entry, draws do
  // not move it.
  std::uint64_t key_step = 0;
  // Entries of the file that nothing above counts: a flush wrote older versions of keys, too.
  std::uint64_t overwritten = 0;

  [[nodiscard]] std::size_t cells() const { return entries_below.size() + 1; }
  /// The key at which a cell begins. The last cell ends with the key of cell_begin(cells()).
  [[nodiscard]] std::uint64_t cell_begin(std::size_t cell) const {
    if (cell_keys.empty()) return cell_boundary(keys, cell, cells());
    if (cell == 0) return keys.smallest;
    return cell < cells() ? cell_keys[cell - 1] : keys.largest;
  }
  [[nodiscard]] KindShares shares_before(std::size_t cell) const {
    if (cell == 0) return {};
    if (cell == cells()) return KindShares::all(kWholeShare);
    const std::uint64_t entries = entries_below[cell - 1];
    return {entries, oldest_below.empty() ? entries : oldest_below[cell - 1],
            tombstones_below.empty() ? entries : tombstones_below[cell - 1]};
  }
  /// The cell of a key; the first or the last one of a key outside the range.
  [[nodiscard]] std::size_t cell_of(std::uint64_t key) const;
  /// The shares below a key.
  [[nodiscard]] KindShares shares_below(std::uint64_t key) const;
  /// A cell, and the shares of what it has below a key.
  struct Place {
    std::size_t cell = 0;
    CellDraws::Shares inner;
  };
  [[nodiscard]] Place place_of(std::uint64_t key) const;
  /// What class c has below a place. REQUIRES: classes_below is not empty.
  [[nodiscard]] ClassCounts class_below(std::size_t c, const Place& place) const;
  /// What class c has in a cell. REQUIRES: as above.
  [[nodiscard]] ClassCounts class_in(std::size_t c, std::size_t cell) const;
  /// Classes become fewer.
  void merge(const ClassMerges& merges);
  /// The draws of where a cell's entries lie. REQUIRES: the contents have a seed.
  [[nodiscard]] CellDraws draws_of(std::size_t cell) const;
};

}  // namespace lsmlab
