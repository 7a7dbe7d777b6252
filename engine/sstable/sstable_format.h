// The frame of an SSTable (docs/sstable.md): trailers of blocks, and the footer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/sstable/block_cache.h"
#include "models/base/error.h"

namespace lsmlab::engine {

inline constexpr std::uint32_t kSstableVersion = 1;
inline constexpr std::uint32_t kSstableVersionWithFirstKeys = 2;
inline constexpr std::uint64_t kNoTombstone = ~std::uint64_t{0};

/// Position and size of a block, including its trailer.
struct BlockPlace {
  std::uint64_t position = 0;
  std::uint32_t bytes = 0;
  [[nodiscard]] std::uint64_t end() const { return position + bytes; }
};

struct SstableFooter {
  BlockPlace filter;  // 0 bytes at 0: none
  BlockPlace index;
  BlockPlace properties;
  std::uint64_t file_bytes = 0;
  bool has_first_keys = false;  // in the index
};

[[nodiscard]] std::string encode_footer(const SstableFooter& footer);
/// Decodes the footer and checks that its blocks and the footer fill the end of the file.
/// `file_bytes`: the actual size of the file. Errors name `path`. REQUIRES: `bytes` are the last
/// kSstableFooterBytes of the file.
[[nodiscard]] Result<SstableFooter> decode_footer(std::string_view bytes, std::uint64_t file_bytes,
                                                  const std::string& path);

struct StoredBlock {
  std::string_view payload;  // as stored
  Compression compression;
};

/// Checks a block's trailer. `stored`: the block with its trailer. `position`: in the file, for
/// errors.
[[nodiscard]] Result<StoredBlock> check_block(std::string_view stored, const std::string& path,
                                              std::uint64_t position);

/// The error "path: offset N: what".
[[nodiscard]] Error damage(const std::string& path, std::uint64_t position, std::string_view what);

}  // namespace lsmlab::engine
