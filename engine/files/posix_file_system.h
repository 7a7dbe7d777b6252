// Files of the machine, by POSIX calls. Every failure of a call is a machine error that names the
// file: so is a write beyond `ulimit -f`, "File too large", in a program that ignores SIGXFSZ (the
// system ends any other).
//
// A directory may be a stranger's. Only regular files are opened, by their own names: no symbolic
// link is followed at the end of a path but a directory's, no FIFO is waited for, and a file is
// made anew rather than emptied, so that other names which it may have keep their bytes.
//
// Direct writing goes around the page cache with O_DIRECT: whole pages from an aligned buffer; what
// is left of a page is written through the cache by sync() and close(), and again with the rest of
// its page when that has come. A file system without O_DIRECT is written to as usual.
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
  /// By other calls than the system's own; they must outlive it and its files.
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
  /// An advisory lock (flock) on a file of that name, which is made and stays. This process is
  /// refused as well while it holds the lock.
  [[nodiscard]] Result<std::unique_ptr<DirectoryLock>> lock(const std::string& path) override;
  /// A shared lock (flock) on that file, opened to be read.
  [[nodiscard]] Result<std::unique_ptr<DirectoryLock>> lock_to_read(
      const std::string& path) override;
  /// The soft limit of RLIMIT_NOFILE.
  [[nodiscard]] std::optional<std::uint64_t> open_files_max() const override;

 private:
  PosixCalls& calls_;
};

}  // namespace lsmlab::engine
