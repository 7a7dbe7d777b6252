#include "models/execution/output_cut.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "models/base/check.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

// A range that contains every key that the merge may write.
std::optional<KeyRange> hull_of_inputs(const TreeView& tree, const MergePlan& plan) {
  std::optional<KeyRange> hull;
  const auto add = [&](const KeyRange& keys) { hull = hull ? hull_of(*hull, keys) : keys; };
  if (plan.takes_memtable && tree.pending_flush()) add(tree.pending_flush()->keys);
  FileFinder finder(tree);
  for (const PlanInput& input : plan.inputs) {
    for (const FileId id : input.files) {
      const File& file = finder.at(id);
      add(file.keys);
      for (const Slice& slice : file.slices) add(slice.keys);
    }
  }
  return hull;
}

}  // namespace

OutputCutter::OutputCutter(const TreeView& tree, const MergePlan& plan) : cut_(plan.cut) {
  if (cut_.file_begins) {
    OutputCut only_begins;
    only_begins.file_begins = std::move(cut_.file_begins);
    only_begins.measure = cut_.measure;
    only_begins.file_begin_bytes_min = cut_.file_begin_bytes_min;
    if (cut_.file_bytes) file_bytes_max_ = cut_.file_bytes->value();
    cut_ = std::move(only_begins);
    static_cast<void>(passes_begin(0));  // no entry is before key 0
    return;
  }
  if (cut_.has_begins()) {
    const std::optional<KeyRange> keys = hull_of_inputs(tree, plan);
    find_begins(tree, plan, keys.value_or(KeyRange()));
    return;
  }
  find_grandparents(tree, plan);
  if (!cut_.file_bytes) return;
  const bool is_doubled =
      cut_.grandparents == GrandparentRule::kDynamicFileSize && has_grandparent();
  file_bytes_max_ = cut_.file_bytes->value() * (is_doubled ? 2 : 1);
}

void OutputCutter::find_grandparents(const TreeView& tree, const MergePlan& plan) {
  if (cut_.grandparents == GrandparentRule::kIgnored) return;
  const std::optional<KeyRange> keys = hull_of_inputs(tree, plan);
  if (!keys) return;
  const auto levels = static_cast<std::uint32_t>(tree.levels().size());
  for (std::uint32_t level = plan.target.level + 1; level < levels; ++level) {
    if (const SortedRun* run = newest_run(tree, level)) {
      const FileSpan met = overlapping_files(*run, *keys);
      grandparents_ = std::make_shared<const RunFiles>(run->files);
      at_ = grandparents_->begin();
      end_ = met.first_index() + met.size();
      set_next(met.first_index());
    }
    if (has_grandparent() || cut_.grandparents == GrandparentRule::kOverlapLimit) return;
  }
}

void OutputCutter::find_begins(const TreeView& tree, const MergePlan& plan, const KeyRange& keys) {
  const std::uint32_t level = cut_.grandparent_level.value_or(plan.target.level + 1);
  if (const SortedRun* run = newest_run(tree, level)) {
    const FileSpan met = overlapping_files(*run, keys);
    grandparents_ = std::make_shared<const RunFiles>(run->files);
    at_ = grandparents_->begin();
    first_ = met.first_index();
    end_ = met.first_index() + met.size();
    set_next(first_);
  }
  begin_at_boundary(keys.smallest);
}

std::optional<std::uint64_t> OutputCutter::next_begin_of_grandparent() const {
  if (!has_grandparent() || (limit_ && at_next_.keys.smallest >= *limit_)) return std::nullopt;
  return at_next_.keys.smallest;
}

std::optional<std::uint64_t> OutputCutter::next_boundary() const {
  const std::optional<std::uint64_t> next = next_begin_of_grandparent();
  return next ? next : limit_;
}

// NewOutputSplitter, with the first key of a file.
void OutputCutter::begin_at_boundary(std::uint64_t key) {
  while (has_grandparent() && at_next_.keys.smallest <= key) set_next(next_ + 1);
  while (next_limit_ < cut_.limits.size() && cut_.limits[next_limit_] <= key) ++next_limit_;
  std::uint64_t overlapped = 0;
  if (next_ > first_) {
    const File& last = (*grandparents_)[next_ - 1];
    if (last.keys.largest >= key) overlapped = last.data_bytes().value();
  }
  set_limit(overlapped);
}

void OutputCutter::begin_behind_full_file() {
  set_limit(next_ > first_ ? (*grandparents_)[next_ - 1].data_bytes().value() : 0);
}

// Runner.TableSplitLimit.
void OutputCutter::set_limit(std::uint64_t overlapped_bytes) {
  boundaries_ = 0;
  limit_.reset();
  const std::uint64_t most = cut_.grandparent_bytes_max.value();
  if (has_grandparent()) {
    const std::size_t over = overlapped_bytes > most ? next_
                                                     : grandparents_->first_with_bytes_above(
                                                           next_, most - overlapped_bytes);
    if (over < end_) limit_ = (*grandparents_)[over].keys.smallest;
  }
  if (next_limit_ < cut_.limits.size()) {
    limit_ = std::min(limit_.value_or(cut_.limits[next_limit_]), cut_.limits[next_limit_]);
  }
  set_size_limit();
}

