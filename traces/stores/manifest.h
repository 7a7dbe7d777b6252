// Reads a MANIFEST: the log of edits of a LevelDB, RocksDB or Pebble tree. Each edit adds and
// deletes files, so the edits are the decisions that the store took. Pure functions of the bytes.
// Source: LevelDB 1.23 db/version_edit.cc; RocksDB 5 to 11 db/version_edit.cc; Pebble 1.1.5 and
// 2.1.7 internal/manifest/version_edit.go.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/stores/salvaged.h"
#include "traces/stores/store_system.h"

namespace lsmlab::stores {

/// A level that no store has. A file of a deeper level is a fault.
inline constexpr std::uint32_t kStoreLevelsMax = 256;

struct StoreFile {
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;
  std::string smallest_key = {};  // user keys, as bytes
  std::string largest_key = {};
  bool largest_is_exclusive = false;  // the end of a range tombstone: the file lacks the key itself
  std::optional<std::uint64_t> smallest_sequence = {};  // LevelDB does not record it
  std::optional<std::uint64_t> largest_sequence = {};
  std::optional<std::uint64_t> first_key_sequence = {};  // of its smallest key; a dump lacks it
  std::uint64_t creation_seconds = 0;                    // since 1970; 0: unknown
  std::uint64_t ancestor_seconds = 0;         // of the oldest flush that it comes from; 0: unknown
  std::optional<std::uint64_t> entries = {};  // a MANIFEST does not hold it
  bool is_virtual = false;  // of Pebble: a part of another file, which nothing wrote anew
};

struct AddedFile {
  std::uint32_t level = 0;
  StoreFile file;
};

struct DeletedFile {
  std::uint32_t level = 0;
  std::uint64_t number = 0;
};

/// Where a level's next compaction begins: LevelDB's compact pointer, the cursor of RocksDB's round
/// robin.
struct LevelCursor {
  std::uint32_t level = 0;
  std::string key;                             // a user key
  std::optional<std::uint64_t> sequence = {};  // RocksDB's cursor is a version of its key
};

/// What one record says.
struct VersionEdit {
  std::uint64_t offset = 0;  // of its record, in bytes; in a dump, its line
  std::uint32_t family = 0;  // id of the column family
  std::vector<AddedFile> added = {};
  std::vector<DeletedFile> deleted = {};
  std::vector<LevelCursor> cursors = {};
  std::optional<std::string> comparator = {};
  std::optional<std::string> family_added = {};  // the name
  bool family_dropped = false;
  std::optional<std::uint64_t> log_number = {};  // all memtables of earlier logs were flushed
  std::optional<std::uint64_t> last_sequence = {};
  std::optional<std::uint64_t> next_file = {};
  std::optional<std::uint32_t> group_rest = {};  // edits that follow in the same atomic group
  bool has_rocksdb_fields = false;               // fields that LevelDB does not have
  bool has_pebble_fields = false;                // fields that neither has
};

/// What an edit did to the tree.
enum class EditKind {
  kSettings,  // neither adds nor deletes a file
  kSnapshot,  // the first edit of a column family: the tree when the MANIFEST began
  kFlush,     // adds files to level 0 (LevelDB: to a level that they do not overlap)
  kIngest,    // adds files to a deeper level
  kMerge,     // replaces files
  kMove,      // files change their level
  kDrop,      // deletes files only: FIFO, or a merge without output
};
[[nodiscard]] std::string_view name_of(EditKind kind);

struct HistoryEdit {
  EditKind kind = EditKind::kSettings;
  VersionEdit edit;
  /// Sizes of the deleted files, in their order; 0: the file was never added.
  std::vector<std::uint64_t> deleted_bytes = {};
};

struct FamilyTree {
  std::string name;
  std::string comparator;
  bool is_dropped = false;
  std::vector<std::map<std::uint64_t, StoreFile>> levels;  // by file number
};

struct Manifest {
  StoreSystem system = StoreSystem::kLeveldb;  // if nothing in it is foreign to LevelDB
  std::vector<HistoryEdit> history;
  std::map<std::uint32_t, FamilyTree> families;  // at the end, by id
  std::uint64_t last_sequence = 0;
  bool is_list = false;  // a list of the files that a tree has, with one edit for each family
};

/// Decodes one record. Errors: an unknown field that must not be ignored, a cut field, a level
/// beyond the limit.
[[nodiscard]] Result<VersionEdit> decode_version_edit(std::string_view record);

/// Reads a binary MANIFEST. Faults: those of visit_records() and decode_version_edit(), with the
/// offset; an edit that deletes a file which is not in the tree, or adds one twice (reading goes
/// on); an atomic group without its end (its edits are left out, as RocksDB does).
[[nodiscard]] Salvaged<Manifest> read_manifest(std::string_view bytes);

/// True if the bytes begin with a record that is an edit.
[[nodiscard]] bool is_manifest(std::string_view bytes);

/// Reads what `ldb manifest_dump` prints for each edit, with --verbose or --json: "VersionEdit {"
/// or a JSON object. Other lines are left out. Faults as above, with the line.
[[nodiscard]] Salvaged<Manifest> read_manifest_dump(std::string_view text);
[[nodiscard]] bool is_manifest_dump(std::string_view text);

/// Applies edits to trees, one after the other.
class ManifestBuilder {
 public:
  void add(VersionEdit edit);
  /// Records a fault; the first one is kept.
  void fail(Error error);
  [[nodiscard]] Salvaged<Manifest> finish();

 private:
  void apply(VersionEdit edit);
  void change_files(FamilyTree& tree, HistoryEdit& step);

  Salvaged<Manifest> result_;
  std::vector<VersionEdit> group_;  // edits of an atomic group that has not ended
  std::map<std::uint32_t, bool> has_files_;
};

}  // namespace lsmlab::stores
