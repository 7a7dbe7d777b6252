#include "sim/ranges/range_merge.h"

#include <algorithm>
#include <optional>

#include "models/base/check.h"
#include "models/base/random.h"
#include "sim/ranges/entry_ages.h"

namespace lsmlab {
namespace {

FixedCount less(FixedCount count, FixedCount taken) { return count > taken ? count - taken : 0; }

// Lays a newer source's counts over those of all older sources. `keys`: of all older data. Returns
// how many of the older entries it replaces.
FixedCount lay_over(const ClassCounts& newer, std::int64_t keys, ClassCounts& counts) {
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
  return hits;
}

// A tombstone without older data outside the merge leaves with its key. `shares`: of each class's
// tombstones, those that leave.
using ClassShares = boost::container::small_vector<std::uint64_t, 1>;
FixedCount drop_tombstones(ClassList& classes, const ClassShares& shares) {
  FixedCount dropped = 0;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    ClassCounts& counts = classes[c];
    const FixedCount ripe = part_of(counts.tombstones, shares[c]);
    const FixedCount gone = std::min(ripe, counts.entries);
    counts.entries -= gone;
    counts.oldest = std::min(less(counts.oldest, gone), counts.entries);
    counts.tombstones = std::min(counts.tombstones - ripe, counts.entries);
    dropped += gone;
  }
  return dropped;
}

// The same where cells differ in classes. Inside a cell classes are mixed evenly although they are
// not. So tombstones of a class may be here while the keys that they delete were mixed into a
// neighbour: these leave there.
FixedCount drop_tombstones(ClassList& classes, const ClassShares& shares, KeyCounts& owed) {
  FixedCount dropped = 0;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    ClassCounts& counts = classes[c];
    const FixedCount ripe = part_of(counts.tombstones, shares[c]);
    const FixedCount gone = std::min(ripe, counts.entries);
    counts.entries -= gone;
    owed[c] += static_cast<std::int64_t>(ripe);
    const auto leaving = static_cast<FixedCount>(
        std::clamp<std::int64_t>(owed[c], 0, static_cast<std::int64_t>(counts.oldest)));
    owed[c] -= static_cast<std::int64_t>(leaving);
    counts.oldest -= leaving;
    counts.entries -= std::min(less(counts.entries, counts.oldest), less(leaving, gone));
    counts.tombstones = std::min(counts.tombstones - ripe, counts.entries);
    dropped += gone;
  }
  return dropped;
}

// Nothing older exists outside the merge, so that it has the oldest entry of each key.
void keep_one_of_each_key(ClassList& classes) {
  for (ClassCounts& counts : classes) counts.entries = counts.oldest;
}

class Sweep {
 public:
  Sweep(std::vector<SourceCursor>& sources, const OlderKeys& keys, TombstoneRule rule,
        RangeOutputs& outputs, const TombstoneState& state)
      : sources_(sources),
        keys_(keys),
        rule_(std::move(rule)),
        outputs_(outputs),
        owed_(state.owed),
        ripe_(state.ripe),
        older_(state.older) {
    pieces_.resize(sources_.size());
    for (const SourceCursor& source : sources_) {
      classes_max_ = std::max(classes_max_, source.total().size());
      for (const SourcePart& part : source.parts()) widen_span(all_ages_, part.sequences);
    }
    taken_.resize(sources_.size() * classes_max_);
    if (owed_ != nullptr && owed_->size() < classes_max_) owed_->resize(classes_max_);
  }

