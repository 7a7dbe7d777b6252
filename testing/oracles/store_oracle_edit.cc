// Checks moves and links, and the places of files after an edit.
#include <algorithm>

#include "testing/oracles/naive_sstable.h"
#include "testing/oracles/store_oracle.h"

namespace lsmlab::testing {

void StoreOracle::follow_move(const MovePlan& plan, const TreeEdit& edit) {
  require(!edit.takes_memtable && !edit.is_merge && edit.removed.empty() && edit.added.empty() &&
              edit.frozen.empty() && edit.linked.empty(),
          "the edit does more than to move files");
  std::vector<FileId> moved;
  for (const TreeEdit::Moved& part : edit.moved) {
    require(part.target.level == plan.target.level && part.target.run == plan.target.run,
            "files move to level {}, or another run, instead of level {}", part.target.level,
            plan.target.level);
    moved.insert(moved.end(), part.files.begin(), part.files.end());
  }
  std::vector<FileId> wanted;
  for (const PlanInput& input : plan.inputs) {
    wanted.insert(wanted.end(), input.files.begin(), input.files.end());
  }
  std::sort(moved.begin(), moved.end());
  std::sort(wanted.begin(), wanted.end());
  require(moved == wanted, "{} files move, not the {} of the plan", moved.size(), wanted.size());
  for (const FileId id : wanted) {
    standing_.at(id).file.level_since = now_;
    standing_.at(id).file.is_rewritten = false;
  }
  ++totals_.moves;
}

void StoreOracle::follow_link(const LinkPlan& plan, const TreeEdit& edit) {
  require(!edit.takes_memtable && !edit.is_merge && edit.removed.empty() && edit.added.empty() &&
              edit.moved.empty(),
          "the edit does more than to link a file");
  const FileId upper = plan.upper.files.front();
  require(edit.frozen == plan.upper.files, "the edit freezes another file than {}", upper.value());
  require(edit.linked.size() == plan.lower_files.size(), "the edit makes {} slices for {} files",
          edit.linked.size(), plan.lower_files.size());
  const KnownFile frozen = standing_.at(upper);
  for (std::size_t i = 0; i < edit.linked.size(); ++i) {
    const TreeEdit::Linked& linked = edit.linked[i];
    require(linked.frozen_file == upper && linked.slice.frozen_file == upper,
            "a slice is of file {}, not of file {}", linked.slice.frozen_file.value(),
            upper.value());
    require(linked.lower_file == plan.lower_files[i],
            "slice {} is linked to file {}, not to file {}", i + 1, linked.lower_file.value(),
            plan.lower_files[i].value());
    check_slice(frozen, linked);
    standing_.at(linked.lower_file).file.slices.push_back(linked.slice);
  }
  standing_.erase(upper);
  frozen_[upper] = frozen;
  ++totals_.links;
}

void StoreOracle::follow_drop(const DropPlan& plan, const TreeEdit& edit) {
  require(!edit.takes_memtable && !edit.is_merge && edit.added.empty() && edit.moved.empty() &&
              edit.frozen.empty() && edit.linked.empty(),
          "the edit does more than to drop files");
  std::set<FileId> wanted;
  for (const PlanInput& input : plan.inputs) wanted.insert(input.files.begin(), input.files.end());
  require(std::set<FileId>(edit.removed.begin(), edit.removed.end()) == wanted &&
              edit.removed.size() == wanted.size(),
          "{} files go, not the {} of the plan", edit.removed.size(), wanted.size());
  std::vector<std::uint64_t> keys;
  const auto let_go = [&](const KnownFile& known, const KeyRange& range) {
    for (const StoredEntry& entry : known.entries) {
      if (entry.key < range.smallest || entry.key > range.largest) continue;
      keys.push_back(entry.key);
      ++entries_gone_;
    }
  };
  for (const FileId id : wanted) {
    const KnownFile& known = standing_.at(id);
    totals_.bytes_dropped += known.file.bytes.value();
    let_go(known, KeyRange{});
    for (const Slice& slice : known.file.slices) {
      let_go(frozen_.at(slice.frozen_file), slice.keys);
    }
  }
  for (const FileId id : wanted) standing_.erase(id);
  const std::map<FileId, std::uint64_t> hanging = references();
  std::erase_if(frozen_, [&](const auto& frozen) { return !hanging.contains(frozen.first); });
  for (const std::uint64_t key : keys) bury(key);
  ++totals_.drops;
}

// Every part of an input within the window, oldest first, and nothing else.
File StoreOracle::expected_virtual(const ReferPlan& plan, const KeyRange& window) const {
  File file;
  file.is_virtual = true;
  file.keys = {~std::uint64_t{0}, 0};
  file.sequences = {~std::uint64_t{0}, 0};
  file.flushes = {~std::uint64_t{0}, 0};
  file.created = file.level_since = file.oldest_ancestor = now_;
  // A slice that goes on whole keeps its bytes.
  const auto take = [&](const KnownFile& known, const KeyRange& keys, std::optional<Bytes> bytes) {
    const KeyRange part{std::max(keys.smallest, window.smallest),
                        std::min(keys.largest, window.largest)};
    if (part.smallest > part.largest) return;
    const File& table = known.file;
    if (!bytes || part != keys) bytes = Bytes(naive_slice_bytes(known.entries, part, format_));
    file.slices.push_back({table.id, part, *bytes});
    file.keys = {std::min(file.keys.smallest, part.smallest),
                 std::max(file.keys.largest, part.largest)};
    file.sequences = {std::min(file.sequences.first, table.sequences.first),
                      std::max(file.sequences.last, table.sequences.last)};
    file.flushes = {std::min(file.flushes.first, table.flushes.first),
                    std::max(file.flushes.last, table.flushes.last)};
    file.oldest_ancestor = std::min(file.oldest_ancestor, table.oldest_ancestor);
  };
  for (std::size_t i = plan.inputs.size(); i-- > 0;) {
    for (const FileId id : plan.inputs[i].files) {
      const KnownFile& known = standing_.at(id);
      if (!known.file.is_virtual) take(known, known.file.keys, std::nullopt);
      for (const Slice& slice : known.file.slices) {
        take(frozen_.at(slice.frozen_file), slice.keys, slice.bytes);
      }
    }
  }
  return file;
}

void StoreOracle::follow_refer(const ReferPlan& plan, const TreeEdit& edit) {
  require(!edit.takes_memtable && !edit.is_merge && edit.moved.empty() && edit.linked.empty(),
          "the edit does more than to refer to files");
  require(edit.added.size() == 1, "the edit adds files in {} places", edit.added.size());
  std::vector<File> expected;
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i <= plan.file_begins.size(); ++i) {
    const bool is_last = i == plan.file_begins.size();
    if (!is_last && plan.file_begins[i] == 0) continue;
    const std::uint64_t end = is_last ? ~std::uint64_t{0} : plan.file_begins[i] - 1;
    File file = expected_virtual(plan, {begin, end});
    if (!file.slices.empty()) expected.push_back(std::move(file));
    begin = end + 1;
  }
  const std::vector<File>& files = edit.added.front().files;
  require(files.size() == expected.size(), "the edit adds {} virtual files, not {}", files.size(),
          expected.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    require(used_ids_.insert(files[i].id).second, "virtual file {} has an id used before",
            files[i].id.value());
    expected[i].id = files[i].id;
    check_file(files[i], expected[i]);
  }
  std::set<FileId> gone(edit.removed.begin(), edit.removed.end());
  std::set<FileId> iced(edit.frozen.begin(), edit.frozen.end());
  for (const PlanInput& input : plan.inputs) {
    for (const FileId id : input.files) {
      const bool is_virtual = standing_.at(id).file.is_virtual;
      require((is_virtual ? gone : iced).erase(id) == 1, "input file {} is not {}", id.value(),
              is_virtual ? "removed" : "frozen");
      if (!is_virtual) frozen_[id] = standing_.at(id);
      standing_.erase(id);
    }
  }
  require(gone.empty() && iced.empty(), "the edit removes or freezes files that are no inputs");
  for (const File& file : expected) standing_[file.id] = {file, {}};
  const std::map<FileId, std::uint64_t> hanging = references();
  std::erase_if(frozen_, [&](const auto& frozen) { return !hanging.contains(frozen.first); });
  ++totals_.refers;
}

