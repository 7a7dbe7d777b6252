#include "engine/file_system.h"

#include <fmt/format.h>

namespace lsmlab::engine {

Result<std::string> FileSystem::read_file(const std::string& path) {
  auto file = BOOST_OUTCOME_TRYX(open(path));
  std::string bytes(file->size(), '\0');
  auto count = BOOST_OUTCOME_TRYX(file->read(0, bytes));
  if (count != bytes.size()) {
    return machine_error(fmt::format("{}: read gave {} bytes of {}: it was cut short meanwhile",
                                     path, count, bytes.size()));
  }
  return bytes;
}

}  // namespace lsmlab::engine
