#include "sim/ranges/range_sources.h"

#include <algorithm>
#include <utility>

#include "models/base/check.h"

namespace lsmlab {
namespace {

// The key after a window, behind which nothing of it lies.
std::uint64_t end_of(const KeyRange& window) {
  return window.largest + (window.largest < ~std::uint64_t{0});
}

}  // namespace

SourceCursor::SourceCursor(std::vector<SourcePart> parts) : parts_(std::move(parts)) {
  for (const SourcePart& part : parts_) {
    const RangeContents& contents = *part.contents;
    const KindShares first = contents.shares_below(part.window.smallest);
    const KindShares last = contents.shares_below(end_of(part.window));
    const ClassList& classes = contents.classes;
    if (total_.size() < classes.size()) total_.resize(classes.size());
    if (!contents.classes_below.empty()) {
      const RangeContents::Place begin = contents.place_of(part.window.smallest);
      const RangeContents::Place end = contents.place_of(end_of(part.window));
      for (std::size_t c = 0; c < classes.size(); ++c) {
        ClassCounts inside = contents.class_below(c, end);
        inside.subtract(contents.class_below(c, begin));
        total_[c].add(inside);
      }
      continue;
    }
    for (std::size_t c = 0; c < classes.size(); ++c) {
      total_[c].add(part_between(classes[c], first, last));
    }
  }
  enter_part();
}

std::uint64_t SourceCursor::part_end() const { return end_of(parts_[part_].window); }

void SourceCursor::enter_part() {
  is_inside_ = false;
  if (!is_done()) boundary_ = parts_[part_].window.smallest;
}

void SourceCursor::enter_cell() {
  const RangeContents& contents = *parts_[part_].contents;
  const std::uint64_t end = part_end();
  // The last cell reaches to the end of the file, the largest key included.
  const bool is_last = cell_ + 1 >= contents.cells();
  const std::uint64_t cell_end = is_last ? end : contents.cell_begin(cell_ + 1);
  boundary_ = std::min(cell_end, end);
  cell_begin_ = contents.cell_begin(cell_);
  cell_end_ = contents.cell_begin(cell_ + 1);
  shares_before_ = contents.shares_before(cell_);
  shares_after_ = contents.shares_before(cell_ + 1);
  draws_.reset();
  boundary_shares_ = boundary_ == cell_end && !is_last ? shares_after_ : contents.shares_below(end);
}

// As RangeContents::place_of().
CellDraws::Shares SourceCursor::inner_shares_below(std::uint64_t key) {
  if (key <= cell_begin_) return {};
  if (key >= cell_end_) return {kWholeShare, kWholeShare};
  const RangeContents& contents = *parts_[part_].contents;
  const std::uint64_t place = share_of(key - cell_begin_, cell_end_ - cell_begin_);
  if (!contents.seed || place == kWholeShare) return {place, place};
  if (!draws_) draws_ = contents.draws_of(cell_);
  return draws_->below(place);
}

KindShares SourceCursor::shares_below(std::uint64_t key) {
  if (key <= cell_begin_) return shares_before_;
  if (key >= cell_end_) return shares_after_;
  return share_between(shares_before_, shares_after_, inner_shares_below(key));
}

void SourceCursor::take_by_class(std::uint64_t key, ClassCounts* taken) {
  const RangeContents& contents = *parts_[part_].contents;
  const bool is_end = key == boundary_ && key < part_end();
  const bool is_whole = is_end || key > contents.keys.largest;
  const CellDraws::Shares inner =
      is_whole ? CellDraws::Shares{kWholeShare, kWholeShare} : inner_shares_below(key);
  for (std::size_t c = 0; c < contents.classes.size(); ++c) {
    taken[c] = contents.class_below(c, {cell_, inner});
    taken[c].subtract(contents.class_below(c, {cell_, taken_inner_}));
  }
  taken_inner_ = is_end ? CellDraws::Shares() : inner;
}

const SequenceSpan& SourceCursor::taken_ages() const {
  CHECK(taken_part_ != nullptr);
  const std::vector<SequenceSpan>& ages = taken_part_->contents->ages;
  return ages.empty() ? taken_part_->sequences : ages[taken_cell_];
}

const CohortList* SourceCursor::taken_deletes() const {
  CHECK(taken_part_ != nullptr);
  const std::vector<CohortList>* const deletes = taken_part_->deletes;
  if (deletes == nullptr || deletes->empty()) return nullptr;
  return &(*deletes)[taken_cell_ * deletes->size() / taken_part_->contents->cells()];
}

std::uint64_t SourceCursor::taken_share() const {
  CHECK(taken_part_ != nullptr);
  const RangeContents& contents = *taken_part_->contents;
  const std::uint64_t cell =
      contents.shares_before(taken_cell_ + 1).entries - contents.shares_before(taken_cell_).entries;
  return share_of(std::min(taken_of_part_, cell), cell);
}

std::size_t SourceCursor::take_below(std::uint64_t key, ClassCounts* taken) {
  CHECK(!is_done() && key <= boundary_);
  if (!is_inside_) {
    if (key < boundary_) return 0;
    const SourcePart& part = parts_[part_];
    is_inside_ = true;
    taken_shares_ = part.contents->shares_below(part.window.smallest);
    cell_ = part.contents->cell_of(part.window.smallest);
    enter_cell();
    if (!part.contents->classes_below.empty())
      taken_inner_ = inner_shares_below(part.window.smallest);
    return 0;
  }
  const RangeContents& contents = *parts_[part_].contents;
  const KindShares shares = key < boundary_ ? shares_below(key) : boundary_shares_;
  const std::size_t classes = contents.classes.size();
  if (!contents.classes_below.empty()) {
    take_by_class(key, taken);
  } else {
    const ClassCounts* all = contents.classes.data();
    for (std::size_t c = 0; c < classes; ++c) {
      taken[c] = part_between(all[c], taken_shares_, shares);
    }
  }
  taken_part_ = &parts_[part_];
  taken_cell_ = cell_;
  taken_of_part_ = shares.entries - taken_shares_.entries;
  taken_shares_ = shares;
  if (key < boundary_) return classes;
  if (key < part_end()) {
    ++cell_;
    enter_cell();
    return classes;
  }
  ++part_;
  enter_part();
  return classes;
}

}  // namespace lsmlab
