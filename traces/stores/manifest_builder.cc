// Applies edits to trees.
#include <fmt/format.h>

#include <algorithm>

#include "traces/stores/manifest.h"

namespace lsmlab::stores {
namespace {

bool is_in(const std::vector<DeletedFile>& deleted, std::uint64_t number) {
  return std::any_of(deleted.begin(), deleted.end(),
                     [number](const DeletedFile& file) { return file.number == number; });
}

EditKind kind_of(const VersionEdit& edit, bool is_first) {
  if (edit.added.empty() && edit.deleted.empty()) return EditKind::kSettings;
  if (edit.added.empty()) return EditKind::kDrop;
  if (edit.deleted.empty()) {
    const bool below = std::any_of(edit.added.begin(), edit.added.end(),
                                   [](const AddedFile& added) { return added.level > 0; });
    // The snapshot of LevelDB and Pebble names the comparator. RocksDB's is the family's first edit
    // with files. A flush of Pebble may write several.
    const bool is_foreign = edit.has_rocksdb_fields && !edit.has_pebble_fields;
    const bool is_tree = is_foreign ? below || edit.added.size() > 1 : edit.comparator.has_value();
    if (is_first && is_tree) return EditKind::kSnapshot;
    // Files of the user may come to any level of Pebble. Only a flush frees logs.
    if (edit.has_pebble_fields && !edit.log_number) return EditKind::kIngest;
    return below && edit.has_rocksdb_fields ? EditKind::kIngest : EditKind::kFlush;
  }
  // A part of an old file stays where the user's files, or a range delete, took the rest. Nothing
  // of it is written anew.
  const bool keeps_parts =
      std::any_of(edit.added.begin(), edit.added.end(),
                  [](const AddedFile& added) { return added.file.is_virtual; });
  if (keeps_parts) return EditKind::kIngest;
  const bool moves = std::all_of(edit.added.begin(), edit.added.end(), [&](const AddedFile& added) {
    return is_in(edit.deleted, added.file.number);
  });
  return moves ? EditKind::kMove : EditKind::kMerge;
}

}  // namespace

std::string_view name_of(EditKind kind) {
  switch (kind) {
    case EditKind::kSettings:
      return "settings";
    case EditKind::kSnapshot:
      return "snapshot";
    case EditKind::kFlush:
      return "flush";
    case EditKind::kIngest:
      return "ingest";
    case EditKind::kMerge:
      return "merge";
    case EditKind::kMove:
      return "move";
    case EditKind::kDrop:
      break;
  }
  return "drop";
}

void ManifestBuilder::fail(Error error) {
  if (!result_.fault) result_.fault = std::move(error);
}

void ManifestBuilder::add(VersionEdit edit) {
  if (!edit.group_rest) {
    if (!group_.empty()) {
      fail(input_error(fmt::format("offset {}: an atomic group has no end", edit.offset)));
      group_.clear();
    }
    apply(std::move(edit));
    return;
  }
  const bool is_last = *edit.group_rest == 0;
  group_.push_back(std::move(edit));
  if (!is_last) return;
  for (VersionEdit& member : group_) apply(std::move(member));
  group_.clear();
}

void ManifestBuilder::apply(VersionEdit edit) {
  Manifest& manifest = result_.value;
  if (edit.has_pebble_fields) {
    manifest.system = StoreSystem::kPebble;
  } else if (edit.has_rocksdb_fields && manifest.system == StoreSystem::kLeveldb) {
    manifest.system = StoreSystem::kRocksdb;
  }
  if (edit.last_sequence) {
    manifest.last_sequence = std::max(manifest.last_sequence, *edit.last_sequence);
  }
  const auto [entry, is_new] = manifest.families.try_emplace(edit.family);
  FamilyTree& tree = entry->second;
  if (is_new) tree.name = edit.family == 0 ? "default" : fmt::format("id {}", edit.family);
  if (edit.family_added) tree.name = *edit.family_added;
  if (edit.comparator) tree.comparator = *edit.comparator;
  HistoryEdit step;
  bool& has_files = has_files_[edit.family];
  step.kind = kind_of(edit, !has_files);
  has_files = has_files || !edit.added.empty();
  step.edit = std::move(edit);
  change_files(tree, step);
  if (step.edit.family_dropped) {
    tree.is_dropped = true;
    tree.levels.clear();
  }
  manifest.history.push_back(std::move(step));
}

void ManifestBuilder::change_files(FamilyTree& tree, HistoryEdit& step) {
  const std::uint64_t offset = step.edit.offset;
  for (const DeletedFile& deleted : step.edit.deleted) {
    std::uint64_t bytes = 0;
    if (deleted.level < tree.levels.size()) {
      auto& files = tree.levels[deleted.level];
      if (const auto file = files.find(deleted.number); file != files.end()) {
        bytes = file->second.bytes;
        files.erase(file);
        step.deleted_bytes.push_back(bytes);
        continue;
      }
    }
    step.deleted_bytes.push_back(0);
    fail(input_error(fmt::format("offset {}: deletes file {} of level {}, which is not there",
                                 offset, deleted.number, deleted.level)));
  }
  for (const AddedFile& added : step.edit.added) {
    if (added.level >= tree.levels.size()) tree.levels.resize(added.level + 1);
    const auto [file, is_new] = tree.levels[added.level].try_emplace(added.file.number, added.file);
    if (!is_new) {
      fail(input_error(fmt::format("offset {}: adds file {} to level {}, where it already is",
                                   offset, added.file.number, added.level)));
    }
  }
}

Salvaged<Manifest> ManifestBuilder::finish() {
  if (!group_.empty()) fail(input_error("an atomic group has no end; its edits are left out"));
  if (result_.value.history.empty()) fail(input_error("the MANIFEST has no edit"));
  return std::move(result_);
}

}  // namespace lsmlab::stores
