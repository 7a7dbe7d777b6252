#include "traces/io/text_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "models/base/quantity_text.h"

namespace lsmlab {
namespace {

// Reads up to `bytes_max` bytes and one more; the additional byte shows that the file is too large.
Result<std::string> read_all(const std::string& path, int descriptor, std::uint64_t bytes_max) {
  std::string text;
  text.reserve(size_of_input(descriptor));
  std::string buffer(std::size_t{1} << 16, '\0');
  while (text.size() <= bytes_max) {
    const std::uint64_t wanted =
        std::min<std::uint64_t>(buffer.size(), bytes_max + 1 - text.size());
    const ssize_t count = ::read(descriptor, buffer.data(), wanted);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      return machine_error(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
    }
    if (count == 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return text;
}

}  // namespace

Result<std::string> read_text_file(const std::string& path, std::uint64_t bytes_max, Pipes pipes) {
  const auto too_large = [&](const std::string& size) {
    return input_error(
        fmt::format("{}: holds {}; expected at most {}", path, size, bytes_text(bytes_max)));
  };
  const int descriptor = BOOST_OUTCOME_TRYX(open_input(path, pipes));
  const std::uint64_t bytes = size_of_input(descriptor);
  if (bytes > bytes_max) {
    ::close(descriptor);
    return too_large(bytes_text(bytes));
  }
  Result<std::string> text = read_all(path, descriptor, bytes_max);
  ::close(descriptor);
  if (text && text.value().size() > bytes_max) {
    return too_large(fmt::format("more than {}", bytes_text(bytes_max)));
  }
  return text;
}

}  // namespace lsmlab
