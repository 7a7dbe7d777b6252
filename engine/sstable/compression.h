// Compressed payloads of data blocks: the uncompressed length as u32, then the output of zstd or
// lz4.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/sstable/block_cache.h"

namespace lsmlab::engine {

/// Longer payloads are stored uncompressed. A reader can therefore refuse larger lengths, and a
/// damaged length cannot make it allocate much memory.
inline constexpr std::uint64_t kCompressiblePayloadMax = 4 << 20;

/// Compresses the payload into `out`. False if the result would not be smaller, or would be too
/// long, or `compression` is none; the content of `out` is then unspecified.
[[nodiscard]] bool compress_payload(Compression compression, std::string_view payload,
                                    std::string& out);

/// Decompresses into `out`. False if `stored` is not compressed data, or longer than
/// kCompressiblePayloadMax; the content of `out` is then unspecified. REQUIRES: not kNone.
[[nodiscard]] bool decompress_payload(Compression compression, std::string_view stored,
                                      std::string& out);

}  // namespace lsmlab::engine
