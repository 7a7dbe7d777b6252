#include "models/execution/plan_execution.h"

#include <algorithm>
#include <map>

#include "models/base/check.h"

namespace lsmlab {
namespace {

void include(FlushSpan span, PlanSums& sums) {
  if (sums.flushes.first == 0) sums.flushes = span;
  sums.flushes = {std::min(sums.flushes.first, span.first), std::max(sums.flushes.last, span.last)};
}

void include_origin(const File& file, PlanSums& sums) {
  include(file.flushes, sums);
  if (!file.oldest_tombstone) return;
  if (!sums.oldest_tombstone || *file.oldest_tombstone < *sums.oldest_tombstone) {
    sums.oldest_tombstone = file.oldest_tombstone;
  }
}

void include_file(const TreeView& tree, const File& file, PlanSums& sums) {
  include_origin(file, sums);
  sums.read_bytes += file.bytes.value();
  sums.entries += file.entries.value();
  sums.tombstones_max += file.tombstones.value();
  sums.sources += file.slices.size();
  for (const Slice& slice : file.slices) {
    const File& frozen = tree.frozen_files().at(slice.frozen_file).file;
    include_origin(frozen, sums);
    sums.ancestors.add(slice.keys, frozen.oldest_ancestor);
    sums.read_bytes += slice.bytes.value();
    sums.tombstones_max += frozen.tombstones.value();
  }
}

}  // namespace

std::optional<Instant> InputAncestors::least(const KeyRange& keys) const {
  std::optional<Instant> least;
  for (const std::vector<Part>& parts : inputs_) {
    auto part = std::partition_point(parts.begin(), parts.end(), [&](const Part& one) {
      return one.keys.largest < keys.smallest;
    });
    for (; part != parts.end() && part->keys.smallest <= keys.largest; ++part) {
      if (!least || part->oldest_ancestor < *least) least = part->oldest_ancestor;
    }
  }
  return least;
}

PlanSums flush_sums(const TreeView& tree, std::optional<Instant> memtable_oldest_tombstone) {
  CHECK(tree.pending_flush());
  PlanSums sums;
  const std::uint64_t number = tree.flush_count() + 1;
  include(FlushSpan{number, number}, sums);
  sums.oldest_tombstone = memtable_oldest_tombstone;
  sums.entries = tree.pending_flush()->entries.value();
  sums.tombstones_max = tree.pending_flush()->tombstones.value();
  sums.ancestors.add(tree.pending_flush()->keys,
                     tree.pending_flush()->first_write.value_or(tree.now()));
  sums.sources = 1;
  sums.source_entries.push_back(sums.entries);
  return sums;
}

PlanSums merge_sums(const TreeView& tree, const MergePlan& plan,
                    std::optional<Instant> memtable_oldest_tombstone) {
  PlanSums sums;
  if (plan.takes_memtable) sums = flush_sums(tree, memtable_oldest_tombstone);
  FileFinder finder(tree);
  for (const PlanInput& input : plan.inputs) {
    if (input.files.empty()) continue;
    const std::uint64_t entries_before = sums.entries;
    for (const FileId id : input.files) include_file(tree, finder.at(id), sums);
    sums.ancestors.begin_run();
    for (const FileId id : input.files) sums.ancestors.add_file(finder.at(id));
    ++sums.sources;
    sums.source_entries.push_back(sums.entries - entries_before);
  }
  return sums;
}

PlanSums drop_sums(const TreeView& tree, const DropPlan& plan) {
  PlanSums sums;
  FileFinder finder(tree);
  for (const PlanInput& input : plan.inputs) {
    for (const FileId id : input.files) include_file(tree, finder.at(id), sums);
  }
  sums.read_bytes = 0;
  return sums;
}

TreeEdit begin_edit(const TreeView& tree, const Plan& plan) {
  TreeEdit edit;
  edit.cursors = plan.cursors;
  edit.takes_memtable = takes_memtable(plan);
  CHECK(!edit.takes_memtable || tree.pending_flush());
  CHECK(!plan.adaptation || edit.takes_memtable);
  if (plan.adaptation) edit.tuning = plan.adaptation->tuning;
  if (const auto* merge = std::get_if<MergePlan>(&plan.action)) {
    edit.is_merge = true;
    for (const PlanInput& input : merge->inputs) {
      edit.removed.insert(edit.removed.end(), input.files.begin(), input.files.end());
    }
  }
  if (const auto* drop = std::get_if<DropPlan>(&plan.action)) {
    for (const PlanInput& input : drop->inputs) {
      edit.removed.insert(edit.removed.end(), input.files.begin(), input.files.end());
    }
  }
  if (const auto* move = std::get_if<MovePlan>(&plan.action)) {
    TreeEdit::Moved moved{{}, move->target};
    for (const PlanInput& input : move->inputs) {
      moved.files.insert(moved.files.end(), input.files.begin(), input.files.end());
    }
    edit.moved.push_back(std::move(moved));
  }
  if (const auto* link = std::get_if<LinkPlan>(&plan.action)) {
    CHECK(link->upper.files.size() == 1);
    edit.frozen.push_back(link->upper.files.front());
  }
  return edit;
}

KeyRange slice_keys(const TreeView& tree, const File& upper, FileId lower_file) {
  const std::optional<FileLocation> at = tree.find_file(lower_file);
  CHECK(at);
  const KeyRange range = responsible_range(tree.levels()[at->level].runs[at->run], at->file);
  const KeyRange keys = {std::max(range.smallest, upper.keys.smallest),
                         std::min(range.largest, upper.keys.largest)};
  CHECK(keys.smallest <= keys.largest);
  return keys;
}

void add_links(const TreeView& tree, const LinkPlan& plan,
               const std::function<Bytes(const KeyRange&)>& bytes_in, TreeEdit& edit) {
  CHECK(plan.upper.files.size() == 1);
  const File& upper = FileFinder(tree).at(plan.upper.files.front());
  for (const FileId lower : plan.lower_files) {
    const KeyRange keys = slice_keys(tree, upper, lower);
    edit.linked.push_back({upper.id, lower, {upper.id, keys, bytes_in(keys)}});
  }
}

void finish_file(File& file, FileId id, FlushSpan flushes, std::optional<Instant> oldest_tombstone,
                 Instant now) {
  file.id = id;
  file.flushes = flushes;
  file.created = file.level_since = file.last_access = file.oldest_ancestor = now;
  if (file.tombstones > Entries(0)) file.oldest_tombstone = oldest_tombstone;
}

void finish_output(File& file, const PlanSums& sums, Instant now) {
  finish_file(file, file.id, sums.flushes, sums.oldest_tombstone, now);
  file.oldest_ancestor = sums.ancestors.least(file.keys).value_or(now);
}

std::vector<FileId> dropped_frozen_files(const TreeView& before, const TreeEdit& edit) {
  if (before.frozen_files().empty()) return {};
  std::map<FileId, std::uint64_t> going;  // how many slices of each frozen file the edit removes
  FileFinder finder(before);
  for (const FileId id : edit.removed) {
    for (const Slice& slice : finder.at(id).slices) ++going[slice.frozen_file];
  }
  std::vector<FileId> dropped;
  for (const auto& [id, slices] : going) {
    if (before.frozen_files().at(id).references == slices) dropped.push_back(id);
  }
  return dropped;
}

}  // namespace lsmlab
