#include "engine/foreign/leveldb_manifest.h"

#include <cstring>
#include <utility>

#include "traces/stores/manifest.h"

namespace lsmlab::engine {
namespace {

constexpr std::size_t kBlockBytes = 32'768;
constexpr std::size_t kHeaderBytes = 4 + 2 + 1;  // checksum, length, kind

enum class Fragment : std::uint8_t { kFull = 1, kFirst, kMiddle, kLast };

Error not_an_edit() {
  return machine_error("LevelDB's manifest: a record is not an edit of the tree");
}

Result<LeveldbEdit> parse_edit(std::string_view record) {
  auto decoded = stores::decode_version_edit(record);
  if (!decoded || decoded.value().has_rocksdb_fields) return not_an_edit();
  LeveldbEdit edit;
  edit.log_number = decoded.value().log_number;
  for (const stores::DeletedFile& file : decoded.value().deleted) {
    edit.removed.push_back({file.level, file.number});
  }
  for (stores::AddedFile& added : decoded.value().added) {
    stores::StoreFile& file = added.file;
    edit.added.push_back({added.level, file.number, file.bytes, std::move(file.smallest_key),
                          std::move(file.largest_key)});
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
