#include "sim/ranges/range_outputs.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "models/base/check.h"
#include "models/base/portable_math.h"
#include "models/base/random.h"
#include "sim/ranges/cell_bounds.h"
#include "sim/ranges/entry_ages.h"
#include "sim/ranges/placed_keys.h"
#include "sim/ranges/random_keys.h"

namespace lsmlab {

RangeOutputs::RangeOutputs(const SstableFormat& format, const RangeSizes& sizes,
                           OutputCutter cutter, const ExpectedOutput& expected,
                           const CellRule& cells)
    : format_(format),
      sizes_(sizes),
      cutter_(std::move(cutter)),
      mix_(expected.mix),
      seed_(expected.seed),
      cells_(cells) {
  set_entries_max();
}

void RangeOutputs::set_entries_max() {
  const std::optional<std::uint64_t> limit = cutter_.file_bytes_max();
  if (limit == bytes_max_) return;
  bytes_max_ = limit;
  const auto to_fill = [&](const EntryMix& mix) {
    return sizes_.entries_to_fill(format_, cutter_.measure(), *limit, mix);
  };
  entries_max_ = to_fill(mix_);
  puts_max_ = mix_.tombstones > 0 ? to_fill({mix_.entries(), 0, mix_.id_gap}) : *entries_max_;
}

SstableSize RangeOutputs::open_size() const {
  if (!is_open_) return SstableSize(format_);
  const std::uint64_t entries = rounded(written_) - begun_after_;
  const std::uint64_t tombstones = std::min(entries, rounded(sum_of(classes_).tombstones));
  const std::uint64_t gap = id_gap_of({knots_.front().key, knots_.back().key}, entries);
  return sizes_.size_of(format_, {entries - tombstones, tombstones, gap});
}

// A file takes the more entries the more of its own are tombstones.
FixedCount RangeOutputs::room_for(const Segment& segment) const {
  if (!entries_max_) return ~FixedCount{0};
  const FixedCount begun_after = fixed_count(begun_after_);
  // Puts are the largest entries: with fewer of any kind the file is not full.
  const FixedCount surely_not_full = fixed_count(*puts_max_) / 8 * 7;
  if (written_ + segment.entries - begun_after < surely_not_full) return ~FixedCount{0};
  FixedCount full = fixed_count(*entries_max_);
  if (mix_.tombstones > 0 && mix_.puts > 0) {
    ClassCounts own = sum_of(classes_);
    own.add(sum_of(segment.classes));
    full = own.tombstones == 0
               ? fixed_count(*puts_max_)
               : sizes_.as_many_bytes(full, mix_, {own.entries - own.tombstones, own.tombstones});
  }
  return begun_after + full > written_ ? begun_after + full - written_ : 0;
}

// From one entry to the next, on average.
std::uint64_t RangeOutputs::spacing(const Segment& segment) {
  const Uint128 width = segment.end - segment.begin;
  constexpr Uint128 kMost = ~std::uint64_t{0};
  const Uint128 gap = std::min((width << kCountBits) / segment.entries, kMost);
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(gap));
}

auto RangeOutputs::split(Segment& segment, std::uint64_t share, std::uint64_t at) const -> Segment {
  Segment first{segment.begin, at, part_of(segment.classes, share), 0, {}, segment.deletes};
  for (std::size_t i = 0; i < segment.deletes.size(); ++i) {
    first.deletes[i].count = part_of(segment.deletes[i].count, share);
    segment.deletes[i].count -= first.deletes[i].count;
  }
  first.ages = segment.ages;
  if (cells_.has_ages) {
    std::tie(first.ages, segment.ages) =
        split_span(segment.ages, share, segment.entries, derive_seed(segment.begin, at));
  }
  first.entries = total_entries(first.classes);
  for (std::size_t c = 0; c < segment.classes.size(); ++c) {
    segment.classes[c].subtract(first.classes[c]);
  }
  segment.entries -= first.entries;
  segment.begin = at;
  return first;
}

