#include "engine/logs/manifest.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "engine/files/file_names.h"
#include "engine/logs/manifest_codec.h"
#include "engine/logs/record_log.h"

namespace lsmlab::engine {
namespace {

constexpr CreateOptions kManifestFile{WriteKind::kManifest};

Result<std::string> framed(const CborValue& json) {
  const std::string cbor = cbor_of(json);
  if (cbor.size() > kRecordPayloadBytesMax) {
    return input_error(fmt::format("a manifest record of {} bytes is too large", cbor.size()));
  }
  std::string record;
  append_record(record, cbor);
  return record;
}

// The content of CURRENT; nullopt if there is none.
Result<std::optional<std::string>> current_of(FileSystem& files, const std::string& directory) {
  const std::string path = join_path(directory, kCurrentName);
  const auto is_there = BOOST_OUTCOME_TRYX(files.exists(path));
  if (!is_there) return std::optional<std::string>();
  auto text = BOOST_OUTCOME_TRYX(files.read_file(path));
  return std::optional<std::string>(std::move(text));
}

Result<void> switch_current(FileSystem& files, const std::string& directory,
                            const std::string& text, bool is_synced) {
  const std::string temporary = join_path(directory, temporary_current_name());
  auto file = BOOST_OUTCOME_TRYX(files.create(temporary, kManifestFile));
  BOOST_OUTCOME_TRYV(file->append(text));
  if (is_synced) {
    BOOST_OUTCOME_TRYV(file->sync());
  }
  BOOST_OUTCOME_TRYV(file->close());
  BOOST_OUTCOME_TRYV(files.rename(temporary, join_path(directory, kCurrentName)));
  return is_synced ? files.sync_directory(directory) : Result<void>(success());
}

// Undoes a switch that failed midway: if CURRENT kept naming the new manifest, later edits of the
// old one would be lost. This is always durable, because nothing may sync the directory later.
Result<void> switch_back(FileSystem& files, const std::string& directory,
                         const std::optional<std::string>& before, const Error& cause) {
  const auto try_back = [&]() -> Result<void> {
    const auto now = BOOST_OUTCOME_TRYX(current_of(files, directory));
    if (now == before) return success();
    if (before) return switch_current(files, directory, *before, true);
    BOOST_OUTCOME_TRYV(files.remove(join_path(directory, kCurrentName)));
    return files.sync_directory(directory);
  };
  const Result<void> outcome = try_back();
  if (outcome) return success();
  return Error{
      cause.kind,
      fmt::format("{}; CURRENT may name the old or the new manifest until the store is opened "
                  "again: {}",
                  cause.message, outcome.error().message)};
}

Result<std::unique_ptr<WritableFile>> write_snapshot(FileSystem& files, const std::string& path,
                                                     const ManifestSnapshot& snapshot,
                                                     bool is_synced) {
  const auto record = BOOST_OUTCOME_TRYX(framed(json_of(snapshot)));
  auto file = BOOST_OUTCOME_TRYX(files.create(path, kManifestFile));
  BOOST_OUTCOME_TRYV(file->append(record));
  if (is_synced) {
    BOOST_OUTCOME_TRYV(file->sync());
  }
  return file;
}

Error at(const std::string& path, std::uint64_t offset, std::string_view fault) {
  return machine_error(fmt::format("{}: the record at byte {} {}", path, offset, fault));
}

// Checks what TreeState assumes of edits that executors make.
Result<void> check_edit(const TreeEdit& edit) {
  for (const TreeEdit::Linked& linked : edit.linked) {
    if (linked.frozen_file == linked.slice.frozen_file) continue;
    return input_error(fmt::format("a slice of file {} is linked as a slice of file {}",
                                   linked.slice.frozen_file.value(), linked.frozen_file.value()));
  }
  return success();
}

Result<void> apply(RecoveredManifest& manifest, const ManifestEdit& edit) {
  BOOST_OUTCOME_TRYV(check_edit(edit.edit));
  manifest.tree.advance_now(edit.now);
  if (edit.edit.takes_memtable) {
    PendingFlush flush;
    flush.traffic = edit.traffic;
    manifest.tree.begin_flush(flush);
  }
  BOOST_OUTCOME_TRYV(manifest.tree.apply(edit.edit));
  if (edit.last_sequence) manifest.last_sequence = *edit.last_sequence;
  if (edit.first_wal) manifest.first_wal = *edit.first_wal;
  if (edit.logs_are_synced) manifest.logs_are_synced = *edit.logs_are_synced;
  if (edit.logs_have_marks) manifest.logs_have_marks = *edit.logs_have_marks;
  ++manifest.edits;
  return success();
}

Result<RecoveredManifest> begin(ManifestSnapshot snapshot) {
  RecoveredManifest manifest;
  manifest.tree = BOOST_OUTCOME_TRYX(TreeState::restore(std::move(snapshot.tree)));
  manifest.identity = std::move(snapshot.identity);
  manifest.last_sequence = snapshot.last_sequence;
  manifest.first_wal = snapshot.first_wal;
  manifest.logs_are_synced = snapshot.logs_are_synced;
  manifest.logs_have_marks = snapshot.logs_have_marks;
  return manifest;
}

using VisitRecord = std::function<Result<void>(std::uint64_t offset, const CborValue&)>;

// Shows every whole record; returns the bytes of a torn one at the end. An incomplete record is
// torn only if no whole record follows: edits are written and made durable one after another.
Result<std::uint64_t> visit_records(const std::string& path, std::string_view log,
                                    const VisitRecord& visit) {
  RecordReader records(log);
  while (const auto payload = records.next()) {
    const Result<CborValue> json = json_of_cbor(*payload);
    if (!json) return at(path, records.offset(), json.error().message);
    BOOST_OUTCOME_TRYV(visit(records.offset(), json.value()));
  }
  const std::optional<RecordDamage>& damage = records.damage();
  if (damage && damage->offset == 0) return at(path, 0, damage->reason);
  if (damage && RecordSearch(log, looks_like_record).find(damage->offset + 1)) {
    return at(path, damage->offset, fmt::format("{}, but whole records follow", damage->reason));
  }
  return log.size() - records.end();
}

Result<RecoveredManifest> replay(FileSystem& files, const std::string& path) {
  const auto log = BOOST_OUTCOME_TRYX(files.read_file(path));
  std::optional<RecoveredManifest> manifest;
  const VisitRecord take = [&](std::uint64_t offset, const CborValue& json) -> Result<void> {
    Result<ManifestRecord> record = record_of(json);
    if (!record) return at(path, offset, "is damaged: " + record.error().message);
    auto* const snapshot = std::get_if<ManifestSnapshot>(&record.value());
    if ((snapshot != nullptr) == manifest.has_value()) {
      return at(path, offset, manifest ? "is a second snapshot" : "is not a snapshot");
    }
    if (snapshot != nullptr) {
      Result<RecoveredManifest> begun = begin(std::move(*snapshot));
      if (!begun) return at(path, offset, "is not a valid tree: " + begun.error().message);
      manifest = std::move(begun).value();
      return success();
    }
    const Result<void> applied = apply(*manifest, std::get<ManifestEdit>(record.value()));
    if (!applied) return at(path, offset, "does not fit the tree: " + applied.error().message);
    return success();
  };
  const auto dropped_bytes = BOOST_OUTCOME_TRYX(visit_records(path, log, take));
  if (!manifest) return machine_error(fmt::format("{}: is empty; expected a snapshot", path));
  manifest->dropped_bytes = dropped_bytes;
  return std::move(*manifest);
}

}  // namespace

Result<std::unique_ptr<ManifestWriter>> ManifestWriter::create(FileSystem& files,
                                                               const std::string& directory,
                                                               std::uint64_t number,
                                                               const ManifestSnapshot& snapshot,
                                                               bool is_synced) {
  const std::string name = manifest_name(number);
  const std::string path = join_path(directory, name);
  const auto before = BOOST_OUTCOME_TRYX(current_of(files, directory));
  std::unique_ptr<WritableFile> file;
  const auto write = [&]() -> Result<void> {
    file = BOOST_OUTCOME_TRYX(write_snapshot(files, path, snapshot, is_synced));
    if (is_synced) {
      BOOST_OUTCOME_TRYV(files.sync_directory(directory));
    }
    return switch_current(files, directory, name + "\n", is_synced);
  };
  const Result<void> outcome = write();
  if (outcome) {
    std::unique_ptr<ManifestWriter> writer(new ManifestWriter(std::move(file), number, is_synced));
    writer->snapshot_bytes_ = writer->size();
    return writer;
  }
  file.reset();
  static_cast<void>(files.remove(join_path(directory, temporary_current_name())));
  BOOST_OUTCOME_TRYV(switch_back(files, directory, before, outcome.error()));
  static_cast<void>(files.remove(path));
  return outcome.error();
}

Result<void> ManifestWriter::append(const ManifestEdit& edit) {
  BOOST_OUTCOME_TRYV(error_);
  const auto write = [&]() -> Result<void> {
    const auto record = BOOST_OUTCOME_TRYX(framed(json_of(edit)));
    BOOST_OUTCOME_TRYV(file_->append(record));
    return is_synced_ ? file_->sync() : Result<void>(success());
  };
  error_ = write();
  return error_;
}

std::uint64_t ManifestWriter::size() const { return file_->size(); }

Result<std::optional<RecoveredManifest>> read_manifest(FileSystem& files,
                                                       const std::string& directory) {
  const std::string current = join_path(directory, kCurrentName);
  const auto has_current = BOOST_OUTCOME_TRYX(files.exists(current));
  if (!has_current) return std::optional<RecoveredManifest>();
  auto name = BOOST_OUTCOME_TRYX(files.read_file(current));
  const bool is_line = name.ends_with('\n');
  if (is_line) name.pop_back();
  const std::optional<ParsedName> parsed = parse_name(name);
  if (!is_line || !parsed || parsed->kind != FileKind::kManifest) {
    return machine_error(fmt::format("{}: does not name a manifest", current));
  }
  const std::string path = join_path(directory, name);
  const auto is_there = BOOST_OUTCOME_TRYX(files.exists(path));
  if (!is_there) {
    return machine_error(fmt::format("{}: names {}, but there is no such file", current, name));
  }
  auto manifest = BOOST_OUTCOME_TRYX(replay(files, path));
  manifest.number = parsed->number;
  return std::optional<RecoveredManifest>(std::move(manifest));
}

Result<void> visit_manifest(
    FileSystem& files, const std::string& path,
    const std::function<void(std::uint64_t offset, const nlohmann::json&)>& visit) {
  const auto log = BOOST_OUTCOME_TRYX(files.read_file(path));
  const VisitRecord show = [&](std::uint64_t offset, const CborValue& json) -> Result<void> {
    visit(offset, to_json(json));
    return success();
  };
  BOOST_OUTCOME_TRYV(visit_records(path, log, show));
  return success();
}

}  // namespace lsmlab::engine
