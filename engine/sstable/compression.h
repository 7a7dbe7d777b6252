// Compressed payloads of data blocks: the uncompressed length as u32, then the output of zstd,
// lz4 or snappy.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/sstable/block_cache.h"

namespace lsmlab::engine {

/// Longer payloads are stored uncompressed. A reader can therefore refuse larger lengths, and a
/// damaged length cannot make it allocate much memory.
inline constexpr std::uint64_t kCompressiblePayloadMax = 4 << 20;

/// Merging is the engine's hot path: this is zstd's fastest level that compresses well.
inline constexpr int kEngineZstdLevel = 1;

/// Compresses into `out`, after `head_bytes` bytes that are left as they are. The result may be
/// longer than the payload. REQUIRES: not kNone; at most kCompressiblePayloadMax bytes.
void compress_raw(Compression compression, std::string_view payload, int zstd_level,
                  std::size_t head_bytes, std::string& out);

/// Compresses the payload into `out`. False if the result would not be smaller, or would be too
/// long, or `compression` is none; the content of `out` is then unspecified.
[[nodiscard]] bool compress_payload(Compression compression, std::string_view payload,
                                    std::string& out);

/// Decompresses into `out`. False if `stored` is not compressed data, or longer than
/// kCompressiblePayloadMax; the content of `out` is then unspecified. REQUIRES: not kNone.
[[nodiscard]] bool decompress_payload(Compression compression, std::string_view stored,
                                      std::string& out);

}  // namespace lsmlab::engine
