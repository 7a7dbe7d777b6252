#include "models/sizes/key_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

#include "models/base/check.h"
#include "models/base/key_hash.h"
#include "models/base/shortened.h"

namespace lsmlab {
namespace {

constexpr std::string_view kUserWord = "user";
constexpr std::uint8_t kBinaryBytes = 8;
constexpr std::uint8_t kDecimalDigitsMax = 20;  // of 2^64 - 1
constexpr std::uint8_t kHexDigitsMax = 16;

std::string_view word_of(KeyText text) {
  return text == KeyText::kUser ? kUserWord : std::string_view();
}

constexpr auto kPowersOfTen = [] {
  std::array<std::uint64_t, kDecimalDigitsMax> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

std::uint64_t digit_of(std::uint64_t id, std::uint64_t from_end, std::uint64_t base) {
  if (base == 10) return id / kPowersOfTen[from_end] % 10;
  const unsigned bits = base == 16 ? 4 : 8;
  return id >> (bits * from_end) & (base - 1);
}

char letter_of(std::uint64_t digit, std::uint64_t base) {
  if (base == 256) return static_cast<char>(digit);
  return "0123456789abcdef"[digit];
}

constexpr unsigned kParts = 32;  // of a byte

// 2^(i + f / 2^16): the logarithm of a number to the base 2, between powers of two in a straight
// line.
struct Logarithm {
  std::uint64_t i;
  std::uint64_t f;

  // REQUIRES: number is not 0.
  explicit Logarithm(std::uint64_t number)
      : i(63 - static_cast<std::uint64_t>(std::countl_zero(number))),
        f((number << (63 - i)) >> 47 & 0xffff) {}
};

// The value f / 2^16 of the way from `from` to `to`.
std::uint64_t between(std::uint64_t from, std::uint64_t to, std::uint64_t f) {
  return (from * (0x10000 - f) + to * f) >> 16;
}

Error not_a_format(std::string_view text) {
  return input_error(
      fmt::format("'{}' is no form of keys; expected binary, hex:DIGITS (1 to {}), decimal:DIGITS "
                  "(1 to {}) or user",
                  excerpt(text), kHexDigitsMax, kDecimalDigitsMax));
}

}  // namespace

Result<KeyFormat> KeyFormat::parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  KeyFormat format;
  if (text == "recorded") {
    return input_error(
        "'recorded' are the keys of an imported trace, which has them by itself; "
        "leave the parameter out");
  }
  if (name == "hex") format = {KeyText::kHex, kHexDigitsMax};
  if (name == "decimal") format = {KeyText::kDecimal, kDecimalDigitsMax};
  if (name == "user") format = {KeyText::kUser, kDecimalDigitsMax};
  if (format.text == KeyText::kBinary && name != "binary") return not_a_format(text);
  if (colon == std::string_view::npos) return format;
  const bool takes_digits = format.text == KeyText::kHex || format.text == KeyText::kDecimal;
  const std::string_view digits = text.substr(colon + 1);
  std::uint8_t number = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool is_number = fault == std::errc() && end == digits.data() + digits.size();
  if (!takes_digits || !is_number || number < 1 || number > format.digits) {
    return not_a_format(text);
  }
  format.digits = number;
  return format;
}

KeyFormat KeyFormat::recorded(const RecordedKeys& keys) {
  CHECK(!keys.shared_32nds.empty() && keys.count > 0);
  KeyFormat format;
  format.text = KeyText::kRecorded;
  format.digits = 0;
  // Ids that are 2^i apart belong to keys that are 2^i * count / 2^64 places apart.
  const Logarithm count(keys.count);
  const std::uint64_t last = keys.shared_32nds.size() - 1;
  for (std::uint64_t i = 0; i < format.shared_32nds.size(); ++i) {
    const std::uint64_t place = i + count.i < 64 ? 0 : i + count.i - 64;
    const std::uint64_t f = i + count.i < 64 ? 0 : count.f;
    const std::uint64_t shared = between(keys.shared_32nds[std::min(place, last)],
                                         keys.shared_32nds[std::min(place + 1, last)], f);
    format.shared_32nds[i] = static_cast<std::uint16_t>(std::min<std::uint64_t>(shared, 0xffff));
  }
  return format;
}

std::string KeyFormat::name() const {
  switch (text) {
    case KeyText::kRecorded:
      return "recorded";
    case KeyText::kBinary:
      return "binary";
    case KeyText::kDecimal:
      return fmt::format("decimal:{}", digits);
    case KeyText::kHex:
      return fmt::format("hex:{}", digits);
    case KeyText::kUser:
      break;
  }
  return "user";
}

std::uint64_t KeyFormat::id_bytes() const { return word_of(text).size() + digits; }

std::uint64_t KeyFormat::id_max() const {
  constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
  if (text == KeyText::kHex) return digits == kHexDigitsMax ? kAll : (1ULL << 4 * digits) - 1;
  const bool is_decimal = text == KeyText::kDecimal || text == KeyText::kUser;
  return is_decimal && digits < kDecimalDigitsMax ? kPowersOfTen[digits] - 1 : kAll;
}

std::uint64_t KeyFormat::base() const {
  if (text == KeyText::kBinary || text == KeyText::kRecorded) return 256;
  return text == KeyText::kHex ? 16 : 10;
}

std::uint64_t KeyFormat::shared_bytes(std::uint64_t a, std::uint64_t b) const {
  const auto same_bits = static_cast<std::uint64_t>(std::countl_zero(a ^ b));
  if (text == KeyText::kBinary) return same_bits / 8;
  if (text == KeyText::kRecorded) {
    CHECK(a != b);
    const Logarithm distance(a > b ? a - b : b - a);
    const std::uint64_t next = std::min<std::uint64_t>(distance.i + 1, shared_32nds.size() - 1);
    const std::uint64_t shared = between(shared_32nds[distance.i], shared_32nds[next], distance.f);
    // Parts of a byte become whole ones for as many pairs of keys.
    return (shared + key_hash(a, b) % kParts) / kParts;
  }
  const std::uint64_t most = id_max();
  a = std::min(a, most);
  b = std::min(b, most);
  if (a == b) return id_bytes();
  if (text == KeyText::kHex) {
    return static_cast<std::uint64_t>(std::countl_zero(a ^ b)) / 4 - (kHexDigitsMax - digits);
  }
  std::uint64_t differing = 0;
  for (; a != b; ++differing) {
    a /= 10;
    b /= 10;
  }
  return id_bytes() - differing;
}

unsigned char KeyFormat::byte_of(std::uint64_t id, std::uint64_t index) const {
  const std::string_view word = word_of(text);
  CHECK(index < id_bytes());
  if (index < word.size()) return static_cast<unsigned char>(word[index]);
  const std::uint64_t digit = digit_of(std::min(id, id_max()), id_bytes() - 1 - index, base());
  return static_cast<unsigned char>(letter_of(digit, base()));
}

double KeyFormat::ids_sharing(std::uint64_t bytes) const {
  const std::uint64_t word_bytes = word_of(text).size();
  double ids = 1;
  for (std::uint64_t i = std::max(bytes, word_bytes); i < id_bytes(); ++i) {
    ids *= static_cast<double>(base());
  }
  return bytes <= word_bytes ? 0x1p64 : std::min(ids, 0x1p64);
}

void KeyFormat::write(std::uint64_t id, std::uint64_t key_bytes, std::string& key) const {
  CHECK(key_bytes >= id_bytes());
  key.assign(key_bytes, padding);
  if (text == KeyText::kRecorded) {
    for (std::size_t i = 0; i < std::min<std::size_t>(key.size(), kBinaryBytes); ++i) {
      key[i] = static_cast<char>(id >> (56 - 8 * i));
    }
    return;
  }
  if (text == KeyText::kBinary) {
    static_assert(std::endian::native == std::endian::little);
    const std::uint64_t big_endian = __builtin_bswap64(id);
    std::memcpy(key.data(), &big_endian, sizeof big_endian);
    return;
  }
  const std::string_view word = word_of(text);
  std::copy(word.begin(), word.end(), key.begin());
  id = std::min(id, id_max());
  for (std::size_t at = id_bytes(); at > word.size(); --at) {
    key[at - 1] = letter_of(id % base(), base());
    id /= base();
  }
}

std::uint64_t KeyFormat::read(std::string_view key) const {
  CHECK(text != KeyText::kRecorded);
  if (text == KeyText::kBinary) {
    std::uint64_t big_endian = 0;
    std::memcpy(&big_endian, key.data(), sizeof big_endian);
    return __builtin_bswap64(big_endian);
  }
  std::uint64_t id = 0;
  for (const char letter : key.substr(word_of(text).size(), digits)) {
    const int digit = letter <= '9' ? letter - '0' : letter - 'a' + 10;
    id = id * base() + static_cast<std::uint64_t>(digit);
  }
  return id;
}

}  // namespace lsmlab
