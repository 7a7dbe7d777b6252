// The manifest records the tree, as a snapshot followed by edits. CURRENT names the manifest in
// force. A new manifest is written to another file, and renaming CURRENT switches to it, so a crash
// leaves either the old or the new one in force.
//
//   file    := record+, the first a snapshot
//   record  := payload, framed by record_log.h
//   payload := CBOR of {"snapshot": {...}} or {"edit": {...}} (manifest_codec.h)
//
// Threading: one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/files/file_system.h"
#include "models/tree/tree.h"

namespace lsmlab::engine {

/// Options that must not change in the life of a store; opening it with others is an error. Options
/// by name, as text ("policy": "lo+1 size_ratio=10", "key_prefix": "...", ...).
using StoreIdentity = std::vector<std::pair<std::string, std::string>>;

struct ManifestSnapshot {
  StoreIdentity identity;
  TreeImage tree;
  std::uint64_t last_sequence = 0;  // the last write that is in files
  std::uint64_t first_wal = 0;      // logs from this number on hold writes that are not in files
  // Each of those logs was synced before the next one was begun, so no crash leaves a gap between
  // them.
  bool logs_are_synced = false;
  bool logs_have_marks = true;  // wal.h; false in manifests made before logs had marks
};

struct ManifestEdit {
  TreeEdit edit;
  Instant now;
  Traffic traffic;  // of the flushed memtable; a policy sees it after recovery
  // Set if the edit takes a memtable:
  std::optional<std::uint64_t> last_sequence;
  std::optional<std::uint64_t> first_wal;
  // Set if the value changes, by the edit that names the first log with the new value:
  std::optional<bool> logs_are_synced;
  std::optional<bool> logs_have_marks;
};

class ManifestWriter {
 public:
  /// Writes MANIFEST-number with the snapshot as its first record, and switches CURRENT to it.
  /// `is_synced`: file, directory and CURRENT are made durable, now and at every edit. After an
  /// error the previous manifest is still in force, and the new file is removed if possible. If
  /// switching back fails too, either may be in force, and the message says so. After any error the
  /// store must take no more writes: a switch that reported an error may still be durable after a
  /// power cut. REQUIRES: no file of that number exists.
  [[nodiscard]] static Result<std::unique_ptr<ManifestWriter>> create(
      FileSystem& files, const std::string& directory, std::uint64_t number,
      const ManifestSnapshot& snapshot, bool is_synced);

  /// Appends an edit. After an error every later call fails with it: the file may hold an
  /// incomplete edit, and only a new manifest helps.
  [[nodiscard]] Result<void> append(const ManifestEdit& edit);
  [[nodiscard]] std::uint64_t size() const;
  /// Bytes of the first record, which a new manifest would take too.
  [[nodiscard]] std::uint64_t snapshot_bytes() const { return snapshot_bytes_; }
  [[nodiscard]] std::uint64_t number() const { return number_; }

 private:
  ManifestWriter(std::unique_ptr<WritableFile> file, std::uint64_t number, bool is_synced)
      : file_(std::move(file)), number_(number), is_synced_(is_synced) {}

  std::unique_ptr<WritableFile> file_;
  std::uint64_t number_;
  bool is_synced_;
  std::uint64_t snapshot_bytes_ = 0;
  Result<void> error_ = success();
};

struct RecoveredManifest {
  StoreIdentity identity;
  TreeState tree;
  std::uint64_t last_sequence = 0;
  std::uint64_t first_wal = 0;
  bool logs_are_synced = false;
  bool logs_have_marks = false;
  std::uint64_t number = 0;
  std::uint64_t edits = 0;
  std::uint64_t dropped_bytes = 0;  // an incomplete record at the end
};

/// The manifest that CURRENT names, with its edits applied; nullopt if there is no CURRENT. Errors:
/// it is damaged (with path and offset), or an edit does not fit the tree.
[[nodiscard]] Result<std::optional<RecoveredManifest>> read_manifest(FileSystem& files,
                                                                     const std::string& directory);

/// Shows every record with its offset, as JSON, for dumps. Texts may hold any bytes, so dump()
/// needs error_handler_t::replace. Errors: as above, after showing the records before the damage.
[[nodiscard]] Result<void> visit_manifest(
    FileSystem& files, const std::string& path,
    const std::function<void(std::uint64_t offset, const nlohmann::json&)>& visit);

}  // namespace lsmlab::engine
