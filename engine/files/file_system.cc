#include "engine/files/file_system.h"

#include <fmt/format.h>

#include <exception>

namespace lsmlab::engine {

std::string write_kind_name(WriteKind kind) {
  switch (kind) {
    case WriteKind::kWal:
      return "wal";
    case WriteKind::kFlush:
      return "flush";
    case WriteKind::kMerge:
      return "merge";
    case WriteKind::kManifest:
      return "manifest";
    case WriteKind::kOther:
      break;
  }
  return "other";
}

Result<std::string> FileSystem::read_file(const std::string& path) {
  auto file = BOOST_OUTCOME_TRYX(open(path));
  std::string bytes;
  try {
    bytes.resize(file->size());
  } catch (const std::exception&) {  // no memory, or more bytes than a string can hold
    return machine_error(
        fmt::format("{}: out of memory for the {} bytes of the file", path, file->size()));
  }
  auto count = BOOST_OUTCOME_TRYX(file->read(0, bytes));
  if (count != bytes.size()) {
    return machine_error(
        fmt::format("{}: read {} bytes of {}: the file became shorter during the read", path, count,
                    bytes.size()));
  }
  return bytes;
}

}  // namespace lsmlab::engine
