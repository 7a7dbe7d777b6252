#include "engine/sstable/bloom_filter.h"

#include "models/base/units.h"
#include "models/sizes/filter_chance.h"

namespace lsmlab::engine {
namespace {

constexpr unsigned kBitNumberBits = 9;  // 512 bits a line
constexpr std::uint64_t kBitNumberMask = (1U << kBitNumberBits) - 1;
constexpr unsigned kBitsPerMix = 64 / kBitNumberBits;

std::uint64_t line_of(std::uint64_t hash, std::uint64_t lines) {
  return static_cast<std::uint64_t>((Uint128{hash} * lines) >> 64);
}

// Yields the bits of a key in its line, one after another.
class LineBits {
 public:
  explicit LineBits(std::uint64_t hash) : mix_(hash) {}
  std::uint64_t next() {
    if (left_ == 0) {
      mix_ = (mix_ ^ mix_ >> 32) * 0x9e3779b97f4a7c15;
      slices_ = mix_;
      left_ = kBitsPerMix;
    }
    --left_;
    const std::uint64_t bit = slices_ & kBitNumberMask;
    slices_ >>= kBitNumberBits;
    return bit;
  }

 private:
  std::uint64_t mix_;
  std::uint64_t slices_ = 0;
  unsigned left_ = 0;
};

}  // namespace

std::string filter_lines_of(const SstableFormat& format, std::span<const std::uint64_t> hashes) {
  const std::uint64_t lines = filter_lines(format, hashes.size());
  std::string bytes(lines * kFilterLineBytes, '\0');
  if (lines == 0) return bytes;
  const unsigned probes = filter_probes(format);
  // Lines of a large filter are seldom in the processor's cache: prefetching loads them while
  // others are filled.
  constexpr std::size_t kAhead = 16;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i + kAhead < hashes.size()) {
      __builtin_prefetch(bytes.data() + line_of(hashes[i + kAhead], lines) * kFilterLineBytes, 1);
    }
    char* const line = bytes.data() + line_of(hashes[i], lines) * kFilterLineBytes;
    LineBits bits(hashes[i]);
    for (unsigned probe = 0; probe < probes; ++probe) {
      const std::uint64_t bit = bits.next();
      line[bit / 8] = static_cast<char>(line[bit / 8] | (1 << (bit % 8)));
    }
  }
  return bytes;
}

bool filter_contains(std::string_view lines, unsigned probes, std::uint64_t hash) {
  const char* const line =
      lines.data() + line_of(hash, lines.size() / kFilterLineBytes) * kFilterLineBytes;
  LineBits bits(hash);
  for (unsigned probe = 0; probe < probes; ++probe) {
    const std::uint64_t bit = bits.next();
    if ((line[bit / 8] >> (bit % 8) & 1) == 0) return false;
  }
  return true;
}

}  // namespace lsmlab::engine
