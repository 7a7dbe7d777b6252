// Files of the machine, by POSIX calls. Every failure of a call is a machine error.
//
// Direct writing goes around the page cache with O_DIRECT: whole pages from an aligned buffer; what
// is left of a page is written through the cache by sync() and close(), and again with the rest of
// its page when that has come. A file system without O_DIRECT is written to as usual.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/file_system.h"

namespace lsmlab::engine {

class PosixFileSystem final : public FileSystem {
 public:
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
  /// The soft limit of RLIMIT_NOFILE.
  [[nodiscard]] std::optional<std::uint64_t> open_files_max() const override;
};

}  // namespace lsmlab::engine
