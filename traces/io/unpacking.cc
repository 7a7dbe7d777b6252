#include "traces/io/unpacking.h"

#include <fmt/format.h>
#define ZLIB_CONST  // the input of inflate() becomes const
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "models/base/check.h"

namespace lsmlab {
namespace {

using namespace std::string_view_literals;

struct Magic {
  std::string_view bytes;
  Packing packing;
};

constexpr std::string_view kGzipMagic = "\x1f\x8b"sv;
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd"sv;
constexpr Packing kGzipPacking{"gzip-compressed", "gzip -d"};
constexpr Packing kZstdPacking{"zstd-compressed", "zstd -d"};
// The magic of bzip2 is longer than "BZh" and a digit, because text may begin with those.
constexpr std::array<Magic, 9> kMagics{{{kGzipMagic, kGzipPacking},
                                        {kZstdMagic, kZstdPacking},
                                        {"\xfd"
                                         "7zXZ\0"sv,
                                         {"xz-compressed", "xz -d"}},
                                        {"\x04\x22\x4d\x18"sv, {"lz4-compressed", "lz4 -d"}},
                                        {"PK\x03\x04"sv, {"a zip archive", "unzip"}},
                                        {"7z\xbc\xaf\x27\x1c"sv, {"a 7-zip archive", "7z x"}},
                                        {"LZIP\x01"sv, {"lzip-compressed", "lzip -d"}},
                                        {"\x1f\x9d"sv, {"compressed by compress", "uncompress"}},
                                        {"\x1f\xa0"sv, {"compressed by pack", "gzip -d"}}}};
constexpr Packing kBzip2Packing{"bzip2-compressed", "bzip2 -d"};
constexpr std::size_t kFrontBytes = 16;

bool begins_with(std::span<const std::uint8_t> front, std::string_view magic) {
  return front.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), front.begin(),
                    [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
}

bool is_bzip2(std::span<const std::uint8_t> front) {
  return front.size() > 4 && begins_with(front, "BZh"sv) && front[3] >= '1' && front[3] <= '9' &&
         (begins_with(front.subspan(4), "\x31\x41\x59\x26\x53\x59"sv) ||
          begins_with(front.subspan(4), "\x17\x72\x45\x38\x50\x90"sv));
}

// Frames for data of other programs may come first in a zstd file.
bool is_zstd(std::span<const std::uint8_t> front) {
  return begins_with(front, kZstdMagic) || (front.size() >= 4 && (front[0] & 0xf0U) == 0x50 &&
                                            begins_with(front.subspan(1), "\x2a\x4d\x18"sv));
}

Error unpacking_error(const ByteReader& packed, const std::string& what) {
  return input_error(fmt::format("{}: {} at byte {} of the compressed file", packed.path(), what,
                                 packed.offset()));
}

class GzipSource final : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteReader> packed) : packed_(std::move(packed)) {
    constexpr int kGzipOnly = 16;
    CHECK(::inflateInit2(&stream_, MAX_WBITS + kGzipOnly) == Z_OK);
  }
  ~GzipSource() override { ::inflateEnd(&stream_); }

  Result<std::size_t> read_some(std::span<std::uint8_t> bytes) override {
    const std::size_t room =
        std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max() / 2);
    for (;;) {
      auto input = BOOST_OUTCOME_TRYX(packed_->peek());
      if (!in_member_) {
        auto more = BOOST_OUTCOME_TRYX(begin_member());
        if (!more) return std::size_t{0};
        continue;
      }
      if (input.empty()) return unpacking_error(*packed_, "the gzip data is cut short");
      stream_.next_in = input.data();
      stream_.avail_in = static_cast<uInt>(input.size());
      stream_.next_out = bytes.data();
      stream_.avail_out = static_cast<uInt>(room);
      const int outcome = ::inflate(&stream_, Z_NO_FLUSH);
      packed_->consume(input.size() - stream_.avail_in);
      if (outcome == Z_MEM_ERROR) return machine_error("out of memory");
      if (outcome != Z_OK && outcome != Z_STREAM_END) {
        return unpacking_error(
            *packed_,
            fmt::format("damaged gzip data ({})", stream_.msg != nullptr ? stream_.msg : "no end"));
      }
      if (outcome == Z_STREAM_END) in_member_ = false;
      const std::size_t count = room - stream_.avail_out;
      if (count > 0) return count;
    }
  }

 private:
  // Returns whether another member follows. Zeros may pad a gzip file to the block size of a tape.
  Result<bool> begin_member() {
    auto front = BOOST_OUTCOME_TRYX(packed_->peek(kGzipMagic.size()));
    if (begins_with(front, kGzipMagic)) {
      CHECK(::inflateReset(&stream_) == Z_OK);
      in_member_ = true;
      return true;
    }
    while (!front.empty()) {
      if (front[0] != 0) return unpacking_error(*packed_, "bytes that are not gzip data");
      packed_->consume(1);
      front = BOOST_OUTCOME_TRYX(packed_->peek());
    }
    return false;
  }

  std::unique_ptr<ByteReader> packed_;
  z_stream stream_{};
  bool in_member_ = false;
};

