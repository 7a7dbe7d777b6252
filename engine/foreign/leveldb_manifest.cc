#include "engine/foreign/leveldb_manifest.h"

#include <cstring>

#include "engine/logs/field_codec.h"
#include "models/sizes/sstable_format.h"

namespace lsmlab::engine {
namespace {

constexpr std::size_t kBlockBytes = 32'768;
constexpr std::size_t kHeaderBytes = 4 + 2 + 1;  // checksum, length, kind

enum class Fragment : std::uint8_t { kFull = 1, kFirst, kMiddle, kLast };

Error not_an_edit() {
  return machine_error("LevelDB's manifest: a record is not an edit of the tree");
}

// A text that follows its length.
std::optional<std::string_view> text_of(FieldReader& fields) {
  const auto bytes = fields.varint();
  return bytes ? fields.bytes(*bytes) : std::nullopt;
}

std::optional<std::string> user_key_of(FieldReader& fields) {
  const auto key = text_of(fields);
  if (!key || key->size() < kTagBytes) return std::nullopt;
  return std::string(key->substr(0, key->size() - kTagBytes));
}

// False if the field is unknown or incomplete.
bool read_field(std::uint64_t tag, FieldReader& fields, LeveldbEdit& edit) {
  switch (tag) {
    case 1:  // comparator
      return text_of(fields).has_value();
    case 2:  // log
      edit.log_number = fields.varint();
      return edit.log_number.has_value();
    case 3:  // next file
    case 4:  // last sequence
    case 9:  // previous log
      return fields.varint().has_value();
    case 5:  // compaction pointer
      return fields.varint() && text_of(fields);
    case 6: {
      const auto level = fields.varint();
      const auto number = fields.varint();
      if (!level || !number) return false;
      edit.removed.push_back({static_cast<std::uint32_t>(*level), *number});
      return true;
    }
    case 7: {
      const auto level = fields.varint();
      const auto number = fields.varint();
      const auto bytes = fields.varint();
      auto smallest = user_key_of(fields);
      auto largest = user_key_of(fields);
      if (!level || !number || !bytes || !smallest || !largest) return false;
      edit.added.push_back({static_cast<std::uint32_t>(*level), *number, *bytes,
                            std::move(*smallest), std::move(*largest)});
      return true;
    }
    default:
      return false;
  }
}

Result<LeveldbEdit> parse_edit(std::string_view record) {
  FieldReader fields(record);
  LeveldbEdit edit;
  while (!fields.rest().empty()) {
    const auto tag = fields.varint();
    if (!tag || !read_field(*tag, fields, edit)) return not_an_edit();
  }
  return edit;
}

}  // namespace

Result<std::optional<LeveldbEdit>> LeveldbManifest::next() {
  for (;;) {
    const std::size_t left_in_block = kBlockBytes - read_ % kBlockBytes;
    if (left_in_block < kHeaderBytes) {
      if (read_ + left_in_block > bytes_.size()) return std::nullopt;
      read_ += left_in_block;
      continue;
    }
    if (read_ + kHeaderBytes > bytes_.size()) return std::nullopt;
    std::uint16_t length = 0;
    std::memcpy(&length, bytes_.data() + read_ + 4, sizeof length);
    const auto kind = static_cast<Fragment>(bytes_[read_ + 6]);
    if (read_ + kHeaderBytes + length > bytes_.size()) return std::nullopt;
    record_.append(bytes_, read_ + kHeaderBytes, length);
    read_ += kHeaderBytes + length;
    if (kind == Fragment::kFirst || kind == Fragment::kMiddle) continue;
    if (kind != Fragment::kFull && kind != Fragment::kLast) return not_an_edit();
    const Result<LeveldbEdit> edit = parse_edit(record_);
    record_.clear();
    if (!edit) return edit.error();
    return edit.value();
  }
}

}  // namespace lsmlab::engine
