#include "models/tree/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

#include "models/base/check.h"

namespace lsmlab {

Bytes SortedRun::bytes() const {
  Bytes sum;
  for (const File& file : files) sum += file.bytes;
  return sum;
}

bool SortedRun::busy() const {
  return std::any_of(files.begin(), files.end(), [](const File& file) { return file.busy; });
}

std::size_t TreeView::run_count() const {
  std::size_t count = 0;
  for (const Level& level : levels_) count += level.runs.size();
  return count;
}

std::optional<FileLocation> TreeView::find_file(FileId id) const {
  const auto place = places_.find(id.value());
  if (place == places_.end()) return std::nullopt;
  const std::vector<SortedRun>& runs = levels_[place->second.level].runs;
  const auto run = std::find_if(runs.begin(), runs.end(), [&](const SortedRun& candidate) {
    return candidate.id == place->second.run;
  });
  CHECK(run != runs.end());
  const auto file = std::lower_bound(
      run->files.begin(), run->files.end(), place->second.smallest_key,
      [](const File& candidate, std::uint64_t key) { return candidate.keys.smallest < key; });
  CHECK(file != run->files.end() && file->id == id);
  return FileLocation{place->second.level, static_cast<std::size_t>(run - runs.begin()),
                      static_cast<std::size_t>(file - run->files.begin())};
}

const File& TreeView::file_at(const FileLocation& at) const {
  return levels_[at.level].runs[at.run].files[at.file];
}

KeyRange responsible_range(const SortedRun& run, std::size_t index) {
  KeyRange keys;
  if (index > 0) keys.smallest = run.files[index - 1].keys.largest + 1;
  if (index + 1 < run.files.size()) keys.largest = run.files[index].keys.largest;
  return keys;
}

void TreeState::touch(const FileLocation& at, Instant when) {
  File& file = mutable_file(at);
  if (file.last_access < when) file.last_access = when;
}

std::uint64_t TreeState::charge_seek(const FileLocation& at, std::uint64_t times) {
  return mutable_file(at).seeks += times;
}

void TreeState::begin_flush(const PendingFlush& flush) {
  CHECK(!pending_flush_);
  pending_flush_ = flush;
}

Result<void> TreeState::set_busy(const std::vector<PlanInput>& inputs) {
  std::vector<File*> files;
  for (const PlanInput& input : inputs) {
    for (const FileId id : input.files) {
      const std::optional<FileLocation> at = find_file(id);
      if (!at || at->level != input.level) {
        return input_error(fmt::format("file {} is not in level {}", id.value(), input.level));
      }
      File& file = mutable_file(*at);
      if (file.busy || std::find(files.begin(), files.end(), &file) != files.end()) {
        return input_error(fmt::format("file {} is busy", id.value()));
      }
      files.push_back(&file);
    }
  }
  for (File* file : files) file->busy = true;
  return success();
}

Result<void> TreeState::reserve(const Plan& plan) {
  if (takes_memtable(plan) && !pending_flush_)
    return input_error("no memtable is waiting for a flush");
  return set_busy(plan_inputs(plan));
}

void TreeState::release(const Plan& plan) {
  for (const PlanInput& input : plan_inputs(plan)) {
    for (const FileId id : input.files) {
      const std::optional<FileLocation> at = find_file(id);
      CHECK(at);
      mutable_file(*at).busy = false;
    }
  }
}

namespace {

// Files that will lie in one run: an existing run, or a new one. Each target without a run gets a
// new one.
struct Gathering {
  OutputTarget target;
  std::vector<const File*> files;
};

// A lookup searches a slice with the file that it is linked to, so no other file of the run may
// cover the slice's keys. REQUIRES: the files are in the order of keys.
Result<void> check_slices(const std::vector<const File*>& files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (const Slice& slice : files[i]->slices) {
      const bool fits_left = i == 0 || slice.keys.smallest > files[i - 1]->keys.largest;
      const bool fits_right = i + 1 == files.size() || slice.keys.largest <= files[i]->keys.largest;
      if (fits_left && fits_right) continue;
      return input_error(fmt::format("file {} overlaps a slice that is linked to file {}",
                                     files[fits_left ? i + 1 : i - 1]->id.value(),
                                     files[i]->id.value()));
    }
  }
  return success();
}

// The files from index `standing` on are already in the order of keys. Sorting only the others
// matters: a level may have thousands.
Result<void> check_run(std::vector<const File*> files, std::size_t standing) {
  const auto by_key = [](const File* a, const File* b) {
    return a->keys.smallest < b->keys.smallest;
  };
  const auto first_standing = files.begin() + static_cast<std::ptrdiff_t>(standing);
  std::sort(files.begin(), first_standing, by_key);
  std::inplace_merge(files.begin(), first_standing, files.end(), by_key);
  for (std::size_t i = 1; i < files.size(); ++i) {
    if (files[i - 1]->keys.largest < files[i]->keys.smallest) continue;
    return input_error(fmt::format("file {} overlaps file {} in the same run", files[i]->id.value(),
                                   files[i - 1]->id.value()));
  }
  return check_slices(files);
}

}  // namespace

