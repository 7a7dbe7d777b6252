#include "models/tree/file_copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

KeyRange common_part(const KeyRange& a, const KeyRange& b) {
  return {std::max(a.smallest, b.smallest), std::min(a.largest, b.largest)};
}

// The copies of one file, which are added from the newest on.
class CopyStack {
 public:
  explicit CopyStack(std::uint64_t copies_max) : copies_max_(copies_max) {}

  void add(const Copy& copy) {
    std::uint64_t depth = 1;
    for (const Placed& newer : placed_) {
      if (newer.copy.keys.overlaps(copy.keys)) depth = std::max(depth, newer.depth + 1);
    }
    placed_.push_back({copy, depth});
  }
  // What overlaps a copy that is too deep lies deeper yet.
  [[nodiscard]] std::vector<Copy> kept() const {
    std::vector<Copy> kept;
    for (const Placed& one : placed_) {
      if (one.depth <= copies_max_) kept.push_back(one.copy);
    }
    return kept;
  }

 private:
  struct Placed {
    Copy copy;
    std::uint64_t depth;
  };
  std::uint64_t copies_max_;
  std::vector<Placed> placed_;
};

void add_input(const File& input, const KeyRange& keys, CopyStack& copies) {
  if (!input.is_rewritten) {
    copies.add({input.id, common_part(input.keys, keys)});
    return;
  }
  for (const Copy& copy : input.copies) {
    if (copy.keys.overlaps(keys)) copies.add({copy.frozen_file, common_part(copy.keys, keys)});
  }
}

}  // namespace

void add_copies(const TreeView& tree, const std::vector<PlanInput>& inputs,
                std::uint64_t copies_max, TreeEdit& edit) {
  if (copies_max == 0) return;
  std::vector<std::vector<const File*>> runs;
  FileFinder finder(tree);
  for (const PlanInput& input : inputs) {
    std::vector<const File*>& files = runs.emplace_back();
    for (const FileId id : input.files) files.push_back(&finder.at(id));
  }
  std::set<FileId> copied;
  for (TreeEdit::Added& added : edit.added) {
    for (File& output : added.files) {
      CopyStack copies(copies_max);
      for (const std::vector<const File*>& files : runs) {
        auto file = std::partition_point(files.begin(), files.end(), [&](const File* one) {
          return one->keys.largest < output.keys.smallest;
        });
        for (; file != files.end() && (*file)->keys.smallest <= output.keys.largest; ++file) {
          add_input(**file, output.keys, copies);
        }
      }
      output.is_rewritten = true;
      output.copies = copies.kept();
      for (const Copy& copy : output.copies) copied.insert(copy.frozen_file);
    }
  }
  const auto stays = [&](FileId id) { return copied.contains(id); };
  std::copy_if(edit.removed.begin(), edit.removed.end(), std::back_inserter(edit.frozen), stays);
  std::erase_if(edit.removed, stays);
}

std::vector<Copy> copies_without(const std::vector<Copy>& copies,
                                 const std::vector<FileId>& trimmed) {
  std::vector<Copy> kept;
  std::vector<KeyRange> gone;
  for (const Copy& copy : copies) {
    const bool goes = std::binary_search(trimmed.begin(), trimmed.end(), copy.frozen_file) ||
                      std::any_of(gone.begin(), gone.end(),
                                  [&](const KeyRange& keys) { return keys.overlaps(copy.keys); });
    if (goes) {
      gone.push_back(copy.keys);
    } else {
      kept.push_back(copy);
    }
  }
  return kept;
}

std::vector<FileLocation> files_with_copies_of(const TreeView& tree,
                                               const std::vector<FileId>& frozen) {
  std::set<FileLocation> places;
  const auto has_copies = [](const FileSums& sums) { return sums.files_with_copies > 0; };
  for (const FileId id : frozen) {
    const FrozenFile* const copied = tree.frozen_files().find(id);
    if (copied == nullptr) continue;
    for (std::size_t level = 0; level < tree.levels().size(); ++level) {
      if (!has_copies(tree.levels()[level].sums)) continue;
      const std::vector<SortedRun>& runs = tree.levels()[level].runs;
      for (std::size_t run = 0; run < runs.size(); ++run) {
        const RunFiles& files = runs[run].files;
        const FileSpan span = overlapping_files(runs[run], copied->file.keys);
        const std::size_t end = span.first_index() + span.size();
        for (std::size_t at = files.find_first(span.first_index(), has_copies); at < end;
             at = files.find_first(at + 1, has_copies)) {
          const std::vector<Copy>& copies = files[at].copies;
          const bool has_it = std::any_of(copies.begin(), copies.end(),
                                          [&](const Copy& copy) { return copy.frozen_file == id; });
          if (has_it) places.insert({level, run, at});
        }
      }
    }
  }
  return {places.begin(), places.end()};
}

Result<void> check_copy(const File& file, const Copy& copy) {
  const bool fits = file.keys.smallest <= copy.keys.smallest &&
                    copy.keys.smallest <= copy.keys.largest &&
                    copy.keys.largest <= file.keys.largest;
  if (fits && !file.is_virtual) return success();
  return input_error(fmt::format("the copy of file {} does not lie in the keys of file {}",
                                 copy.frozen_file.value(), file.id.value()));
}

}  // namespace lsmlab
