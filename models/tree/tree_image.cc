// Converts a tree to a value and back, for manifests.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "models/tree/file_copies.h"
#include "models/tree/tree.h"

namespace lsmlab {

TreeImage TreeState::image() const {
  TreeImage image;
  image.levels = levels_;
  for (Level& level : image.levels) {
    level.sums.busy_files = level.sums.busy_bytes = level.sums.busy_tombstones = 0;
    level.sums.busy_surplus_tombstones = 0;
    for (SortedRun& run : level.runs) {
      const auto is_busy = [](const RunSums& sums) { return sums.busy_files > 0; };
      for (std::size_t i = run.files.find_first(0, is_busy); i < run.files.size();
           i = run.files.find_first(i + 1, is_busy)) {
        run.files.change(i, [](File& file) { file.busy = false; });
      }
    }
  }
  for (const FrozenFile& frozen : frozen_files_) image.frozen_files.push_back(frozen.file);
  image.flush_count = flush_count_;
  image.last_merge_flush = last_merge_flush_;
  image.now = now_;
  image.traffic = traffic_;
  image.measured = measured_;
  image.tuning = tuning_;
  image.next_file_id = next_file_id_;
  image.next_run_id = next_run_id_;
  return image;
}

namespace {

Result<void> check_order(const SortedRun& run) {
  if (run.files.empty()) return input_error(fmt::format("run {} is empty", run.id.value()));
  for (std::size_t i = 0; i < run.files.size(); ++i) {
    const File& file = run.files[i];
    const bool is_range = file.keys.smallest <= file.keys.largest;
    if (is_range && (i == 0 || run.files[i - 1].keys.largest < file.keys.smallest)) continue;
    return input_error(
        fmt::format("file {} of run {} is out of order", file.id.value(), run.id.value()));
  }
  for (std::size_t i = 0; i < run.files.size(); ++i) {
    const KeyRange range = responsible_range(run, i);
    for (const Slice& slice : run.files[i].slices) {
      if (range.smallest <= slice.keys.smallest && slice.keys.largest <= range.largest) continue;
      return input_error(fmt::format("a slice of file {} exceeds the key range of file {}",
                                     slice.frozen_file.value(), run.files[i].id.value()));
    }
  }
  return success();
}

}  // namespace

Result<void> TreeState::restore_references(const File& file) {
  for (const Slice& slice : file.slices) {
    if (!frozen_files_.contains(slice.frozen_file)) {
      return input_error(
          fmt::format("a slice of file {} is linked to file {}, but there is no such frozen file",
                      slice.frozen_file.value(), file.id.value()));
    }
    frozen_files_.add_reference(slice.frozen_file);
  }
  for (const Copy& copy : file.copies) {
    BOOST_OUTCOME_TRYV(check_copy(file, copy));
    if (!frozen_files_.contains(copy.frozen_file)) {
      return input_error(fmt::format("file {} has a copy of file {}, which is not frozen",
                                     file.id.value(), copy.frozen_file.value()));
    }
    frozen_files_.add_reference(copy.frozen_file);
  }
  return success();
}

Result<TreeState> TreeState::restore(TreeImage image) {
  TreeState tree;
  tree.levels_ = std::move(image.levels);
  tree.flush_count_ = image.flush_count;
  tree.last_merge_flush_ = image.last_merge_flush;
  tree.now_ = image.now;
  tree.traffic_ = image.traffic;
  tree.measured_ = image.measured;
  tree.tuning_ = image.tuning;
  tree.next_file_id_ = image.next_file_id;
  tree.next_run_id_ = image.next_run_id;
  for (File& file : image.frozen_files) {
    const FileId id = file.id;
    tree.newest_write_ = std::max(tree.newest_write_, file.sequences.last);
    if (file.is_virtual || !file.copies.empty()) {
      return input_error(fmt::format("file {} is frozen and {}", id.value(),
                                     file.is_virtual ? "virtual" : "has copies"));
    }
    if (!tree.frozen_files_.add({std::move(file), 0})) {
      return input_error(fmt::format("file {} is frozen twice", id.value()));
    }
  }
  std::set<RunId> runs;
  for (std::uint32_t level = 0; level < tree.levels_.size(); ++level) {
    tree.levels_[level].sums = {};
    const std::vector<SortedRun>& level_runs = tree.levels_[level].runs;
    for (std::size_t r = 0; r < level_runs.size(); ++r) {
      const SortedRun& run = level_runs[r];
      tree.levels_[level].sums.add(run.files.sums());
      BOOST_OUTCOME_TRYV(check_order(run));
      if (!runs.insert(run.id).second || run.id.value() >= tree.next_run_id_) {
        return input_error(fmt::format("run {} occurs twice", run.id.value()));
      }
      for (const File& file : run.files) {
        tree.newest_write_ = std::max(tree.newest_write_, file.sequences.last);
        const bool is_new = tree.places_.find(file.id) == nullptr;
        if (is_new) tree.places_.insert({file.id, level, run.id, file.keys.smallest});
        if (!is_new || tree.frozen_files_.contains(file.id) ||
            file.id.value() >= tree.next_file_id_) {
          return input_error(fmt::format("file {} occurs twice", file.id.value()));
        }
        if (file.is_virtual && (file.bytes > Bytes(0) || file.entries > Entries(0))) {
          return input_error(
              fmt::format("the virtual file {} has data of its own", file.id.value()));
        }
        BOOST_OUTCOME_TRYV(tree.restore_references(file));
      }
      for (std::size_t i = 0; i < run.files.size(); ++i) {
        if (!run.files[i].slices.empty()) tree.weigh_slices({level, r, i});
      }
    }
  }
  for (const FrozenFile& frozen : tree.frozen_files_) {
    if (frozen.references > 0) continue;
    return input_error(
        fmt::format("file {} is frozen and no slice refers to it", frozen.file.id.value()));
  }
  return tree;
}

}  // namespace lsmlab
