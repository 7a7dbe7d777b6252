#include "traces/text_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace lsmlab {

Result<std::string> read_text_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return input_error(fmt::format("{}: is a directory; expected a file", path));
  }
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return input_error(fmt::format("{}: {}", path, std::strerror(errno)));
  std::string text;
  std::array<char, std::size_t{1} << 16> buffer{};
  for (;;) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      const int fault = errno;
      ::close(descriptor);
      if (count == 0) return text;
      return machine_error(fmt::format("{}: cannot be read: {}", path, std::strerror(fault)));
    }
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace lsmlab
