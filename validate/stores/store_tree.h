// A store's tree as a policy sees it, rebuilt file by file from the edits of its MANIFEST. Keys
// become numbers by their rank among all keys that bound a file: which files overlap, and in which
// order they stand, is exact.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/base/error.h"
#include "models/tree/tree.h"
#include "traces/stores/manifest.h"
#include "traces/stores/store_reading.h"

namespace lsmlab {

/// The ranks of the keys that bound the files of a column family.
class StoreKeys {
 public:
  /// Errors: the order of the comparator is unknown.
  [[nodiscard]] static Result<StoreKeys> of(const stores::Manifest& manifest, std::uint32_t family);

  /// REQUIRES: the key bounds a file, or is a cursor, of the manifest.
  [[nodiscard]] std::uint64_t id_of(const std::string& key) const;
  [[nodiscard]] KeyRange range_of(const stores::StoreFile& file) const;
  /// Whether the order is the reverse of that of the bytes.
  [[nodiscard]] bool falls() const { return falls_; }

 private:
  std::vector<std::string> keys_;  // rising
  bool falls_ = false;             // the comparator's order is the reverse one
};

/// What logs say about files, by number; numbers are unique in a store.
using LoggedTables = std::map<std::uint64_t, stores::LoggedTable>;
[[nodiscard]] LoggedTables tables_of_logs(const stores::Store& store);

/// The files have the store's numbers as their ids. Sorted runs are those of the store: each file
/// of level 0 and each deeper level. The newest file of level 0 is the one with the largest
/// sequence number; LevelDB, which records none, has the largest file number.
class StoreTree {
 public:
  StoreTree(StoreKeys keys, const LoggedTables& tables)
      : keys_(std::move(keys)), tables_(&tables) {}

  /// Errors: the edit does not fit the tree, or two files of a deeper level share keys; then the
  /// tree is unchanged.
  [[nodiscard]] Result<void> apply(const stores::HistoryEdit& step);

  [[nodiscard]] const TreeState& tree() const { return tree_; }
  [[nodiscard]] TreeState& tree() { return tree_; }

 private:
  [[nodiscard]] File file_of(const stores::StoreFile& stored) const;
  [[nodiscard]] TreeEdit edit_of(const stores::HistoryEdit& step) const;
  void note_versions(const stores::VersionEdit& edit);
  void skip_overwritten_cursors();

  struct Cursor {
    std::uint64_t key = 0;  // its id
    std::uint64_t sequence = 0;
  };

  StoreKeys keys_;
  const LoggedTables* tables_;
  TreeState tree_;
  std::map<std::uint32_t, Cursor> cursors_;                 // by level, as the store wrote them
  std::map<std::uint64_t, std::uint64_t> first_sequences_;  // of the first keys of files, by number
};

}  // namespace lsmlab
