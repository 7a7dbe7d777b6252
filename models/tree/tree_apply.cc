// How a tree changes by an edit.
#include <algorithm>
#include <utility>
#include <vector>

#include "models/base/check.h"
#include "models/tree/file_copies.h"
#include "models/tree/file_spans.h"
#include "models/tree/tree.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

Bytes entry_bytes_of(const Slice& slice, const File& frozen) {
  if (frozen.bytes == Bytes(0)) return {};
  const std::uint64_t all = (frozen.key_bytes + frozen.value_bytes).value();
  const Uint128 part = std::min(slice.bytes, frozen.bytes).value();
  return Bytes(static_cast<std::uint64_t>(part * all / frozen.bytes.value()));
}

}  // namespace

void TreeState::note_level(std::uint32_t level, Changes& changes) const {
  const bool is_known =
      std::any_of(changes.levels.begin(), changes.levels.end(),
                  [&](const Changes::Level& known) { return known.level == level; });
  if (is_known) return;
  const bool has_run = level < levels_.size() && !levels_[level].runs.empty();
  changes.levels.push_back(
      {level, has_run ? std::optional(levels_[level].runs.front().id) : std::nullopt});
}

// What a tree keeps of a file beside its run.
void TreeState::leave(std::uint32_t level, const File& file) {
  levels_[level].sums.subtract(FileSums::of(file));
  orders_.remove(level, file);
  places_.erase(file.id);
}

void TreeState::arrive(std::uint32_t level, RunId run, const std::vector<File>& files,
                       Changes& changes) {
  if (orders_.levels_below() > 0) {
    changes.ranges.emplace_back(level,
                                KeyRange{files.front().keys.smallest, files.back().keys.largest});
  }
  Changes::Placed placed{level, run, {}};
  placed.files.reserve(files.size());
  changes.runs.push_back(run);
  for (const File& file : files) {
    levels_[level].sums.add(FileSums::of(file));
    places_.insert({file.id, level, run, file.keys.smallest});
    placed.files.emplace_back(file.keys.smallest, file.id);
  }
  if (orders_.count() > 0) changes.placed.push_back(std::move(placed));
}

File TreeState::take_file(FileId id, Changes& changes) {
  const std::optional<FileLocation> at = find_file(id);
  CHECK(at);
  const auto level = static_cast<std::uint32_t>(at->level);
  note_level(level, changes);
  changes.runs.push_back(levels_[at->level].runs[at->run].id);
  File file = files_of(*at).erase(at->file);
  leave(level, file);
  if (orders_.levels_below() > 0) changes.ranges.emplace_back(level, file.keys);
  file.busy = false;
  file.overlaps = {};
  return file;
}

namespace {

// Whether files by key belong where the files first..last-1 of a run are.
bool fits(const RunFiles& run, std::size_t first, std::size_t last,
          const std::vector<File>& files) {
  return !files.empty() &&
         (first == 0 || run[first - 1].keys.smallest < files.front().keys.smallest) &&
         (last == run.size() || run[last].keys.smallest > files.back().keys.smallest);
}

}  // namespace

// New references come before old ones go: slices may be handed on.
void TreeState::freeze(const TreeEdit& edit, Changes& changes) {
  std::vector<File> with_copies;
  for (const FileId id : edit.frozen) {
    File file = take_file(id, changes);
    if (edit.is_merge) file.level_since = now_;
    if (!file.copies.empty()) with_copies.push_back(file);
    file.copies.clear();
    const bool is_new = frozen_files_.add({std::move(file), 0});
    CHECK(is_new);
  }
  for (const TreeEdit::Linked& linked : edit.linked) hang(linked);
  for (const TreeEdit::Added& added : edit.added) {
    for (const File& file : added.files) {
      for (const Slice& slice : file.slices) frozen_files_.add_reference(slice.frozen_file);
      for (const Copy& copy : file.copies) frozen_files_.add_reference(copy.frozen_file);
    }
  }
  if (!frozen_files_.empty()) {
    FileFinder finder(*this);
    for (const FileId id : edit.removed) {
      const File& file = finder.at(id);
      for (const Slice& slice : file.slices) frozen_files_.drop_reference(slice.frozen_file);
      drop_copies(file);
    }
  }
  for (const File& file : with_copies) drop_copies(file);
  for (const TreeEdit::TakenSlices& taken : edit.taken_slices) take_slices(taken);
  for (const TreeEdit::Added& added : edit.added) {
    if (!added.into) continue;
    for (const File& file : added.files) {
      const bool is_new = frozen_files_.add({file, 0});
      CHECK(is_new);
      hang({file.id, *added.into, {file.id, file.keys, file.bytes}});
    }
  }
}

