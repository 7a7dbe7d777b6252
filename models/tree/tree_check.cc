// What TreeState::apply() asks of an edit before it changes anything.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "models/base/check.h"
#include "models/tree/file_copies.h"
#include "models/tree/tree.h"

namespace lsmlab {
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
  /// `leaving`: the indexes of the files that leave, rising.
  ArrivalCheck(const RunFiles& standing, const std::vector<std::size_t>& leaving,
               const std::vector<const File*>& arriving)
      : standing_(standing), leaving_(leaving), arriving_(arriving) {}

  [[nodiscard]] Result<void> check() const {
    for (std::size_t i = 0; i < arriving_.size(); ++i) {
      const File& file = *arriving_[i];
      if (i > 0 && arriving_[i - 1]->keys.largest >= file.keys.smallest) {
        return overlap_error(*arriving_[i - 1], file);
      }
    }
    if (!fits_where_others_leave()) {
      for (const File* file : arriving_) {
        BOOST_OUTCOME_TRYV(check_room(*file));
      }
    }
    return has_slices() ? check_slices() : success();
  }

 private:
  [[nodiscard]] static Result<void> overlap_error(const File& left, const File& right) {
    return input_error(
        fmt::format("file {} overlaps file {} in the same run", right.id.value(), left.id.value()));
  }

  // Whether the files come to where neighbours leave, as the output of a merge mostly does: then
  // the files around that place are the only ones that they could overlap.
  [[nodiscard]] bool fits_where_others_leave() const {
    if (leaving_.empty() || leaving_.back() - leaving_.front() + 1 != leaving_.size()) return false;
    const std::size_t first = leaving_.front();
    const std::size_t behind = leaving_.back() + 1;
    return (first == 0 || standing_[first - 1].keys.largest < arriving_.front()->keys.smallest) &&
           (behind == standing_.size() ||
            standing_[behind].keys.smallest > arriving_.back()->keys.largest);
  }

  [[nodiscard]] Result<void> check_room(const File& file) const {
    const std::size_t end = standing_.first_above(file.keys.largest);
    for (std::size_t at = standing_.first_ending_from(file.keys.smallest); at < end; ++at) {
      if (leaves(at)) continue;
      const File& other = standing_[at];
      return other.keys.smallest < file.keys.smallest ? overlap_error(other, file)
                                                      : overlap_error(file, other);
    }
    return success();
  }

  [[nodiscard]] bool leaves(std::size_t index) const {
    return std::binary_search(leaving_.begin(), leaving_.end(), index);
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
      if (leaves(at)) continue;
      const File& other = standing_[at];
      return left == nullptr || left->keys.smallest < other.keys.smallest ? &other : left;
    }
    return left;
  }
  [[nodiscard]] const File* right_of(std::size_t i) const {
    const File* right = i + 1 < arriving_.size() ? arriving_[i + 1] : nullptr;
    for (std::size_t at = standing_.first_above(arriving_[i]->keys.largest); at < standing_.size();
         ++at) {
      if (leaves(at)) continue;
      const File& other = standing_[at];
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
  const std::vector<std::size_t>& leaving_;
  const std::vector<const File*>& arriving_;
};

Error exists_error(FileId id) {
  return input_error(fmt::format("file {} exists already", id.value()));
}

}  // namespace

