#include "engine/process_io.h"

#include <fstream>
#include <string>

namespace lsmlab::engine {

std::optional<std::uint64_t> process_bytes_written() {
  std::ifstream io("/proc/self/io");
  std::string name;
  std::uint64_t count = 0;
  while (io >> name >> count) {
    if (name == "wchar:") return count;
  }
  return std::nullopt;
}

}  // namespace lsmlab::engine
