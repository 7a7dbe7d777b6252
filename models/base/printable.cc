#include "models/base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace lsmlab {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: not UTF-8
};

// The first character, by the Unicode Standard's table 3-7: no overlong form, no surrogate, nothing
// above U+10FFFF. REQUIRES: the text is not empty.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  std::uint32_t code = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    code = code << 6U | (byte(i) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kLeast[bytes] || is_surrogate || code > 0x10FFFF) return {};
  return {code, bytes};
}

// Unicode's Bidi_Control, and the separators that some terminals treat as the end of a line.
bool changes_direction_or_line(std::uint32_t code) {
  return code == 0x061C || code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

bool is_control(std::uint32_t code) {
  const bool is_c0 = code < 0x20 && code != '\n' && code != '\t';
  return is_c0 || (code >= 0x7F && code < 0xA0) || changes_direction_or_line(code);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    const std::size_t bytes = std::max<std::size_t>(1, character.bytes);
    if (character.bytes > 0 && !is_control(character.code)) {
      shown += text.substr(0, bytes);
    } else {
      for (const char byte : text.substr(0, bytes)) {
        fmt::format_to(std::back_inserter(shown), "\\x{:02X}", static_cast<unsigned char>(byte));
      }
    }
    text.remove_prefix(bytes);
  }
  return shown;
}

}  // namespace lsmlab
