#include "engine/sstable/compression.h"

#include <lz4.h>
#include <zstd.h>

#include <memory>

#include "engine/sstable/table_codec.h"
#include "models/base/check.h"

namespace lsmlab::engine {
namespace {

// Merging is the engine's hot path: this is the fastest level that compresses well.
constexpr int kZstdLevel = 1;
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

}  // namespace

bool compress_payload(Compression compression, std::string_view payload, std::string& out) {
  if (compression == Compression::kNone) return false;
  if (payload.size() > kCompressiblePayloadMax || payload.size() <= kLengthBytes + 1) return false;
  out.resize(payload.size() - 1);
  store(out.data(), static_cast<std::uint32_t>(payload.size()));
  char* const to = out.data() + kLengthBytes;
  const std::size_t room = out.size() - kLengthBytes;
  std::size_t bytes = 0;
  if (compression == Compression::kZstd) {
    bytes =
        ZSTD_compressCCtx(zstd_compressor(), to, room, payload.data(), payload.size(), kZstdLevel);
    if (ZSTD_isError(bytes) != 0) return false;
  } else {
    const int made = LZ4_compress_default(payload.data(), to, static_cast<int>(payload.size()),
                                          static_cast<int>(room));
    if (made <= 0) return false;
    bytes = static_cast<std::size_t>(made);
  }
  out.resize(kLengthBytes + bytes);
  return true;
}

bool decompress_payload(Compression compression, std::string_view stored, std::string& out) {
  CHECK(compression != Compression::kNone);
  if (stored.size() <= kLengthBytes) return false;
  const auto length = load<std::uint32_t>(stored.data());
  stored.remove_prefix(kLengthBytes);
  if (length > kCompressiblePayloadMax || stored.size() > kCompressiblePayloadMax) return false;
  out.resize(length);
  if (compression == Compression::kZstd) {
    return ZSTD_decompressDCtx(zstd_decompressor(), out.data(), length, stored.data(),
                               stored.size()) == length;
  }
  const int made = LZ4_decompress_safe(stored.data(), out.data(), static_cast<int>(stored.size()),
                                       static_cast<int>(length));
  return made >= 0 && static_cast<std::uint32_t>(made) == length;
}

}  // namespace lsmlab::engine
