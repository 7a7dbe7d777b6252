// System calls of which the n-th fails as a test requests: with an errno, or, for reads and writes,
// with a short count. Calls are counted from 1 in the order in which they begin.
//
// Nothing is made durable. Without a power cut nobody can tell the difference, and tests are fast.
//
// Threading: any number of threads.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>
#include <string>

#include "engine/files/posix_calls.h"

namespace lsmlab::engine::testing {

class FailingCalls final : public PosixCalls {
 public:
  struct Fault {
    int number = EIO;         // errno
    bool is_short = false;    // reads and writes do only half; other calls do not fail
    std::uint64_t times = 1;  // number of consecutive calls
  };

  /// Makes the n-th call from now fail, and the following ones as the fault says.
  void fail_call(std::uint64_t call, Fault fault) {
    const std::lock_guard guard(mutex_);
    calls_ = 0;
    first_ = call;
    fault_ = fault;
    failed_.clear();
  }
  [[nodiscard]] std::uint64_t calls() const {
    const std::lock_guard guard(mutex_);
    return calls_;
  }
  /// Names of the failed calls, each followed by a space.
  [[nodiscard]] std::string failed() const {
    const std::lock_guard guard(mutex_);
    return failed_;
  }

  int open(const char* path, int flags, mode_t mode) override {
    return fails("open") ? -1 : PosixCalls::open(path, flags, mode);
  }
  // Closes the descriptor even if the call fails.
  int close(int descriptor) override {
    const bool is_failure = fails("close");
    const int number = errno;
    const int outcome = PosixCalls::close(descriptor);
    if (!is_failure) return outcome;
    errno = number;
    return -1;
  }
  ssize_t pread(int descriptor, void* buffer, std::size_t bytes, off_t offset) override {
    if (!shortens("pread", bytes)) return -1;
    return PosixCalls::pread(descriptor, buffer, bytes, offset);
  }
  ssize_t pwrite(int descriptor, const void* buffer, std::size_t bytes, off_t offset) override {
    if (!shortens("pwrite", bytes)) return -1;
    return PosixCalls::pwrite(descriptor, buffer, bytes, offset);
  }
  int fdatasync(int /*descriptor*/) override { return fails("fdatasync") ? -1 : 0; }
  int fsync(int /*descriptor*/) override { return fails("fsync") ? -1 : 0; }
  int ftruncate(int descriptor, off_t bytes) override {
    return fails("ftruncate") ? -1 : PosixCalls::ftruncate(descriptor, bytes);
  }
  int fallocate(int descriptor, int mode, off_t offset, off_t bytes) override {
    return fails("fallocate") ? -1 : PosixCalls::fallocate(descriptor, mode, offset, bytes);
  }
  int get_flags(int descriptor) override {
    return fails("fcntl") ? -1 : PosixCalls::get_flags(descriptor);
  }
  int set_flags(int descriptor, int flags) override {
    return fails("fcntl") ? -1 : PosixCalls::set_flags(descriptor, flags);
  }
  int fstat(int descriptor, struct stat* status) override {
    return fails("fstat") ? -1 : PosixCalls::fstat(descriptor, status);
  }
  int lstat(const char* path, struct stat* status) override {
    return fails("lstat") ? -1 : PosixCalls::lstat(path, status);
  }
  int stat(const char* path, struct stat* status) override {
    return fails("stat") ? -1 : PosixCalls::stat(path, status);
  }
  int flock(int descriptor, int operation) override {
    return fails("flock") ? -1 : PosixCalls::flock(descriptor, operation);
  }
  int mkdir(const char* path, mode_t mode) override {
    return fails("mkdir") ? -1 : PosixCalls::mkdir(path, mode);
  }
  int unlink(const char* path) override { return fails("unlink") ? -1 : PosixCalls::unlink(path); }
  int rename(const char* from, const char* to) override {
    return fails("rename") ? -1 : PosixCalls::rename(from, to);
  }
  int link(const char* from, const char* to) override {
    return fails("link") ? -1 : PosixCalls::link(from, to);
  }
  DIR* opendir(const char* path) override {
    return fails("opendir") ? nullptr : PosixCalls::opendir(path);
  }
  dirent* readdir(DIR* stream) override {
    return fails("readdir") ? nullptr : PosixCalls::readdir(stream);
  }

 private:
  // Counts a call; true if it must fail.
  [[nodiscard]] bool is_next(const char* name) {
    const std::lock_guard guard(mutex_);
    ++calls_;
    if (calls_ < first_ || calls_ >= first_ + fault_.times) return false;
    failed_ += std::string(name) + " ";
    return true;
  }
  [[nodiscard]] bool fails(const char* name) {
    if (!is_next(name) || fault_.is_short) return false;
    errno = fault_.number;
    return true;
  }
  /// False if the call fails; may shorten `bytes`.
  [[nodiscard]] bool shortens(const char* name, std::size_t& bytes) {
    if (!is_next(name)) return true;
    if (!fault_.is_short) {
      errno = fault_.number;
      return false;
    }
    if (bytes > 1) bytes /= 2;
    return true;
  }

  mutable std::mutex mutex_;
  std::uint64_t calls_ = 0;
  std::uint64_t first_ = ~std::uint64_t{0} / 2;  // no fault
  Fault fault_;
  std::string failed_;
};

}  // namespace lsmlab::engine::testing
