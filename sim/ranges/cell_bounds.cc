#include "sim/ranges/cell_bounds.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>

#include "models/base/check.h"

namespace lsmlab {
namespace {

// A bound is not worth a cell if it moves less than half an entry.
constexpr double kErrorMin = kCountUnits / 2;

// A part of the keys that one straight line stands for, and the key that is farthest from it.
struct Stretch {
  double error = 0;
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t farthest = 0;
  // Of equal errors the first one is split first.
  bool operator<(const Stretch& other) const {
    return error != other.error ? error < other.error : first > other.first;
  }
};

Stretch stretch_of(const std::vector<CountedKey>& keys, std::size_t first, std::size_t last) {
  Stretch stretch{0, first, last, first};
  const CountedKey& begin = keys[first];
  const CountedKey& end = keys[last];
  const auto width = static_cast<double>(std::max<std::uint64_t>(1, end.key - begin.key));
  const auto entries = static_cast<double>(end.below.entries - begin.below.entries);
  const auto oldest = static_cast<double>(end.below.oldest - begin.below.oldest);
  for (std::size_t i = first + 1; i < last; ++i) {
    const double at = static_cast<double>(keys[i].key - begin.key) / width;
    const double error =
        std::abs(static_cast<double>(keys[i].below.entries - begin.below.entries) - at * entries) +
        std::abs(static_cast<double>(keys[i].below.oldest - begin.below.oldest) - at * oldest);
    if (error > stretch.error) {
      stretch.error = error;
      stretch.farthest = i;
    }
  }
  return stretch;
}

std::vector<std::size_t> bends_of(const std::vector<CountedKey>& keys, std::size_t cells) {
  std::vector<std::size_t> bends;
  std::priority_queue<Stretch> stretches;
  stretches.push(stretch_of(keys, 0, keys.size() - 1));
  while (bends.size() + 1 < cells && stretches.top().error >= kErrorMin) {
    const Stretch widest = stretches.top();
    stretches.pop();
    bends.push_back(widest.farthest);
    stretches.push(stretch_of(keys, widest.first, widest.farthest));
    stretches.push(stretch_of(keys, widest.farthest, widest.last));
  }
  std::sort(bends.begin(), bends.end());
  return bends;
}

}  // namespace

void fill_unequal_cells(const std::vector<CountedKey>& keys, std::size_t cells,
                        RangeContents& contents) {
  if (keys.size() < 3) return;
  const ClassCounts& total = keys.back().below;
  const auto share = [](FixedCount part, FixedCount whole) {
    return static_cast<std::uint32_t>(
        std::min(share_of(std::min(part, whole), whole), kWholeShare - 1));
  };
  std::uint64_t last = contents.keys.smallest;
  for (const std::size_t bend : bends_of(keys, cells)) {
    const CountedKey& at = keys[bend];
    if (at.key <= last || at.key >= contents.keys.largest) continue;
    last = at.key;
    contents.cell_keys.push_back(at.key);
    contents.entries_below.push_back(share(at.below.entries, total.entries));
    contents.oldest_below.push_back(share(at.below.oldest, total.oldest));
    contents.tombstones_below.push_back(share(at.below.tombstones, total.tombstones));
  }
}

RangeContents contents_of_parts(std::vector<CountedPart> parts, const ClassCounts& counts,
                                std::size_t cells) {
  CHECK(!parts.empty());
  // By key: how much the counts below rise from there to the next key, for each key.
  struct Slopes {
    double entries = 0;
    double oldest = 0;
    double tombstones = 0;
  };
  std::map<std::uint64_t, Slopes> changes;
  for (CountedPart& part : parts) {
    part.end = std::max(part.end, part.begin + 1);
    const auto width = static_cast<double>(part.end - part.begin);
    for (const double sign : {1.0, -1.0}) {
      Slopes& change = changes[sign > 0 ? part.begin : part.end];
      change.entries += sign * part.entries / width;
      change.oldest += sign * part.oldest / width;
      change.tombstones += sign * part.tombstones / width;
    }
  }
  std::vector<CountedKey> keys;
  Slopes slope;
  Slopes below;
  for (const auto& [key, change] : changes) {
    if (!keys.empty()) {
      const auto width = static_cast<double>(key - keys.back().key);
      below.entries += std::max(0.0, slope.entries) * width;
      below.oldest += std::max(0.0, slope.oldest) * width;
      below.tombstones += std::max(0.0, slope.tombstones) * width;
    }
    const auto fixed = [](double count) { return static_cast<FixedCount>(count * kCountUnits); };
    keys.push_back({key, {fixed(below.entries), fixed(below.oldest), fixed(below.tombstones)}});
    slope.entries += change.entries;
    slope.oldest += change.oldest;
    slope.tombstones += change.tombstones;
  }
  // The key below which so many entries lie.
  const auto key_of_count = [&](double count) {
    std::size_t i = 1;
    while (i + 1 < keys.size() && static_cast<double>(keys[i].below.entries) < count) ++i;
    const auto first = static_cast<double>(keys[i - 1].below.entries);
    const auto last = static_cast<double>(keys[i].below.entries);
    const double share = last > first ? std::clamp((count - first) / (last - first), 0.0, 1.0) : 0;
    return keys[i - 1].key +
           static_cast<std::uint64_t>(share * static_cast<double>(keys[i].key - keys[i - 1].key));
  };
  RangeContents contents;
  const double half = std::min(kCountUnits, static_cast<double>(keys.back().below.entries)) / 2;
  contents.keys.smallest = key_of_count(half);
  contents.keys.largest = std::max(
      contents.keys.smallest, key_of_count(static_cast<double>(keys.back().below.entries) - half));
  contents.classes.push_back(counts);
  fill_unequal_cells(keys, cells, contents);
  return contents;
}

}  // namespace lsmlab
