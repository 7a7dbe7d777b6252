#include "sim/ranges/near_sorted_keys.h"

#include <algorithm>

#include "models/base/check.h"

namespace lsmlab {
namespace {

constexpr unsigned kKeyShift = kPhaseBits + 1;
// Of a memtable: its intervals may be much narrower than its key range.
constexpr std::size_t kMemtableCells = 256;
// Where a key is rarer, an interval keeps its end.
constexpr std::uint64_t kStepsToKeyMax = 10'000;

}  // namespace

std::optional<NearSortedKeys> NearSortedKeys::make(const OperationWorkload& workload,
                                                   std::uint64_t seed) {
  const Phase& phase = workload.phases.front();
  const std::uint64_t inserts = phase.actions[Action::kInsert];
  if (inserts == 0 || phase.insert_keys.kind != InsertKeyKind::kNearSorted) return std::nullopt;
  const KeyLayout layout(phase.insert_keys, {0, 0, inserts, layout_seed(seed)});
  return NearSortedKeys(layout,
                        std::min(1.0, phase.insert_keys.displaced_or_default().as_double()));
}

// A part of a block: its numbers keep their places or take those of their partners.
void NearSortedKeys::add_part(const KeyLayout::Block& block, std::uint64_t first, std::uint64_t end,
                              std::vector<Interval>& intervals) const {
  const std::uint64_t count = end - first;
  if (displaced_ < 1) add_trimmed(block, {first, count, 1 - displaced_}, false, intervals);
  if (displaced_ <= 0) return;
  // The partner of the last number has the smallest place, unless the block's end lies between.
  const std::uint64_t last_offset = end - 1 - block.first;
  const std::uint64_t begin = (block.centre + block.count - last_offset) % block.count;
  const std::uint64_t before_end = std::min(count, block.count - begin);
  add_trimmed(block, {block.first + begin, before_end, displaced_}, true, intervals);
  if (before_end < count) {
    add_trimmed(block, {block.first, count - before_end, displaced_}, true, intervals);
  }
}

// Whether files overlap depends on their outermost keys. These are found from the ends of the
// interval: one of a few positions has a key.
void NearSortedKeys::add_trimmed(const KeyLayout::Block& block, Interval interval, bool is_mirrored,
                                 std::vector<Interval>& intervals) const {
  const auto has_key = [&](std::uint64_t position) {
    const std::uint64_t offset = position - block.first;
    const std::uint64_t partner = (block.centre + block.count - offset) % block.count;
    const std::uint64_t number = is_mirrored ? block.first + partner : position;
    return layout_.key(number) >> kKeyShift == position;
  };
  std::uint64_t steps = kStepsToKeyMax;
  for (; interval.count > 0 && !has_key(interval.first) && steps > 0; --steps) {
    ++interval.first;
    --interval.count;
  }
  for (; interval.count > 0 && !has_key(interval.first + interval.count - 1) && steps > 0;
       --steps) {
    --interval.count;
  }
  if (interval.count > 0) intervals.push_back(interval);
}

auto NearSortedKeys::intervals(std::uint64_t first, std::uint64_t end) const
    -> std::vector<Interval> {
  CHECK(first < end);
  std::vector<Interval> intervals;
  const KeyLayout::Block head = layout_.block_of(first);
  std::uint64_t whole_begin = first;
  if (first > head.first || end < head.first + head.count) {
    whole_begin = std::min(end, head.first + head.count);
    add_part(head, first, whole_begin, intervals);
  }
  std::uint64_t whole_end = end;
  if (whole_begin < end) {
    const KeyLayout::Block tail = layout_.block_of(end - 1);
    if (end < tail.first + tail.count) {
      whole_end = tail.first;
      add_part(tail, tail.first, end, intervals);
    }
  }
  // The numbers of whole blocks have all of their positions.
  if (whole_begin < whole_end) intervals.push_back({whole_begin, whole_end - whole_begin, 1});
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.first < b.first; });
  return intervals;
}

void NearSortedKeys::place(std::uint64_t first, std::uint64_t end, RangeContents& contents) const {
  const std::vector<Interval> all = intervals(first, end);
  std::uint64_t last = 0;
  double keys = 0;
  for (const Interval& each : all) {
    last = std::max(last, each.first + each.count - 1);
    keys += static_cast<double>(each.count) * each.density;
  }
  contents.keys = {all.front().first << kKeyShift, last << kKeyShift};
  contents.entries_below.clear();
  if (last - all.front().first < kMemtableCells) return;
  for (std::size_t cell = 1; cell < kMemtableCells; ++cell) {
    const double position =
        static_cast<double>(cell_boundary(contents.keys, cell, kMemtableCells)) /
        static_cast<double>(std::uint64_t{1} << kKeyShift);
    double below = 0;
    for (const Interval& each : all) {
      const double inside = position - static_cast<double>(each.first);
      below += std::clamp(inside, 0.0, static_cast<double>(each.count)) * each.density;
    }
    const double share = below / keys * static_cast<double>(kWholeShare);
    contents.entries_below.push_back(
        static_cast<std::uint32_t>(std::clamp(share, 0.0, static_cast<double>(kWholeShare - 1))));
  }
}

}  // namespace lsmlab
