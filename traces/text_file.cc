#include "traces/text_file.h"

#include <fmt/format.h>

#include <array>

#include "traces/byte_file.h"

namespace lsmlab {

Result<std::string> read_text_file(const std::string& path, std::size_t bytes_max) {
  const auto file = BOOST_OUTCOME_TRYX(open_byte_source(path));
  std::string text;
  std::array<char, std::size_t{1} << 16> buffer{};
  for (;;) {
    const std::size_t count = BOOST_OUTCOME_TRYX(
        file->read_some({reinterpret_cast<std::uint8_t*>(buffer.data()), buffer.size()}));
    if (count == 0) return text;
    if (count > bytes_max - text.size()) {
      return input_error(fmt::format("{}: longer than {} bytes", path, bytes_max));
    }
    text.append(buffer.data(), count);
  }
}

}  // namespace lsmlab
