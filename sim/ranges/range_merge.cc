#include "sim/ranges/range_merge.h"

#include <algorithm>
#include <optional>

#include "models/base/check.h"

namespace lsmlab {
namespace {

FixedCount less(FixedCount count, FixedCount taken) { return count > taken ? count - taken : 0; }

// Keys with an entry in these counts that are not deleted there, less keys that have older entries.
std::int64_t new_keys(const ClassCounts& counts) {
  return static_cast<std::int64_t>(counts.oldest) - static_cast<std::int64_t>(counts.tombstones);
}

// Lays a newer source's counts over those of all older sources. `keys`: of all older data.
void lay_over(const ClassCounts& newer, std::int64_t keys, ClassCounts& counts) {
  const FixedCount updates = less(newer.entries, newer.oldest);
  const FixedCount keys_here = less(counts.entries, counts.tombstones);
  FixedCount hits = 0;
  if (updates > 0 && keys_here > 0) {
    const auto all = static_cast<FixedCount>(std::max<std::int64_t>(keys, 0));
    hits = std::min(keys_here, part_of(updates, share_of(keys_here, std::max(keys_here, all))));
  }
  counts.entries += newer.entries - hits;
  counts.oldest += newer.oldest;
  counts.tombstones += newer.tombstones;
}

// Nothing older exists outside the merge: a tombstone leaves with its key.
FixedCount drop_tombstones(ClassList& classes) {
  FixedCount dropped = 0;
  for (ClassCounts& counts : classes) {
    const FixedCount gone = std::min(counts.tombstones, counts.entries);
    counts.entries -= gone;
    counts.oldest = std::min(less(counts.oldest, gone), counts.entries);
    counts.tombstones = 0;
    dropped += gone;
  }
  return dropped;
}

class Sweep {
 public:
  Sweep(std::vector<SourceCursor>& sources, const KeyCounts& keys, TombstoneRule rule,
        RangeOutputs& outputs)
      : sources_(sources), keys_(keys), rule_(std::move(rule)), outputs_(outputs) {
    taken_.resize(sources_.size());
  }

  [[nodiscard]] RangeMergeSums run() {
    RangeMergeSums sums;
    std::uint64_t begin = 0;
    while (const std::optional<std::uint64_t> end = next_boundary()) {
      const bool has_entries = collect(begin, *end);
      if (has_entries) {
        const std::uint64_t middle = begin + (*end - begin) / 2;
        if (has_tombstones() && rule_.drops(middle)) {
          sums.tombstones_dropped += drop_tombstones(counts_);
        }
        outputs_.append(begin, std::max(*end, begin + 1), counts_, origins_);
      }
      begin = *end;
    }
    return sums;
  }

 private:
  [[nodiscard]] std::optional<std::uint64_t> next_boundary() const {
    std::optional<std::uint64_t> next;
    for (const SourceCursor& source : sources_) {
      if (source.is_done()) continue;
      next = next ? std::min(*next, source.next_boundary()) : source.next_boundary();
    }
    return next;
  }

  [[nodiscard]] bool has_tombstones() const {
    return std::any_of(counts_.begin(), counts_.end(),
                       [](const ClassCounts& counts) { return counts.tombstones > 0; });
  }

  // Takes from every source what lies in [begin, end), and lays it together.
  bool collect(std::uint64_t begin, std::uint64_t end) {
    std::size_t classes = 0;
    origins_.clear();
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      SourceCursor& source = sources_[i];
      taken_[i].clear();
      if (source.is_done()) continue;
      const bool is_inside = source.is_inside();
      const SourcePart& part = source.part();
      source.take_below(end, taken_[i]);
      if (!is_inside) continue;
      const FixedCount entries = total_entries(taken_[i]);
      if (entries == 0) continue;
      origins_.push_back({&part, entries});
      classes = std::max(classes, taken_[i].size());
    }
    counts_.assign(classes, {});
    for (std::size_t c = 0; c < classes; ++c) lay_together(c, end - begin);
    return !origins_.empty();
  }

  void lay_together(std::size_t c, std::uint64_t width) {
    std::int64_t keys = 0;
    if (c < keys_.size() && keys_[c] > 0) {
      keys = static_cast<std::int64_t>(Uint128{static_cast<std::uint64_t>(keys_[c])} * width >> 64);
      for (const ClassList& taken : taken_) {
        if (c < taken.size()) keys -= new_keys(taken[c]);
      }
    }
    // From here on `keys` counts what is older than the source at hand.
    for (auto taken = taken_.rbegin(); taken != taken_.rend(); ++taken) {
      if (c >= taken->size()) continue;
      lay_over((*taken)[c], keys, counts_[c]);
      keys += new_keys((*taken)[c]);
    }
  }

  std::vector<SourceCursor>& sources_;
  const KeyCounts& keys_;
  TombstoneRule rule_;
  RangeOutputs& outputs_;
  ClassList counts_;
  std::vector<ClassList> taken_;  // from each source
  std::vector<Origin> origins_;
};

}  // namespace

RangeMergeSums merge_ranges(std::vector<SourceCursor>& sources, const KeyCounts& keys,
                            TombstoneRule rule, RangeOutputs& outputs) {
  return Sweep(sources, keys, std::move(rule), outputs).run();
}

}  // namespace lsmlab