  [[nodiscard]] RangeMergeSums run() {
    RangeMergeSums sums;
    std::uint64_t begin = 0;
    while (const std::optional<std::uint64_t> end = next_boundary()) {
      const bool has_entries = collect(begin, *end);
      if (has_entries) {
        const OlderData older = older_data(begin, std::max(*end, begin + 1));
        if (older.is_none) keep_one_of_each_key(counts_);
        if (has_tombstones() && (older.is_none_at_middle || older_ != nullptr)) {
          sums.tombstones_dropped += drop(older.is_none_at_middle, begin, *end);
        }
        outputs_.append(begin, std::max(*end, begin + 1), {counts_, ages(begin), origins_});
      }
      begin = *end;
    }
    sums.dropped = dropped_.take();
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

  struct OlderData {
    bool is_none = false;  // anywhere; false if it is not known
    bool is_none_at_middle = false;
  };
  // Whether there may be older data outside the merge.
  [[nodiscard]] OlderData older_data(std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t middle = begin + (end - begin) / 2;
    if (keys_.placed == nullptr) {
      // Keys lie evenly, and a piece has more or fewer than its share by chance. A merge with all
      // older data needs no chance to know that every update has an older version in it.
      return {rule_.drops_all(), has_tombstones() && rule_.drops(middle)};
    }
    // At places without symmetry: a middle may lie between two files that are alike.
    constexpr std::uint64_t kPlaces[] = {0, 110, 290, 500, 710, 930, 1000};
    constexpr std::uint64_t kWhole = 1000;
    OlderData older{true, false};
    for (const std::uint64_t place : kPlaces) {
      const auto inner = static_cast<std::uint64_t>(Uint128{end - 1 - begin} * place / kWhole);
      const bool is_none = rule_.drops(begin + inner);
      older.is_none = older.is_none && is_none;
      if (place == kWhole / 2) older.is_none_at_middle = is_none;
    }
    return older;
  }

  [[nodiscard]] ClassCounts* taken_of(std::size_t source) {
    return taken_.data() + source * classes_max_;
  }

  [[nodiscard]] bool has_tombstones() const {
    return std::any_of(counts_.begin(), counts_.end(),
                       [](const ClassCounts& counts) { return counts.tombstones > 0; });
  }

  // The tombstones at hand go, as far as they are old enough, and as filters let them if there may
  // be older data. Returns how many.
  [[nodiscard]] FixedCount drop(bool has_no_older, std::uint64_t begin, std::uint64_t end) {
    shares_.assign(counts_.size(), kWholeShare);
    std::uint64_t share = kWholeShare;  // of all classes
    if (!has_no_older) {
      older_->look_at(begin, end);
      FixedCount all = 0;
      FixedCount free = 0;
      for (std::size_t c = 0; c < counts_.size(); ++c) {
        shares_[c] = share_without_older(c);
        all += counts_[c].tombstones;
        free += part_of(counts_[c].tombstones, shares_[c]);
      }
      share = share_of(free, all);
    }
    const std::uint64_t ripe = drop_origins(share);
    for (std::uint64_t& of_class : shares_) of_class = part_of(of_class, ripe);
    return owed_ != nullptr ? drop_tombstones(counts_, shares_, *owed_)
                            : drop_tombstones(counts_, shares_);
  }

  // The share of a class's tombstones whose keys no filter knows. The tombstones of a source, from
  // the oldest source on, delete living keys with oldest versions in the sources below or outside.
  [[nodiscard]] std::uint64_t share_without_older(std::size_t c) {
    FixedCount outside = older_->keys(c);
    FixedCount inside = 0;
    FixedCount all = 0;
    FixedCount free = 0;
    for (std::size_t i = pieces_.size(); i-- > 0;) {
      if (c >= pieces_[i].classes) continue;
      const ClassCounts& taken = taken_of(i)[c];
      const FixedCount keys = inside + outside;
      all += taken.tombstones;
      if (keys == 0) {
        free += taken.tombstones;
      } else if (taken.tombstones > 0) {
        const FixedCount met = part_of(taken.tombstones, share_of(inside, keys));
        free += part_of(met, older_->share_without_update(c, keys));
        outside = less(outside, taken.tombstones - met);
        inside = less(inside, met);
      }
      inside += taken.oldest;
    }
    return share_of(free, all);
  }

  // A share of the origins at hand goes, as far as they are old enough. Returns the share of those
  // that are.
  [[nodiscard]] std::uint64_t drop_origins(std::uint64_t share) {
    OriginList staying;
    FixedCount all = 0;
    FixedCount ripe = 0;
    const auto divide = [&](const TombstoneOrigin& origin) {
      const FixedCount going = part_of(origin.count, share);
      if (going > 0) dropped_.add({origin.source, origin.mix, going});
      if (going < origin.count)
        staying.push_back({origin.source, origin.mix, origin.count - going});
      ripe += origin.count;
    };
    for (const TombstoneOrigin& origin : origins_) {
      all += origin.count;
      if (ripe_ == nullptr) {
        divide(origin);
        continue;
      }
      const RipeSplits::Split& split = ripe_->of(*origin.mix);
      const FixedCount old = part_of(origin.count, split.ripe_share);
      if (old > 0) divide({origin.source, &split.ripe, old});
      if (old < origin.count) staying.push_back({origin.source, &split.young, origin.count - old});
    }
    origins_ = std::move(staying);
    return all == 0 ? 0 : share_of(ripe, all);
  }

  // Takes from every source what lies in [begin, end), and lays it together.
  bool collect(std::uint64_t begin, std::uint64_t end) {
    std::size_t classes = 0;
    origins_.clear();
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      SourceCursor& source = sources_[i];
      Piece& piece = pieces_[i];
      piece.classes = 0;
      piece.entries = piece.hits = 0;
      if (source.is_done()) continue;
      const std::uint64_t seed = source.part().contents->seed.value_or(0);
      ClassCounts* taken = taken_of(i);
      piece.classes = source.take_below(end, taken);
      FixedCount tombstones = 0;
      for (std::size_t c = 0; c < piece.classes; ++c) {
        piece.entries += taken[c].entries;
        tombstones += taken[c].tombstones;
      }
      const CohortList* const mix = tombstones > 0 ? source.taken_deletes() : nullptr;
      if (mix != nullptr) origins_.push_back({i, mix, tombstones});
      if (piece.entries == 0) continue;
      if (outputs_.has_ages()) {
        piece.ages = source.taken_ages();
        piece.share = source.taken_share();
        piece.seed = seed;
      }
      classes = std::max(classes, piece.classes);
    }
    counts_.assign(classes, {});
    for (std::size_t c = 0; c < classes; ++c) lay_together(c, begin, end);
    return classes > 0;
  }