class ZstdSource final : public ByteSource {
 public:
  explicit ZstdSource(std::unique_ptr<ByteReader> packed) : packed_(std::move(packed)) {
    CHECK(stream_ != nullptr);
    CHECK(ZSTD_isError(
              ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, kZstdWindowLogMax)) == 0);
  }

  Result<std::size_t> read_some(std::span<std::uint8_t> bytes) override {
    for (;;) {
      auto input = BOOST_OUTCOME_TRYX(packed_->peek());
      ZSTD_inBuffer in{input.data(), input.size(), 0};
      ZSTD_outBuffer out{bytes.data(), bytes.size(), 0};
      if (input.empty() && !in_frame_) return std::size_t{0};
      const std::size_t wanted = ZSTD_decompressStream(stream_.get(), &out, &in);
      packed_->consume(in.pos);
      if (ZSTD_isError(wanted) != 0) return damaged(wanted);
      in_frame_ = wanted != 0;
      if (out.pos > 0) return out.pos;
      if (input.empty() && in_frame_) {
        return unpacking_error(*packed_, "the zstd data is cut short");
      }
    }
  }

 private:
  Error damaged(std::size_t code) const {
    if (ZSTD_getErrorCode(code) == ZSTD_error_frameParameter_windowTooLarge) {
      return input_error(fmt::format(
          "{}: zstd data with a window of more than {} MiB (made with --long); unpack "
          "it first (zstd -d --long=31 '{}')",
          packed_->path(), (std::uint64_t{1} << kZstdWindowLogMax) >> 20, packed_->path()));
    }
    return unpacking_error(*packed_,
                           fmt::format("damaged zstd data ({})", ZSTD_getErrorName(code)));
  }

  std::unique_ptr<ByteReader> packed_;
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> stream_{ZSTD_createDCtx(), ZSTD_freeDCtx};
  bool in_frame_ = false;
};

}  // namespace

std::optional<Packing> describe_packing(std::span<const std::uint8_t> front) {
  for (const Magic& magic : kMagics) {
    if (begins_with(front, magic.bytes)) return magic.packing;
  }
  if (is_zstd(front)) return kZstdPacking;
  if (is_bzip2(front)) return kBzip2Packing;
  return std::nullopt;
}

std::string unpacking_command(const Packing& packing, const std::string& path) {
  return fmt::format("{} '{}'", packing.command, path);
}

Result<UnpackedInput> open_unpacked(const std::string& path, StopFlag stop) {
  auto file = BOOST_OUTCOME_TRYX(ByteReader::open(path, stop));
  auto front = BOOST_OUTCOME_TRYX(file->peek(kFrontBytes));
  std::unique_ptr<ByteSource> source;
  if (begins_with(front, kGzipMagic)) {
    source = std::make_unique<GzipSource>(std::move(file));
  } else if (is_zstd(front)) {
    source = std::make_unique<ZstdSource>(std::move(file));
  } else if (const auto packing = describe_packing(front)) {
    return input_error(fmt::format("{}: {}; unpack it first ({}), or compress it by gzip or zstd",
                                   path, packing->what, unpacking_command(*packing, path)));
  } else {
    return UnpackedInput{std::move(file), false};
  }
  return UnpackedInput{std::make_unique<ByteReader>(path, std::move(source)), true};
}

}  // namespace lsmlab
