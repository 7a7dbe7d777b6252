// What the posix_*.cc files share.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "engine/files/file_system.h"
#include "engine/files/posix_calls.h"

namespace lsmlab::engine {

/// Alignment of offsets, lengths and addresses for direct I/O. No current device needs more.
inline constexpr std::size_t kPageBytes = 4096;

/// "PATH: CALL: REASON"; the reason is the text of `number`.
[[nodiscard]] Error call_error(const std::string& path, std::string_view call, int number = errno);
/// "PATH: CALL: is a FIFO; expected a regular file"; the kind is that of `mode`.
[[nodiscard]] Error irregular_error(const std::string& path, std::string_view call, mode_t mode);

/// Repeats a call while signals interrupt it.
template <class Call>
auto retry(Call call) {
  for (;;) {
    const auto outcome = call();
    if (outcome >= 0 || errno != EINTR) return outcome;
  }
}

/// An open file; the destructor closes it.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (is_open()) ::close(number_);
  }
  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  [[nodiscard]] int release() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

/// Reserves disk space for the first `bytes` bytes of a file; the file's size stays. False if the
/// file system cannot do so or is full: then nothing is reserved beyond the end of the file, and
/// writes allocate their own space.
[[nodiscard]] bool reserve_room(int descriptor, std::uint64_t bytes,
                                PosixCalls& calls = system_calls());

/// The directory of a path, which may end with slashes; "." if the path names no directory.
[[nodiscard]] std::string parent_of(const std::string& path);

enum class LockAccess { kRead, kWrite };
/// FileSystem::lock() and lock_to_read(). `mode`: permissions of a lock file that is created.
[[nodiscard]] Result<std::unique_ptr<DirectoryLock>> posix_lock(PosixCalls& calls,
                                                                const std::string& path,
                                                                mode_t mode, LockAccess access);

/// An open file, and the calls that use it.
struct PosixHandle {
  Descriptor descriptor;
  std::string path;
  PosixCalls& calls;
};

[[nodiscard]] std::unique_ptr<WritableFile> posix_writable_file(PosixHandle handle, WriteKind kind,
                                                                WriteCounters& counters);
/// REQUIRES: opened with O_DIRECT.
[[nodiscard]] std::unique_ptr<WritableFile> posix_direct_file(PosixHandle handle,
                                                              const CreateOptions& options,
                                                              WriteCounters& counters);
/// REQUIRES: opened with O_DIRECT.
[[nodiscard]] std::unique_ptr<ReadableFile> posix_direct_readable(PosixHandle handle,
                                                                  std::uint64_t size);

}  // namespace lsmlab::engine
