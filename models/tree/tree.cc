#include "models/tree/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "models/base/check.h"

namespace lsmlab {

std::size_t TreeView::run_count() const {
  std::size_t count = 0;
  for (const Level& level : levels_) count += level.runs.size();
  return count;
}

std::size_t TreeView::place_index(FileId id) const {
  return places_.partition_point([&](std::uint64_t other) { return other < id.value(); });
}

std::optional<FileLocation> TreeView::find_file(FileId id) const {
  const std::size_t index = place_index(id);
  if (index == places_.size() || places_[index].file != id) return std::nullopt;
  const Place& place = places_[index];
  const std::vector<SortedRun>& runs = levels_[place.level].runs;
  const auto run = std::find_if(runs.begin(), runs.end(), [&](const SortedRun& candidate) {
    return candidate.id == place.run;
  });
  CHECK(run != runs.end());
  const std::size_t file = run->files.first_from(place.smallest_key);
  CHECK(file < run->files.size() && run->files[file].id == id);
  return FileLocation{place.level, static_cast<std::size_t>(run - runs.begin()), file};
}

std::optional<FileLocation> TreeView::find_file(FileId id,
                                                std::optional<FileLocation>& near) const {
  if (near && near->level < levels_.size() && near->run < levels_[near->level].runs.size()) {
    const RunFiles& files = levels_[near->level].runs[near->run].files;
    const std::size_t end = std::min(files.size(), near->file + 2);
    for (std::size_t file = near->file; file < end; ++file) {
      if (files[file].id != id) continue;
      near->file = file;
      return near;
    }
  }
  near = find_file(id);
  return near;
}

const File& TreeView::file_at(const FileLocation& at) const {
  return levels_[at.level].runs[at.run].files[at.file];
}

FileLocation TreeView::location_of(std::uint32_t level, const OrderedFile& file) const {
  const std::vector<SortedRun>& runs = levels_[level].runs;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    const std::size_t index = runs[run].files.first_from(file.smallest_key);
    if (index < runs[run].files.size() && runs[run].files[index].id == file.id) {
      return {level, run, index};
    }
  }
  CHECK(!"a file of an order is in its level");
  return {};
}

KeyRange responsible_range(const SortedRun& run, std::size_t index) {
  KeyRange keys;
  if (index > 0) keys.smallest = run.files[index - 1].keys.largest + 1;
  if (index + 1 < run.files.size()) keys.largest = run.files[index].keys.largest;
  return keys;
}

void TreeState::touch(const FileLocation& at, Instant when) {
  const File& file = file_at(at);
  if (file.last_access >= when) return;
  const auto set = [&](File& touched) { touched.last_access = when; };
  if (!orders_.by_access()) return files_of(at).annotate(at.file, set);
  const auto level = static_cast<std::uint32_t>(at.level);
  const std::vector<std::optional<FileRanks>> before = orders_.ranks_of(file);
  files_of(at).annotate(at.file, set);
  orders_.move(level, file_at(at), before);
}

std::uint64_t TreeState::charge_seek(const FileLocation& at, std::uint64_t times) {
  const auto level = static_cast<std::uint32_t>(at.level);
  std::vector<std::optional<FileRanks>> before;
  if (orders_.by_seeks()) before = orders_.ranks_of(file_at(at));
  files_of(at).annotate(at.file, [&](File& file) { file.seeks += times; });
  if (orders_.by_seeks()) orders_.move(level, file_at(at), before);
  return file_at(at).seeks;
}

void TreeState::begin_flush(const PendingFlush& flush) {
  CHECK(!pending_flush_);
  pending_flush_ = flush;
}

Result<void> TreeState::set_busy(const std::vector<PlanInput>& inputs) {
  std::vector<FileLocation> files;
  std::set<FileId> taken;
  std::optional<FileLocation> near;
  for (const PlanInput& input : inputs) {
    for (const FileId id : input.files) {
      const std::optional<FileLocation> at = find_file(id, near);
      if (!at || at->level != input.level) {
        return input_error(fmt::format("file {} is not in level {}", id.value(), input.level));
      }
      if (file_at(*at).busy || !taken.insert(id).second) {
        return input_error(fmt::format("file {} is busy", id.value()));
      }
      files.push_back(*at);
    }
  }
  for (const FileLocation& at : files) {
    files_of(at).change(at.file, [](File& file) { file.busy = true; });
  }
  return success();
}

Result<void> TreeState::reserve(const Plan& plan) {
  if (takes_memtable(plan) && !pending_flush_)
    return input_error("no memtable is waiting for a flush");
  return set_busy(plan_inputs(plan));
}