void StoreOracle::bury(std::uint64_t key) {
  std::optional<StoredEntry> newest;
  for (const StoredEntry& version : versions_of(key, {})) {
    if (!newest || newest->sequence < version.sequence) newest = version;
  }
  if (const auto write = memtable_.find(key); write != memtable_.end())
    newest = write->second.entry;
  if (newest) {
    live_[key] = *newest;
  } else {
    live_.erase(key);
  }
}

void StoreOracle::check_slice(const KnownFile& frozen, const TreeEdit::Linked& linked) const {
  const Standing& lower = places_before_.at(linked.lower_file);
  const KeyRange keys = responsible(*lower.run, lower.index);
  const KeyRange& slice = linked.slice.keys;
  require(slice.smallest <= slice.largest && keys.smallest <= slice.smallest &&
              slice.largest <= keys.largest,
          "the slice of keys {} to {} leaves the responsible range {} to {} of file {}",
          slice.smallest, slice.largest, keys.smallest, keys.largest, linked.lower_file.value());
  require(frozen.file.keys.smallest <= slice.smallest && slice.largest <= frozen.file.keys.largest,
          "the slice of keys {} to {} leaves the keys of frozen file {}", slice.smallest,
          slice.largest, frozen.file.id.value());
  for (const StoredEntry& entry : frozen.entries) {
    const bool is_due = keys.smallest <= entry.key && entry.key <= keys.largest;
    const bool is_held = slice.smallest <= entry.key && entry.key <= slice.largest;
    require(is_due == is_held, "key {} of frozen file {} is missing from the slice on file {}",
            entry.key, frozen.file.id.value(), linked.lower_file.value());
  }
  const std::uint64_t bytes = naive_slice_bytes(frozen.entries, slice, format_);
  require(linked.slice.bytes.value() == bytes, "the slice on file {} takes {} bytes, not {}",
          linked.lower_file.value(), bytes, linked.slice.bytes.value());
}

