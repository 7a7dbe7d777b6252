#include "traces/flush_sizes.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "models/quantity_text.h"
#include "models/units.h"

namespace lsmlab {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace

Result<std::vector<std::uint64_t>> read_flush_sizes(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return input_error(fmt::format("{}: is a directory; expected a file of flush sizes", path));
  }
  errno = 0;
  std::ifstream file(path);
  if (!file) return input_error(fmt::format("{}: {}", path, std::strerror(errno)));
  std::vector<std::uint64_t> sizes;
  std::string line;
  for (std::uint64_t number = 1; std::getline(file, line); ++number) {
    const std::string_view text = trimmed(line);
    if (text.empty() || text.starts_with('#')) continue;
    const Result<std::uint64_t> size = parse_bytes(text.substr(0, 80));
    if (!size) return input_error(fmt::format("{}:{}: {}", path, number, size.error().message));
    if (size.value() == 0 || size.value() > kFlushedBytesMax) {
      return input_error(
          fmt::format("{}:{}: {} is out of range; expected 1..2^63 bytes", path, number, text));
    }
    sizes.push_back(size.value());
  }
  if (file.bad()) return machine_error(fmt::format("{}: {}", path, std::strerror(errno)));
  if (sizes.empty()) return input_error(fmt::format("{}: holds no flush sizes", path));
  return sizes;
}

}  // namespace lsmlab
