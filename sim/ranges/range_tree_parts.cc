// What parts of files hold at resolution `range`: slices of frozen files, and virtual files, which
// consist of them.
#include <algorithm>

#include "models/base/check.h"
#include "models/tree/tree_query.h"
#include "sim/ranges/memtable_keys.h"
#include "sim/ranges/range_tree.h"

namespace lsmlab {

std::vector<FileId> RangeTree::resliced_files(const TreeEdit& edit) {
  std::vector<FileId> files;
  for (const TreeEdit::TakenSlices& taken : edit.taken_slices) files.push_back(taken.file);
  return files;
}

void RangeTree::count_linked(const TreeEdit& edit) {
  for (const TreeEdit::Linked& linked : edit.linked) {
    const FileLocation at = *tree_.find_file(linked.lower_file);
    if (!tree_.file_at(at).is_virtual) continue;
    const ClassList part = classes_of({linked.slice});
    add_to(virtual_classes_[linked.lower_file.value()], part);
    add_to(run_classes_[tree_.levels()[at.level].runs[at.run].id], part);
  }
}

ClassList RangeTree::classes_of(const std::vector<Slice>& slices) const {
  ClassList sum;
  for (const Slice& slice : slices) {
    add_to(sum, SourceCursor({part_of_file(slice.frozen_file, slice.keys)}).total());
  }
  return sum;
}

const ClassList& RangeTree::file_classes(FileId id) const {
  const auto found = virtual_classes_.find(id.value());
  return found != virtual_classes_.end() ? found->second : contents(id).classes;
}

const File& RangeTree::described(FileId id) const {
  const std::optional<FileLocation> at = tree_.find_file(id);
  return at ? tree_.file_at(*at) : tree_.frozen_files().at(id).file;
}

// As an index tells it: whole blocks, from that of the first entry up to that of the first entry
// behind the range.
Bytes RangeTree::bytes_in(FileId id, const KeyRange& keys) const {
  const RangeContents& densities = contents(id);
  const File& file = described(id);
  const std::uint64_t entries = file.entries.value();
  const RangeSizes::DataBlocks blocks =
      sizes_.data_blocks_of(store_.format(), mix_of(file, densities), file.bytes);
  const auto block_at = [&](std::uint64_t key) {
    const Uint128 entry = (Uint128{entries} * densities.shares_below(key).entries) >> 32;
    return static_cast<std::uint64_t>(entry * blocks.count / entries);
  };
  const std::uint64_t end = keys.largest + (keys.largest < ~std::uint64_t{0});
  const std::uint64_t first = block_at(keys.smallest);
  const std::uint64_t behind = std::min(block_at(end) + 1, blocks.count);
  return first < behind ? Bytes(blocks.bytes_before(behind) - blocks.bytes_before(first))
                        : Bytes(0);
}

SourcePart RangeTree::part_of_file(FileId id, const KeyRange& window) const {
  const File& file = described(id);
  const RangeContents& densities = contents(id);
  return {&densities, window, file.sequences, &densities.deletes};
}

bool RangeTree::join(const RangeMemtable& newer, RangeMemtable& memtable) const {
  CHECK(flushing_ == nullptr);
  RangeContents& joined = memtable.contents;
  const RangeContents& added = newer.contents;
  if (placed_ != nullptr || joined.cells() > 1 || added.cells() > 1) return false;
  KeyCounts older_keys(std::max(classes_.size(), joined.classes.size()));
  for (const ClassList* older :
       std::initializer_list<const ClassList*>{&classes_, &joined.classes}) {
    for (std::size_t c = 0; c < older->size(); ++c) older_keys[c] += new_keys((*older)[c]);
  }
  joined.classes = joined_classes(added.classes, older_keys, joined.classes);
  joined.keys = hull_of(joined.keys, added.keys);
  memtable.sequences.last = newer.sequences.last;
  if (!memtable.oldest_tombstone) memtable.oldest_tombstone = newer.oldest_tombstone;
  memtable.traffic.add(newer.traffic);
  return true;
}

}  // namespace lsmlab
