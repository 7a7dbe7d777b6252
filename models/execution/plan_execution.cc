#include "models/execution/plan_execution.h"

#include <algorithm>
#include <map>
#include <span>

#include "models/base/check.h"
#include "models/tree/file_copies.h"
#include "models/tree/tree_query.h"

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

void include_file(const TreeView& tree, const File& file, std::span<const Slice> slices,
                  PlanSums& sums) {
  if (!file.is_virtual) include_origin(file, sums);
  sums.read_bytes += file.bytes.value();
  sums.entries += file.entries.value();
  sums.tombstones_max += file.tombstones.value();
  sums.sources += slices.size();
  for (const Slice& slice : slices) {
    const File& frozen = tree.frozen_files().at(slice.frozen_file).file;
    include_origin(frozen, sums);
    sums.ancestors.add(slice.keys, frozen.oldest_ancestor);
    sums.read_bytes += slice.bytes.value();
    sums.tombstones_max += frozen.tombstones.value();
  }
}

}  // namespace

template <class Visit>
void InputAncestors::visit(const KeyRange& keys, const Visit& visit) const {
  for (const std::vector<Part>& parts : inputs_) {
    auto part = std::partition_point(parts.begin(), parts.end(), [&](const Part& one) {
      return one.keys.largest < keys.smallest;
    });
    for (; part != parts.end() && part->keys.smallest <= keys.largest; ++part) visit(*part);
  }
}

std::optional<Instant> InputAncestors::least(const KeyRange& keys) const {
  std::optional<Instant> least;
  visit(keys, [&](const Part& part) {
    if (!least || part.oldest_ancestor < *least) least = part.oldest_ancestor;
  });
  return least;
}

Zeroed InputAncestors::zeroed(const KeyRange& keys) const {
  if (!has_zeroed_) return Zeroed::kNone;
  bool has_some = false;
  bool has_others = false;
  visit(keys, [&](const Part& part) {
    has_some = has_some || part.zeroed != Zeroed::kNone;
    has_others = has_others || part.zeroed != Zeroed::kAll;
  });
  if (!has_some) return Zeroed::kNone;
  return has_others ? Zeroed::kSome : Zeroed::kAll;
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
  sums.zeroes_sequences = plan.zeroes_sequences;
  FileFinder finder(tree);
  for (const PlanInput& input : plan.inputs) {
    if (input.files.empty()) continue;
    const std::uint64_t entries_before = sums.entries;
    bool has_table = false;
    for (const FileId id : input.files) {
      const File& file = finder.at(id);
      include_file(tree, file, merged_slices(plan, file), sums);
      has_table = has_table || !file.is_virtual;
    }
    if (!has_table) continue;
    sums.ancestors.begin_run();
    for (const FileId id : input.files) {
      const File& file = finder.at(id);
      if (!file.is_virtual) sums.ancestors.add_file(file);
    }
    ++sums.sources;
    sums.source_entries.push_back(sums.entries - entries_before);
  }
  return sums;
}

PlanSums drop_sums(const TreeView& tree, const DropPlan& plan) {
  PlanSums sums;
  FileFinder finder(tree);
  for (const PlanInput& input : plan.inputs) {
    for (const FileId id : input.files) {
      const File& file = finder.at(id);
      include_file(tree, file, file.slices, sums);
    }
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
      if (merge->newest_slices) {
        for (const FileId id : input.files)
          edit.taken_slices.push_back({id, *merge->newest_slices});
      } else {
        edit.removed.insert(edit.removed.end(), input.files.begin(), input.files.end());
      }
    }
  }
  if (const auto* drop = std::get_if<DropPlan>(&plan.action)) {
    for (const PlanInput& input : drop->inputs) {
      edit.removed.insert(edit.removed.end(), input.files.begin(), input.files.end());
    }
  }
  if (const auto* trim = std::get_if<TrimPlan>(&plan.action)) edit.trimmed = trim->copies;
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
  if (const auto* refer = std::get_if<ReferPlan>(&plan.action)) {
    FileFinder finder(tree);
    for (const PlanInput& input : refer->inputs) {
      for (const FileId id : input.files) {
        (finder.at(id).is_virtual ? edit.removed : edit.frozen).push_back(id);
      }
    }
  }
  return edit;
}

TreeEdit::Added begin_added(const Plan& plan) {
  TreeEdit::Added added{plan_target(plan), {}};
  const auto* merge = std::get_if<MergePlan>(&plan.action);
  if (merge != nullptr && merge->newest_slices) added.into = merge->inputs.front().files.front();
  return added;
}

std::vector<Slice> referred_parts(const TreeView& tree, const std::vector<PlanInput>& inputs) {
  std::vector<Slice> parts;
  FileFinder finder(tree);
  for (auto input = inputs.rbegin(); input != inputs.rend(); ++input) {
    for (const FileId id : input->files) {
      const File& file = finder.at(id);
      if (file.is_virtual) {
        parts.insert(parts.end(), file.slices.begin(), file.slices.end());
      } else {
        parts.push_back({id, file.keys, Bytes(0)});
      }
    }
  }
  return parts;
}

