#include "validate/stores/store_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "models/base/check.h"
#include "models/base/shortened.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

constexpr std::string_view kBytewise = "leveldb.BytewiseComparator";
constexpr std::string_view kReverse = "rocksdb.ReverseBytewiseComparator";
constexpr std::uint64_t kInternalKeySuffixBytes = 8;

}  // namespace

Result<StoreKeys> StoreKeys::of(const stores::Manifest& manifest, std::uint32_t family) {
  StoreKeys ranks;
  const auto tree = manifest.families.find(family);
  if (tree != manifest.families.end() && !tree->second.comparator.empty()) {
    const std::string& comparator = tree->second.comparator;
    ranks.falls_ = comparator == kReverse;
    if (!ranks.falls_ && comparator != kBytewise) {
      return input_error(fmt::format(
          "the keys are in the order of the comparator '{}', which is unknown; expected {} or {}",
          excerpt(comparator), kBytewise, kReverse));
    }
  }
  for (const stores::HistoryEdit& step : manifest.history) {
    if (step.edit.family != family) continue;
    for (const stores::AddedFile& added : step.edit.added) {
      ranks.keys_.push_back(added.file.smallest_key);
      ranks.keys_.push_back(added.file.largest_key);
    }
    for (const stores::LevelCursor& cursor : step.edit.cursors) ranks.keys_.push_back(cursor.key);
  }
  std::sort(ranks.keys_.begin(), ranks.keys_.end());
  ranks.keys_.erase(std::unique(ranks.keys_.begin(), ranks.keys_.end()), ranks.keys_.end());
  return ranks;
}

// Every key has the odd number 2 * rank + 1. The even one below it stands for the place right
// before the key, where a file ends that lacks the key itself.
std::uint64_t StoreKeys::id_of(const std::string& key) const {
  const auto found = std::lower_bound(keys_.begin(), keys_.end(), key);
  CHECK(found != keys_.end() && *found == key);
  const auto rank = static_cast<std::uint64_t>(found - keys_.begin());
  return 2 * (falls_ ? keys_.size() - 1 - rank : rank) + 1;
}

KeyRange StoreKeys::range_of(const stores::StoreFile& file) const {
  return {id_of(file.smallest_key), id_of(file.largest_key) - (file.largest_is_exclusive ? 1 : 0)};
}

LoggedTables tables_of_logs(const stores::Store& store) {
  LoggedTables tables;
  for (const stores::NamedLog& log : store.logs) {
    for (const stores::LoggedFlush& flush : log.log.flushes) {
      for (const stores::LoggedTable& table : flush.outputs) tables[table.number] = table;
    }
    for (const stores::LoggedCompaction& merge : log.log.compactions) {
      for (const stores::LoggedTable& table : merge.outputs) tables[table.number] = table;
    }
  }
  return tables;
}

File StoreTree::file_of(const stores::StoreFile& stored) const {
  File file;
  file.id = FileId(stored.number);
  file.keys = keys_.range_of(stored);
  file.bytes = Bytes(stored.bytes);
  const std::uint64_t newest = stored.largest_sequence.value_or(stored.number);
  const std::uint64_t oldest = std::min(stored.smallest_sequence.value_or(stored.number), newest);
  file.sequences = {oldest, newest};
  file.flushes = {oldest, newest};
  const auto logged = tables_->find(stored.number);
  if (logged == tables_->end()) return file;
  const stores::LoggedTable& table = logged->second;
  file.entries = Entries(table.entries);
  file.tombstones = Entries(std::min(table.deletes, table.entries));
  const std::uint64_t suffixes = table.entries * kInternalKeySuffixBytes;
  file.key_bytes = Bytes(table.raw_key_bytes - std::min(table.raw_key_bytes, suffixes));
  file.value_bytes = Bytes(table.raw_value_bytes);
  return file;
}

