#include "sim/ranges/range_contents.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "models/base/check.h"
#include "models/base/random.h"

namespace lsmlab {

std::uint64_t share_of(std::uint64_t part, std::uint64_t whole) {
  CHECK(part <= whole);
  if (part == whole) return kWholeShare;
  // 32 significant bits of the whole are enough for a share, and one division of words is quick.
  const auto surplus = std::bit_width(whole) > 32 ? std::bit_width(whole) - 32 : 0;
  return ((part >> surplus) << 32) / (whole >> surplus);
}

ClassCounts part_of(const ClassCounts& counts, const KindShares& shares) {
  return {part_of(counts.entries, shares.entries), part_of(counts.oldest, shares.oldest),
          part_of(counts.tombstones, shares.tombstones)};
}

ClassCounts part_between(const ClassCounts& counts, const KindShares& first,
                         const KindShares& last) {
  ClassCounts part = part_of(counts, last);
  part.subtract(part_of(counts, first));
  return part;
}

KindShares share_between(const KindShares& first, const KindShares& last,
                         const CellDraws::Shares& share) {
  return {first.entries + part_of(last.entries - first.entries, share.entries),
          first.oldest + part_of(last.oldest - first.oldest, share.entries),
          first.tombstones + part_of(last.tombstones - first.tombstones, share.tombstones)};
}

FixedCount total_entries(const ClassList& classes) {
  FixedCount total = 0;
  for (const ClassCounts& counts : classes) total += counts.entries;
  return total;
}

ClassCounts sum_of(const ClassList& classes) {
  ClassCounts sum;
  for (const ClassCounts& counts : classes) sum.add(counts);
  return sum;
}

ClassList part_of(const ClassList& classes, std::uint64_t share) {
  ClassList part(classes);
  for (ClassCounts& counts : part) {
    counts = part_of(counts, KindShares::all(share));
  }
  return part;
}

void add_to(ClassList& sum, const ClassList& classes) {
  if (sum.size() < classes.size()) sum.resize(classes.size());
  for (std::size_t c = 0; c < classes.size(); ++c) sum[c].add(classes[c]);
}

void merge_classes(ClassList& classes, const ClassMerges& merges) {
  ClassList merged;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (merged.size() <= merges[c]) merged.resize(merges[c] + 1);
    merged[merges[c]].add(classes[c]);
  }
  classes = std::move(merged);
}

std::size_t RangeContents::cell_of(std::uint64_t key) const {
  if (key <= keys.smallest || cells() == 1) return 0;
  if (key >= keys.largest) return cells() - 1;
  if (!cell_keys.empty()) {
    return static_cast<std::size_t>(std::upper_bound(cell_keys.begin(), cell_keys.end(), key) -
                                    cell_keys.begin());
  }
  const Uint128 width = keys.largest - keys.smallest;
  auto cell = static_cast<std::size_t>(Uint128{key - keys.smallest} * cells() / width);
  // The boundaries are rounded down, so that a key may lie one cell further.
  while (cell + 1 < cells() && cell_begin(cell + 1) <= key) ++cell;
  while (cell > 0 && cell_begin(cell) > key) --cell;
  return cell;
}

CellDraws RangeContents::draws_of(std::size_t cell) const {
  const KindShares before = shares_before(cell);
  const KindShares after = shares_before(cell + 1);
  const ClassCounts all = sum_of(classes);
  const double entries =
      static_cast<double>(part_of(all.entries, after.entries - before.entries)) / kCountUnits;
  const double tombstones =
      static_cast<double>(part_of(all.tombstones, after.tombstones - before.tombstones)) /
      kCountUnits;
  if (key_step == 0) return {derive_seed(*seed, cell), entries, tombstones};
  const auto possible =
      static_cast<double>(cell_begin(cell + 1) - cell_begin(cell)) / static_cast<double>(key_step);
  const double scatter = entries < possible ? std::sqrt(1 - entries / possible) : 0;
  return {derive_seed(*seed, cell), entries, tombstones, scatter};
}

KindShares RangeContents::shares_below(std::uint64_t key) const {
  if (key <= keys.smallest) return {};
  if (key > keys.largest) return KindShares::all(kWholeShare);
  const std::size_t cell = cell_of(key);
  const std::uint64_t begin = cell_begin(cell);
  const std::uint64_t end = cell_begin(cell + 1);
  const KindShares after = shares_before(cell + 1);
  if (key >= end) return after;
  const std::uint64_t place = share_of(key - begin, end - begin);
  CellDraws::Shares inner{place, place};
  if (seed && place < kWholeShare) inner = draws_of(cell).below(place);
  return share_between(shares_before(cell), after, inner);
}

auto RangeContents::place_of(std::uint64_t key) const -> Place {
  if (key <= keys.smallest) return {};
  if (key > keys.largest) return {cells() - 1, {kWholeShare, kWholeShare}};
  const std::size_t cell = cell_of(key);
  const std::uint64_t begin = cell_begin(cell);
  const std::uint64_t end = cell_begin(cell + 1);
  if (key >= end) return {cell, {kWholeShare, kWholeShare}};
  const std::uint64_t place = share_of(key - begin, end - begin);
  CellDraws::Shares inner{place, place};
  if (seed && place < kWholeShare) inner = draws_of(cell).below(place);
  return {cell, inner};
}

ClassCounts RangeContents::class_below(std::size_t c, const Place& place) const {
  const auto before = [&](std::size_t cell) -> KindShares {
    if (cell == 0) return {};
    if (cell == cells()) return KindShares::all(kWholeShare);
    const CellShares& below = classes_below[(cell - 1) * classes.size() + c];
    return {below.entries, below.oldest, below.tombstones};
  };
  return part_of(classes[c],
                 share_between(before(place.cell), before(place.cell + 1), place.inner));
}

ClassCounts RangeContents::class_in(std::size_t c, std::size_t cell) const {
  ClassCounts inside = class_below(c, {cell, {kWholeShare, kWholeShare}});
  inside.subtract(class_below(c, {cell, {}}));
  return inside;
}

CellShares cell_shares(const ClassCounts& below, const ClassCounts& all) {
  const auto share = [](FixedCount part, FixedCount whole) {
    return static_cast<std::uint32_t>(
        std::min(share_of(std::min(part, whole), whole), kWholeShare - 1));
  };
  return {share(below.entries, all.entries), share(below.oldest, all.oldest),
          share(below.tombstones, all.tombstones)};
}

void RangeContents::merge(const ClassMerges& merges) {
  if (classes_below.empty()) {
    merge_classes(classes, merges);
    return;
  }
  ClassList all = classes;
  merge_classes(all, merges);
  std::vector<CellShares> merged;
  merged.reserve((cells() - 1) * all.size());
  for (std::size_t cell = 0; cell + 1 < cells(); ++cell) {
    ClassList below(all.size());
    for (std::size_t c = 0; c < classes.size(); ++c) {
      below[merges[c]].add(class_below(c, {cell, {kWholeShare, kWholeShare}}));
    }
    for (std::size_t c = 0; c < all.size(); ++c) merged.push_back(cell_shares(below[c], all[c]));
  }
  classes = std::move(all);
  classes_below = std::move(merged);
}

}  // namespace lsmlab