TreeState::Leaving TreeState::places_of(const std::vector<FileId>& files) const {
  Leaving places;
  places.reserve(files.size());
  FileFinder finder(*this);
  for (const FileId id : files) {
    CHECK(finder.find(id) != nullptr);
    places.push_back(finder.location());
  }
  std::sort(places.begin(), places.end());
  return places;
}

// Removes files and adds others. Outputs of a merge that belong where its inputs were take their
// place in one step.
void TreeState::rewrite(const TreeEdit& edit, const Leaving& leaving, Changes& changes) {
  std::vector<bool> is_placed(edit.added.size(), false);
  // From the last one on, so that the places of the others stay what they are.
  for_each_span_from_behind(leaving, [&](const FileLocation& first, std::size_t last) {
    const auto level = static_cast<std::uint32_t>(first.level);
    note_level(level, changes);
    SortedRun& run = levels_[first.level].runs[first.run];
    changes.runs.push_back(run.id);
    const FileSpan going(run.files, first.file, last);
    for (const File& file : going) leave(level, file);
    if (orders_.levels_below() > 0) changes.ranges.emplace_back(level, range_of(going));
    for (std::size_t i = 0; i < edit.added.size(); ++i) {
      const TreeEdit::Added& added = edit.added[i];
      if (is_placed[i] || added.into) continue;
      if (added.target.level != level || added.target.run != run.id) continue;
      if (!fits(run.files, first.file, last, added.files)) continue;
      is_placed[i] = true;
      arrive(level, run.id, added.files, changes);
      run.files.replace(first.file, last, added.files);
      return;
    }
    run.files.replace(first.file, last, {});
  });
  // Outputs are placed while emptied runs still stand, so that a run whose every file was rewritten
  // keeps its identity.
  for (std::size_t i = 0; i < edit.added.size(); ++i) {
    if (is_placed[i] || edit.added[i].into) continue;
    place(edit.added[i].target, edit.added[i].files, changes);
  }
  for (const TreeEdit::Added& added : edit.added) {
    for (const File& file : added.files) {
      if (!file.slices.empty()) weigh_slices(*find_file(file.id));
    }
  }
}

void TreeState::place(const OutputTarget& target, std::vector<File> files, Changes& changes) {
  if (files.empty()) return;
  if (levels_.size() <= target.level) levels_.resize(target.level + 1);
  note_level(target.level, changes);
  std::vector<SortedRun>& runs = levels_[target.level].runs;
  const auto existing = std::find_if(runs.begin(), runs.end(), [&](const SortedRun& run) {
    return target.run && run.id == *target.run;
  });
  SortedRun& run = existing != runs.end()
                       ? *existing
                       : runs.emplace_back(SortedRun{RunId(next_run_id_++), FlushSpan{}, {}});
  arrive(target.level, run.id, files, changes);
  for (File& file : files) run.files.insert(std::move(file));
}

template <class Change>
void TreeState::reslice(FileId id, const Change& change) {
  const std::optional<FileLocation> at = find_file(id);
  CHECK(at);
  const File before = file_at(*at);
  levels_[at->level].sums.subtract(FileSums::of(before));
  files_of(*at).change(at->file, change);
  levels_[at->level].sums.add(FileSums::of(file_at(*at)));
  orders_.move(static_cast<std::uint32_t>(at->level), before, file_at(*at));
}

void TreeState::hang(const TreeEdit::Linked& linked) {
  Slice slice = linked.slice;
  slice.entry_bytes = entry_bytes_of(slice, frozen_files_.at(linked.frozen_file).file);
  reslice(linked.lower_file, [&](File& file) { file.slices.push_back(slice); });
  frozen_files_.add_reference(linked.frozen_file);
}

void TreeState::weigh_slices(const FileLocation& at) {
  files_of(at).annotate(at.file, [&](File& file) {
    for (Slice& slice : file.slices) {
      slice.entry_bytes = entry_bytes_of(slice, frozen_files_.at(slice.frozen_file).file);
    }
  });
}

