#include "traces/tools/db_bench_values.h"

#include <algorithm>

#include "models/base/check.h"

namespace lsmlab::tools {
namespace {

constexpr std::uint64_t kTextBytesMin = 1 << 20;
constexpr std::uint64_t kPieceBytes = 100;
constexpr std::uint64_t kPrintable = 95;  // from ' ' to '~'

// Lehmer's generator with the multiplier of Park and Miller's first paper.
class TextDraws {
 public:
  [[nodiscard]] char next() {
    constexpr std::uint64_t kFactor = 16'807;
    constexpr std::uint64_t kModulus = 2'147'483'647;
    state_ = state_ * kFactor % kModulus;
    return static_cast<char>(' ' + state_ % kPrintable);
  }

 private:
  std::uint64_t state_ = 301;  // db_bench's seed, of every thread and run
};

}  // namespace

DbBenchValueText::DbBenchValueText(const Decimal& ratio, std::uint64_t value_bytes_max) {
  const std::uint64_t fresh = std::clamp<std::uint64_t>(
      kPieceBytes * ratio.numerator() / ratio.denominator(), 1, kPieceBytes);
  const std::uint64_t bytes = std::max(kTextBytesMin, value_bytes_max);
  const std::uint64_t pieces = (bytes + kPieceBytes - 1) / kPieceBytes;
  text_.reserve(pieces * kPieceBytes);
  TextDraws draws;
  for (std::uint64_t piece = 0; piece < pieces; ++piece) {
    for (std::uint64_t i = 0; i < fresh; ++i) text_ += draws.next();
    for (std::uint64_t i = fresh; i < kPieceBytes; ++i) text_ += text_[text_.size() - fresh];
  }
}

std::uint64_t DbBenchValueText::cut(std::uint64_t value_bytes) {
  CHECK(value_bytes <= text_.size());
  if (at_ + value_bytes > text_.size()) at_ = 0;
  const std::uint64_t begin = at_;
  at_ += value_bytes;
  return begin;
}

}  // namespace lsmlab::tools
