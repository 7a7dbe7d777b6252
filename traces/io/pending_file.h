// A file that gets its name only when it is complete and durable. A reader never sees half a file.
// After a power cut the name stands for the old file or for the complete new one.
//
// Until then the file has no name, if the file system supports such files (Linux's O_TMPFILE):
// however the process ends, even by a crash, nothing remains. On other file systems it is a
// neighbour, PATH.tmp.XXXXXX. The neighbour is removed on every exit, including signals, but not if
// the process is killed.
#pragma once

#include <optional>
#include <string>

#include "models/base/error.h"
#include "traces/io/temporary_paths.h"

namespace lsmlab {

/// The name of a file until it is complete.
enum class PendingName {
  kNone,       // none if the file system supports it; otherwise a neighbour
  kNeighbour,  // always a neighbour
};

class PendingFile {
 public:
  /// Creates a file that will appear under the path, or replace the file there. If the path is a
  /// symbolic link, it replaces the file that the link names and keeps its permissions. Errors: the
  /// path names something other than a regular file; its folder does not exist or may not be
  /// written (input); any other error of the system (machine).
  [[nodiscard]] static Result<PendingFile> create(const std::string& path,
                                                  PendingName name = PendingName::kNone);
  PendingFile(PendingFile&& other) noexcept;
  PendingFile& operator=(PendingFile&&) = delete;
  ~PendingFile();

  /// The descriptor for writing; the object closes it.
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// The path as it was given.
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Makes the file durable, gives it its name, makes the name durable, and closes the file.
  /// Errors: those of the system (machine). After an error nothing remains, unless only the name
  /// could not be made durable.
  [[nodiscard]] Result<void> publish();

 private:
  PendingFile(std::string path, std::string target)
      : path_(std::move(path)), target_(std::move(target)) {}
  [[nodiscard]] int open_file(PendingName name);
  [[nodiscard]] int link_file();
  [[nodiscard]] int name_file();

  std::string path_;
  std::string target_;                       // the path after symbolic links are resolved
  std::string neighbour_;                    // empty if the file has no name
  std::optional<TemporaryPath> registered_;  // registration of the neighbour
  int descriptor_ = -1;
};

/// The error for a file that cannot be created at the path, from its errno: the user's (input) if
/// another path or other permissions help, otherwise the system's (machine).
[[nodiscard]] Error creation_error(const std::string& path, int number);

}  // namespace lsmlab
