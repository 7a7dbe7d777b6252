// A FileSystem on POSIX calls. Every failed call is a machine error that names the file. A write
// beyond `ulimit -f` gives "File too large" if the program ignores SIGXFSZ; otherwise the system
// ends the program.
//
// Somebody else may have filled the directory. So only regular files are opened, and only by their
// own names: a symbolic link at the end of a path is followed only for directories, and no FIFO is
// waited for. create() makes a new file instead of emptying the old one, so other names of the old
// file keep their bytes.
//
// Direct writing bypasses the page cache with O_DIRECT: it writes whole pages from an aligned
// buffer. sync() and close() write the incomplete last page through the cache; it is written again
// once it is complete. On a file system without O_DIRECT writing goes through the cache.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/files/file_system.h"
#include "engine/files/posix_calls.h"

namespace lsmlab::engine {

class PosixFileSystem final : public FileSystem {
 public:
  PosixFileSystem();
  /// Uses `calls` instead of the system's own; they must outlive this object and its files.
  explicit PosixFileSystem(PosixCalls& calls) : calls_(calls) {}

  [[nodiscard]] Result<std::unique_ptr<WritableFile>> create(const std::string& path,
                                                             const CreateOptions& options) override;
  [[nodiscard]] Result<std::unique_ptr<ReadableFile>> open(const std::string& path) override;
  [[nodiscard]] Result<std::unique_ptr<ReadableFile>> open_direct(const std::string& path) override;
  [[nodiscard]] Result<std::vector<std::string>> list(const std::string& directory) override;
  [[nodiscard]] Result<bool> exists(const std::string& path) override;
  [[nodiscard]] Result<void> remove(const std::string& path) override;
  [[nodiscard]] Result<void> rename(const std::string& from, const std::string& to) override;
  [[nodiscard]] Result<void> link(const std::string& from, const std::string& to) override;
  [[nodiscard]] Result<void> create_directory(const std::string& path) override;
  [[nodiscard]] Result<void> sync_directory(const std::string& path) override;
  /// An advisory lock (flock) on a file of that name, which is created and stays. While this
  /// process holds the lock, it cannot take it a second time.
  [[nodiscard]] Result<std::unique_ptr<DirectoryLock>> lock(const std::string& path) override;
  /// A shared lock (flock) on that file, which is opened for reading.
  [[nodiscard]] Result<std::unique_ptr<DirectoryLock>> lock_to_read(
      const std::string& path) override;
  /// The soft limit of RLIMIT_NOFILE.
  [[nodiscard]] std::optional<std::uint64_t> open_files_max() const override;

 private:
  PosixCalls& calls_;
};

}  // namespace lsmlab::engine
