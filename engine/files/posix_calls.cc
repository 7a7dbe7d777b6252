#include "engine/files/posix_calls.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdio>

namespace lsmlab::engine {

int PosixCalls::open(const char* path, int flags, mode_t mode) { return ::open(path, flags, mode); }
int PosixCalls::close(int descriptor) { return ::close(descriptor); }
ssize_t PosixCalls::pread(int descriptor, void* buffer, std::size_t bytes, off_t offset) {
  return ::pread(descriptor, buffer, bytes, offset);
}
ssize_t PosixCalls::pwrite(int descriptor, const void* buffer, std::size_t bytes, off_t offset) {
  return ::pwrite(descriptor, buffer, bytes, offset);
}
int PosixCalls::fdatasync(int descriptor) { return ::fdatasync(descriptor); }
int PosixCalls::fsync(int descriptor) { return ::fsync(descriptor); }
int PosixCalls::ftruncate(int descriptor, off_t bytes) { return ::ftruncate(descriptor, bytes); }
int PosixCalls::fallocate(int descriptor, int mode, off_t offset, off_t bytes) {
  return ::fallocate(descriptor, mode, offset, bytes);
}
int PosixCalls::get_flags(int descriptor) { return ::fcntl(descriptor, F_GETFL); }
int PosixCalls::set_flags(int descriptor, int flags) { return ::fcntl(descriptor, F_SETFL, flags); }
int PosixCalls::fstat(int descriptor, struct stat* status) { return ::fstat(descriptor, status); }
int PosixCalls::lstat(const char* path, struct stat* status) { return ::lstat(path, status); }
int PosixCalls::stat(const char* path, struct stat* status) { return ::stat(path, status); }
int PosixCalls::flock(int descriptor, int operation) { return ::flock(descriptor, operation); }
int PosixCalls::mkdir(const char* path, mode_t mode) { return ::mkdir(path, mode); }
int PosixCalls::unlink(const char* path) { return ::unlink(path); }
int PosixCalls::rename(const char* from, const char* to) { return std::rename(from, to); }
int PosixCalls::link(const char* from, const char* to) { return ::link(from, to); }
DIR* PosixCalls::opendir(const char* path) { return ::opendir(path); }
dirent* PosixCalls::readdir(DIR* stream) { return ::readdir(stream); }

PosixCalls& system_calls() {
  static PosixCalls calls;
  return calls;
}

}  // namespace lsmlab::engine