void RangeOutputs::append(std::uint64_t begin, std::uint64_t end, const EvenEntries& entries) {
  CHECK(begin < end);
  Segment segment{
      begin, end, entries.classes, total_entries(entries.classes), entries.ages, entries.deletes};
  if (!is_none(entries.ages)) seen_ = entries.ages;
  if (deferred_) {
    const Segment earlier = *std::exchange(deferred_, std::nullopt);
    if (segment.classes.size() < earlier.classes.size()) {
      segment.classes.resize(earlier.classes.size());
    }
    for (std::size_t c = 0; c < earlier.classes.size(); ++c) {
      segment.classes[c].add(earlier.classes[c]);
    }
    segment.entries += earlier.entries;
    segment.deletes.insert(segment.deletes.begin(), earlier.deletes.begin(), earlier.deletes.end());
  }
  while (segment.entries > 0) {
    std::optional<std::uint64_t> quiet = cutter_.quiet_until();
    if (quiet && segment.begin > *quiet) {
      if (cells_.are_unequal && !has_entry(segment)) {
        deferred_ = std::move(segment);
        return;
      }
      const std::optional<std::uint64_t> asked = quiet;
      const bool ends = cutter_.ends_before(segment.begin, open_size());
      quiet = cutter_.quiet_until();
      // A file without a whole entry yet does not end there, but neither may it reach over the key
      // that was passed: behind a guard its run may have another file. What it has goes to the
      // next.
      const bool is_passed =
          cutter_.ends_at_given_keys() && quiet != asked && open_size().entries() == 0;
      if (is_open_ && ends) {
        close_before(segment);
      } else if (is_passed) {
        is_open_ = false;
      }
    }
    if (!quiet || *quiet >= segment.end - 1 || *quiet < segment.begin) {
      add(std::move(segment));
      return;
    }
    std::uint64_t at = *quiet + 1;
    if (*quiet == segment.begin) {
      // The file has no entry yet, and the cutter waits for its second: there is none before the
      // next entry.
      const std::uint64_t gap = spacing(segment);
      if (gap >= segment.end - segment.begin) {
        add(std::move(segment));
        return;
      }
      at = segment.begin + gap;
    }
    add(split(segment, share_of(at - segment.begin, segment.end - segment.begin), at));
  }
}

bool RangeOutputs::has_entry(const Segment& segment) {
  const std::uint64_t gap = spacing(segment);
  if (gap < 2 * PlacedKeys::kStep) return true;
  const double chance =
      (static_cast<double>(derive_seed(segment.begin, segment.end) >> 11) + 0.5) * 0x1p-53;
  const double before_first = -portable_log(chance) * static_cast<double>(gap);
  return before_first < static_cast<double>(segment.end - segment.begin);
}

void RangeOutputs::add(Segment segment) {
  while (segment.entries > 0) {
    set_entries_max();
    if (!is_open_) open_at(segment.begin);
    const FixedCount left = room_for(segment);
    if (segment.entries < left) {
      take(segment);
      return;
    }
    // A segment may be narrower than the gap between its entries: where densities change abruptly,
    // or where files have few entries. A file must not reach beyond it: there the next file of the
    // level may begin.
    const std::uint64_t last = segment.end - 1;
    if (std::max(segment.begin, knots_.front().key) >= last) {
      take(segment);
      cutter_.end_file();
      close_at(last);
      return;
    }
    // The file is full inside the segment.
    const std::uint64_t share = share_of(left, segment.entries);
    const std::uint64_t width = segment.end - segment.begin;
    const std::uint64_t at =
        segment.begin + static_cast<std::uint64_t>(Uint128{width} * share >> 32);
    const std::uint64_t half = spacing(segment) / 2;
    take(split(segment, share, at));
    cutter_.end_file();
    std::uint64_t largest = std::max(knots_.front().key, at > half ? at - half : 0);
    largest = std::min(largest, last - 1);
    close_at(largest, Fill::kFull);
    next_smallest_ = std::min(last, at + half);
  }
}

void RangeOutputs::take(const Segment& segment) {
  written_ += segment.entries;
  if (cells_.are_unequal && segment.begin > knots_.back().key) {
    knots_.push_back({segment.begin, knots_.back().counts, kNoSequences, {}});  // a gap ends
  }
  const Knot& last = knots_.back();
  Knot next{std::max(segment.end, last.key), last.counts, segment.ages, segment.deletes};
  if (classes_.size() < segment.classes.size()) classes_.resize(segment.classes.size());
  for (std::size_t c = 0; c < segment.classes.size(); ++c) {
    classes_[c].add(segment.classes[c]);
    next.counts.add(segment.classes[c]);
  }
  knots_.push_back(next);
  if (cells_.has_mixes) knot_classes_.push_back(classes_);
}

