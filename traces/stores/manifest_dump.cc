// Reads the text forms of a MANIFEST that RocksDB's tool ldb prints.
#include <fmt/format.h>

#include "models/base/json_parse.h"
#include "traces/stores/manifest.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

constexpr std::string_view kTextEdit = "VersionEdit {";
constexpr std::string_view kJsonEdit = "{\"EditNumber\"";

// LevelDB's tool prints the offset of each edit.
constexpr std::string_view kLeveldbEdit = "; VersionEdit {";

// "'key' seq:5, type:1" or "6B6579 seq:5, type:1", of LevelDB "'key' @ 5 : 1": the part of the user
// key.
std::string key_of_dump(std::string_view text) {
  if (text.starts_with('\'') && text.find("' @ ") != std::string_view::npos &&
      text.find("' seq:") == std::string_view::npos) {
    return std::string(text.substr(1, text.find("' @ ") - 1));
  }
  if (text.starts_with('\'')) {
    const std::size_t end = text.find("' seq:");
    if (end != std::string_view::npos) return std::string(text.substr(1, end - 1));
  }
  const std::size_t end = text.rfind(" seq:");
  return std::string(trimmed(text.substr(0, end)));
}

std::optional<std::uint64_t> number_in(const nlohmann::ordered_json& object, const char* name) {
  const auto member = object.find(name);
  if (member == object.end() || !member->is_number_unsigned()) return std::nullopt;
  return member->get<std::uint64_t>();
}

std::optional<std::string> text_in(const nlohmann::ordered_json& object, const char* name) {
  const auto member = object.find(name);
  if (member == object.end() || !member->is_string()) return std::nullopt;
  return member->get<std::string>();
}

const nlohmann::ordered_json& list_in(const nlohmann::ordered_json& object, const char* name) {
  static const nlohmann::ordered_json kEmpty = nlohmann::ordered_json::array();
  const auto member = object.find(name);
  return member != object.end() && member->is_array() ? *member : kEmpty;
}

Result<std::uint32_t> level_in(const nlohmann::ordered_json& object) {
  const auto level = number_in(object, "Level");
  if (!level || *level >= kStoreLevelsMax || !number_in(object, "FileNumber")) {
    return input_error("a file without Level and FileNumber");
  }
  return static_cast<std::uint32_t>(*level);
}

Result<VersionEdit> edit_of_json(const nlohmann::ordered_json& object) {
  VersionEdit edit;
  edit.has_rocksdb_fields = true;
  for (const auto& item : list_in(object, "DeletedFiles")) {
    const std::uint32_t level = BOOST_OUTCOME_TRYX(level_in(item));
    edit.deleted.push_back({level, *number_in(item, "FileNumber")});
  }
  for (const auto& item : list_in(object, "AddedFiles")) {
    AddedFile added;
    added.level = BOOST_OUTCOME_TRYX(level_in(item));
    added.file.number = *number_in(item, "FileNumber");
    added.file.bytes = number_in(item, "FileSize").value_or(0);
    added.file.smallest_key = key_of_dump(text_in(item, "SmallestIKey").value_or(""));
    added.file.largest_key = key_of_dump(text_in(item, "LargestIKey").value_or(""));
    added.file.creation_seconds = number_in(item, "FileCreationTime").value_or(0);
    edit.added.push_back(std::move(added));
  }
  edit.comparator = text_in(object, "Comparator");
  edit.family_added = text_in(object, "ColumnFamilyAdd");
  edit.family_dropped = object.contains("ColumnFamilyDrop");
  edit.last_sequence = number_in(object, "LastSeq");
  edit.next_file = number_in(object, "NextFileNumber");
  edit.family = static_cast<std::uint32_t>(number_in(object, "ColumnFamily").value_or(0));
  if (const auto rest = number_in(object, "AtomicGroup")) {
    edit.group_rest = static_cast<std::uint32_t>(*rest);
  }
  return edit;
}

Salvaged<Manifest> read_json_dump(std::string_view text) {
  ManifestBuilder builder;
  Lines lines(text);
  while (const auto line = lines.next()) {
    if (!line->starts_with('{') || line->find("\"EditNumber\"") == std::string_view::npos) continue;
    const std::string place = fmt::format("line {}", lines.number());
    const auto object = parse_json(*line);
    if (!object) {
      builder.fail(in_context(place, object.error()));
      break;
    }
    auto edit = edit_of_json(object.value());
    if (!edit) {
      builder.fail(in_context(place, edit.error()));
      break;
    }
    edit.value().offset = lines.number();
    builder.add(std::move(edit.value()));
  }
  return builder.finish();
}