Result<void> TreeState::check_arrivals(const TreeEdit& edit, const Leaving& leaving) const {
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
    if (added.into) continue;
    std::vector<const File*>& files = gather(added.target);
    files.reserve(files.size() + added.files.size());
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
    if (gathering.files.empty()) continue;
    static const RunFiles kNone;
    std::vector<std::size_t> going;
    going.reserve(leaving.size());
    for (const FileLocation& at : leaving) {
      if (run != nullptr && &levels_[at.level].runs[at.run] == run) going.push_back(at.file);
    }
    BOOST_OUTCOME_TRYV(
        ArrivalCheck(run != nullptr ? run->files : kNone, going, gathering.files).check());
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

bool TreeState::will_be_frozen(const TreeEdit& edit, FileId id) const {
  return frozen_files_.contains(id) ||
         std::find(edit.frozen.begin(), edit.frozen.end(), id) != edit.frozen.end();
}

Result<void> TreeState::check_virtual(const TreeEdit& edit) const {
  for (const TreeEdit::Added& added : edit.added) {
    for (const File& file : added.files) {
      const bool has_slices = !file.slices.empty();
      if (has_slices && !file.is_virtual) {
        return input_error(fmt::format("the new file {} already has slices", file.id.value()));
      }
      if (file.is_virtual && (file.bytes > Bytes(0) || file.entries > Entries(0))) {
        return input_error(fmt::format("the virtual file {} has data of its own", file.id.value()));
      }
      for (const Slice& slice : file.slices) {
        if (will_be_frozen(edit, slice.frozen_file)) continue;
        return input_error(fmt::format("slice of file {} lacks its frozen file, for file {}",
                                       slice.frozen_file.value(), file.id.value()));
      }
    }
  }
  return success();
}

Result<void> TreeState::check_taken_slices(const TreeEdit& edit, const Leaving& leaving) const {
  const auto stays = [&](FileId id) -> const File* {
    const std::optional<FileLocation> at = find_file(id);
    if (!at || std::binary_search(leaving.begin(), leaving.end(), *at)) return nullptr;
    return file_at(*at).is_virtual ? &file_at(*at) : nullptr;
  };
  for (std::size_t i = 0; i < edit.taken_slices.size(); ++i) {
    const TreeEdit::TakenSlices& taken = edit.taken_slices[i];
    const File* const file = stays(taken.file);
    const bool is_first = std::none_of(
        edit.taken_slices.begin(), edit.taken_slices.begin() + static_cast<std::ptrdiff_t>(i),
        [&](const TreeEdit::TakenSlices& other) { return other.file == taken.file; });
    if (file != nullptr && is_first && taken.newest <= file->slices.size()) continue;
    return input_error(fmt::format("file {} is no virtual file of {} slices that stays",
                                   taken.file.value(), taken.newest));
  }
  for (const TreeEdit::Added& added : edit.added) {
    if (!added.into) continue;
    if (stays(*added.into) == nullptr || added.files.size() > 1) {
      return input_error(
          fmt::format("file {} is no virtual file that takes one slice", added.into->value()));
    }
    const FileLocation at = *find_file(*added.into);
    const KeyRange range = responsible_range(levels_[at.level].runs[at.run], at.file);
    for (const File& file : added.files) {
      const bool fits = range.smallest <= file.keys.smallest && file.keys.largest <= range.largest;
      if (fits && !file.is_virtual) continue;
      return input_error(
          fmt::format("file {} is no slice of file {}", file.id.value(), added.into->value()));
    }
  }
  return success();
}

Result<void> TreeState::check_frozen(const TreeEdit& edit) const {
  if (edit.frozen.empty()) return success();
  std::set<FileId> referred;
  for (const TreeEdit::Linked& linked : edit.linked) referred.insert(linked.frozen_file);
  for (const TreeEdit::Added& added : edit.added) {
    for (const File& file : added.files) {
      for (const Slice& slice : file.slices) referred.insert(slice.frozen_file);
      for (const Copy& copy : file.copies) referred.insert(copy.frozen_file);
    }
  }
  for (const FileId id : edit.frozen) {
    const File& file = file_at(*find_file(id));
    if (file.is_virtual || !file.slices.empty()) {
      return input_error(fmt::format("file {} is frozen and {}", id.value(),
                                     file.is_virtual ? "virtual" : "has slices"));
    }
    if (referred.contains(id)) continue;
    return input_error(fmt::format("file {} is frozen and no slice refers to it", id.value()));
  }
  return success();
}

Result<void> TreeState::check_copies(const TreeEdit& edit) const {
  for (const TreeEdit::Added& added : edit.added) {
    for (const File& file : added.files) {
      for (const Copy& copy : file.copies) {
        BOOST_OUTCOME_TRYV(check_copy(file, copy));
        if (will_be_frozen(edit, copy.frozen_file)) continue;
        return input_error(fmt::format("file {} has a copy of file {}, which is not frozen",
                                       file.id.value(), copy.frozen_file.value()));
      }
    }
  }
  for (std::size_t i = 0; i < edit.trimmed.size(); ++i) {
    const FileId id = edit.trimmed[i];
    if (i > 0 && edit.trimmed[i - 1] >= id) {
      return input_error(fmt::format("copy {} is trimmed out of order", id.value()));
    }
    const FrozenFile* const frozen = frozen_files_.find(id);
    if (frozen != nullptr && !files_with_copies_of(*this, {id}).empty()) continue;
    return input_error(fmt::format("file {} is trimmed and no copy", id.value()));
  }
  return success();
}

Result<void> TreeState::check_links(const TreeEdit& edit, const Leaving& leaving) const {
  for (const TreeEdit::Linked& linked : edit.linked) {
    const bool is_frozen = will_be_frozen(edit, linked.frozen_file);
    const std::optional<FileLocation> at = find_file(linked.lower_file);
    if (!is_frozen || !at || std::binary_search(leaving.begin(), leaving.end(), *at)) {
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
  return success();
}

Result<TreeState::Leaving> TreeState::find_leaving(const TreeEdit& edit) const {
  Leaving leaving;
  leaving.reserve(edit.removed.size());
  FileFinder finder(*this);
  const auto leave = [&](const std::vector<FileId>& ids) -> Result<void> {
    for (const FileId id : ids) {
      if (finder.find(id) == nullptr) {
        return input_error(fmt::format("file {} is not in the tree", id.value()));
      }
      leaving.push_back(finder.location());
    }
    return success();
  };
  BOOST_OUTCOME_TRYV(leave(edit.removed));
  BOOST_OUTCOME_TRYV(leave(edit.frozen));
  for (const TreeEdit::Moved& moved : edit.moved) {
    BOOST_OUTCOME_TRYV(leave(moved.files));
  }
  std::sort(leaving.begin(), leaving.end());
  const auto twice = std::adjacent_find(leaving.begin(), leaving.end());
  if (twice != leaving.end()) {
    return input_error(
        fmt::format("file {} is removed from its run twice", file_at(*twice).id.value()));
  }
  return leaving;
}

Result<void> TreeState::check_ids(const TreeEdit& edit) const {
  std::vector<FileId> arriving;
  for (const TreeEdit::Added& added : edit.added) {
    arriving.reserve(arriving.size() + added.files.size());
    for (const File& file : added.files) arriving.push_back(file.id);
  }
  std::sort(arriving.begin(), arriving.end());
  const auto twice = std::adjacent_find(arriving.begin(), arriving.end());
  if (twice != arriving.end()) return exists_error(*twice);
  for (const FileId id : arriving) {
    if (places_.find(id) != nullptr || frozen_files_.contains(id)) return exists_error(id);
  }
  return success();
}

Result<TreeState::Leaving> TreeState::validate(const TreeEdit& edit) const {
  if (edit.takes_memtable && !pending_flush_) {
    return input_error("the edit takes a memtable, but none is pending");
  }
  Leaving leaving = BOOST_OUTCOME_TRYX(find_leaving(edit));
  BOOST_OUTCOME_TRYV(check_ids(edit));
  BOOST_OUTCOME_TRYV(check_virtual(edit));
  BOOST_OUTCOME_TRYV(check_arrivals(edit, leaving));
  BOOST_OUTCOME_TRYV(check_links(edit, leaving));
  BOOST_OUTCOME_TRYV(check_taken_slices(edit, leaving));
  BOOST_OUTCOME_TRYV(check_copies(edit));
  BOOST_OUTCOME_TRYV(check_frozen(edit));
  return leaving;
}

}  // namespace lsmlab