void RangeOutputs::open_at(std::uint64_t key) {
  std::uint64_t begin = next_smallest_ ? std::max(*next_smallest_, key) : key;
  // A file that began half a gap behind a full one may reach beyond the key where it was cut.
  if (!files_.empty()) begin = std::max(begin, files_.back().file.keys.largest + 1);
  next_smallest_.reset();
  is_open_ = true;
  knots_.assign(1, {begin, {}, kNoSequences, {}});
  knot_classes_.assign(1, {});
  begun_after_ = rounded(written_);
}

void RangeOutputs::close_before(const Segment& next) {
  const std::uint64_t end = knots_.back().key - 1;
  if (!cells_.are_keys_at_random) {
    close_at(end);
    return;
  }
  const std::uint64_t begin = knots_.front().key;
  const std::uint64_t entries = std::max<std::uint64_t>(1, rounded(written_) - begun_after_);
  const std::uint64_t before =
      drawn_gap((std::max(end, begin) - begin) / entries, derive_seed(seed_, end));
  close_at(end - std::min(before, end - std::min(begin, end)));
  const std::uint64_t behind = drawn_gap(spacing(next), derive_seed(seed_, next.begin));
  next_smallest_ = next.begin + std::min(behind, next.end - 1 - next.begin);
}

void RangeOutputs::close_at(std::uint64_t largest, Fill fill) {
  CHECK(is_open_);
  is_open_ = false;
  const std::uint64_t entries = rounded(written_) - begun_after_;
  ClassList classes = std::exchange(classes_, {});
  if (entries == 0) {
    // Less than half an entry goes to the neighbour.
    written_ = fixed_count(begun_after_);
    return;
  }
  const ClassCounts sum = sum_of(classes);
  const std::uint64_t tombstones = std::min(entries, rounded(sum.tombstones));
  RangeFile written;
  File& file = written.file;
  file.keys = {knots_.front().key, std::max(largest, knots_.front().key)};
  file.entries = Entries(entries);
  file.tombstones = Entries(tombstones);
  const bool is_filled = fill == Fill::kFull && cutter_.measure() == CutMeasure::kStoredBlocks;
  file.bytes = sizes_.ended_file_bytes(
      format_, {entries - tombstones, tombstones, id_gap_of(file.keys, entries)},
      {is_filled ? bytes_max_ : std::nullopt, derive_seed(seed_, file.keys.smallest)});
  file.key_bytes = Bytes(sizes_.key_bytes(entries));
  file.value_bytes = Bytes(sizes_.value_bytes(entries - tombstones));
  file.sequences = kNoSequences;
  for (const Knot& knot : knots_) widen_span(file.sequences, knot.ages);
  // A file of few entries, none of which was drawn.
  if (is_none(file.sequences)) file.sequences = seen_;
  written.contents.keys = file.keys;
  written.contents.classes = std::move(classes);
  fill_cells(written.contents);
  if (cells_.has_mixes && written.contents.cells() > 1) fill_mixes(written.contents);
  if (cells_.has_ages && written.contents.cells() > 1) fill_ages(written.contents);
  if (sum.tombstones > 0) fill_deletes(written.contents);
  files_.push_back(std::move(written));
}

void RangeOutputs::fill_cells(RangeContents& contents) const {
  const KeyRange& keys = contents.keys;
  const std::size_t cells = cells_.count;
  if (keys.largest - keys.smallest < cells) return;
  if (cells_.are_unequal) {
    std::vector<CountedKey> counted;
    for (const Knot& knot : knots_) counted.push_back({knot.key, knot.counts});
    fill_unequal_cells(counted, cells, contents);
    return;
  }
  const ClassCounts& total = knots_.back().counts;
  const auto share = [](FixedCount part, FixedCount whole) {
    return static_cast<std::uint32_t>(
        std::min(share_of(std::min(part, whole), whole), kWholeShare - 1));
  };
  const bool has_older = total.oldest < total.entries;
  contents.entries_below.reserve(cells - 1);
  if (has_older) contents.oldest_below.reserve(cells - 1);
  if (total.tombstones > 0) contents.tombstones_below.reserve(cells - 1);
  std::size_t knot = 0;
  for (std::size_t cell = 1; cell < cells; ++cell) {
    const std::uint64_t key = cell_boundary(keys, cell, cells);
    while (knot + 2 < knots_.size() && knots_[knot + 1].key <= key) ++knot;
    const Knot& below = knots_[knot];
    const Knot& above = knots_[std::min(knot + 1, knots_.size() - 1)];
    ClassCounts counts = below.counts;
    if (above.key > below.key && key > below.key) {
      ClassCounts between = above.counts;
      between.subtract(below.counts);
      const std::uint64_t inner =
          key >= above.key ? kWholeShare : share_of(key - below.key, above.key - below.key);
      counts.add(part_of(between, KindShares::all(inner)));
    }
    contents.entries_below.push_back(share(counts.entries, total.entries));
    if (has_older) contents.oldest_below.push_back(share(counts.oldest, total.oldest));
    if (total.tombstones > 0) {
      contents.tombstones_below.push_back(share(counts.tombstones, total.tombstones));
    }
  }
}

