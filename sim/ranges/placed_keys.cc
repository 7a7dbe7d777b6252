#include "sim/ranges/placed_keys.h"

#include <algorithm>

#include "sim/ranges/cell_bounds.h"

namespace lsmlab {
namespace {

double whole_entries(FixedCount count) { return static_cast<double>(count) / kCountUnits; }

std::uint64_t key_at(double number) {
  return static_cast<std::uint64_t>(number * static_cast<double>(PlacedKeys::kStep));
}

}  // namespace

RangeContents PlacedKeys::take_memtable(KeyPopulation& population, std::size_t cells) {
  std::vector<CountedPart> parts;
  ClassCounts sum;
  for (const KeyPopulation::Numbered& each : population.numbered_memtable()) {
    if (each.counts.entries == 0 || each.first >= each.last) continue;
    sum.add(each.counts);
    parts.push_back({key_at(each.first), key_at(each.last), whole_entries(each.counts.entries),
                     whole_entries(each.counts.oldest), whole_entries(each.counts.tombstones)});
  }
  static_cast<void>(population.take_memtable());
  inserted_ = population.inserted();
  note_deletes(population);
  if (parts.empty()) return {};
  // A memtable spans more of the key space than a file, so that it has more bends.
  constexpr std::size_t kTimesCells = 4;
  RangeContents contents = contents_of_parts(std::move(parts), sum, kTimesCells * cells);
  for (std::uint64_t* key : {&contents.keys.smallest, &contents.keys.largest}) {
    *key -= *key % kStep;  // a key lies here
  }
  return contents;
}

void PlacedKeys::note_deletes(const KeyPopulation& population) {
  live_.clear();
  bool has_deletes = false;
  const std::vector<KeyPopulation::Readable> classes = population.readable();
  for (std::size_t c = 0; c < classes.size() && classes[c].first < inserted_; ++c) {
    const std::uint64_t end =
        c + 1 < classes.size() ? std::min(classes[c + 1].first, inserted_) : inserted_;
    const auto all = static_cast<double>(end - classes[c].first);
    const double share = std::clamp(classes[c].keys / std::max(all, 1.0), 0.0, 1.0);
    has_deletes = has_deletes || share < 1;
    live_.push_back({classes[c].first * kStep, share});
  }
  if (!has_deletes) live_.clear();
}

std::int64_t PlacedKeys::keys_between(std::uint64_t begin, std::uint64_t end) const {
  const std::uint64_t last = std::min(end, inserted_ * kStep);
  if (begin >= last) return 0;
  const auto fixed = [](double width) {
    return static_cast<std::int64_t>(width / static_cast<double>(kStep) * kCountUnits);
  };
  if (live_.empty()) return fixed(static_cast<double>(last - begin));
  const auto after =
      std::upper_bound(live_.begin(), live_.end(), begin,
                       [](std::uint64_t key, const LiveShare& each) { return key < each.begin; });
  double width = 0;  // of the parts whose keys live
  for (auto at = after == live_.begin() ? after : after - 1; at != live_.end() && at->begin < last;
       ++at) {
    const std::uint64_t to = at + 1 == live_.end() ? last : std::min(last, (at + 1)->begin);
    const std::uint64_t from = std::max(begin, at->begin);
    if (from < to) width += at->share * static_cast<double>(to - from);
  }
  return fixed(width);
}

KeyRange PlacedKeys::inserts_of_open(const KeyPopulation& population) const {
  const std::uint64_t inserted = population.inserted();
  if (inserted == inserted_) return {1, 0};
  return {inserted_ * kStep, inserted * kStep - 1};
}

}  // namespace lsmlab
