#include "models/base/shortened.h"

#include <fmt/format.h>

namespace lsmlab {

std::size_t characters_in(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (c & 0xC0) != 0x80 ? 1 : 0;
  return count;
}

std::string shortened(std::string_view text, std::size_t characters_max) {
  if (characters_in(text) <= characters_max) return std::string(text);
  std::size_t count = 0;
  std::size_t end = 0;
  while (end < text.size()) {
    if ((text[end] & 0xC0) != 0x80 && ++count == characters_max) break;
    ++end;
  }
  return std::string(text.substr(0, end)) + "\xE2\x80\xA6";
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t kWholeBytesMax = 120;
  constexpr std::size_t kCharactersMax = 60;
  constexpr std::size_t kCharacterBytesMax = 4;
  if (text.size() <= kWholeBytesMax) return std::string(text);
  // Continuation bytes without a lead byte are not counted as characters. This limit keeps them
  // from all being shown.
  const std::string_view begin = text.substr(0, kCharactersMax * kCharacterBytesMax);
  return fmt::format("{} ({} bytes)", shortened(begin, kCharactersMax), text.size());
}

}  // namespace lsmlab
