// Reads and writes the fields of binary records: little-endian integers of fixed width, and varints
// (base 128, least significant digits first).
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace lsmlab::engine {

static_assert(std::endian::native == std::endian::little);

inline constexpr std::size_t kVarintBytesMax = 10;

template <std::unsigned_integral Number>
void append_fixed(std::string& bytes, Number number) {
  char digits[sizeof number];
  std::memcpy(digits, &number, sizeof number);
  bytes.append(digits, sizeof number);
}

void append_varint(std::string& bytes, std::uint64_t number);

/// Reads fields from the front of some bytes. After a field is missing, every later read fails too.
class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes) : rest_(bytes) {}

  template <std::unsigned_integral Number>
  [[nodiscard]] std::optional<Number> fixed() {
    const std::optional<std::string_view> digits = bytes(sizeof(Number));
    if (!digits) return std::nullopt;
    Number number = 0;
    std::memcpy(&number, digits->data(), sizeof number);
    return number;
  }
  /// The next varint. nullopt if it has more digits than it needs, or does not fit in 64 bits: a
  /// number has only one encoding.
  [[nodiscard]] std::optional<std::uint64_t> varint();
  [[nodiscard]] std::optional<std::string_view> bytes(std::uint64_t count);
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  bool is_spent_ = false;
};

}  // namespace lsmlab::engine
