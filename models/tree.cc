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
      if (file.busy) return input_error(fmt::format("file {} is busy", id.value()));
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

Result<void> TreeState::check_fits(const OutputTarget& target, std::span<const File> files,
                                   const std::set<FileId>& leaving) const {
  if (!target.run || target.level >= levels_.size()) return success();
  for (const SortedRun& run : levels_[target.level].runs) {
    if (run.id != *target.run) continue;
    for (const File& standing : run.files) {
      if (leaving.contains(standing.id)) continue;
      for (const File& file : files) {
        if (!file.keys.overlaps(standing.keys)) continue;
        return input_error(fmt::format("file {} overlaps file {} in run {} of level {}",
                                       file.id.value(), standing.id.value(), run.id.value(),
                                       target.level));
      }
    }
  }
  return success();
}

Result<void> TreeState::validate(const TreeEdit& edit) const {
  if (edit.takes_memtable && !pending_flush_) {
    return input_error("the edit takes a memtable, and none is pending");
  }
  std::set<FileId> leaving;
  const auto leave = [&](FileId id) -> Result<void> {
    if (!find_file(id)) return input_error(fmt::format("file {} is not in the tree", id.value()));
    if (!leaving.insert(id).second) {
      return input_error(fmt::format("file {} leaves its run twice", id.value()));
    }
    return success();
  };
  for (const FileId id : edit.removed) {
    BOOST_OUTCOME_TRYV(leave(id));
  }
  for (const FileId id : edit.frozen) {
    BOOST_OUTCOME_TRYV(leave(id));
  }
  for (const TreeEdit::Moved& moved : edit.moved) {
    for (const FileId id : moved.files) {
      BOOST_OUTCOME_TRYV(leave(id));
    }
  }
  std::set<FileId> arriving;
  for (const TreeEdit::Added& added : edit.added) {
    for (std::size_t i = 0; i < added.files.size(); ++i) {
      const File& file = added.files[i];
      if (find_file(file.id) || frozen_files_.contains(file.id) ||
          !arriving.insert(file.id).second) {
        return input_error(fmt::format("file {} exists already", file.id.value()));
      }
      if (i > 0 && added.files[i - 1].keys.largest >= file.keys.smallest) {
        return input_error(fmt::format("file {} overlaps its left neighbour", file.id.value()));
      }
    }
  }
  for (const TreeEdit::Added& added : edit.added) {
    BOOST_OUTCOME_TRYV(check_fits(added.target, added.files, leaving));
  }
  for (const TreeEdit::Moved& moved : edit.moved) {
    std::vector<File> files;
    for (const FileId id : moved.files) files.push_back(file_at(*find_file(id)));
    BOOST_OUTCOME_TRYV(check_fits(moved.target, files, leaving));
  }
  for (const TreeEdit::Linked& linked : edit.linked) {
    const bool is_frozen =
        frozen_files_.contains(linked.frozen_file) ||
        std::find(edit.frozen.begin(), edit.frozen.end(), linked.frozen_file) != edit.frozen.end();
    if (!is_frozen || !find_file(linked.lower_file) || leaving.contains(linked.lower_file)) {
      return input_error(fmt::format("slice of file {} has no frozen file or no file to hang on",
                                     linked.frozen_file.value()));
    }
  }
  return success();
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
  FlushSpan span = files.front().flushes;
  for (const File& file : files) {
    span.first = std::min(span.first, file.flushes.first);
    span.last = std::max(span.last, file.flushes.last);
  }
  const auto existing = std::find_if(runs.begin(), runs.end(), [&](const SortedRun& run) {
    return target.run && run.id == *target.run;
  });
  if (existing != runs.end()) {
    existing->flushes.first = std::min(existing->flushes.first, span.first);
    existing->flushes.last = std::max(existing->flushes.last, span.last);
    for (File& file : files) existing->files.push_back(std::move(file));
    std::sort(existing->files.begin(), existing->files.end(),
              [](const File& a, const File& b) { return a.keys.smallest < b.keys.smallest; });
    return;
  }
  const auto position = std::find_if(
      runs.begin(), runs.end(), [&](const SortedRun& run) { return run.flushes.last < span.last; });
  runs.insert(position, SortedRun{RunId(next_run_id_++), span, std::move(files)});
}

void TreeState::remove_empty_runs() {
  for (Level& level : levels_) {
    std::erase_if(level.runs, [](const SortedRun& run) { return run.files.empty(); });
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
  remove_empty_runs();
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
