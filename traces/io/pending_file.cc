#include "traces/io/pending_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "models/base/check.h"

namespace lsmlab {
namespace {

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

int link_unnamed(int descriptor, const std::string& name) {
  const std::string unnamed = fmt::format("/proc/self/fd/{}", descriptor);
  const int linked = ::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW);
  return linked == 0 ? 0 : errno;
}

int open_unnamed(const std::string& folder) {
  return ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
}

// Tests this at once with another file: after a long run it would be too late.
bool can_name_files(const std::string& target) {
  const int descriptor = open_unnamed(folder_of(target));
  if (descriptor < 0) return false;
  const std::string name = fmt::format("{}.tmp.{}", target, ::getpid());
  const int fault = link_unnamed(descriptor, name);
  ::close(descriptor);
  if (fault == 0) ::unlink(name.c_str());
  return fault == 0;
}

// Returns errno, or 0 for success. Some file systems cannot make some files durable.
int make_durable(int descriptor) {
  int result = 0;
  do {
    result = ::fsync(descriptor);
  } while (result != 0 && errno == EINTR);
  if (result == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS) return 0;
  return errno;
}

int make_folder_durable(const std::string& path) {
  const int descriptor = ::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // A process may write to a directory without the right to read it. The name is then as durable as
  // the file system makes it.
  if (descriptor < 0) return 0;
  const int fault = make_durable(descriptor);
  ::close(descriptor);
  return fault;
}

mode_t new_file_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

Error creation_error(const std::string& path, int number) {
  const std::string message = fmt::format("{}: cannot be written: {}", path, std::strerror(number));
  const bool is_input = number == ENOENT || number == EACCES || number == ENOTDIR ||
                        number == EISDIR || number == EROFS || number == EPERM ||
                        number == ENAMETOOLONG;
  return is_input ? input_error(message) : machine_error(message);
}

Result<PendingFile> PendingFile::create(const std::string& path, PendingName name) {
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return creation_error(path, EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    return input_error(fmt::format("{}: is not a regular file and cannot be replaced", path));
  }
  std::error_code ignored;
  const std::string behind_links =
      exists ? std::filesystem::canonical(path, ignored).string() : std::string();
  PendingFile file(path, behind_links.empty() ? path : behind_links);
  const mode_t mode = exists ? status.st_mode & 07777U : new_file_mode();
  int fault = file.open_file(name);
  if (fault == 0 && ::fchmod(file.descriptor_, mode) != 0) fault = errno;
  if (fault != 0) return creation_error(path, fault);
  return file;
}

// Sets the descriptor. Returns errno, or 0 for success.
int PendingFile::open_file(PendingName wanted) {
  if (wanted == PendingName::kNone && can_name_files(target_)) {
    descriptor_ = open_unnamed(folder_of(target_));
    if (descriptor_ >= 0) return 0;
  }
  std::string name = target_ + ".tmp.XXXXXX";
  descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor_ < 0) return errno;
  neighbour_ = name;
  registered_.emplace(neighbour_, TemporaryPath::Kind::kFile);
  return 0;
}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      neighbour_(std::exchange(other.neighbour_, "")),
      registered_(std::move(other.registered_)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

PendingFile::~PendingFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!neighbour_.empty()) ::unlink(neighbour_.c_str());
}

// Gives an unnamed file the target's name if that is free. Otherwise it gets a neighbour's name,
// because only a named file can replace another. Returns errno, or 0 for success.
int PendingFile::link_file() {
  int fault = link_unnamed(descriptor_, target_);
  // Tries several names, because a crashed process of the same id may have left a neighbour behind.
  constexpr int kAttempts = 100;
  for (int attempt = 0; fault == EEXIST && attempt < kAttempts; ++attempt) {
    const std::string name = fmt::format("{}.tmp.{}-{}", target_, ::getpid(), attempt);
    fault = link_unnamed(descriptor_, name);
    if (fault != 0) continue;
    neighbour_ = name;
    registered_.emplace(neighbour_, TemporaryPath::Kind::kFile);
  }
  return fault;
}

int PendingFile::name_file() {
  int fault = make_durable(descriptor_);
  if (fault == 0 && neighbour_.empty()) fault = link_file();
  if (fault == 0 && !neighbour_.empty()) {
    if (::rename(neighbour_.c_str(), target_.c_str()) != 0) return errno;
    neighbour_.clear();
    registered_.reset();
  }
  return fault == 0 ? make_folder_durable(target_) : fault;
}

Result<void> PendingFile::publish() {
  CHECK(descriptor_ >= 0);
  int fault = name_file();
  if (::close(std::exchange(descriptor_, -1)) != 0 && fault == 0) fault = errno;
  if (fault == 0) return success();
  return machine_error(fmt::format("{}: cannot be written: {}", path_, std::strerror(fault)));
}

}  // namespace lsmlab
