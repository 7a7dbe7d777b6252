// A file that gets its name when it is whole and durable: a reader never sees half a file, and
// after a power cut the name stands for the old file or for all of the new one.
//
// Until then it has no name, where the file system knows such files (Linux's O_TMPFILE): whatever
// ends the process, a crash included, nothing stays. Elsewhere it is a neighbour, PATH.tmp.XXXXXX,
// which goes on every way out, signals included, but a killed process.
#pragma once

#include <optional>
#include <string>

#include "models/base/error.h"
#include "traces/io/temporary_paths.h"

namespace lsmlab {

/// What a file is called until it is whole.
enum class PendingName {
  kNone,       // where the file system can; otherwise a neighbour
  kNeighbour,  // always
};

class PendingFile {
 public:
  /// A file that is to stand under the path, or to replace what stands there: behind a symbolic
  /// link the file that the link names, with its permissions. Errors: the path names something else
  /// than a regular file; its folder is missing or may not be written (input); anything else of the
  /// system (machine).
  [[nodiscard]] static Result<PendingFile> create(const std::string& path,
                                                  PendingName name = PendingName::kNone);
  PendingFile(PendingFile&& other) noexcept;
  PendingFile& operator=(PendingFile&&) = delete;
  ~PendingFile();

  /// To be written; the file closes it.
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// As it was given.
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Makes the file durable, gives it its name, durably too, and closes it. Errors: the system's
  /// (machine); then nothing stays, unless only the name could not be made durable.
  [[nodiscard]] Result<void> publish();

 private:
  PendingFile(std::string path, std::string target)
      : path_(std::move(path)), target_(std::move(target)) {}
  [[nodiscard]] int open_file(PendingName name);
  [[nodiscard]] int link_file();
  [[nodiscard]] int name_file();

  std::string path_;
  std::string target_;                       // behind symbolic links
  std::string neighbour_;                    // empty where the file has no name
  std::optional<TemporaryPath> registered_;  // the neighbour
  int descriptor_ = -1;
};

/// The error of a file that cannot be made at the path, by its errno: the user's where another path
/// or other permissions help (input), the system's otherwise (machine).
[[nodiscard]] Error creation_error(const std::string& path, int number);

}  // namespace lsmlab
