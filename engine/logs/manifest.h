// The manifest: what the tree is, as a snapshot followed by the edits since. One file in force,
// named by CURRENT; a new one is written beside it and switched to by renaming CURRENT, so that a
// crash finds the old or the new one.
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

/// What must not change in the life of a store, and is refused on open where it did: options by
/// name, as text ("policy": "lo+1 size_ratio=10", "key_prefix": "...", ...).
using StoreIdentity = std::vector<std::pair<std::string, std::string>>;

struct ManifestSnapshot {
  StoreIdentity identity;
  TreeImage tree;
  std::uint64_t last_sequence = 0;  // of what is in files
  std::uint64_t first_wal = 0;      // logs from this number on hold what is not in files
  // Those logs were synced before later ones were begun, so that no crash leaves a gap between
  // them.
  bool logs_are_synced = false;
  bool logs_have_marks = true;  // wal.h; false in manifests from before there were any
};

struct ManifestEdit {
  TreeEdit edit;
  Instant now;
  Traffic traffic;  // of the memtable taken, so that a policy sees it after recovery
  // Where the edit takes a memtable:
  std::optional<std::uint64_t> last_sequence;
  std::optional<std::uint64_t> first_wal;
  // Where it changes, with the first log that it is true of:
  std::optional<bool> logs_are_synced;
  std::optional<bool> logs_have_marks;
};

class ManifestWriter {
 public:
  /// Writes MANIFEST-number with the snapshot as its first record, and switches CURRENT to it.
  /// `is_synced`: file, directory and CURRENT are made durable, here and at every edit. On an error
  /// the manifest that was in force before still is, and what was written of the new one is
  /// removed where that can be done; where going back fails too, either may be in force and the
  /// message says so. After any error the store should take no more writes: a durable switch that
  /// was not reported may still come to light after a power cut. REQUIRES: no file of that number.
  [[nodiscard]] static Result<std::unique_ptr<ManifestWriter>> create(
      FileSystem& files, const std::string& directory, std::uint64_t number,
      const ManifestSnapshot& snapshot, bool is_synced);

  /// Errors stick: after one the file may hold a part of the edit, and only a new manifest helps.
  [[nodiscard]] Result<void> append(const ManifestEdit& edit);
  [[nodiscard]] std::uint64_t size() const;
  /// Of its first record: what a new one would take.
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
  std::uint64_t dropped_bytes = 0;  // a torn record at the end
};

/// The manifest that CURRENT names, its edits applied; nothing where there is no CURRENT. Errors:
/// it is damaged (path and offset), or an edit does not fit the tree.
[[nodiscard]] Result<std::optional<RecoveredManifest>> read_manifest(FileSystem& files,
                                                                     const std::string& directory);

/// Every record as JSON, for dumps: (offset, record). Texts may hold any bytes, so dump() needs
/// error_handler_t::replace. Errors: as above; records before the damage
/// are shown.
[[nodiscard]] Result<void> visit_manifest(
    FileSystem& files, const std::string& path,
    const std::function<void(std::uint64_t offset, const nlohmann::json&)>& visit);

}  // namespace lsmlab::engine
