// Paths that must not outlive the process: unfinished files and temporary directories. Their owners
// remove them. If a signal ends the process at once, its handler removes the remaining ones;
// therefore their names are in static memory. Thread safe.
#pragma once

#include <cstddef>
#include <string>

namespace lsmlab {

class TemporaryPath {
 public:
  enum class Kind { kFile, kDirectory };
  /// Registers the path. REQUIRES: its owner has just created it.
  TemporaryPath(const std::string& path, Kind kind);
  TemporaryPath(TemporaryPath&& other) noexcept;
  TemporaryPath& operator=(TemporaryPath&&) = delete;
  /// Ends the registration: a signal no longer removes the path. The destructor removes nothing.
  ~TemporaryPath();

 private:
  std::size_t slot_;  // none if all slots are in use
};

/// Removes every registered file, and every registered directory with its contents.
/// Async-signal-safe.
void remove_temporary_paths();

}  // namespace lsmlab
