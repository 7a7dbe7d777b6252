// Decodes the records of a MANIFEST.
#include <fmt/format.h>

#include "traces/stores/manifest.h"
#include "traces/stores/record_blocks.h"

namespace lsmlab::stores {
namespace {

// Field tags of all systems, then those of RocksDB and those of Pebble.
enum Tag : std::uint32_t {
  kTagComparator = 1,
  kTagLogNumber = 2,
  kTagNextFile = 3,
  kTagLastSequence = 4,
  kTagCompactCursor = 5,
  kTagDeletedFile = 6,
  kTagNewFile = 7,
  kTagPreviousLog = 9,
  kTagMinLog = 10,
  kTagNewFile2 = 100,
  kTagNewFile3 = 102,
  kTagNewFile4 = 103,
  kTagNewFile5 = 104,  // of Pebble, with range keys
  kTagBackingAdd = 105,
  kTagBackingRemove = 106,
  kTagPebbleBlobAdd = 107,
  kTagPebbleBlobRemove = 108,
  kTagFamily = 200,
  kTagFamilyAdd = 201,
  kTagFamilyDrop = 202,
  kTagMaxFamily = 203,
  kTagAtomicGroup = 300,
  kTagBlobAddition = 400,
  kTagBlobGarbage = 401,
  // Fields with a tag from here on may be ignored: their length follows the tag. The next four
  // were written without a length for some time.
  kTagIgnorable = 1U << 13,
  kTagOldBlobAddition = kTagIgnorable + 2,
  kTagOldBlobGarbage = kTagIgnorable + 3,
  kTagOldWalAddition = kTagIgnorable + 4,
  kTagOldWalDeletion = kTagIgnorable + 5,
};

constexpr std::uint32_t kCustomEnd = 1;
constexpr std::uint32_t kCustomAncestorTime = 5;
constexpr std::uint32_t kCustomCreationTime = 6;
constexpr std::uint32_t kCustomMustKnow = 1U << 6;
constexpr std::uint32_t kCustomPath = kCustomMustKnow + 1;
// Of Pebble: a part of another file; what it puts before or behind each key; values in blob files.
constexpr std::uint32_t kCustomVirtual = 66;
constexpr std::uint32_t kCustomKeyPrefix = 67;
constexpr std::uint32_t kCustomKeySuffix = 68;
constexpr std::uint32_t kCustomBlobReferences = 69;
constexpr std::size_t kInternalKeySuffixBytes = 8;  // sequence number and kind of the entry

// Takes fields off the front. After a failure, all later fields fail too.
// Of the suffix of an internal key: its bytes above the type, the lowest first.
std::uint64_t sequence_of(std::string_view suffix) {
  std::uint64_t sequence = 0;
  for (std::size_t i = kInternalKeySuffixBytes - 1; i > 0; --i) {
    sequence = sequence << 8U | static_cast<std::uint8_t>(suffix[i]);
  }
  return sequence;
}

class Fields {
 public:
  explicit Fields(std::string_view rest) : rest_(rest) {}