void RangeOutputs::fill_mixes(RangeContents& contents) const {
  const std::size_t cells = contents.cells();
  contents.classes_below.reserve((cells - 1) * contents.classes.size());
  std::size_t knot = 0;
  for (std::size_t cell = 1; cell < cells; ++cell) {
    const std::uint64_t key = contents.cell_begin(cell);
    while (knot + 2 < knots_.size() && knots_[knot + 1].key <= key) ++knot;
    const std::size_t next = std::min(knot + 1, knots_.size() - 1);
    const std::uint64_t begin = knots_[knot].key;
    const std::uint64_t end = knots_[next].key;
    const std::uint64_t inner = key >= end     ? kWholeShare
                                : key <= begin ? 0
                                               : share_of(key - begin, end - begin);
    const ClassList& below = knot_classes_[knot];
    const ClassList& above = knot_classes_[next];
    for (std::size_t c = 0; c < contents.classes.size(); ++c) {
      ClassCounts counts;
      if (c < below.size()) counts = below[c];
      if (c < above.size()) {
        ClassCounts between = above[c];
        between.subtract(counts);
        counts.add(part_of(between, KindShares::all(inner)));
      }
      contents.classes_below.push_back(cell_shares(counts, contents.classes[c]));
    }
  }
}

void RangeOutputs::fill_ages(RangeContents& contents) const {
  const auto last_cell = contents.cells() - 1;
  contents.ages.assign(contents.cells(), kNoSequences);
  std::size_t cell = 0;
  std::uint64_t cell_end = contents.cell_begin(1);
  for (std::size_t knot = 1; knot < knots_.size(); ++knot) {
    std::uint64_t begin = knots_[knot - 1].key;
    const std::uint64_t end = knots_[knot].key;
    SequenceSpan rest = knots_[knot].ages;
    FixedCount entries = knots_[knot].counts.entries - knots_[knot - 1].counts.entries;
    while (cell < last_cell && end > cell_end) {
      if (begin < cell_end) {
        const std::uint64_t share = share_of(cell_end - begin, end - begin);
        SequenceSpan inside;
        std::tie(inside, rest) = split_span(rest, share, entries, derive_seed(begin, cell_end));
        widen_span(contents.ages[cell], inside);
        entries -= part_of(entries, share);
        begin = cell_end;
      }
      ++cell;
      cell_end = contents.cell_begin(cell + 1);
    }
    widen_span(contents.ages[cell], rest);
  }
}

void RangeOutputs::fill_deletes(RangeContents& contents) const {
  const std::size_t zones = std::min(contents.cells(), kDeleteZones);
  contents.deletes.resize(zones);
  const auto end_of = [&](std::size_t zone) {
    return contents.cell_begin((zone + 1) * contents.cells() / zones);
  };
  TombstoneOrigins inside;
  std::size_t zone = 0;
  for (std::size_t knot = 1; knot < knots_.size(); ++knot) {
    std::uint64_t begin = knots_[knot - 1].key;
    const std::uint64_t end = knots_[knot].key;
    OriginList rest = knots_[knot].deletes;
    for (; zone + 1 < zones && end > end_of(zone); ++zone) {
      const std::uint64_t zone_end = end_of(zone);
      if (begin < zone_end) {
        const std::uint64_t share = share_of(zone_end - begin, end - begin);
        for (TombstoneOrigin& origin : rest) {
          const FixedCount part = part_of(origin.count, share);
          inside.add({origin.source, origin.mix, part});
          origin.count -= part;
        }
        begin = zone_end;
      }
      contents.deletes[zone] = inside.take();
    }
    for (const TombstoneOrigin& origin : rest) inside.add(origin);
  }
  contents.deletes[zone] = inside.take();
}

std::vector<RangeFile> RangeOutputs::finish() {
  if (deferred_) add(*std::exchange(deferred_, std::nullopt));
  if (is_open_) close_at(knots_.back().key - 1);
  return std::move(files_);
}

}  // namespace lsmlab
