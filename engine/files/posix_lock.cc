// Locks of directories: flock on a file, plus a list of the locks that this process holds.
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <map>
#include <mutex>

#include "engine/files/posix_handle.h"
#include "models/base/check.h"

namespace lsmlab::engine {
namespace {

using FileIdentity = std::pair<dev_t, ino_t>;

// On local file systems flock alone refuses a second holder in this process. On NFS flock uses
// record locks and does not. Readers share one descriptor, because closing any descriptor of the
// file would release a record lock.
struct HeldLock {
  Descriptor descriptor;
  LockAccess access;
  unsigned holders = 1;
};

struct HeldLocks {
  std::mutex mutex;
  std::map<FileIdentity, HeldLock> files;
};

HeldLocks& held_locks() {
  static HeldLocks locks;
  return locks;
}

class PosixLock final : public DirectoryLock {
 public:
  explicit PosixLock(FileIdentity identity) : identity_(identity) {}
  ~PosixLock() override {
    const std::lock_guard guard(held_locks().mutex);
    const auto held = held_locks().files.find(identity_);
    CHECK(held != held_locks().files.end());
    if (--held->second.holders > 0) return;
    ::flock(held->second.descriptor.get(), LOCK_UN);
    held_locks().files.erase(held);
  }

 private:
  FileIdentity identity_;
};

// The lock of a directory without a lock file: no writer was ever there.
class NoLock final : public DirectoryLock {};

FileIdentity identity_of(const struct stat& status) { return {status.st_dev, status.st_ino}; }

// The descriptor is not open if there is no file and none may be created.
Result<Descriptor> open_lock(PosixCalls& calls, const std::string& path, mode_t mode,
                             LockAccess access) {
  constexpr int kCommon = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const int flags = access == LockAccess::kWrite ? O_RDWR | O_CREAT : O_RDONLY;
  Descriptor descriptor(retry([&] { return calls.open(path.c_str(), flags | kCommon, mode); }));
  const int number = errno;
  struct stat status {};
  if (!descriptor.is_open()) {
    if (access == LockAccess::kRead && number == ENOENT) return descriptor;
    if (calls.lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
      return irregular_error(path, "open to lock", status.st_mode);
    }
    return call_error(path, "open to lock", number);
  }
  if (calls.fstat(descriptor.get(), &status) < 0) return call_error(path, "fstat");
  if (!S_ISREG(status.st_mode)) return irregular_error(path, "open to lock", status.st_mode);
  return descriptor;
}

}  // namespace

Result<std::unique_ptr<DirectoryLock>> posix_lock(PosixCalls& calls, const std::string& path,
                                                  mode_t mode, LockAccess access) {
  HeldLocks& locks = held_locks();
  // The mutex is held throughout. If another descriptor of a locked file were closed between the
  // steps, a record lock would be lost.
  const std::lock_guard guard(locks.mutex);
  const auto refuse = [&](std::string_view holder) {
    return input_error(fmt::format("{}: {} uses this directory; it holds the lock {}",
                                   parent_of(path), holder, path));
  };
  struct stat status {};
  if (calls.lstat(path.c_str(), &status) == 0) {
    const auto held = locks.files.find(identity_of(status));
    if (held != locks.files.end()) {
      if (access == LockAccess::kWrite || held->second.access == LockAccess::kWrite) {
        return refuse("this process already");
      }
      auto lock = std::make_unique<PosixLock>(held->first);
      ++held->second.holders;
      return lock;
    }
  }
  Descriptor descriptor = BOOST_OUTCOME_TRYX(open_lock(calls, path, mode, access));
  if (!descriptor.is_open()) return std::make_unique<NoLock>();
  const int operation = (access == LockAccess::kWrite ? LOCK_EX : LOCK_SH) | LOCK_NB;
  if (retry([&] { return calls.flock(descriptor.get(), operation); }) < 0) {
    if (errno == EWOULDBLOCK) return refuse("another process");
    return call_error(path, "flock");
  }
  if (calls.fstat(descriptor.get(), &status) < 0) return call_error(path, "fstat");
  const FileIdentity identity = identity_of(status);
  const auto [held, is_new] =
      locks.files.try_emplace(identity, HeldLock{std::move(descriptor), access, 1});
  CHECK(is_new);
  return std::make_unique<PosixLock>(identity);
}

}  // namespace lsmlab::engine
