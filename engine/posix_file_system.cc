#include "engine/posix_file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <set>
#include <system_error>

#include "engine/posix_handle.h"

namespace lsmlab::engine {

Error call_error(const std::string& path, std::string_view call, int number) {
  return machine_error(
      fmt::format("{}: {}: {}", path, call, std::generic_category().message(number)));
}

namespace {

constexpr mode_t kFileMode = 0644;
constexpr mode_t kDirectoryMode = 0755;

class PosixReadableFile final : public ReadableFile {
 public:
  PosixReadableFile(Descriptor descriptor, std::string path, std::uint64_t size)
      : descriptor_(std::move(descriptor)), path_(std::move(path)), size_(size) {}

  Result<std::size_t> read(std::uint64_t offset, std::span<char> buffer) const override {
    std::size_t done = 0;
    while (done < buffer.size()) {
      const ssize_t count = retry([&] {
        return ::pread(descriptor_.get(), buffer.data() + done, buffer.size() - done,
                       static_cast<off_t>(offset + done));
      });
      if (count < 0) {
        const int number = errno;
        return call_error(fmt::format("{} at byte {}", path_, offset + done), "read", number);
      }
      if (count == 0) break;
      done += static_cast<std::size_t>(count);
    }
    return done;
  }
  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] const std::string& path() const override { return path_; }

 private:
  Descriptor descriptor_;
  std::string path_;
  std::uint64_t size_;
};

std::string parent_of(const std::string& path) {
  const std::size_t last = path.find_last_not_of('/');
  if (last == std::string::npos) return path.empty() ? "." : "/";
  const std::size_t slash = path.find_last_of('/', last);
  if (slash == std::string::npos) return ".";
  const std::size_t end = path.find_last_not_of('/', slash);
  return end == std::string::npos ? "/" : path.substr(0, end + 1);
}

using FileIdentity = std::pair<dev_t, ino_t>;

// flock alone refuses a second holder in this process on local file systems; where it is carried
// out by record locks, as on NFS, it does not.
struct HeldLocks {
  std::mutex mutex;
  std::set<FileIdentity> files;
};

HeldLocks& held_locks() {
  static HeldLocks locks;
  return locks;
}

class PosixLock final : public DirectoryLock {
 public:
  PosixLock(Descriptor descriptor, FileIdentity identity)
      : descriptor_(std::move(descriptor)), identity_(identity) {}
  ~PosixLock() override {
    const std::lock_guard guard(held_locks().mutex);
    ::flock(descriptor_.get(), LOCK_UN);
    held_locks().files.erase(identity_);
  }

 private:
  Descriptor descriptor_;
  FileIdentity identity_;
};

}  // namespace

Result<std::unique_ptr<WritableFile>> PosixFileSystem::create(const std::string& path,
                                                              const CreateOptions& options) {
  const auto open_file = [&](int flags) {
    return Descriptor(retry([&] {
      return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | flags, kFileMode);
    }));
  };
  if (options.direct) {
    Descriptor descriptor = open_file(O_DIRECT);
    if (descriptor.get() >= 0) {
      return posix_direct_file(std::move(descriptor), path, options, counters());
    }
    if (errno != EINVAL) return call_error(path, "open to write");
  }
  Descriptor descriptor = open_file(0);
  if (descriptor.get() < 0) return call_error(path, "open to write");
  return posix_writable_file(std::move(descriptor), path, options.kind, counters());
}

namespace {

// The size of an open file that is one.
Result<std::uint64_t> size_of(const Descriptor& descriptor, const std::string& path) {
  struct stat status {};
  if (::fstat(descriptor.get(), &status) < 0) return call_error(path, "fstat");
  if (S_ISDIR(status.st_mode)) return call_error(path, "open", EISDIR);
  return static_cast<std::uint64_t>(status.st_size);
}

Descriptor open_to_read(const std::string& path, int flags) {
  return Descriptor(retry([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags); }));
}

}  // namespace

Result<std::unique_ptr<ReadableFile>> PosixFileSystem::open(const std::string& path) {
  Descriptor descriptor = open_to_read(path, 0);
  if (descriptor.get() < 0) return call_error(path, "open");
  const std::uint64_t size = BOOST_OUTCOME_TRYX(size_of(descriptor, path));
  return std::make_unique<PosixReadableFile>(std::move(descriptor), path, size);
}