  std::uint64_t varint(unsigned bits_max = 64) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < bits_max; shift += 7) {
      if (rest_.empty()) break;
      const auto byte = static_cast<std::uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    fail();
    return 0;
  }
  std::uint32_t varint32() {
    const std::uint64_t value = varint(35);
    if (value > UINT32_MAX) fail();
    return static_cast<std::uint32_t>(value);
  }
  std::uint8_t byte() {
    if (rest_.empty()) {
      fail();
      return 0;
    }
    const auto value = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }
  std::string_view slice() {
    const std::uint32_t length = varint32();
    if (length > rest_.size()) {
      fail();
      return {};
    }
    const std::string_view text = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return text;
  }
  std::string user_key() {
    const std::string_view key = slice();
    if (key.size() < kInternalKeySuffixBytes) {
      fail();
      return "";
    }
    last_suffix_ = key.substr(key.size() - kInternalKeySuffixBytes);
    return std::string(key.substr(0, key.size() - kInternalKeySuffixBytes));
  }
  /// Sequence number of the key that user_key() took last.
  [[nodiscard]] std::uint64_t sequence() const {
    return last_suffix_.empty() ? 0 : sequence_of(last_suffix_);
  }
  /// Whether the key that user_key() took last stands for the end of a range tombstone: its
  /// sequence number is the largest that there is.
  [[nodiscard]] bool is_tombstone_end() const {
    return !is_failed_ && !last_suffix_.empty() &&
           last_suffix_.substr(1) == std::string_view("\xff\xff\xff\xff\xff\xff\xff");
  }
  std::uint32_t level() {
    const std::uint32_t level = varint32();
    if (level >= kStoreLevelsMax) fail();
    return is_failed_ ? 0 : level;
  }
  void fail() {
    is_failed_ = true;
    rest_ = {};
  }
  [[nodiscard]] bool is_failed() const { return is_failed_; }
  [[nodiscard]] bool is_done() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  std::string_view last_suffix_;
  bool is_failed_ = false;
};

// Depth, then pairs of file and bytes, after their number.
void skip_blob_references(Fields& fields) {
  static_cast<void>(fields.varint());
  const std::uint64_t references = fields.varint();
  for (std::uint64_t i = 0; i < references && !fields.is_failed(); ++i) {
    static_cast<void>(fields.varint());
    static_cast<void>(fields.varint());
  }
}

// True if the tag is one of Pebble's without a length.
bool read_pebble_custom_field(Fields& fields, std::uint32_t tag, StoreFile& file) {
  if (tag == kCustomVirtual) {
    file.is_virtual = true;
    static_cast<void>(fields.varint());
  } else if (tag == kCustomBlobReferences) {
    skip_blob_references(fields);
  } else {
    return false;
  }
  return true;
}

// RocksDB writes the time of a file's oldest ancestor with its creation time, and Pebble does not.
// The other fields are Pebble's alone.
struct CustomTags {
  bool has_ancestor_time = false;
  bool has_creation_time = false;
  bool has_pebble_tag = false;
  void add(std::uint32_t tag) {
    has_ancestor_time = has_ancestor_time || tag == kCustomAncestorTime;
    has_creation_time = has_creation_time || tag == kCustomCreationTime;
    has_pebble_tag = has_pebble_tag || (tag >= kCustomVirtual && tag <= kCustomBlobReferences);
  }
  [[nodiscard]] bool is_pebble() const {
    return has_pebble_tag || (has_creation_time && !has_ancestor_time);
  }
};

// True if the fields are Pebble's.
bool read_custom_fields(Fields& fields, StoreFile& file) {
  CustomTags tags;
  for (;;) {
    const std::uint32_t tag = fields.varint32();
    if (fields.is_failed() || tag == kCustomEnd) return tags.is_pebble();
    tags.add(tag);
    if (read_pebble_custom_field(fields, tag, file)) continue;
    const std::string_view value = fields.slice();
    if (tag == kCustomCreationTime || tag == kCustomAncestorTime) {
      Fields inner(value);
      (tag == kCustomCreationTime ? file.creation_seconds : file.ancestor_seconds) = inner.varint();
      if (inner.is_failed()) fields.fail();
    } else if ((tag & kCustomMustKnow) != 0 && tag != kCustomPath && tag != kCustomKeyPrefix &&
               tag != kCustomKeySuffix) {
      fields.fail();
    }
  }
}

void read_new_file(Fields& fields, std::uint32_t tag, VersionEdit& edit) {
  AddedFile added;
  added.level = fields.level();
  added.file.number = fields.varint();
  if (tag == kTagNewFile3) static_cast<void>(fields.varint32());  // the path
  added.file.bytes = fields.varint();
  added.file.smallest_key = fields.user_key();
  added.file.first_key_sequence = fields.sequence();
  added.file.largest_key = fields.user_key();
  added.file.largest_is_exclusive = fields.is_tombstone_end();
  if (tag != kTagNewFile) {
    edit.has_rocksdb_fields = true;
    added.file.smallest_sequence = fields.varint();
    added.file.largest_sequence = fields.varint();
  }
  if (tag == kTagNewFile4 && read_custom_fields(fields, added.file)) edit.has_pebble_fields = true;
  if (!fields.is_failed()) edit.added.push_back(std::move(added));
}

// Pebble's file with range keys: bounds of its point keys, if there are any, then of its range
// keys. A mark says which of them are the file's own.
void read_file_with_range_keys(Fields& fields, VersionEdit& edit) {
  constexpr std::uint8_t kHasPoints = 1;
  constexpr std::uint8_t kSmallestIsPoint = 2;
  constexpr std::uint8_t kLargestIsPoint = 4;
  AddedFile added;
  added.level = fields.level();
  added.file.number = fields.varint();
  added.file.bytes = fields.varint();
  const std::uint8_t mark = fields.byte();
  std::string first_point;
  std::string last_point;
  bool last_point_is_end = false;
  if ((mark & kHasPoints) != 0) {
    first_point = fields.user_key();
    last_point = fields.user_key();
    last_point_is_end = fields.is_tombstone_end();
  }
  added.file.smallest_key = fields.user_key();
  added.file.largest_key = fields.user_key();
  added.file.largest_is_exclusive = fields.is_tombstone_end();
  if ((mark & kSmallestIsPoint) != 0) added.file.smallest_key = std::move(first_point);
  if ((mark & kLargestIsPoint) != 0) {
    added.file.largest_key = std::move(last_point);
    added.file.largest_is_exclusive = last_point_is_end;
  }
  added.file.smallest_sequence = fields.varint();
  added.file.largest_sequence = fields.varint();
  static_cast<void>(read_custom_fields(fields, added.file));
  if (!fields.is_failed()) edit.added.push_back(std::move(added));
}

// Custom fields of blob files: pairs of tag and slice until the tag 0. A reader must know tags with
// the bit 64, and RocksDB defines none.
void skip_blob_fields(Fields& fields) {
  for (;;) {
    const std::uint32_t tag = fields.varint32();
    if (fields.is_failed() || tag == 0) return;
    static_cast<void>(fields.slice());
    if ((tag & kCustomMustKnow) != 0) fields.fail();
  }
}

void skip_blob(Fields& fields, bool is_addition) {
  for (int i = 0; i < 3; ++i) static_cast<void>(fields.varint());  // number, count, bytes
  if (is_addition) {
    static_cast<void>(fields.slice());  // checksum method
    static_cast<void>(fields.slice());  // checksum
  }
  skip_blob_fields(fields);
}

// Log number, then pairs of tag and value until the tag 1.
void skip_old_wal_addition(Fields& fields) {
  static_cast<void>(fields.varint());
  while (!fields.is_failed() && fields.varint32() != 1) static_cast<void>(fields.varint());
}

// True if the tag is one of those that LevelDB has too.
bool read_common(Fields& fields, std::uint32_t tag, VersionEdit& edit) {
  switch (tag) {
    case kTagComparator:
      edit.comparator = std::string(fields.slice());
      return true;
    case kTagNextFile:
      edit.next_file = fields.varint();
      return true;
    case kTagLastSequence:
      edit.last_sequence = fields.varint();
      return true;
    case kTagLogNumber:
      edit.log_number = fields.varint();
      return true;
    case kTagPreviousLog:
      static_cast<void>(fields.varint());
      return true;
    case kTagCompactCursor: {
      LevelCursor cursor;
      cursor.level = fields.level();
      const std::string_view key = fields.slice();
      if (key.size() < kInternalKeySuffixBytes) return true;  // no cursor yet
      const std::size_t user_bytes = key.size() - kInternalKeySuffixBytes;
      cursor.key = std::string(key.substr(0, user_bytes));
      cursor.sequence = sequence_of(key.substr(user_bytes));
      edit.cursors.push_back(std::move(cursor));
      return true;
    }
    case kTagDeletedFile: {
      DeletedFile deleted;
      deleted.level = fields.level();
      deleted.number = fields.varint();
      if (!fields.is_failed()) edit.deleted.push_back(deleted);
      return true;
    }
    case kTagNewFile:
    case kTagNewFile2:
    case kTagNewFile3:
    case kTagNewFile4:
      read_new_file(fields, tag, edit);
      return true;
    default:
      return false;
  }
}

// True if the tag is one of Pebble's own.
bool read_pebble(Fields& fields, std::uint32_t tag, VersionEdit& edit) {
  const auto skip = [&fields](int varints) {
    for (int i = 0; i < varints; ++i) static_cast<void>(fields.varint());
  };
  switch (tag) {
    case kTagNewFile5:
      read_file_with_range_keys(fields, edit);
      break;
    case kTagBackingAdd:
      skip(2);  // file, bytes
      break;
    case kTagBackingRemove:
      skip(1);
      break;
    case kTagPebbleBlobAdd:
      skip(5);  // blob, file, bytes, bytes of values, creation time
      break;
    case kTagPebbleBlobRemove:
      skip(2);  // blob, file
      break;
    default:
      return false;
  }
  edit.has_pebble_fields = true;
  return true;
}

// False if the tag is unknown and must not be ignored.
bool read_rocksdb(Fields& fields, std::uint32_t tag, VersionEdit& edit) {
  edit.has_rocksdb_fields = true;
  switch (tag) {
    case kTagMinLog:
      static_cast<void>(fields.varint());
      return true;
    case kTagFamily:
      edit.family = fields.varint32();
      return true;
    case kTagFamilyAdd:
      edit.family_added = std::string(fields.slice());
      return true;
    case kTagFamilyDrop:
      edit.family_dropped = true;
      return true;
    case kTagMaxFamily:
      static_cast<void>(fields.varint32());
      return true;
    case kTagAtomicGroup:
      edit.group_rest = fields.varint32();
      return true;
    case kTagBlobAddition:
    case kTagOldBlobAddition:
      skip_blob(fields, true);
      return true;
    case kTagBlobGarbage:
    case kTagOldBlobGarbage:
      skip_blob(fields, false);
      return true;
    case kTagOldWalAddition:
      skip_old_wal_addition(fields);
      return true;
    case kTagOldWalDeletion:
      static_cast<void>(fields.varint());
      return true;
    default:
      if ((tag & kTagIgnorable) == 0) return false;
      static_cast<void>(fields.slice());
      return true;
  }
}

}  // namespace

