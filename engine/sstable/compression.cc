#include "engine/sstable/compression.h"

#include <lz4.h>
#include <snappy.h>
#include <zstd.h>

#include <memory>

#include "engine/sstable/table_codec.h"
#include "models/base/check.h"

namespace lsmlab::engine {
namespace {

constexpr std::size_t kLengthBytes = sizeof(std::uint32_t);

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

// Making a context takes longer than compressing a block, so each thread keeps its own.
ZSTD_CCtx* zstd_compressor() {
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  CHECK(context != nullptr);
  return context.get();
}

ZSTD_DCtx* zstd_decompressor() {
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  CHECK(context != nullptr);
  return context.get();
}

int stream_lz4(const char* from, char* to, int size, int bound) {
  LZ4_stream_t stream;
  LZ4_initStream(&stream, sizeof stream);
  return LZ4_compress_fast_continue(&stream, from, to, size, bound, 1);
}

}  // namespace

void compress_raw(Compression compression, std::string_view payload, const CodecCalls& calls,
                  std::size_t head_bytes, std::string& out) {
  CHECK(payload.size() <= kCompressiblePayloadMax);
  std::size_t bytes = 0;
  switch (compression) {
    case Compression::kZstd:
      out.resize(head_bytes + ZSTD_compressBound(payload.size()));
      bytes = ZSTD_compressCCtx(zstd_compressor(), out.data() + head_bytes, out.size() - head_bytes,
                                payload.data(), payload.size(), calls.zstd_level);
      CHECK(ZSTD_isError(bytes) == 0);
      break;
    case Compression::kLz4: {
      const int bound = LZ4_compressBound(static_cast<int>(payload.size()));
      out.resize(head_bytes + static_cast<std::size_t>(bound));
      char* const to = out.data() + head_bytes;
      const auto size = static_cast<int>(payload.size());
      const int made = calls.streams_lz4 ? stream_lz4(payload.data(), to, size, bound)
                                         : LZ4_compress_default(payload.data(), to, size, bound);
      CHECK(made > 0 || payload.empty());
      bytes = static_cast<std::size_t>(made);
      break;
    }
    case Compression::kSnappy:
      out.resize(head_bytes + snappy::MaxCompressedLength(payload.size()));
      snappy::RawCompress(payload.data(), payload.size(), out.data() + head_bytes, &bytes);
      break;
    case Compression::kNone:
      CHECK(false);
  }
  out.resize(head_bytes + bytes);
}

bool compress_payload(Compression compression, std::string_view payload, std::string& out) {
  if (compression == Compression::kNone) return false;
  if (payload.size() > kCompressiblePayloadMax || payload.empty()) return false;
  compress_raw(compression, payload, kEngineCalls, kLengthBytes, out);
  store(out.data(), static_cast<std::uint32_t>(payload.size()));
  return out.size() < payload.size();
}

bool decompress_payload(Compression compression, std::string_view stored, std::string& out) {
  CHECK(compression != Compression::kNone);
  if (stored.size() <= kLengthBytes) return false;
  const auto length = load<std::uint32_t>(stored.data());
  stored.remove_prefix(kLengthBytes);
  if (length > kCompressiblePayloadMax || stored.size() > kCompressiblePayloadMax) return false;
  out.resize(length);
  if (compression == Compression::kSnappy) {
    std::size_t stated = 0;
    return snappy::GetUncompressedLength(stored.data(), stored.size(), &stated) &&
           stated == length && snappy::RawUncompress(stored.data(), stored.size(), out.data());
  }
  if (compression == Compression::kZstd) {
    return ZSTD_decompressDCtx(zstd_decompressor(), out.data(), length, stored.data(),
                               stored.size()) == length;
  }
  const int made = LZ4_decompress_safe(stored.data(), out.data(), static_cast<int>(stored.size()),
                                       static_cast<int>(length));
  return made >= 0 && static_cast<std::uint32_t>(made) == length;
}

}  // namespace lsmlab::engine
