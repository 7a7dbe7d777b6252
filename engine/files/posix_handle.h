// What the calls of posix_file_system.cc and posix_writable_file.cc share.
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

/// What direct I/O asks of offsets, lengths and addresses; no device of today asks for more.
inline constexpr std::size_t kPageBytes = 4096;

/// "PATH: CALL: REASON" of errno, or of the number given.
[[nodiscard]] Error call_error(const std::string& path, std::string_view call, int number = errno);
/// "PATH: CALL: is a FIFO; expected a regular file", of a file's mode.
[[nodiscard]] Error irregular_error(const std::string& path, std::string_view call, mode_t mode);

/// Calls again while a signal interrupts.
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

/// Room on the disk for the first so many bytes of a file, whose size stays. False where the file
/// system cannot or has not: the file then has none beyond its end, and writes find their own.
[[nodiscard]] bool reserve_room(int descriptor, std::uint64_t bytes,
                                PosixCalls& calls = system_calls());

/// Of a path that may end with slashes; "." where it names no directory.
[[nodiscard]] std::string parent_of(const std::string& path);

enum class LockAccess { kRead, kWrite };
/// Those of FileSystem; `mode`: of a file that is made.
[[nodiscard]] Result<std::unique_ptr<DirectoryLock>> posix_lock(PosixCalls& calls,
                                                                const std::string& path,
                                                                mode_t mode, LockAccess access);

/// An open file, and the calls by which it is used.
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
