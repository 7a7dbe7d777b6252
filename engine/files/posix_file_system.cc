#include "engine/files/posix_file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "engine/files/posix_handle.h"

namespace lsmlab::engine {

Error call_error(const std::string& path, std::string_view call, int number) {
  return machine_error(
      fmt::format("{}: {}: {}", path, call, std::generic_category().message(number)));
}

Error irregular_error(const std::string& path, std::string_view call, mode_t mode) {
  std::string_view kind = "a device";
  if (S_ISLNK(mode)) kind = "a symbolic link";
  if (S_ISDIR(mode)) kind = "a directory";
  if (S_ISFIFO(mode)) kind = "a FIFO";
  if (S_ISSOCK(mode)) kind = "a socket";
  return machine_error(fmt::format("{}: {}: is {}; expected a regular file", path, call, kind));
}

namespace {

constexpr mode_t kFileMode = 0644;
constexpr mode_t kDirectoryMode = 0755;

class PosixReadableFile final : public ReadableFile {
 public:
  PosixReadableFile(PosixHandle handle, std::uint64_t size)
      : handle_(std::move(handle)), size_(size) {}

  Result<std::size_t> read(std::uint64_t offset, std::span<char> buffer) const override {
    std::size_t done = 0;
    while (done < buffer.size()) {
      const ssize_t count = retry([&] {
        return handle_.calls.pread(handle_.descriptor.get(), buffer.data() + done,
                                   buffer.size() - done, static_cast<off_t>(offset + done));
      });
      if (count < 0) {
        const int number = errno;
        return call_error(fmt::format("{} at byte {}", path(), offset + done), "read", number);
      }
      if (count == 0) break;
      done += static_cast<std::size_t>(count);
    }
    return done;
  }
  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] const std::string& path() const override { return handle_.path; }

 private:
  PosixHandle handle_;
  std::uint64_t size_;
};

// The error after open() failed. The system's own texts would mislead: "Too many levels of symbolic
// links" for a link, "No such device or address" for a socket.
Error open_error(PosixCalls& calls, const std::string& path, std::string_view call) {
  const int number = errno;
  struct stat status {};
  if (calls.lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    return irregular_error(path, call, status.st_mode);
  }
  return call_error(path, call, number);
}

// Removes the name of a file that will be created anew. Refuses anything but a regular file.
Result<void> free_name(PosixCalls& calls, const std::string& path) {
  struct stat status {};
  if (calls.lstat(path.c_str(), &status) < 0) {
    if (errno == ENOENT) return success();
    return call_error(path, "open to write");
  }
  if (!S_ISREG(status.st_mode)) return irregular_error(path, "open to write", status.st_mode);
  if (calls.unlink(path.c_str()) < 0 && errno != ENOENT) return call_error(path, "unlink");
  return success();
}

// The descriptor is not open if the file system refuses the flags (EINVAL).
Result<Descriptor> create_new(PosixCalls& calls, const std::string& path, int flags) {
  constexpr int kCreate = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const auto open_new = [&] {
    return retry([&] { return calls.open(path.c_str(), kCreate | flags, kFileMode); });
  };
  int number = open_new();
  if (number < 0 && errno == EEXIST) {
    BOOST_OUTCOME_TRYV(free_name(calls, path));
    number = open_new();
  }
  if (number >= 0 || (errno == EINVAL && flags != 0)) return Descriptor(number);
  return call_error(path, "open to write");
}

}  // namespace

std::string parent_of(const std::string& path) {
  const std::size_t last = path.find_last_not_of('/');
  if (last == std::string::npos) return path.empty() ? "." : "/";
  const std::size_t slash = path.find_last_of('/', last);
  if (slash == std::string::npos) return ".";
  const std::size_t end = path.find_last_not_of('/', slash);
  return end == std::string::npos ? "/" : path.substr(0, end + 1);
}

PosixFileSystem::PosixFileSystem() : PosixFileSystem(system_calls()) {}

Result<std::unique_ptr<WritableFile>> PosixFileSystem::create(const std::string& path,
                                                              const CreateOptions& options) {
  if (options.direct) {
    Descriptor direct = BOOST_OUTCOME_TRYX(create_new(calls_, path, O_DIRECT));
    if (direct.is_open()) {
      return posix_direct_file({std::move(direct), path, calls_}, options, counters());
    }
  }
  Descriptor descriptor = BOOST_OUTCOME_TRYX(create_new(calls_, path, 0));
  return posix_writable_file({std::move(descriptor), path, calls_}, options.kind, counters());
}

