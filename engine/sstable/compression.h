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

/// How a store calls its codecs.
struct CodecCalls {
  int zstd_level = 1;
  bool streams_lz4 = false;  // by LZ4's stream interface, which finds other matches in a block
};

/// Merging is the engine's hot path: this is zstd's fastest level that compresses well.
inline constexpr CodecCalls kEngineCalls{};
/// RocksDB 7.8.3's (util/compression.h).
inline constexpr CodecCalls kRocksdbCalls{3, true};

/// Compresses into `out`, after `head_bytes` bytes that are left as they are. The result may be
/// longer than the payload. REQUIRES: not kNone; at most kCompressiblePayloadMax bytes.
void compress_raw(Compression compression, std::string_view payload, const CodecCalls& calls,
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