Result<void> TreeState::check_arrivals(const TreeEdit& edit,
                                       const std::set<FileId>& leaving) const {
  std::vector<Gathering> gatherings;
  const auto gather = [&](const OutputTarget& target) -> std::vector<const File*>& {
    for (Gathering& gathering : gatherings) {
      const OutputTarget& known = gathering.target;
      if (target.run && known.level == target.level && known.run == target.run) {
        return gathering.files;
      }
    }
    return gatherings.emplace_back(Gathering{target, {}}).files;
  };
  for (const TreeEdit::Added& added : edit.added) {
    std::vector<const File*>& files = gather(added.target);
    for (const File& file : added.files) files.push_back(&file);
  }
  for (const TreeEdit::Moved& moved : edit.moved) {
    std::vector<const File*>& files = gather(moved.target);
    for (const FileId id : moved.files) files.push_back(&file_at(*find_file(id)));
  }
  for (Gathering& gathering : gatherings) {
    const std::size_t arriving = gathering.files.size();
    if (gathering.target.run) {
      const SortedRun* run = find_run(gathering.target);
      if (run == nullptr) {
        return input_error(fmt::format("level {} has no run {}", gathering.target.level,
                                       gathering.target.run->value()));
      }
      for (const File& file : run->files) {
        if (!leaving.contains(file.id)) gathering.files.push_back(&file);
      }
    }
    BOOST_OUTCOME_TRYV(check_run(std::move(gathering.files), arriving));
  }
  return success();
}

const SortedRun* TreeState::find_run(const OutputTarget& target) const {
  if (!target.run || target.level >= levels_.size()) return nullptr;
  const std::vector<SortedRun>& runs = levels_[target.level].runs;
  const auto found = std::find_if(runs.begin(), runs.end(),
                                  [&](const SortedRun& run) { return run.id == *target.run; });
  return found == runs.end() ? nullptr : &*found;
}

Result<void> TreeState::check_links(const TreeEdit& edit, const std::set<FileId>& leaving) const {
  std::set<FileId> linked_files;
  for (const TreeEdit::Linked& linked : edit.linked) {
    linked_files.insert(linked.frozen_file);
    const bool is_frozen =
        frozen_files_.contains(linked.frozen_file) ||
        std::find(edit.frozen.begin(), edit.frozen.end(), linked.frozen_file) != edit.frozen.end();
    if (!is_frozen || !find_file(linked.lower_file) || leaving.contains(linked.lower_file)) {
      return input_error(
          fmt::format("slice of file {} lacks its frozen file or the file that it is linked to",
                      linked.frozen_file.value()));
    }
    const FileLocation at = *find_file(linked.lower_file);
    const KeyRange range = responsible_range(levels_[at.level].runs[at.run], at.file);
    const KeyRange& keys = linked.slice.keys;
    if (keys.smallest < range.smallest || keys.largest > range.largest) {
      return input_error(fmt::format("slice of file {} exceeds the key range of file {}",
                                     linked.frozen_file.value(), linked.lower_file.value()));
    }
  }
  for (const FileId id : edit.frozen) {
    if (linked_files.contains(id)) continue;
    return input_error(fmt::format("file {} is frozen and no slice refers to it", id.value()));
  }
  return success();
}

Result<void> TreeState::validate(const TreeEdit& edit) const {
  if (edit.takes_memtable && !pending_flush_) {
    return input_error("the edit takes a memtable, but none is pending");
  }
  std::set<FileId> leaving;
  const auto leave = [&](const std::vector<FileId>& ids) -> Result<void> {
    for (const FileId id : ids) {
      if (!find_file(id)) return input_error(fmt::format("file {} is not in the tree", id.value()));
      if (!leaving.insert(id).second) {
        return input_error(fmt::format("file {} is removed from its run twice", id.value()));
      }
    }
    return success();
  };
  BOOST_OUTCOME_TRYV(leave(edit.removed));
  BOOST_OUTCOME_TRYV(leave(edit.frozen));
  for (const TreeEdit::Moved& moved : edit.moved) {
    BOOST_OUTCOME_TRYV(leave(moved.files));
  }
  std::set<FileId> arriving;
  for (const TreeEdit::Added& added : edit.added) {
    for (const File& file : added.files) {
      if (find_file(file.id) || frozen_files_.contains(file.id) ||
          !arriving.insert(file.id).second) {
        return input_error(fmt::format("file {} exists already", file.id.value()));
      }
    }
  }
  BOOST_OUTCOME_TRYV(check_arrivals(edit, leaving));
  return check_links(edit, leaving);
}

