#include "models/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "models/check.h"

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
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    for (std::size_t r = 0; r < levels_[l].runs.size(); ++r) {
      const std::vector<File>& files = levels_[l].runs[r].files;
      for (std::size_t f = 0; f < files.size(); ++f) {
        if (files[f].id == id) return FileLocation{l, r, f};
      }
    }
  }
  return std::nullopt;
}

const File& TreeView::file_at(const FileLocation& at) const {
  return levels_[at.level].runs[at.run].files[at.file];
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
      File& file = levels_[at->level].runs[at->run].files[at->file];
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
    return input_error("no memtable waits to be flushed");
  return set_busy(plan_inputs(plan));
}

void TreeState::release(const Plan& plan) {
  for (const PlanInput& input : plan_inputs(plan)) {
    for (const FileId id : input.files) {
      const std::optional<FileLocation> at = find_file(id);
      CHECK(at);
      levels_[at->level].runs[at->run].files[at->file].busy = false;
    }
  }
}

namespace {

// Files that are to stand in one run: an existing one, or a new one (then each target has its own).
struct Gathering {
  OutputTarget target;
  std::vector<const File*> files;
};

Result<void> check_disjoint(std::vector<const File*> files) {
  std::sort(files.begin(), files.end(),
            [](const File* a, const File* b) { return a->keys.smallest < b->keys.smallest; });
  for (std::size_t i = 1; i < files.size(); ++i) {
    if (files[i - 1]->keys.largest < files[i]->keys.smallest) continue;
    return input_error(fmt::format("file {} overlaps file {} in a run", files[i]->id.value(),
                                   files[i - 1]->id.value()));
  }
  return success();
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
    BOOST_OUTCOME_TRYV(check_disjoint(gathering.files));
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
      return input_error(fmt::format("slice of file {} has no frozen file or no file to hang on",
                                     linked.frozen_file.value()));
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
    return input_error("the edit takes a memtable, and none is pending");
  }
  std::set<FileId> leaving;
  const auto leave = [&](const std::vector<FileId>& ids) -> Result<void> {
    for (const FileId id : ids) {
      if (!find_file(id)) return input_error(fmt::format("file {} is not in the tree", id.value()));
      if (!leaving.insert(id).second) {
        return input_error(fmt::format("file {} leaves its run twice", id.value()));
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
  file.busy = false;
  return file;
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
  for (File& file : files) run.files.push_back(std::move(file));
  std::sort(run.files.begin(), run.files.end(),
            [](const File& a, const File& b) { return a.keys.smallest < b.keys.smallest; });
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
    pending_flush_.reset();
    ++flush_count_;
  }
  for (const TreeEdit::Moved& moved : edit.moved) {
    std::vector<File> files;
    for (const FileId id : moved.files) files.push_back(take_file(id));
    place(moved.target, std::move(files));
  }
  for (const FileId id : edit.frozen) frozen_files_[id] = {take_file(id), 0};
  for (const TreeEdit::Linked& linked : edit.linked) {
    const std::optional<FileLocation> at = find_file(linked.lower_file);
    CHECK(at);
    levels_[at->level].runs[at->run].files[at->file].slices.push_back(linked.slice);
    ++frozen_files_.at(linked.frozen_file).references;
  }
  for (const FileId id : edit.removed) drop_slices(take_file(id));
  // Outputs are placed while emptied runs still stand, so that a run whose every file was rewritten
  // keeps its identity.
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
