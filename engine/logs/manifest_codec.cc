#include "engine/logs/manifest_codec.h"

#include <fmt/format.h>

#include "engine/files/file_names.h"
#include "engine/sstable/entry_view.h"

namespace lsmlab::engine {
namespace {

using Json = CborValue;

// A store's life does not reach these limits, and sums of larger numbers would overflow. They limit
// ids, clocks and counts; bytes and entries of a file.
constexpr std::uint64_t kIdMax = kFileNumberMax;
constexpr std::uint64_t kCountMax = std::uint64_t{1} << 62;
constexpr std::uint64_t kFileBytesMax = std::uint64_t{1} << 56;
constexpr std::uint32_t kLevelMax = (1u << 16) - 1;

Json json_of(const KeyRange& keys) { return Json::array({keys.smallest, keys.largest}); }
Json json_of(const FlushSpan& span) { return Json::array({span.first, span.last}); }
Json json_of(const SequenceSpan& span) { return Json::array({span.first, span.last}); }

Json json_of(const Slice& slice) {
  return {{"frozen_file", slice.frozen_file.value()},
          {"keys", json_of(slice.keys)},
          {"bytes", slice.bytes.value()}};
}

Json json_of(const DeletionTimes& times) {
  Json blocks = Json::array();
  for (const DeletionTimes::Block& block : times.blocks()) {
    blocks.push_back(Json::array({block.number, block.tombstones}));
  }
  return {{"shift", times.shift()}, {"blocks", std::move(blocks)}};
}

Json json_of(const File& file) {
  Json json{{"id", file.id.value()},
            {"keys", json_of(file.keys)},
            {"bytes", file.bytes.value()},
            {"entries", file.entries.value()},
            {"tombstones", file.tombstones.value()},
            {"key_bytes", file.key_bytes.value()},
            {"value_bytes", file.value_bytes.value()},
            {"sequences", json_of(file.sequences)},
            {"created", file.created.value()},
            {"oldest_ancestor", file.oldest_ancestor.value()},
            {"level_since", file.level_since.value()},
            {"last_access", file.last_access.value()},
            {"seeks", file.seeks},
            {"flushes", json_of(file.flushes)}};
  if (file.range_bytes) json["range_bytes"] = file.range_bytes->value();
  if (file.oldest_tombstone) json["oldest_tombstone"] = file.oldest_tombstone->value();
  if (file.zeroed != Zeroed::kNone) json["zeroed"] = static_cast<std::uint64_t>(file.zeroed);
  if (file.marked) json["marked"] = true;
  if (file.deletion_times) json["deletion_times"] = json_of(*file.deletion_times);
  if (file.is_virtual) json["virtual"] = true;
  if (!file.slices.empty()) {
    Json slices = Json::array();
    for (const Slice& slice : file.slices) slices.push_back(json_of(slice));
    json["slices"] = std::move(slices);
  }
  if (!file.copies.empty()) {
    Json copies = Json::array();
    for (const Copy& copy : file.copies) {
      copies.push_back({{"frozen_file", copy.frozen_file.value()}, {"keys", json_of(copy.keys)}});
    }
    json["copies"] = std::move(copies);
  }
  if (file.is_rewritten) json["rewritten"] = true;
  return json;
}

template <class Files>
Json json_of_files(const Files& files) {
  Json json = Json::array();
  for (const File& file : files) json.push_back(json_of(file));
  return json;
}

Json json_of(const Level& level) {
  Json runs = Json::array();
  for (const SortedRun& run : level.runs) {
    runs.push_back({{"id", run.id.value()},
                    {"flushes", json_of(run.flushes)},
                    {"files", json_of_files(run.files)}});
  }
  Json json{{"runs", std::move(runs)}};
  if (level.cursor) json["cursor"] = *level.cursor;
  return json;
}

void add_traffic(const Traffic& traffic, Json& json) {
  json["lookups"] = traffic.lookups;
  json["writes"] = traffic.writes;
  if (traffic.scans > 0) json["scans"] = traffic.scans;
  if (traffic.deletes > 0) json["deletes"] = traffic.deletes;
}

Json json_of(const Tuning& tuning) {
  Json json{{"flush", tuning.flush},
            {"del_ratio_base_millionths", tuning.del_ratio_base_millionths},
            {"bits_per_key_thousandths", tuning.bits_per_key_thousandths},
            {"range_bytes", tuning.range_bytes.value()}};
  if (!tuning.scaling_parameters.empty()) json["scaling_parameters"] = tuning.scaling_parameters;
  return json;
}

Json json_of(const TreeImage& tree) {
  Json levels = Json::array();
  for (const Level& level : tree.levels) levels.push_back(json_of(level));
  Json json{{"levels", std::move(levels)},     {"frozen_files", json_of_files(tree.frozen_files)},
            {"flush_count", tree.flush_count}, {"last_merge_flush", tree.last_merge_flush},
            {"now", tree.now.value()},         {"next_file_id", tree.next_file_id},
            {"next_run_id", tree.next_run_id}};
  add_traffic(tree.traffic, json);
  if (tree.measured != Traffic()) {
    json["measured"] = Json::object();
    add_traffic(tree.measured, json["measured"]);
  }
  if (tree.tuning) json["tuning"] = json_of(*tree.tuning);
  return json;
}

Json json_of(const OutputTarget& target) {
  Json json{{"level", target.level}};
  if (target.run) json["run"] = target.run->value();
  return json;
}

Json json_of(const std::vector<FileId>& ids) {
  Json json = Json::array();
  for (const FileId id : ids) json.push_back(id.value());
  return json;
}

// Thrown and caught in this file only, like the library's own exceptions.
struct RecordFault {
  std::string message;
};

const Json& member(const Json& json, const char* name) {
  if (!json.is_object()) {
    throw RecordFault{fmt::format("\"{}\" is missing: not inside an object", name)};
  }
  const auto found = json.find(name);
  if (found == json.end()) throw RecordFault{fmt::format("\"{}\" is missing", name)};
  return *found;
}

const Json& list(const Json& json, const char* name) {
  const Json& value = member(json, name);
  if (!value.is_array()) throw RecordFault{fmt::format("\"{}\" is not a list", name)};
  return value;
}

std::uint64_t as_number(const Json& value, const char* name, std::uint64_t largest) {
  if (!value.is_number_unsigned()) {
    throw RecordFault{fmt::format("\"{}\" is not an unsigned number", name)};
  }
  const auto number = value.get<std::uint64_t>();
  if (number > largest) throw RecordFault{fmt::format("\"{}\" is above {}", name, largest)};
  return number;
}

std::uint64_t number(const Json& json, const char* name,
                     std::uint64_t largest = ~std::uint64_t{0}) {
  return as_number(member(json, name), name, largest);
}

std::optional<std::uint64_t> optional_number(const Json& json, const char* name,
                                             std::uint64_t largest = ~std::uint64_t{0}) {
  if (!json.contains(name)) return std::nullopt;
  return number(json, name, largest);
}

bool flag(const Json& json, const char* name) {
  const Json& value = member(json, name);
  if (!value.is_boolean()) throw RecordFault{fmt::format("\"{}\" is neither true nor false", name)};
  return value.get<bool>();
}

template <class Span>
Span span_of(const Json& json, const char* name) {
  const Json& pair = list(json, name);
  if (pair.size() != 2) throw RecordFault{fmt::format("\"{}\" is not a pair", name)};
  return {as_number(pair[0], name, ~std::uint64_t{0}), as_number(pair[1], name, ~std::uint64_t{0})};
}

KeyRange keys_of(const Json& json) {
  const auto keys = span_of<KeyRange>(json, "keys");
  if (keys.smallest > keys.largest) throw RecordFault{"\"keys\" end before they begin"};
  return keys;
}

std::uint32_t level_of(const Json& json) {
  return static_cast<std::uint32_t>(number(json, "level", kLevelMax));
}

Slice slice_of(const Json& json) {
  return {FileId(number(json, "frozen_file", kIdMax)), keys_of(json),
          Bytes(number(json, "bytes", kFileBytesMax))};
}

std::shared_ptr<const DeletionTimes> deletion_times_of(const Json& json) {
  if (!json.contains("deletion_times")) return nullptr;
  const Json& times = member(json, "deletion_times");
  const auto shift = static_cast<std::uint32_t>(number(times, "shift", DeletionTimes::kShiftMax));
  std::vector<DeletionTimes::Block> blocks;
  for (const Json& block : list(times, "blocks")) {
    if (!block.is_array() || block.size() != 2) {
      throw RecordFault{"a block of \"deletion_times\" is not a pair"};
    }
    blocks.push_back({as_number(block[0], "deletion_times", ~std::uint64_t{0}),
                      as_number(block[1], "deletion_times", kFileBytesMax)});
  }
  if (!DeletionTimes::are_sound(shift, blocks)) {
    throw RecordFault{"\"deletion_times\" has empty blocks, too many, or some in a wrong order"};
  }
  return std::make_shared<const DeletionTimes>(shift, std::move(blocks));
}

File file_of(const Json& json) {
  File file;
  file.id = FileId(number(json, "id", kIdMax));
  file.keys = keys_of(json);
  file.bytes = Bytes(number(json, "bytes", kFileBytesMax));
  file.entries = Entries(number(json, "entries", kFileBytesMax));
  file.tombstones = Entries(number(json, "tombstones", kFileBytesMax));
  file.key_bytes = Bytes(number(json, "key_bytes", kFileBytesMax));
  file.value_bytes = Bytes(number(json, "value_bytes", kFileBytesMax));
  if (const auto oldest = optional_number(json, "oldest_tombstone", kCountMax)) {
    file.oldest_tombstone = Instant(*oldest);
  }
  file.sequences = span_of<SequenceSpan>(json, "sequences");
  file.zeroed = static_cast<Zeroed>(
      optional_number(json, "zeroed", static_cast<std::uint64_t>(Zeroed::kAll)).value_or(0));
  file.created = Instant(number(json, "created", kCountMax));
  // Stores before its introduction have none.
  file.oldest_ancestor =
      Instant(optional_number(json, "oldest_ancestor", kCountMax).value_or(file.created.value()));
  file.level_since = Instant(number(json, "level_since", kCountMax));
  file.last_access = Instant(number(json, "last_access", kCountMax));
  file.seeks = number(json, "seeks", kCountMax);
  file.flushes = span_of<FlushSpan>(json, "flushes");
  if (const auto bytes = optional_number(json, "range_bytes", kFileBytesMax)) {
    file.range_bytes = Bytes(*bytes);
  }
  file.marked = json.contains("marked") && flag(json, "marked");
  file.deletion_times = deletion_times_of(json);
  file.is_virtual = json.contains("virtual") && flag(json, "virtual");
  if (json.contains("slices")) {
    for (const Json& slice : list(json, "slices")) file.slices.push_back(slice_of(slice));
  }
  if (json.contains("copies")) {
    for (const Json& copy : list(json, "copies")) {
      file.copies.push_back({FileId(number(copy, "frozen_file", kIdMax)), keys_of(copy)});
    }
  }
  file.is_rewritten = json.contains("rewritten") && flag(json, "rewritten");
  return file;
}

std::vector<File> files_of(const Json& json, const char* name) {
  std::vector<File> files;
  for (const Json& file : list(json, name)) files.push_back(file_of(file));
  return files;
}

Level level_image_of(const Json& json) {
  Level level;
  for (const Json& run : list(json, "runs")) {
    level.runs.push_back({RunId(number(run, "id", kIdMax)), span_of<FlushSpan>(run, "flushes"),
                          files_of(run, "files")});
  }
  level.cursor = optional_number(json, "cursor");
  return level;
}

Traffic traffic_of(const Json& json) {
  return {number(json, "lookups", kCountMax), number(json, "writes", kCountMax),
          optional_number(json, "scans", kCountMax).value_or(0),
          optional_number(json, "deletes", kCountMax).value_or(0)};
}

std::optional<Tuning> tuning_of(const Json& json) {
  if (!json.contains("tuning")) return std::nullopt;
  const Json& tuning = member(json, "tuning");
  Tuning found{number(tuning, "flush", kIdMax),
               number(tuning, "del_ratio_base_millionths", Tuning::kDelRatioBaseMillionthsMax),
               number(tuning, "bits_per_key_thousandths", Tuning::kBitsPerKeyThousandthsMax),
               Bytes(number(tuning, "range_bytes", kFileBytesMax))};
  if (!tuning.contains("scaling_parameters")) return found;
  found.scaling_parameters = member(tuning, "scaling_parameters").get<std::string>();
  if (found.scaling_parameters.size() > Tuning::kScalingTextMax) {
    throw RecordFault{"\"scaling_parameters\" is too long"};
  }
  return found;
}

TreeImage tree_of(const Json& json) {
  TreeImage tree;
  const Json& levels = list(json, "levels");
  if (levels.size() > kLevelMax + 1) throw RecordFault{"too many levels"};
  for (const Json& level : levels) tree.levels.push_back(level_image_of(level));
  tree.frozen_files = files_of(json, "frozen_files");
  tree.flush_count = number(json, "flush_count", kIdMax);
  tree.last_merge_flush = number(json, "last_merge_flush", kIdMax);
  tree.now = Instant(number(json, "now", kCountMax));
  tree.traffic = traffic_of(json);
  if (json.contains("measured")) tree.measured = traffic_of(member(json, "measured"));
  tree.tuning = tuning_of(json);
  tree.next_file_id = number(json, "next_file_id", kIdMax);
  tree.next_run_id = number(json, "next_run_id", kIdMax);
  return tree;
}

ManifestSnapshot snapshot_of(const Json& json) {
  ManifestSnapshot snapshot;
  for (const Json& option : list(json, "identity")) {
    if (!option.is_array() || option.size() != 2) {
      throw RecordFault{"\"identity\" is not a list of pairs"};
    }
    snapshot.identity.emplace_back(option[0].get<std::string>(), option[1].get<std::string>());
  }
  snapshot.tree = tree_of(member(json, "tree"));
  snapshot.last_sequence = number(json, "last_sequence", kSequenceMax);
  snapshot.first_wal = number(json, "first_wal", kFileNumberMax);
  snapshot.logs_are_synced = flag(json, "logs_are_synced");
  snapshot.logs_have_marks = json.contains("logs_have_marks") && flag(json, "logs_have_marks");
  return snapshot;
}

OutputTarget target_of(const Json& json) {
  const Json& target = member(json, "target");
  OutputTarget result{level_of(target), std::nullopt};
  if (const auto run = optional_number(target, "run", kIdMax)) result.run = RunId(*run);
  return result;
}

std::vector<FileId> ids_of(const Json& json, const char* name) {
  std::vector<FileId> ids;
  for (const Json& id : list(json, name)) ids.push_back(FileId(as_number(id, name, kIdMax)));
  return ids;
}

TreeEdit tree_edit_of(const Json& json) {
  TreeEdit edit;
  edit.takes_memtable = flag(json, "takes_memtable");
  edit.is_merge = flag(json, "is_merge");
  edit.slice_entries = Entries(number(json, "slice_entries", kFileBytesMax));
  edit.removed = ids_of(json, "removed");
  for (const Json& added : list(json, "added")) {
    edit.added.push_back({target_of(added), files_of(added, "files")});
    if (const auto into = optional_number(added, "into", kIdMax)) {
      edit.added.back().into = FileId(*into);
    }
  }
  for (const Json& moved : list(json, "moved")) {
    edit.moved.push_back({ids_of(moved, "files"), target_of(moved)});
  }
  edit.frozen = ids_of(json, "frozen");
  for (const Json& linked : list(json, "linked")) {
    edit.linked.push_back({FileId(number(linked, "frozen_file", kIdMax)),
                           FileId(number(linked, "lower_file", kIdMax)),
                           slice_of(member(linked, "slice"))});
  }
  if (json.contains("taken_slices")) {
    for (const Json& taken : list(json, "taken_slices")) {
      edit.taken_slices.push_back(
          {FileId(number(taken, "file", kIdMax)), number(taken, "newest", kCountMax)});
    }
  }
  if (json.contains("trimmed")) edit.trimmed = ids_of(json, "trimmed");
  for (const Json& cursor : list(json, "cursors")) {
    edit.cursors.push_back({level_of(cursor), number(cursor, "key")});
  }
  edit.tuning = tuning_of(json);
  return edit;
}

ManifestEdit edit_of(const Json& json) {
  ManifestEdit edit;
  edit.edit = tree_edit_of(json);
  edit.now = Instant(number(json, "now", kCountMax));
  edit.traffic = traffic_of(json);
  edit.last_sequence = optional_number(json, "last_sequence", kSequenceMax);
  edit.first_wal = optional_number(json, "first_wal", kFileNumberMax);
  if (json.contains("logs_are_synced")) edit.logs_are_synced = flag(json, "logs_are_synced");
  if (json.contains("logs_have_marks")) edit.logs_have_marks = flag(json, "logs_have_marks");
  return edit;
}

}  // namespace

CborValue json_of(const ManifestSnapshot& snapshot) {
  Json identity = Json::array();
  for (const auto& [name, value] : snapshot.identity)
    identity.push_back(Json::array({name, value}));
  Json json{{"identity", std::move(identity)},
            {"tree", json_of(snapshot.tree)},
            {"last_sequence", snapshot.last_sequence},
            {"first_wal", snapshot.first_wal},
            {"logs_are_synced", snapshot.logs_are_synced},
            {"logs_have_marks", snapshot.logs_have_marks}};
  return Json{{"snapshot", std::move(json)}};
}

CborValue json_of(const ManifestEdit& edit) {
  const TreeEdit& tree = edit.edit;
  Json json{{"now", edit.now.value()},          {"takes_memtable", tree.takes_memtable},
            {"is_merge", tree.is_merge},        {"slice_entries", tree.slice_entries.value()},
            {"removed", json_of(tree.removed)}, {"added", Json::array()},
            {"moved", Json::array()},           {"frozen", json_of(tree.frozen)},
            {"linked", Json::array()},          {"cursors", Json::array()}};
  add_traffic(edit.traffic, json);
  for (const TreeEdit::Added& added : tree.added) {
    Json one{{"target", json_of(added.target)}, {"files", json_of_files(added.files)}};
    if (added.into) one["into"] = added.into->value();
    json["added"].push_back(std::move(one));
  }
  if (!tree.taken_slices.empty()) json["taken_slices"] = Json::array();
  for (const TreeEdit::TakenSlices& taken : tree.taken_slices) {
    json["taken_slices"].push_back({{"file", taken.file.value()}, {"newest", taken.newest}});
  }
  if (!tree.trimmed.empty()) json["trimmed"] = json_of(tree.trimmed);
  for (const TreeEdit::Moved& moved : tree.moved) {
    json["moved"].push_back({{"target", json_of(moved.target)}, {"files", json_of(moved.files)}});
  }
  for (const TreeEdit::Linked& linked : tree.linked) {
    json["linked"].push_back({{"frozen_file", linked.frozen_file.value()},
                              {"lower_file", linked.lower_file.value()},
                              {"slice", json_of(linked.slice)}});
  }
  for (const CursorUpdate& cursor : tree.cursors) {
    json["cursors"].push_back({{"level", cursor.level}, {"key", cursor.key}});
  }
  if (tree.tuning) json["tuning"] = json_of(*tree.tuning);
  if (edit.last_sequence) json["last_sequence"] = *edit.last_sequence;
  if (edit.first_wal) json["first_wal"] = *edit.first_wal;
  if (edit.logs_are_synced) json["logs_are_synced"] = *edit.logs_are_synced;
  if (edit.logs_have_marks) json["logs_have_marks"] = *edit.logs_have_marks;
  return Json{{"edit", std::move(json)}};
}

Result<ManifestRecord> record_of(const CborValue& json) {
  try {
    if (json.is_object() && json.size() == 1) {
      if (json.contains("snapshot")) return ManifestRecord(snapshot_of(json["snapshot"]));
      if (json.contains("edit")) return ManifestRecord(edit_of(json["edit"]));
    }
    return input_error("is neither a snapshot nor an edit");
  } catch (const RecordFault& fault) {
    return input_error(fault.message);
  } catch (const Json::exception& fault) {
    return input_error(fault.what());
  }
}

}  // namespace lsmlab::engine
