// LevelDB's manifest as it is written: the edits of its tree are the jobs that it did.
// Format: LevelDB 1.23, doc/log_format.md and db/version_edit.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/error.h"

namespace lsmlab::engine {

struct LeveldbEdit {
  struct Removed {
    std::uint32_t level = 0;
    std::uint64_t number = 0;
  };
  struct Added {
    std::uint32_t level = 0;
    std::uint64_t number = 0;
    std::uint64_t bytes = 0;
    std::string smallest;  // user keys
    std::string largest;
  };
  std::optional<std::uint64_t> log_number;  // memtables of earlier logs are in files
  std::vector<Removed> removed;
  std::vector<Added> added;
};

class LeveldbManifest {
 public:
  /// What was appended to the file, in order.
  void append(std::string_view bytes) { bytes_ += bytes; }
  /// The next whole edit; nothing where more has to come. Errors: what stands there is no edit.
  [[nodiscard]] Result<std::optional<LeveldbEdit>> next();

 private:
  std::string bytes_;
  std::size_t read_ = 0;  // of them
  std::string record_;    // the fragments so far
};

}  // namespace lsmlab::engine
