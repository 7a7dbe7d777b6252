#include "engine/sstable/sstable_format.h"

#include <fmt/format.h>

#include "engine/sstable/checksum.h"
#include "engine/sstable/table_codec.h"
#include "models/base/check.h"
#include "models/sizes/sstable_size.h"

namespace lsmlab::engine {
namespace {

constexpr std::string_view kMagic = "lsmlabst";
constexpr std::size_t kFilterAt = 0;
constexpr std::size_t kIndexAt = 12;
constexpr std::size_t kPropertiesAt = 24;
constexpr std::size_t kVersionAt = 36;
constexpr std::size_t kFileBytesAt = 40;
constexpr std::size_t kChecksumAt = 48;
constexpr std::size_t kMagicAt = 56;

void append_place(std::string& out, const BlockPlace& place) {
  append_number(out, place.position);
  append_number(out, place.bytes);
}

BlockPlace load_place(const char* at) {
  return {load<std::uint64_t>(at), load<std::uint32_t>(at + sizeof(std::uint64_t))};
}

// Whether the block ends at `end`, computed without overflow.
bool ends_at(const BlockPlace& place, std::uint64_t end) {
  return place.bytes > kBlockTrailerBytes && place.bytes <= end &&
         place.position == end - place.bytes;
}

}  // namespace

Error damage(const std::string& path, std::uint64_t position, std::string_view what) {
  return machine_error(fmt::format("{}: offset {}: {}", path, position, what));
}

std::string encode_footer(const SstableFooter& footer) {
  std::string bytes;
  append_place(bytes, footer.filter);
  append_place(bytes, footer.index);
  append_place(bytes, footer.properties);
  append_number(bytes, footer.has_first_keys ? kSstableVersionWithFirstKeys : kSstableVersion);
  append_number(bytes, footer.file_bytes);
  append_number(bytes, checksum_of(bytes));
  bytes += kMagic;
  CHECK(bytes.size() == kSstableFooterBytes);
  return bytes;
}

Result<SstableFooter> decode_footer(std::string_view bytes, std::uint64_t file_bytes,
                                    const std::string& path) {
  CHECK(bytes.size() == kSstableFooterBytes && file_bytes >= kSstableFooterBytes);
  const std::uint64_t at = file_bytes - kSstableFooterBytes;
  if (bytes.substr(kMagicAt) != kMagic) {
    return damage(path, at + kMagicAt, "this is not the end of an SSTable (no magic number)");
  }
  if (load<std::uint64_t>(bytes.data() + kChecksumAt) !=
      checksum_of(bytes.substr(0, kChecksumAt))) {
    return damage(path, at, "the footer's checksum is wrong");
  }
  const auto version = load<std::uint32_t>(bytes.data() + kVersionAt);
  if (version != kSstableVersion && version != kSstableVersionWithFirstKeys) {
    return damage(path, at + kVersionAt,
                  fmt::format("SSTable version {}; expected {} or {}", version, kSstableVersion,
                              kSstableVersionWithFirstKeys));
  }
  SstableFooter footer;
  footer.has_first_keys = version == kSstableVersionWithFirstKeys;
  footer.filter = load_place(bytes.data() + kFilterAt);
  footer.index = load_place(bytes.data() + kIndexAt);
  footer.properties = load_place(bytes.data() + kPropertiesAt);
  footer.file_bytes = load<std::uint64_t>(bytes.data() + kFileBytesAt);
  if (footer.file_bytes != file_bytes) {
    return damage(path, at + kFileBytesAt,
                  fmt::format("the file has {} bytes, but its footer says {}", file_bytes,
                              footer.file_bytes));
  }
  if (!ends_at(footer.properties, at)) {
    return damage(path, at + kPropertiesAt, "the properties do not end at the footer");
  }
  if (!ends_at(footer.index, footer.properties.position)) {
    return damage(path, at + kIndexAt, "the index does not end at the properties");
  }
  if (footer.filter.bytes == 0 ? footer.filter.position != 0
                               : !ends_at(footer.filter, footer.index.position)) {
    return damage(path, at + kFilterAt, "the filter does not end at the index");
  }
  return footer;
}

Result<StoredBlock> check_block(std::string_view stored, const std::string& path,
                                std::uint64_t position) {
  if (stored.size() < kBlockTrailerBytes) return damage(path, position, "a block has no trailer");
  const std::size_t checked_bytes = stored.size() - sizeof(std::uint64_t);
  if (load<std::uint64_t>(stored.data() + checked_bytes) !=
      checksum_of(stored.substr(0, checked_bytes))) {
    return damage(path, position,
                  fmt::format("the checksum of a block of {} bytes is wrong", stored.size()));
  }
  const auto compression = static_cast<unsigned char>(stored[checked_bytes - 1]);
  if (compression > static_cast<unsigned char>(Compression::kSnappy)) {
    return damage(path, position, fmt::format("unknown compression {}", compression));
  }
  return StoredBlock{stored.substr(0, checked_bytes - 1), static_cast<Compression>(compression)};
}

}  // namespace lsmlab::engine
