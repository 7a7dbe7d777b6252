// What must not outlive the process: half-written files and directories of temporary ones. Their
// owners remove them; a signal that ends the process at once removes what is left, for which their
// names stand where a handler can reach them. Thread safe.
#pragma once

#include <cstddef>
#include <string>

namespace lsmlab {

class TemporaryPath {
 public:
  enum class Kind { kFile, kDirectory };
  /// Registers the path, which its owner has just made.
  TemporaryPath(const std::string& path, Kind kind);
  TemporaryPath(TemporaryPath&& other) noexcept;
  TemporaryPath& operator=(TemporaryPath&&) = delete;
  /// From here on a signal lets it be. Removes nothing.
  ~TemporaryPath();

 private:
  std::size_t slot_;  // none where all are taken
};

/// Removes every registered file, and every directory with what it holds. Async-signal-safe.
void remove_temporary_paths();

}  // namespace lsmlab