// Checks that added and moved files are where the plan wants them, and that no other file moved.
void StoreOracle::check_placed(const TreeView& tree, const TreeEdit& edit,
                               const OutputTarget& target) const {
  std::set<FileId> arrived;
  for (const TreeEdit::Added& added : edit.added) {
    for (const File& file : added.files) arrived.insert(file.id);
  }
  for (const TreeEdit::Moved& moved : edit.moved) {
    arrived.insert(moved.files.begin(), moved.files.end());
  }
  for (const auto& [id, at] : places_of(tree)) {
    if (!arrived.contains(id)) {
      const Standing& old = places_before_.at(id);
      require(old.level == at.level && old.run->id == at.run->id,
              "file {} is now in level {} run {}, but nothing moved it", id.value(), at.level,
              at.run->id.value());
      continue;
    }
    require(at.level == target.level, "file {} is in level {} instead of {}", id.value(), at.level,
            target.level);
    if (target.run) {
      require(at.run->id == *target.run, "file {} is in run {} instead of {}", id.value(),
              at.run->id.value(), target.run->value());
      continue;
    }
    for (const File& neighbour : at.run->files) {
      require(arrived.contains(neighbour.id),
              "file {} is in one run with file {}, not in a new one", id.value(),
              neighbour.id.value());
    }
  }
}