void finish_virtual_file(const TreeView& tree, File& file) {
  const auto table_of = [&](FileId id) -> const File& {
    const FrozenFile* const frozen = tree.frozen_files().find(id);
    return frozen != nullptr ? frozen->file : tree.file_at(*tree.find_file(id));
  };
  CHECK(!file.slices.empty());
  const File& first = table_of(file.slices.front().frozen_file);
  file.is_virtual = true;
  file.keys = file.slices.front().keys;
  file.sequences = first.sequences;
  file.oldest_ancestor = first.oldest_ancestor;
  file.flushes = first.flushes;
  for (const Slice& slice : file.slices) {
    const File& table = table_of(slice.frozen_file);
    file.keys = hull_of(file.keys, slice.keys);
    file.sequences = {std::min(file.sequences.first, table.sequences.first),
                      std::max(file.sequences.last, table.sequences.last)};
    file.oldest_ancestor = std::min(file.oldest_ancestor, table.oldest_ancestor);
    file.flushes = {std::min(file.flushes.first, table.flushes.first),
                    std::max(file.flushes.last, table.flushes.last)};
  }
  file.created = file.level_since = file.last_access = tree.now();
}

Result<void> add_virtual_files(const TreeView& tree, const ReferPlan& plan,
                               const VirtualFileSource& source, TreeEdit& edit) {
  const std::vector<Slice> parts = referred_parts(tree, plan.inputs);
  TreeEdit::Added added{plan.target, {}};
  KeyRange window{0, 0};
  for (std::size_t i = 0; i <= plan.file_begins.size(); ++i) {
    const bool is_last = i == plan.file_begins.size();
    if (!is_last && plan.file_begins[i] == window.smallest) continue;
    window.largest = is_last ? KeyRange().largest : plan.file_begins[i] - 1;
    File file;
    for (const Slice& part : parts) {
      if (!part.keys.overlaps(window)) continue;
      Slice slice = part;
      slice.keys = {std::max(part.keys.smallest, window.smallest),
                    std::min(part.keys.largest, window.largest)};
      if (slice.keys != part.keys || slice.bytes == Bytes(0)) {
        slice.bytes = BOOST_OUTCOME_TRYX(source.bytes_in(slice.frozen_file, slice.keys));
      }
      file.slices.push_back(slice);
    }
    window.smallest = window.largest + 1;
    if (file.slices.empty()) continue;
    file.id = source.next_id();
    finish_virtual_file(tree, file);
    added.files.push_back(std::move(file));
  }
  edit.added.push_back(std::move(added));
  return success();
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
  file.zeroed = sums.zeroes_sequences ? Zeroed::kAll : sums.ancestors.zeroed(file.keys);
}

std::vector<FileId> dropped_frozen_files(const TreeView& before, const TreeEdit& edit) {
  if (before.frozen_files().empty()) return {};
  std::map<FileId, std::uint64_t> coming;  // new slices and copies of each frozen file
  for (const TreeEdit::Added& added : edit.added) {
    for (const File& file : added.files) {
      for (const Slice& slice : file.slices) ++coming[slice.frozen_file];
      for (const Copy& copy : file.copies) ++coming[copy.frozen_file];
    }
  }
  // how many slices and copies of each frozen file the edit removes
  std::map<FileId, std::uint64_t> going;
  FileFinder finder(before);
  for (const FileId id : edit.removed) {
    const File& file = finder.at(id);
    for (const Slice& slice : file.slices) ++going[slice.frozen_file];
    for (const Copy& copy : file.copies) ++going[copy.frozen_file];
  }
  for (const FileId id : edit.frozen) {
    for (const Copy& copy : finder.at(id).copies) ++going[copy.frozen_file];
  }
  for (const FileLocation& at : files_with_copies_of(before, edit.trimmed)) {
    const std::vector<Copy>& copies = before.file_at(at).copies;
    for (const Copy& copy : copies) ++going[copy.frozen_file];
    for (const Copy& copy : copies_without(copies, edit.trimmed)) --going[copy.frozen_file];
  }
  for (const TreeEdit::TakenSlices& taken : edit.taken_slices) {
    const std::vector<Slice>& slices = finder.at(taken.file).slices;
    for (std::size_t i = slices.size() - taken.newest; i < slices.size(); ++i) {
      ++going[slices[i].frozen_file];
    }
  }
  std::vector<FileId> dropped;
  for (const auto& [id, slices] : going) {
    const auto handed_on = coming.find(id);
    const std::uint64_t stay = handed_on != coming.end() ? handed_on->second : 0;
    if (before.frozen_files().at(id).references + stay == slices) dropped.push_back(id);
  }
  return dropped;
}

}  // namespace lsmlab
