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

KindShares share_between(const KindShares& first, const KindShares& last, std::uint64_t share) {
  return {first.entries + part_of(last.entries - first.entries, share),
          first.oldest + part_of(last.oldest - first.oldest, share),
          first.tombstones + part_of(last.tombstones - first.tombstones, share)};
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

std::size_t RangeContents::cell_of(std::uint64_t key) const {
  if (key <= keys.smallest || cells() == 1) return 0;
  if (key >= keys.largest) return cells() - 1;
  const Uint128 width = keys.largest - keys.smallest;
  auto cell = static_cast<std::size_t>(Uint128{key - keys.smallest} * cells() / width);
  // The boundaries are rounded down, so that a key may lie one cell further.
  while (cell + 1 < cells() && cell_begin(cell + 1) <= key) ++cell;
  while (cell > 0 && cell_begin(cell) > key) --cell;
  return cell;
}

namespace {

// A number from a distribution close to the normal one with mean 0 and variance 1: the sum of four
// uniform ones.
double bell(std::uint64_t bits) {
  const std::uint64_t sum =
      (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
  constexpr double kMean = 2 * 65535.0;
  constexpr double kDeviation = 37837.2;  // 2^16 / sqrt(3)
  return (static_cast<double>(sum) - kMean) / kDeviation;
}

}  // namespace

// The share of a cell's entries below a place inside the cell. Descends through halves, halves of
// halves, ... down to the place, to a single entry, or to a part so small that its variance hardly
// counts.
std::uint64_t RangeContents::share_inside(std::size_t cell, std::uint64_t place) const {
  if (!seed || place >= kWholeShare) return place;
  const std::uint64_t in_cell = shares_before(cell + 1).entries - shares_before(cell).entries;
  double entries = static_cast<double>(part_of(total_entries(classes), in_cell)) / kCountUnits;
  const std::uint64_t cell_seed = derive_seed(*seed, cell);
  auto rest = static_cast<std::uint32_t>(place);  // of the node's width
  std::uint64_t below = 0;
  std::uint64_t width = kWholeShare;
  std::uint64_t node = 1;
  constexpr std::uint64_t kHalvings = 8;
  while (entries >= 2 && rest != 0 && node < std::uint64_t{1} << kHalvings) {
    const double deviation = bell(derive_seed(cell_seed, node)) / 2 / std::sqrt(entries);
    const double share = std::clamp(0.5 + deviation, 0.0, 1.0);
    const auto left = static_cast<std::uint64_t>(static_cast<double>(width) * share);
    const bool is_right = (rest >> 31) != 0;
    rest <<= 1;
    if (is_right) {
      below += left;
      width -= left;
      entries *= 1 - share;
    } else {
      width = left;
      entries *= share;
    }
    node = 2 * node + is_right;
  }
  return below + part_of(width, rest);
}

KindShares RangeContents::shares_below(std::uint64_t key) const {
  if (key <= keys.smallest) return {};
  if (key > keys.largest) return KindShares::all(kWholeShare);
  const std::size_t cell = cell_of(key);
  const std::uint64_t begin = cell_begin(cell);
  const std::uint64_t end = cell_begin(cell + 1);
  const KindShares after = shares_before(cell + 1);
  if (key >= end) return after;
  const std::uint64_t inner = share_inside(cell, share_of(key - begin, end - begin));
  return share_between(shares_before(cell), after, inner);
}

}  // namespace lsmlab