void TreeState::drop_copies(const File& file) {
  for (const Copy& copy : file.copies) frozen_files_.drop_reference(copy.frozen_file);
}

void TreeState::trim(const std::vector<FileId>& trimmed) {
  for (const FileLocation& at : files_with_copies_of(*this, trimmed)) {
    const std::vector<Copy> before = file_at(at).copies;
    std::vector<Copy> kept = copies_without(before, trimmed);
    for (const Copy& copy : before) {
      if (std::find(kept.begin(), kept.end(), copy) != kept.end()) continue;
      frozen_files_.drop_reference(copy.frozen_file);
    }
    FileSums& sums = levels_[at.level].sums;
    sums.subtract(FileSums::of(file_at(at)));
    files_of(at).change(at.file, [&](File& file) { file.copies = std::move(kept); });
    sums.add(FileSums::of(file_at(at)));
  }
}

void TreeState::take_slices(const TreeEdit::TakenSlices& taken) {
  reslice(taken.file, [&](File& file) {
    for (std::uint64_t i = 0; i < taken.newest; ++i) {
      frozen_files_.drop_reference(file.slices.back().frozen_file);
      file.slices.pop_back();
    }
    file.busy = false;
  });
}

// Touches only the runs that have changed: a level may have very many (RocksDB's FIFO).
void TreeState::settle_runs(Changes& changes) {
  std::sort(changes.runs.begin(), changes.runs.end());
  const auto is_newer = [](const SortedRun& a, const SortedRun& b) {
    return a.flushes.last > b.flushes.last;
  };
  for (const Changes::Level& changed : changes.levels) {
    std::vector<SortedRun>& runs = levels_[changed.level].runs;
    bool has_empty = false;
    for (SortedRun& run : runs) {
      if (!std::binary_search(changes.runs.begin(), changes.runs.end(), run.id)) continue;
      has_empty = has_empty || run.files.empty();
      const RunSums& sums = run.files.sums();
      run.flushes = {sums.first_flush.value, sums.last_flush.value};
    }
    if (has_empty) std::erase_if(runs, [](const SortedRun& run) { return run.files.empty(); });
    if (runs.empty()) continue;
    // A run that an edit adds is the last one here, and the others are mostly in order.
    const auto last = runs.end() - 1;
    if (std::is_sorted(runs.begin(), last, is_newer)) {
      SortedRun added = std::move(*last);
      const auto place = std::upper_bound(runs.begin(), last, added, is_newer);
      std::move_backward(place, last, runs.end());
      *place = std::move(added);
    } else {
      std::stable_sort(runs.begin(), runs.end(), is_newer);
    }
  }
}

Result<void> TreeState::apply(const TreeEdit& edit) {
  Leaving leaving = BOOST_OUTCOME_TRYX(validate(edit));
  if (edit.takes_memtable) {
    traffic_ = pending_flush_->traffic;
    measured_.add(traffic_);
    if (edit.tuning) {
      tuning_ = edit.tuning;
      measured_ = {};
    }
    pending_flush_.reset();
    ++flush_count_;
  }
  if (!edit.trimmed.empty()) trim(edit.trimmed);
  Changes changes;
  for (const TreeEdit::Moved& moved : edit.moved) {
    std::vector<File> files;
    for (const FileId id : moved.files) {
      files.push_back(take_file(id, changes));
      files.back().level_since = now_;
      files.back().seeks = 0;
      files.back().is_rewritten = false;
    }
    place(moved.target, std::move(files), changes);
  }
  freeze(edit, changes);
  // Moved and frozen files have left already, and the others stand elsewhere now.
  if (leaving.size() != edit.removed.size()) leaving = places_of(edit.removed);
  rewrite(edit, leaving, changes);
  settle_runs(changes);
  settle_orders(changes);
  for (const CursorUpdate& update : edit.cursors) {
    if (levels_.size() <= update.level) levels_.resize(update.level + 1);
    levels_[update.level].cursor = update.key;
  }
  for (const TreeEdit::Added& added : edit.added) {
    for (const File& file : added.files) {
      next_file_id_ = std::max(next_file_id_, file.id.value() + 1);
      newest_write_ = std::max(newest_write_, file.sequences.last);
    }
  }
  if (edit.is_merge) last_merge_flush_ = flush_count_;
  return success();
}

}  // namespace lsmlab