void TreeState::release(const Plan& plan) {
  std::optional<FileLocation> near;
  for (const PlanInput& input : plan_inputs(plan)) {
    for (const FileId id : input.files) {
      const std::optional<FileLocation> at = find_file(id, near);
      CHECK(at);
      files_of(*at).change(at->file, [](File& file) { file.busy = false; });
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

// A run as it will be once some files have left and others, by key, have come. Looks only at those
// that come and at their neighbours.
class ArrivalCheck {
 public:
  ArrivalCheck(const RunFiles& standing, const std::set<FileId>& leaving,
               const std::vector<const File*>& arriving)
      : standing_(standing), leaving_(leaving), arriving_(arriving) {}

  [[nodiscard]] Result<void> check() const {
    for (std::size_t i = 0; i < arriving_.size(); ++i) {
      const File& file = *arriving_[i];
      if (i > 0 && arriving_[i - 1]->keys.largest >= file.keys.smallest) {
        return overlap_error(*arriving_[i - 1], file);
      }
      const std::size_t end = standing_.first_above(file.keys.largest);
      for (std::size_t at = standing_.first_ending_from(file.keys.smallest); at < end; ++at) {
        const File& other = standing_[at];
        if (leaving_.contains(other.id)) continue;
        return other.keys.smallest < file.keys.smallest ? overlap_error(other, file)
                                                        : overlap_error(file, other);
      }
    }
    return has_slices() ? check_slices() : success();
  }

 private:
  [[nodiscard]] static Result<void> overlap_error(const File& left, const File& right) {
    return input_error(
        fmt::format("file {} overlaps file {} in the same run", right.id.value(), left.id.value()));
  }

  [[nodiscard]] bool has_slices() const {
    return standing_.sums().slices_max.value > 0 ||
           std::any_of(arriving_.begin(), arriving_.end(),
                       [](const File* file) { return !file->slices.empty(); });
  }

  [[nodiscard]] Result<void> check_slices() const {
    for (std::size_t i = 0; i < arriving_.size(); ++i) {
      const File* const left = left_of(i);
      const File* const right = right_of(i);
      BOOST_OUTCOME_TRYV(check_slices_of(*arriving_[i], left, right));
      if (right != nullptr) {
        BOOST_OUTCOME_TRYV(check_left_slices(*right, *arriving_[i]));
      } else if (left != nullptr) {
        BOOST_OUTCOME_TRYV(check_right_slices(*left, *arriving_[i]));
      }
    }
    return success();
  }

  // The neighbours of an arriving file; null where there is none.
  [[nodiscard]] const File* left_of(std::size_t i) const {
    const File* left = i > 0 ? arriving_[i - 1] : nullptr;
    for (std::size_t at = standing_.first_from(arriving_[i]->keys.smallest); at-- > 0;) {
      const File& other = standing_[at];
      if (leaving_.contains(other.id)) continue;
      return left == nullptr || left->keys.smallest < other.keys.smallest ? &other : left;
    }
    return left;
  }
  [[nodiscard]] const File* right_of(std::size_t i) const {
    const File* right = i + 1 < arriving_.size() ? arriving_[i + 1] : nullptr;
    for (std::size_t at = standing_.first_above(arriving_[i]->keys.largest); at < standing_.size();
         ++at) {
      const File& other = standing_[at];
      if (leaving_.contains(other.id)) continue;
      return right == nullptr || other.keys.smallest < right->keys.smallest ? &other : right;
    }
    return right;
  }

  // Lookups seek a slice in the file that it hangs on, so no other file of the run may take its
  // keys.
  [[nodiscard]] static Result<void> check_slices_of(const File& file, const File* left,
                                                    const File* right) {
    if (left != nullptr) {
      BOOST_OUTCOME_TRYV(check_left_slices(file, *left));
    }
    return right != nullptr ? check_right_slices(file, *right) : success();
  }
  [[nodiscard]] static Result<void> check_left_slices(const File& file, const File& left) {
    for (const Slice& slice : file.slices) {
      if (slice.keys.smallest <= left.keys.largest) return slice_error(left, file);
    }
    return success();
  }
  [[nodiscard]] static Result<void> check_right_slices(const File& file, const File& right) {
    for (const Slice& slice : file.slices) {
      if (slice.keys.largest > file.keys.largest) return slice_error(right, file);
    }
    return success();
  }
  [[nodiscard]] static Result<void> slice_error(const File& other, const File& file) {
    return input_error(fmt::format("file {} overlaps a slice that is linked to file {}",
                                   other.id.value(), file.id.value()));
  }

  const RunFiles& standing_;
  const std::set<FileId>& leaving_;
  const std::vector<const File*>& arriving_;
};

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
    const SortedRun* run = find_run(gathering.target);
    if (gathering.target.run && run == nullptr) {
      return input_error(fmt::format("level {} has no run {}", gathering.target.level,
                                     gathering.target.run->value()));
    }
    std::sort(gathering.files.begin(), gathering.files.end(),
              [](const File* a, const File* b) { return a->keys.smallest < b->keys.smallest; });
    const RunFiles none;
    BOOST_OUTCOME_TRYV(
        ArrivalCheck(run != nullptr ? run->files : none, leaving, gathering.files).check());
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
    const std::optional<FileLocation> at = find_file(linked.lower_file);
    if (!is_frozen || !at || leaving.contains(linked.lower_file)) {
      return input_error(
          fmt::format("slice of file {} lacks its frozen file or the file that it is linked to",
                      linked.frozen_file.value()));
    }
    const KeyRange range = responsible_range(levels_[at->level].runs[at->run], at->file);
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
  std::optional<FileLocation> near;
  const auto leave = [&](const std::vector<FileId>& ids) -> Result<void> {
    for (const FileId id : ids) {
      if (!find_file(id, near)) {
        return input_error(fmt::format("file {} is not in the tree", id.value()));
      }
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

void TreeState::note_level(std::uint32_t level, Changes& changes) const {
  const bool is_known =
      std::any_of(changes.levels.begin(), changes.levels.end(),
                  [&](const Changes::Level& known) { return known.level == level; });
  if (is_known) return;
  const bool has_run = level < levels_.size() && !levels_[level].runs.empty();
  changes.levels.push_back(
      {level, has_run ? std::optional(levels_[level].runs.front().id) : std::nullopt});
}

File TreeState::take_file(FileId id, Changes& changes) {
  const std::optional<FileLocation> at = find_file(id, changes.near);
  CHECK(at);
  const auto level = static_cast<std::uint32_t>(at->level);
  note_level(level, changes);
  File file = files_of(*at).erase(at->file);
  orders_.remove(level, file);
  places_.erase(place_index(id));
  if (orders_.levels_below() > 0) changes.ranges.emplace_back(level, file.keys);
  file.busy = false;
  file.overlaps = {};
  return file;
}

void TreeState::remove_files(const std::vector<FileId>& ids, Changes& changes) {
  for (const FileId id : ids) {
    const File file = take_file(id, changes);
    for (const Slice& slice : file.slices) frozen_files_.drop_reference(slice.frozen_file);
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
  for (File& file : files) {
    places_.insert(place_index(file.id), {file.id, target.level, run.id, file.keys.smallest});
    if (orders_.levels_below() > 0) changes.ranges.emplace_back(target.level, file.keys);
    if (orders_.count() > 0) changes.placed.emplace_back(target.level, file.id);
    run.files.insert(std::move(file));
  }
}

void TreeState::hang(const TreeEdit::Linked& linked) {
  const std::optional<FileLocation> at = find_file(linked.lower_file);
  CHECK(at);
  const auto level = static_cast<std::uint32_t>(at->level);
  const std::vector<std::optional<FileRanks>> before = orders_.ranks_of(file_at(*at));
  files_of(*at).change(at->file, [&](File& file) { file.slices.push_back(linked.slice); });
  orders_.move(level, file_at(*at), before);
  frozen_files_.add_reference(linked.frozen_file);
}

void TreeState::settle_runs(const Changes& changes) {
  for (const Changes::Level& changed : changes.levels) {
    std::vector<SortedRun>& runs = levels_[changed.level].runs;
    std::erase_if(runs, [](const SortedRun& run) { return run.files.empty(); });
    for (SortedRun& run : runs) {
      const RunSums& sums = run.files.sums();
      run.flushes = {sums.first_flush.value, sums.last_flush.value};
    }
    std::stable_sort(runs.begin(), runs.end(), [](const SortedRun& a, const SortedRun& b) {
      return a.flushes.last > b.flushes.last;
    });
  }
}

Result<void> TreeState::apply(const TreeEdit& edit) {
  BOOST_OUTCOME_TRYV(validate(edit));
  if (edit.takes_memtable) {
    traffic_ = pending_flush_->traffic;
    pending_flush_.reset();
    ++flush_count_;
  }
  Changes changes;
  for (const TreeEdit::Moved& moved : edit.moved) {
    std::vector<File> files;
    for (const FileId id : moved.files) {
      files.push_back(take_file(id, changes));
      files.back().level_since = now_;
      files.back().seeks = 0;
    }
    place(moved.target, std::move(files), changes);
  }
  for (const FileId id : edit.frozen) {
    const bool is_new = frozen_files_.add({take_file(id, changes), 0});
    CHECK(is_new);
  }
  for (const TreeEdit::Linked& linked : edit.linked) hang(linked);
  remove_files(edit.removed, changes);
  // Outputs are placed while emptied runs still stand, so that a run whose every file was rewritten
  // keeps its identity.
  for (const TreeEdit::Added& added : edit.added) place(added.target, added.files, changes);
  settle_runs(changes);
  settle_orders(changes);
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