void OutputCutter::set_size_limit() {
  if (!cut_.file_bytes) return;
  const bool may_end_later =
      cut_.grandparents == GrandparentRule::kGrandparentBegins && next_begin_of_grandparent();
  file_bytes_max_ = cut_.file_bytes->value() * (may_end_later ? 2 : 1);
}

// OutputSplitter.ShouldSplitBefore.
bool OutputCutter::passes_grandparent_begin(std::uint64_t key, const SstableSize& file) {
  if (file.entries() == 0) {
    begin_at_boundary(key);
    return false;
  }
  bool ends = limit_ && key >= *limit_;
  const std::uint64_t before = boundaries_;
  while (!ends && has_grandparent() && at_next_.keys.smallest <= key) {
    set_next(next_ + 1);
    ++boundaries_;
  }
  const bool ends_at_begins = cut_.grandparents == GrandparentRule::kGrandparentBegins;
  if (ends_at_begins && !ends && boundaries_ > before && cut_.file_bytes) {
    const std::uint64_t percent = 50 + 5 * std::min<std::uint64_t>(boundaries_ - 1, 8);
    const std::uint64_t target = cut_.file_bytes->value();
    const std::uint64_t bytes = measured(file);
    ends = bytes >= target / 2 && Uint128{bytes} >= Uint128{percent} * target / 100;
  }
  if (ends) {
    begin_at_boundary(key);
  } else {
    set_size_limit();
  }
  return ends;
}

void OutputCutter::set_next(std::size_t next) {
  next_ = next;
  if (!has_grandparent()) return;
  // The next one mostly lies in the leaf that the iterator knows.
  at_ += static_cast<std::ptrdiff_t>(next_) - static_cast<std::ptrdiff_t>(at_.index());
  const File& file = *at_;
  at_next_ = {file.keys, file.data_bytes().value()};
}

std::optional<std::uint64_t> OutputCutter::quiet_until() const {
  if (cut_.file_begins) {
    const std::vector<std::uint64_t>& begins = *cut_.file_begins;
    if (next_begin_ == begins.size()) return std::nullopt;
    return begins[next_begin_] - 1;
  }
  if (cut_.has_begins()) {
    const std::optional<std::uint64_t> next = next_boundary();
    if (!next) return std::nullopt;
    return has_seen_key_ ? *next - 1 : 0;
  }
  if (!has_grandparent() && !cut_.split_key && !has_set_apart()) return std::nullopt;
  if (!has_seen_key_) return 0;
  std::optional<std::uint64_t> until = last_key_before_boundary();
  const auto at_most = [&](std::uint64_t key) { until = until ? std::min(*until, key) : key; };
  // A file that began at or after the split key does not end before its second entry.
  if (cut_.split_key) at_most(std::max(*cut_.split_key - 1, last_key_));
  if (has_set_apart()) at_most(last_key_before_apart());
  return until;
}

std::uint64_t OutputCutter::last_key_before_apart() const {
  const KeyRange& keys = cut_.set_apart[next_apart_];
  if (is_apart_) return keys.largest;
  return keys.smallest > last_key_ ? keys.smallest - 1 : last_key_;
}

std::optional<std::uint64_t> OutputCutter::last_key_before_boundary() const {
  if (cut_.grandparents == GrandparentRule::kOverlapLimit) return overlap_end_;
  if (!has_grandparent()) return std::nullopt;
  return in_gap_ ? at_next_.keys.smallest - 1 : at_next_.keys.largest;
}

std::uint64_t OutputCutter::measured(const SstableSize& file) const {
  return cut_.measure == CutMeasure::kEntries ? file.entry_bytes().value()
                                              : file.stored_data_bytes().value();
}

bool OutputCutter::ends_after(const SstableSize& file) {
  if (!file_bytes_max_ || measured(file) < *file_bytes_max_) return false;
  end_file();
  return true;
}

void OutputCutter::end_file() {
  has_ended_ = true;
  if (cut_.has_begins()) begin_behind_full_file();
}

std::uint64_t OutputCutter::entries_to_end(const SstableSize& file, std::uint64_t key_bytes,
                                           std::uint64_t value_bytes) const {
  if (!file_bytes_max_) return std::numeric_limits<std::uint64_t>::max();
  if (file.needs_keys()) return 1;
  if (cut_.measure == CutMeasure::kStoredBlocks) {
    return file.entries_to_block_end(key_bytes, value_bytes);
  }
  const std::uint64_t limit = *file_bytes_max_;
  const std::uint64_t present = file.entry_bytes().value();
  const std::uint64_t each = buffered_entry_bytes(key_bytes, value_bytes);
  return present >= limit ? 1 : (limit - present + each - 1) / each;
}