namespace {

// The size of an open file. Errors: it is not a regular file.
Result<std::uint64_t> size_of(const PosixHandle& handle) {
  struct stat status {};
  if (handle.calls.fstat(handle.descriptor.get(), &status) < 0) {
    return call_error(handle.path, "fstat");
  }
  if (!S_ISREG(status.st_mode)) return irregular_error(handle.path, "open", status.st_mode);
  return static_cast<std::uint64_t>(status.st_size);
}

// O_NONBLOCK: the call does not wait for the other end of a FIFO.
PosixHandle open_to_read(PosixCalls& calls, const std::string& path, int flags) {
  constexpr int kRead = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  return {Descriptor(retry([&] { return calls.open(path.c_str(), kRead | flags, 0); })), path,
          calls};
}

}  // namespace

Result<std::unique_ptr<ReadableFile>> PosixFileSystem::open(const std::string& path) {
  PosixHandle handle = open_to_read(calls_, path, 0);
  if (!handle.descriptor.is_open()) return open_error(calls_, path, "open");
  const std::uint64_t size = BOOST_OUTCOME_TRYX(size_of(handle));
  return std::make_unique<PosixReadableFile>(std::move(handle), size);
}

Result<std::unique_ptr<ReadableFile>> PosixFileSystem::open_direct(const std::string& path) {
  PosixHandle handle = open_to_read(calls_, path, O_DIRECT);
  if (!handle.descriptor.is_open() && errno == EINVAL) return open(path);
  if (!handle.descriptor.is_open()) return open_error(calls_, path, "open");
  const std::uint64_t size = BOOST_OUTCOME_TRYX(size_of(handle));
  return posix_direct_readable(std::move(handle), size);
}

Result<std::vector<std::string>> PosixFileSystem::list(const std::string& directory) {
  struct CloseDirectory {
    void operator()(DIR* stream) const { ::closedir(stream); }
  };
  const std::unique_ptr<DIR, CloseDirectory> stream(calls_.opendir(directory.c_str()));
  if (!stream) return call_error(directory, "opendir");
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* entry = calls_.readdir(stream.get());
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
  if (calls_.lstat(path.c_str(), &status) == 0) return true;
  if (errno == ENOENT || errno == ENOTDIR) return false;
  return call_error(path, "stat");
}

Result<void> PosixFileSystem::remove(const std::string& path) {
  if (calls_.unlink(path.c_str()) < 0) return call_error(path, "unlink");
  return success();
}

Result<void> PosixFileSystem::rename(const std::string& from, const std::string& to) {
  if (calls_.rename(from.c_str(), to.c_str()) == 0) return success();
  return call_error(from, fmt::format("rename to {}", to), errno);
}

Result<void> PosixFileSystem::link(const std::string& from, const std::string& to) {
  if (calls_.link(from.c_str(), to.c_str()) == 0) return success();
  return call_error(from, fmt::format("link as {}", to), errno);
}

Result<void> PosixFileSystem::create_directory(const std::string& path) {
  const auto make = [&] { return calls_.mkdir(path.c_str(), kDirectoryMode) == 0; };
  if (make()) return sync_directory(parent_of(path));
  if (errno == ENOENT && parent_of(path) != path && !path.empty()) {
    BOOST_OUTCOME_TRYV(create_directory(parent_of(path)));
    if (make()) return sync_directory(parent_of(path));
  }
  const int number = errno;
  struct stat status {};
  if (number == EEXIST && calls_.stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    return success();
  }
  return call_error(path, "mkdir", number);
}

Result<void> PosixFileSystem::sync_directory(const std::string& path) {
  const Descriptor descriptor(
      retry([&] { return calls_.open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0); }));
  if (!descriptor.is_open()) return call_error(path, "open directory");
  if (retry([&] { return calls_.fsync(descriptor.get()); }) < 0) return call_error(path, "fsync");
  return success();
}

Result<std::unique_ptr<DirectoryLock>> PosixFileSystem::lock(const std::string& path) {
  return posix_lock(calls_, path, kFileMode, LockAccess::kWrite);
}

Result<std::unique_ptr<DirectoryLock>> PosixFileSystem::lock_to_read(const std::string& path) {
  return posix_lock(calls_, path, kFileMode, LockAccess::kRead);
}

std::optional<std::uint64_t> PosixFileSystem::open_files_max() const {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::nullopt;
  return limit.rlim_cur;
}

}  // namespace lsmlab::engine