// The numbers at the beginning of a list such as "0 11 196265 'a' seq:1, ...".
bool take_number(std::string_view& text, std::uint64_t& number) {
  const auto found = leading_number(text);
  const std::size_t space = text.find(' ');
  if (!found) return false;
  number = *found;
  text = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
  return true;
}

bool take_level(std::string_view& text, std::uint32_t& level) {
  std::uint64_t number = 0;
  if (!take_number(text, number) || number >= kStoreLevelsMax) return false;
  level = static_cast<std::uint32_t>(number);
  return true;
}

// "0 11 196265 'first' seq:1, type:1 .. 'last' seq:2, type:1 oldest_ancester_time:0 ..."
bool add_file(std::string_view text, VersionEdit& edit) {
  AddedFile added;
  if (!take_level(text, added.level) || !take_number(text, added.file.number) ||
      !take_number(text, added.file.bytes)) {
    return false;
  }
  if (const auto last = after(text, " .. ")) {
    added.file.smallest_key = key_of_dump(text);
    added.file.largest_key = key_of_dump(*last);
  }
  if (const auto time = after(text, " file_creation_time:")) {
    added.file.creation_seconds = leading_number(*time).value_or(0);
  }
  edit.added.push_back(std::move(added));
  return true;
}

// One line inside of "VersionEdit {". False: it is cut or damaged.
bool add_field(std::string_view line, VersionEdit& edit) {
  const std::size_t colon = line.find(": ");
  const std::string_view name = line.substr(0, colon);
  std::string_view value =
      colon == std::string_view::npos ? std::string_view() : line.substr(colon + 2);
  const auto number = leading_number(value);
  if (name == "AddFile") return add_file(value, edit);
  if (name == "DeleteFile") {
    DeletedFile deleted;
    if (!take_level(value, deleted.level) || !take_number(value, deleted.number)) return false;
    edit.deleted.push_back(deleted);
  } else if (name == "ColumnFamily") {
    if (!number || *number > UINT32_MAX) return false;
    edit.family = static_cast<std::uint32_t>(*number);
  } else if (name == "AtomicGroup") {
    if (!number || *number > UINT32_MAX) return false;
    edit.group_rest = static_cast<std::uint32_t>(*number);
  } else if (name == "ColumnFamilyAdd") {
    edit.family_added = std::string(value);
  } else if (name == "ColumnFamilyDrop") {
    edit.family_dropped = true;
  } else if (name == "Comparator") {
    edit.comparator = std::string(value);
  } else if (name == "LastSeq" || name == "LastSequence") {
    edit.last_sequence = number;
  } else if (name == "NextFileNumber") {
    edit.next_file = number;
  }
  return true;
}

Salvaged<Manifest> read_text_dump(std::string_view text) {
  ManifestBuilder builder;
  Lines lines(text);
  std::optional<VersionEdit> edit;
  while (const auto line = lines.next()) {
    const bool is_leveldb = line->starts_with("--- offset ") && line->ends_with(kLeveldbEdit);
    if (*line == kTextEdit || is_leveldb) {
      if (edit) break;
      edit.emplace();
      edit->has_rocksdb_fields = !is_leveldb;
      edit->offset = lines.number();
    } else if (edit && *line == "}") {
      builder.add(std::move(*edit));
      edit.reset();
    } else if (edit && !add_field(trimmed(*line), *edit)) {
      builder.fail(input_error(fmt::format("line {}: the edit is cut or damaged", lines.number())));
      return builder.finish();
    }
  }
  if (edit) {
    builder.fail(input_error(fmt::format("line {}: the edit has no end", edit->offset)));
  }
  return builder.finish();
}

}  // namespace

Salvaged<Manifest> read_manifest_dump(std::string_view text) {
  return text.find(kJsonEdit) != std::string_view::npos ? read_json_dump(text)
                                                        : read_text_dump(text);
}

bool is_manifest_dump(std::string_view text) {
  const std::string_view head = text.substr(0, 65536);
  return head.find(kJsonEdit) != std::string_view::npos || head.starts_with(kTextEdit) ||
         head.find("\nVersionEdit {\n") != std::string_view::npos ||
         (head.starts_with("--- offset ") && head.find(kLeveldbEdit) != std::string_view::npos);
}

}  // namespace lsmlab::stores