void StoreOracle::check_cursors(const TreeView& tree, const Plan& plan,
                                const TreeEdit& edit) const {
  require(edit.cursors.size() == plan.cursors.size(), "the edit sets {} cursors instead of {}",
          edit.cursors.size(), plan.cursors.size());
  std::map<std::uint32_t, std::uint64_t> wanted;  // a later update of a level overrides
  for (const CursorUpdate& update : plan.cursors) wanted[update.level] = update.key;
  for (std::size_t level = 0; level < tree.levels().size(); ++level) {
    std::optional<std::uint64_t> cursor;
    if (level < before_->levels().size()) cursor = before_->levels()[level].cursor;
    const auto update = wanted.find(static_cast<std::uint32_t>(level));
    if (update != wanted.end()) cursor = update->second;
    require(tree.levels()[level].cursor == cursor, "the cursor of level {} is not as planned",
            level);
    if (update != wanted.end()) wanted.erase(update);
  }
  require(wanted.empty(), "the edit sets no cursor where the plan sets one");
}

void StoreOracle::check_file(const File& actual, const File& expected) {
  const auto compare = [&](const char* name, std::uint64_t is, std::uint64_t should_be) {
    require(is == should_be, "file {} has {} {}, should be {}", actual.id.value(), name, is,
            should_be);
  };
  compare("smallest key", actual.keys.smallest, expected.keys.smallest);
  compare("largest key", actual.keys.largest, expected.keys.largest);
  compare("entries", actual.entries.value(), expected.entries.value());
  compare("tombstones", actual.tombstones.value(), expected.tombstones.value());
  compare("key_bytes", actual.key_bytes.value(), expected.key_bytes.value());
  compare("value_bytes", actual.value_bytes.value(), expected.value_bytes.value());
  compare("first sequence", actual.sequences.first, expected.sequences.first);
  compare("last sequence", actual.sequences.last, expected.sequences.last);
  compare("bytes", actual.bytes.value(), expected.bytes.value());
  compare("created", actual.created.value(), expected.created.value());
  compare("oldest_ancestor", actual.oldest_ancestor.value(), expected.oldest_ancestor.value());
  compare("level_since", actual.level_since.value(), expected.level_since.value());
  compare("first flush", actual.flushes.first, expected.flushes.first);
  compare("last flush", actual.flushes.last, expected.flushes.last);
  compare("oldest_tombstone (0: none)", actual.oldest_tombstone.has_value(),
          expected.oldest_tombstone.has_value());
  if (actual.oldest_tombstone) {
    compare("oldest_tombstone", actual.oldest_tombstone->value(),
            expected.oldest_tombstone->value());
  }
  compare("range_bytes (0: the store's)", actual.range_bytes.value_or(Bytes(0)).value(),
          expected.range_bytes.value_or(Bytes(0)).value());
  compare("marked", actual.marked, expected.marked);
  compare("deletion_times (0: none)", actual.deletion_times != nullptr,
          expected.deletion_times != nullptr);
  require(actual.deletion_times == nullptr || *actual.deletion_times == *expected.deletion_times,
          "the tombstones of file {} were written at other times", actual.id.value());
  compare("virtual", actual.is_virtual, expected.is_virtual);
  compare("rewritten", actual.is_rewritten, expected.is_rewritten);
  require(actual.copies == expected.copies, "file {} has {} copies, not those {} that it should",
          actual.id.value(), actual.copies.size(), expected.copies.size());
  require(!actual.busy, "file {} is busy", actual.id.value());
  compare("slices", actual.slices.size(), expected.slices.size());
  for (std::size_t i = 0; i < actual.slices.size(); ++i) {
    const Slice& slice = actual.slices[i];
    const Slice& wanted = expected.slices[i];
    require(slice.frozen_file == wanted.frozen_file && slice.keys == wanted.keys &&
                slice.bytes == wanted.bytes,
            "slice {} on file {} has changed", i + 1, actual.id.value());
  }
}

}  // namespace lsmlab::testing