Result<VersionEdit> decode_version_edit(std::string_view record) {
  VersionEdit edit;
  Fields fields(record);
  while (!fields.is_done()) {
    const std::uint32_t tag = fields.varint32();
    if (fields.is_failed()) return input_error("the edit ends within a tag");
    if (!read_common(fields, tag, edit) && !read_pebble(fields, tag, edit) &&
        !read_rocksdb(fields, tag, edit)) {
      return input_error(fmt::format(
          "the edit has a field with the unknown tag {}; expected an edit of LevelDB, RocksDB or "
          "Pebble",
          tag));
    }
    if (fields.is_failed()) {
      return input_error(fmt::format("the field with tag {} is cut or out of range", tag));
    }
  }
  return edit;
}

Salvaged<Manifest> read_manifest(std::string_view bytes) {
  ManifestBuilder builder;
  const auto fault = visit_records(bytes, [&](std::string_view record, std::uint64_t offset) {
    auto edit = decode_version_edit(record);
    if (!edit) {
      builder.fail(in_context(fmt::format("offset {}", offset), edit.error()));
      return false;
    }
    edit.value().offset = offset;
    builder.add(std::move(edit.value()));
    return true;
  });
  if (fault) builder.fail(*fault);
  return builder.finish();
}

bool is_manifest(std::string_view bytes) {
  if (!begins_with_record(bytes)) return false;
  bool is_edit = false;
  static_cast<void>(visit_records(bytes, [&](std::string_view record, std::uint64_t) {
    is_edit = decode_version_edit(record).has_value();
    return false;
  }));
  return is_edit;
}

}  // namespace lsmlab::stores