TreeEdit StoreTree::edit_of(const stores::HistoryEdit& step) const {
  TreeEdit edit;
  edit.is_merge = step.kind == stores::EditKind::kMerge;
  edit.takes_memtable = step.kind == stores::EditKind::kFlush;
  std::set<std::uint64_t> leaving;
  for (const stores::DeletedFile& deleted : step.edit.deleted) leaving.insert(deleted.number);
  std::map<std::uint32_t, std::vector<File>> added;
  std::map<std::uint32_t, std::vector<FileId>> moved;
  for (const stores::AddedFile& one : step.edit.added) {
    if (leaving.erase(one.file.number) > 0) {
      moved[one.level].push_back(FileId(one.file.number));
    } else {
      added[one.level].push_back(file_of(one.file));
    }
  }
  for (const std::uint64_t number : leaving) edit.removed.emplace_back(number);
  for (auto& [level, files] : moved) {
    edit.moved.push_back({std::move(files), level == 0 ? OutputTarget{0, std::nullopt}
                                                       : leveled_target(tree_, level)});
  }
  for (auto& [level, files] : added) {
    if (level > 0) {
      std::sort(files.begin(), files.end(),
                [](const File& a, const File& b) { return a.keys.smallest < b.keys.smallest; });
      edit.added.push_back({leveled_target(tree_, level), std::move(files)});
      continue;
    }
    for (File& file : files) edit.added.push_back({{0, std::nullopt}, {std::move(file)}});
  }
  for (const stores::LevelCursor& cursor : step.edit.cursors) {
    edit.cursors.push_back({cursor.level, keys_.id_of(cursor.key)});
  }
  return edit;
}

Result<void> StoreTree::apply(const stores::HistoryEdit& step) {
  const stores::VersionEdit& edit = step.edit;
  if (edit.added.empty() && edit.deleted.empty() && edit.cursors.empty()) return success();
  for (const stores::AddedFile& added : edit.added) {
    const KeyRange keys = keys_.range_of(added.file);
    if (keys.smallest <= keys.largest && added.file.bytes <= kFlushedBytesMax) continue;
    return input_error(
        fmt::format("offset {}: file {} has no keys between its first and last, or "
                    "an impossible size",
                    edit.offset, added.file.number));
  }
  const TreeEdit change = edit_of(step);
  if (change.takes_memtable) tree_.begin_flush({});
  const Result<void> applied = tree_.apply(change);
  if (!applied) {
    static_cast<void>(tree_.exchange_pending_flush(std::nullopt));
    return in_context(fmt::format("offset {}", edit.offset), applied.error());
  }
  note_versions(edit);
  skip_overwritten_cursors();
  return success();
}

void StoreTree::note_versions(const stores::VersionEdit& edit) {
  for (const stores::DeletedFile& deleted : edit.deleted) first_sequences_.erase(deleted.number);
  for (const stores::AddedFile& added : edit.added) {
    // LevelDB's pointer is the end of a compaction, not the begin of a file.
    const bool is_rocksdb = added.file.smallest_sequence.has_value();
    if (!is_rocksdb || !added.file.first_key_sequence) continue;
    first_sequences_[added.file.number] = *added.file.first_key_sequence;
  }
  for (const stores::LevelCursor& cursor : edit.cursors) {
    if (!cursor.sequence) continue;
    cursors_[cursor.level] = {keys_.id_of(cursor.key), *cursor.sequence};
  }
}

// RocksDB's round robin begins at the first file whose first version is not before the cursor's,
// and a newer version of a key is before an older one. A policy compares keys alone, so that the
// cursor moves past a key that was overwritten meanwhile.
void StoreTree::skip_overwritten_cursors() {
  TreeEdit edit;
  for (const auto& [level, cursor] : cursors_) {
    const SortedRun* run = newest_run(tree_, level);
    if (level == 0 || run == nullptr) continue;
    const std::size_t index = run->files.first_from(cursor.key);
    std::uint64_t key = cursor.key;
    if (index < run->files.size() && run->files[index].keys.smallest == key) {
      const auto first = first_sequences_.find(run->files[index].id.value());
      if (first != first_sequences_.end() && first->second > cursor.sequence) ++key;
    }
    if (tree_.levels()[level].cursor != key) edit.cursors.push_back({level, key});
  }
  if (!edit.cursors.empty()) CHECK(tree_.apply(edit));
}

}  // namespace lsmlab
