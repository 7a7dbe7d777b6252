// Compressed inputs, which tests make when they run.
#pragma once

#include <zlib.h>
#include <zstd.h>

#include <string>

#include "testing/catch.h"

namespace lsmlab::testing {

/// Compresses a text as one gzip member.
inline std::string gzip(const std::string& text) {
  z_stream stream{};
  constexpr int kGzip = 16;
  REQUIRE(::deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + kGzip, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string packed(::deflateBound(&stream, text.size()), '\0');
  std::string in = text;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  REQUIRE(::deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(stream.total_out);
  ::deflateEnd(&stream);
  return packed;
}

/// Compresses a text as one zstd frame with a checksum.
inline std::string zstd(const std::string& text) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  REQUIRE(context != nullptr);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  const std::size_t bytes =
      ZSTD_compress2(context, packed.data(), packed.size(), text.data(), text.size());
  ZSTD_freeCCtx(context);
  REQUIRE(ZSTD_isError(bytes) == 0);
  packed.resize(bytes);
  return packed;
}

}  // namespace lsmlab::testing
