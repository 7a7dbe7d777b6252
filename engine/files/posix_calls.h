// The system calls of engine/files/posix_*.cc. They are an interface, so tests can make any of them
// fail (testing/engine/failing_calls.h). Each does what the POSIX call of its name does: on failure
// it returns -1, or null, and sets errno.
//
// Threading: any number of threads.
#pragma once

#include <dirent.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>

namespace lsmlab::engine {

class PosixCalls {
 public:
  PosixCalls() = default;
  PosixCalls(const PosixCalls&) = delete;
  PosixCalls& operator=(const PosixCalls&) = delete;
  virtual ~PosixCalls() = default;

  virtual int open(const char* path, int flags, mode_t mode);
  virtual int close(int descriptor);
  virtual ssize_t pread(int descriptor, void* buffer, std::size_t bytes, off_t offset);
  virtual ssize_t pwrite(int descriptor, const void* buffer, std::size_t bytes, off_t offset);
  virtual int fdatasync(int descriptor);
  virtual int fsync(int descriptor);
  virtual int ftruncate(int descriptor, off_t bytes);
  virtual int fallocate(int descriptor, int mode, off_t offset, off_t bytes);
  virtual int get_flags(int descriptor);             // fcntl F_GETFL
  virtual int set_flags(int descriptor, int flags);  // fcntl F_SETFL
  virtual int fstat(int descriptor, struct stat* status);
  virtual int lstat(const char* path, struct stat* status);
  virtual int stat(const char* path, struct stat* status);
  virtual int flock(int descriptor, int operation);
  virtual int mkdir(const char* path, mode_t mode);
  virtual int unlink(const char* path);
  virtual int rename(const char* from, const char* to);
  virtual int link(const char* from, const char* to);
  virtual DIR* opendir(const char* path);
  virtual dirent* readdir(DIR* stream);
};

/// The calls of the operating system.
[[nodiscard]] PosixCalls& system_calls();

}  // namespace lsmlab::engine
