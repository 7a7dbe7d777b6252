#include "engine/logs/field_codec.h"

namespace lsmlab::engine {

void append_varint(std::string& bytes, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes.push_back(static_cast<char>((number & 0x7f) | 0x80));
  bytes.push_back(static_cast<char>(number));
}

std::optional<std::uint64_t> FieldReader::varint() {
  std::uint64_t number = 0;
  for (std::size_t i = 0; !is_spent_ && i < kVarintBytesMax && i < rest_.size(); ++i) {
    const auto digit = static_cast<std::uint8_t>(rest_[i]);
    if (i + 1 == kVarintBytesMax && digit > 1) break;
    number |= std::uint64_t{digit & 0x7fu} << (7 * i);
    if (digit >= 0x80) continue;
    if (digit == 0 && i > 0) break;
    rest_.remove_prefix(i + 1);
    return number;
  }
  is_spent_ = true;
  return std::nullopt;
}

std::optional<std::string_view> FieldReader::bytes(std::uint64_t count) {
  if (is_spent_ || count > rest_.size()) {
    is_spent_ = true;
    return std::nullopt;
  }
  const std::string_view taken = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return taken;
}

}  // namespace lsmlab::engine
