// Reads LevelDB's manifest while LevelDB writes it. Each edit in it is a job that LevelDB finished.
// Format: LevelDB 1.23, doc/log_format.md; traces/stores/manifest.h decodes the edits.
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
  std::optional<std::uint64_t> log_number;  // all memtables of earlier logs were flushed
  std::vector<Removed> removed;
  std::vector<Added> added;
};

class LeveldbManifest {
 public:
  /// Adds bytes that LevelDB appended to the file. Call it in their order.
  void append(std::string_view bytes) { bytes_ += bytes; }
  /// The next whole edit; nothing if it is not complete yet. Errors: the next record is not an
  /// edit.
  [[nodiscard]] Result<std::optional<LeveldbEdit>> next();

 private:
  std::string bytes_;
  std::size_t read_ = 0;  // bytes of bytes_ that were read
  std::string record_;    // the fragments of the present record so far
};

}  // namespace lsmlab::engine
