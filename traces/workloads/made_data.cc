#include "traces/workloads/made_data.h"

#include <algorithm>
#include <cstring>

namespace lsmlab {

namespace {

// Makes a value word by word; the last word may be used in part.
class ValueWords {
 public:
  ValueWords(std::uint64_t id, std::uint64_t write_number) : state_(id ^ (write_number * kOdd)) {}
  std::uint64_t next() {
    // A multiplication and a shift: values need not be random, but must not compress to nothing.
    state_ = state_ * kFactor + kOdd;
    return state_ ^ (state_ >> 32);
  }
  std::uint64_t last() const { return state_ * kFactor + kOdd; }

 private:
  static constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  static constexpr std::uint64_t kFactor = 0xd1342543de82ef95;
  std::uint64_t state_;
};

// db_bench cuts one value after the other from a text of pieces, so that a value whose size is no
// multiple of a piece begins within one. What it would repeat of bytes before its own is random.
void make_printable(std::uint64_t id, std::uint64_t write_number, const Decimal& ratio,
                    std::string& value) {
  constexpr std::size_t kPieceBytes = 100;
  constexpr std::uint64_t kPrintable = 95;  // from ' ' to '~'
  const std::size_t fresh = std::clamp<std::size_t>(
      kPieceBytes * ratio.numerator() / ratio.denominator(), 1, kPieceBytes);
  const std::size_t begin = write_number % kPieceBytes * (value.size() % kPieceBytes) % kPieceBytes;
  ValueWords words(id, write_number);
  for (std::size_t at = 0; at < value.size(); ++at) {
    const std::size_t in_piece = (begin + at) % kPieceBytes;
    value[at] = in_piece < fresh || at < fresh
                    ? static_cast<char>(' ' + ((words.next() >> 32) * kPrintable >> 32))
                    : value[at - fresh];
  }
}

}  // namespace

void make_value(std::uint64_t id, std::uint64_t write_number, std::uint32_t value_bytes,
                std::string& value, const ValueShape& shape) {
  value.resize(value_bytes);
  if (shape.ratio) {
    make_printable(id, write_number, *shape.ratio, value);
    return;
  }
  ValueWords words(id, write_number);
  char* out = value.data();
  std::size_t left = value.size();
  for (; left >= sizeof(std::uint64_t); left -= sizeof(std::uint64_t)) {
    const std::uint64_t word = words.next();
    std::memcpy(out, &word, sizeof word);
    out += sizeof word;
  }
  const std::uint64_t word = words.last();
  std::memcpy(out, &word, left);
}

bool is_made_value(std::uint64_t id, std::uint64_t write_number, std::uint32_t value_bytes,
                   std::string_view value, const ValueShape& shape) {
  if (value.size() != value_bytes) return false;
  if (shape.ratio) {
    std::string made;
    make_value(id, write_number, value_bytes, made, shape);
    return value == made;
  }
  ValueWords words(id, write_number);
  for (; value.size() >= sizeof(std::uint64_t); value.remove_prefix(sizeof(std::uint64_t))) {
    const std::uint64_t word = words.next();
    if (std::memcmp(value.data(), &word, sizeof word) != 0) return false;
  }
  const std::uint64_t word = words.last();
  return value.empty() || std::memcmp(value.data(), &word, value.size()) == 0;
}

}  // namespace lsmlab