Result<std::unique_ptr<ReadableFile>> PosixFileSystem::open_direct(const std::string& path) {
  Descriptor descriptor = open_to_read(path, O_DIRECT);
  if (descriptor.get() < 0 && errno == EINVAL) return open(path);
  if (descriptor.get() < 0) return call_error(path, "open");
  const std::uint64_t size = BOOST_OUTCOME_TRYX(size_of(descriptor, path));
  return posix_direct_readable(std::move(descriptor), path, size);
}

Result<std::vector<std::string>> PosixFileSystem::list(const std::string& directory) {
  struct CloseDirectory {
    void operator()(DIR* stream) const { ::closedir(stream); }
  };
  const std::unique_ptr<DIR, CloseDirectory> stream(::opendir(directory.c_str()));
  if (!stream) return call_error(directory, "opendir");
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(stream.get());
    if (entry == nullptr && errno != 0) return call_error(directory, "readdir");
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<bool> PosixFileSystem::exists(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return true;
  if (errno == ENOENT || errno == ENOTDIR) return false;
  return call_error(path, "stat");
}

Result<void> PosixFileSystem::remove(const std::string& path) {
  if (::unlink(path.c_str()) < 0) return call_error(path, "unlink");
  return success();
}

Result<void> PosixFileSystem::rename(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) == 0) return success();
  return call_error(from, fmt::format("rename to {}", to), errno);
}

Result<void> PosixFileSystem::link(const std::string& from, const std::string& to) {
  if (::link(from.c_str(), to.c_str()) == 0) return success();
  return call_error(from, fmt::format("link as {}", to), errno);
}

Result<void> PosixFileSystem::create_directory(const std::string& path) {
  if (::mkdir(path.c_str(), kDirectoryMode) == 0) return sync_directory(parent_of(path));
  if (errno == ENOENT && parent_of(path) != path && !path.empty()) {
    BOOST_OUTCOME_TRYV(create_directory(parent_of(path)));
    if (::mkdir(path.c_str(), kDirectoryMode) == 0) return sync_directory(parent_of(path));
  }
  const int number = errno;
  struct stat status {};
  if (number == EEXIST && ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    return success();
  }
  return call_error(path, "mkdir", number);
}

Result<void> PosixFileSystem::sync_directory(const std::string& path) {
  const Descriptor descriptor(
      retry([&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (descriptor.get() < 0) return call_error(path, "open directory");
  if (retry([&] { return ::fsync(descriptor.get()); }) < 0) return call_error(path, "fsync");
  return success();
}

Result<std::unique_ptr<DirectoryLock>> PosixFileSystem::lock(const std::string& path) {
  HeldLocks& locks = held_locks();
  // Held all along: were another descriptor of a file that this process has locked closed between
  // the steps, a record lock would be lost.
  const std::lock_guard guard(locks.mutex);
  struct stat status {};
  const auto refuse = [&](std::string_view holder) {
    return input_error(fmt::format("{}: {} uses this directory; it holds the lock {}",
                                   parent_of(path), holder, path));
  };
  if (::stat(path.c_str(), &status) == 0 &&
      locks.files.contains(FileIdentity{status.st_dev, status.st_ino})) {
    return refuse("this process already");
  }
  Descriptor descriptor(
      retry([&] { return ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kFileMode); }));
  if (descriptor.get() < 0) return call_error(path, "open to lock");
  if (retry([&] { return ::flock(descriptor.get(), LOCK_EX | LOCK_NB); }) < 0) {
    if (errno == EWOULDBLOCK) return refuse("another process");
    return call_error(path, "flock");
  }
  if (::fstat(descriptor.get(), &status) < 0) return call_error(path, "fstat");
  const FileIdentity identity{status.st_dev, status.st_ino};
  locks.files.insert(identity);
  return std::make_unique<PosixLock>(std::move(descriptor), identity);
}

std::optional<std::uint64_t> PosixFileSystem::open_files_max() const {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::nullopt;
  return limit.rlim_cur;
}

}  // namespace lsmlab::engine
