// A directory for one test, removed at its end.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "models/base/check.h"

namespace lsmlab::engine::testing {

class ScratchDirectory {
 public:
  enum class Place {
    kUsual,   // the usual directory for temporary files
    kMemory,  // in memory if the system has such a place and TMPDIR is not set
  };
  explicit ScratchDirectory(Place place = Place::kUsual) {
    std::filesystem::path parent = std::filesystem::temp_directory_path();
    const bool may_move = place == Place::kMemory && std::getenv("TMPDIR") == nullptr;
    if (may_move && ::access("/dev/shm", W_OK) == 0) parent = "/dev/shm";
    path_ = (parent / "lsmlab-test-XXXXXX").string();
    CHECK(::mkdtemp(path_.data()) != nullptr);
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::uint64_t bytes_of_files_ending(const std::string& suffix) const {
    std::uint64_t bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      if (entry.path().string().ends_with(suffix)) bytes += entry.file_size();
    }
    return bytes;
  }

 private:
  std::string path_;
};

}  // namespace lsmlab::engine::testing
