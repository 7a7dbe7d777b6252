// Compressed payloads of data blocks: the uncompressed length u32, then what zstd or lz4 made.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/sstable/block_cache.h"

namespace lsmlab::engine {

/// Longer payloads are stored as they are, so that a reader can refuse larger lengths: a damaged
/// one cannot ask for much memory.
inline constexpr std::uint64_t kCompressiblePayloadMax = 4 << 20;

/// The compressed payload, in `out`. False where it would not be smaller, or too long, or
/// `compression` is none; `out` then holds anything.
[[nodiscard]] bool compress_payload(Compression compression, std::string_view payload,
                                    std::string& out);

/// False where it is not one, or longer than kCompressiblePayloadMax; `out` then holds anything.
/// REQUIRES: not kNone.
[[nodiscard]] bool decompress_payload(Compression compression, std::string_view stored,
                                      std::string& out);

}  // namespace lsmlab::engine
