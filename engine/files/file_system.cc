#include "engine/files/file_system.h"

#include <fmt/format.h>

#include <exception>

namespace lsmlab::engine {

Result<std::string> FileSystem::read_file(const std::string& path) {
  auto file = BOOST_OUTCOME_TRYX(open(path));
  std::string bytes;
  try {
    bytes.resize(file->size());
  } catch (const std::exception&) {  // no memory, or more than a string can have
    return machine_error(fmt::format("{}: out of memory: {} bytes to read", path, file->size()));
  }
  auto count = BOOST_OUTCOME_TRYX(file->read(0, bytes));
  if (count != bytes.size()) {
    return machine_error(fmt::format("{}: read gave {} bytes of {}: it was cut short meanwhile",
                                     path, count, bytes.size()));
  }
  return bytes;
}

}  // namespace lsmlab::engine