  // The sequence numbers of what is kept of the pieces.
  [[nodiscard]] SequenceSpan ages(std::uint64_t begin) const {
    if (!outputs_.has_ages()) return all_ages_;
    FixedCount older = 0;
    for (const Piece& piece : pieces_) older += piece.entries;
    SequenceSpan ages = kNoSequences;
    // Of the entries of a source, newer sources replace some.
    std::uint64_t survivors = kWholeShare;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const Piece& piece = pieces_[i];
      if (piece.entries == 0) continue;
      widen_span(ages,
                 draw_part(piece.ages, part_of(piece.share, survivors),
                           part_of(piece.entries, survivors), derive_seed(piece.seed, begin)));
      older -= piece.entries;
      if (piece.hits > 0) {
        survivors =
            part_of(survivors, share_of(less(older, piece.hits), std::max(older, piece.hits)));
      }
    }
    return ages;
  }

  // The keys of a class between two keys.
  [[nodiscard]] std::int64_t keys_between(std::size_t c, std::uint64_t begin,
                                          std::uint64_t end) const {
    if (keys_.placed != nullptr) return keys_.placed->keys_between(begin, end);
    const auto keys = static_cast<std::uint64_t>(keys_.counts[c]);
    return static_cast<std::int64_t>(Uint128{keys} * (end - begin) >> 64);
  }

  void lay_together(std::size_t c, std::uint64_t begin, std::uint64_t end) {
    std::int64_t keys = 0;
    if (c < keys_.counts.size() && keys_.counts[c] > 0) {
      keys = keys_between(c, begin, end);
      for (std::size_t i = 0; i < pieces_.size(); ++i) {
        if (c < pieces_[i].classes) keys -= new_keys(taken_of(i)[c]);
      }
    }
    // From here on `keys` counts what is older than the source at hand.
    for (std::size_t i = pieces_.size(); i-- > 0;) {
      if (c >= pieces_[i].classes) continue;
      const ClassCounts& taken = taken_of(i)[c];
      pieces_[i].hits += lay_over(taken, keys, counts_[c]);
      keys += new_keys(taken);
    }
  }

  std::vector<SourceCursor>& sources_;
  const OlderKeys& keys_;
  TombstoneRule rule_;
  RangeOutputs& outputs_;
  ClassList counts_;
  OriginList origins_;  // of the tombstones in counts_
  TombstoneOrigins dropped_;
  std::size_t classes_max_ = 0;     // of a source
  std::vector<ClassCounts> taken_;  // classes_max_ from each source
  KeyCounts* owed_;
  RipeSplits* ripe_;
  OlderSources* older_;
  ClassShares shares_;
  // What a source has between the boundaries at hand.
  struct Piece {
    std::size_t classes = 0;
    SequenceSpan ages;        // of the cell
    std::uint64_t share = 0;  // of the cell's entries
    FixedCount entries = 0;
    FixedCount hits = 0;  // entries of older sources that it replaces
    std::uint64_t seed = 0;
  };
  std::vector<Piece> pieces_;
  SequenceSpan all_ages_ = kNoSequences;  // of all sources
};

}  // namespace

ClassList joined_classes(const ClassList& newer, const KeyCounts& older_keys,
                         const ClassList& older) {
  ClassList joined = older;
  if (joined.size() < newer.size()) joined.resize(newer.size());
  for (std::size_t c = 0; c < newer.size(); ++c) {
    lay_over(newer[c], c < older_keys.size() ? older_keys[c] : 0, joined[c]);
  }
  return joined;
}

RangeMergeSums merge_ranges(std::vector<SourceCursor>& sources, const OlderKeys& keys,
                            TombstoneRule rule, RangeOutputs& outputs,
                            const TombstoneState& state) {
  return Sweep(sources, keys, std::move(rule), outputs, state).run();
}

}  // namespace lsmlab