File TreeState::take_file(FileId id) {
  const std::optional<FileLocation> at = find_file(id);
  CHECK(at);
  std::vector<File>& files = levels_[at->level].runs[at->run].files;
  File file = std::move(files[at->file]);
  files.erase(files.begin() + static_cast<std::ptrdiff_t>(at->file));
  places_.erase(id.value());
  file.busy = false;
  return file;
}

void TreeState::remove_files(const std::vector<FileId>& ids) {
  // Marks the runs first and erases files in one pass per run: a merge removes many files of one
  // run.
  std::set<std::pair<std::size_t, std::size_t>> runs;
  std::unordered_set<std::uint64_t> leaving;
  for (const FileId id : ids) {
    const std::optional<FileLocation> at = find_file(id);
    CHECK(at);
    drop_slices(file_at(*at));
    runs.insert({at->level, at->run});
    leaving.insert(id.value());
  }
  for (const auto& [level, run] : runs) {
    std::erase_if(levels_[level].runs[run].files,
                  [&](const File& file) { return leaving.contains(file.id.value()); });
  }
  for (const FileId id : ids) places_.erase(id.value());
}

void TreeState::drop_slices(const File& file) {
  for (const Slice& slice : file.slices) {
    const auto frozen = frozen_files_.find(slice.frozen_file);
    CHECK(frozen != frozen_files_.end() && frozen->second.references > 0);
    if (--frozen->second.references == 0) frozen_files_.erase(frozen);
  }
}

void TreeState::place(const OutputTarget& target, std::vector<File> files) {
  if (files.empty()) return;
  if (levels_.size() <= target.level) levels_.resize(target.level + 1);
  std::vector<SortedRun>& runs = levels_[target.level].runs;
  const auto existing = std::find_if(runs.begin(), runs.end(), [&](const SortedRun& run) {
    return target.run && run.id == *target.run;
  });
  SortedRun& run = existing != runs.end()
                       ? *existing
                       : runs.emplace_back(SortedRun{RunId(next_run_id_++), FlushSpan{}, {}});
  const auto by_key = [](const File& a, const File& b) {
    return a.keys.smallest < b.keys.smallest;
  };
  std::sort(files.begin(), files.end(), by_key);
  const auto standing = static_cast<std::ptrdiff_t>(run.files.size());
  for (File& file : files) {
    places_[file.id.value()] = {target.level, run.id, file.keys.smallest};
    run.files.push_back(std::move(file));
  }
  std::inplace_merge(run.files.begin(), run.files.begin() + standing, run.files.end(), by_key);
}

void TreeState::settle_runs() {
  for (Level& level : levels_) {
    std::erase_if(level.runs, [](const SortedRun& run) { return run.files.empty(); });
    for (SortedRun& run : level.runs) {
      run.flushes = run.files.front().flushes;
      for (const File& file : run.files) {
        run.flushes.first = std::min(run.flushes.first, file.flushes.first);
        run.flushes.last = std::max(run.flushes.last, file.flushes.last);
      }
    }
    std::stable_sort(
        level.runs.begin(), level.runs.end(),
        [](const SortedRun& a, const SortedRun& b) { return a.flushes.last > b.flushes.last; });
  }
}

Result<void> TreeState::apply(const TreeEdit& edit) {
  BOOST_OUTCOME_TRYV(validate(edit));
  if (edit.takes_memtable) {
    traffic_ = pending_flush_->traffic;
    pending_flush_.reset();
    ++flush_count_;
  }
  for (const TreeEdit::Moved& moved : edit.moved) {
    std::vector<File> files;
    for (const FileId id : moved.files) {
      files.push_back(take_file(id));
      files.back().level_since = now_;
      files.back().seeks = 0;
    }
    place(moved.target, std::move(files));
  }
  for (const FileId id : edit.frozen) frozen_files_[id] = {take_file(id), 0};
  for (const TreeEdit::Linked& linked : edit.linked) {
    const std::optional<FileLocation> at = find_file(linked.lower_file);
    CHECK(at);
    mutable_file(*at).slices.push_back(linked.slice);
    ++frozen_files_.at(linked.frozen_file).references;
  }
  remove_files(edit.removed);
  // Places outputs before it drops emptied runs. So a run whose files were all rewritten keeps its
  // id.
  for (const TreeEdit::Added& added : edit.added) place(added.target, added.files);
  settle_runs();
  for (const CursorUpdate& update : edit.cursors) {
    if (levels_.size() <= update.level) levels_.resize(update.level + 1);
    levels_[update.level].cursor = update.key;
  }
  for (const TreeEdit::Added& added : edit.added) {
    for (const File& file : added.files) {
      next_file_id_ = std::max(next_file_id_, file.id.value() + 1);
    }
  }
  if (edit.is_merge) last_merge_flush_ = flush_count_;
  return success();
}

}  // namespace lsmlab