bool OutputCutter::ends_before(std::uint64_t key, const SstableSize& file) {
  const bool begins_file = file.entries() == 0;
  if (cut_.file_begins) {
    return passes_begin(key) && !begins_file && measured(file) >= cut_.file_begin_bytes_min.value();
  }
  // The caller need not have asked about an entry of key 0.
  if (!has_seen_key_ && !begins_file) static_cast<void>(ends_before(0, SstableSize({})));
  if (cut_.grandparents == GrandparentRule::kOverlapLimit) {
    return passes_overlap_limit(key) && !begins_file;
  }
  if (cut_.has_begins()) {
    has_seen_key_ = true;
    const std::optional<std::uint64_t> next = next_boundary();
    const bool is_boundary = next && key >= *next;
    if (!std::exchange(begins_output_, false) && !is_boundary) return false;
    return passes_grandparent_begin(key, file);
  }
  // A file may have begun at a key that the caller did not ask about.
  if (has_ended_ && !begins_file) begin_file();
  has_ended_ = false;
  last_key_ = key;
  const std::uint64_t overlapped_before = overlapped_bytes_;
  const std::uint64_t crossed = cross_boundaries(key);
  bool ends = false;
  if (!begins_file) {
    if (cut_.split_key && key >= *cut_.split_key) {
      cut_.split_key.reset();
      ends = true;
    } else {
      ends = crossed > 0 && ends_at_boundary(crossed, overlapped_before, measured(file));
      ends = ends || passes_apart(key);
    }
  }
  if (begins_file || ends) begin_file();
  return ends;
}

// RocksDB: the end of ShouldStopBefore.
bool OutputCutter::passes_apart(std::uint64_t key) {
  if (!has_set_apart()) return false;
  if (is_apart_) {
    if (key <= cut_.set_apart[next_apart_].largest) return false;
    is_apart_ = false;
    ++next_apart_;
    return true;
  }
  while (has_set_apart() && key > cut_.set_apart[next_apart_].largest) ++next_apart_;
  is_apart_ = has_set_apart() && key >= cut_.set_apart[next_apart_].smallest;
  return is_apart_;
}

bool OutputCutter::passes_begin(std::uint64_t key) {
  const std::vector<std::uint64_t>& begins = *cut_.file_begins;
  const std::size_t before = next_begin_;
  while (next_begin_ < begins.size() && key >= begins[next_begin_]) ++next_begin_;
  return next_begin_ > before;
}

// LevelDB adds up the grandparents that end before a key. Those before the first key do not count.
bool OutputCutter::passes_overlap_limit(std::uint64_t key) {
  const bool passes = has_seen_key_ && overlap_end_ && key > *overlap_end_;
  if (has_seen_key_ && !passes) return false;
  has_seen_key_ = true;
  if (has_grandparent()) {
    next_ = std::max(next_, std::min(end_, grandparents_->first_ending_from(key)));
  }
  find_overlap_end();
  return passes;
}

// The key at which the grandparents passed from next_ on exceed the limit.
void OutputCutter::find_overlap_end() {
  overlap_end_.reset();
  if (!has_grandparent()) return;
  const std::size_t last =
      grandparents_->first_with_bytes_above(next_, cut_.grandparent_bytes_max.value());
  if (last < end_) overlap_end_ = (*grandparents_)[last].keys.largest;
}

// RocksDB: UpdateGrandparentBoundaryInfo. Returns the number of boundaries between the previous key
// and this one. Boundaries before the first key do not count.
std::uint64_t OutputCutter::cross_boundaries(std::uint64_t key) {
  std::uint64_t crossed = 0;
  while (has_grandparent()) {
    if (in_gap_ ? key < at_next_.keys.smallest : key <= at_next_.keys.largest) break;
    if (in_gap_) {
      overlapped_bytes_ += at_next_.bytes;
    } else {
      set_next(next_ + 1);
    }
    in_gap_ = !in_gap_;
    if (has_seen_key_) ++crossed;
  }
  has_seen_key_ = true;
  boundaries_ += crossed;
  return crossed;
}

bool OutputCutter::ends_at_boundary(std::uint64_t crossed, std::uint64_t overlapped_before,
                                    std::uint64_t file_bytes) const {
  if (overlapped_bytes_ + file_bytes > cut_.grandparent_bytes_max.value()) return true;
  if (cut_.grandparents != GrandparentRule::kDynamicFileSize || !cut_.file_bytes) return false;
  const std::uint64_t target = cut_.file_bytes->value();
  // A whole grandparent was skipped: the key went from gap to gap, or from file to file, with a
  // file in between.
  const std::uint64_t crossed_by_skipping = in_gap_ ? 2 : 3;
  if (crossed >= crossed_by_skipping && overlapped_bytes_ - overlapped_before > target / 8) {
    return true;
  }
  const std::uint64_t percent = 50 + std::min<std::uint64_t>(boundaries_ * 5, 40);
  return file_bytes >= (target + 99) / 100 * percent;
}

// A file begins with the last key (RocksDB: AddToOutput, GetCurrentKeyGrandparentOverlappedBytes).
void OutputCutter::begin_file() {
  boundaries_ = 0;
  overlapped_bytes_ = in_gap_ ? 0 : at_next_.bytes;
}

}  // namespace lsmlab
