#include "traces/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace lsmlab {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 16;

std::string display_name(const std::string& path) { return path == "-" ? "standard output" : path; }

Error open_error(const std::string& path, int number) {
  const std::string message = fmt::format("{}: cannot be written: {}", path, std::strerror(number));
  const bool is_input = number == ENOENT || number == EACCES || number == ENOTDIR ||
                        number == EISDIR || number == EROFS || number == EPERM ||
                        number == ENAMETOOLONG;
  return is_input ? input_error(message) : machine_error(message);
}

// Standard output under its names as a file: opened anew, it would have a place of its own in the
// file behind it.
std::string known_name(const std::string& path) {
  const bool is_standard_output =
      path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
  return is_standard_output ? "-" : path;
}

// Devices, pipes and open descriptors cannot be renamed over, and their links lead to what others
// have open.
bool is_of_the_system(const std::string& path) {
  std::error_code fault;
  const auto absolute = std::filesystem::absolute(path, fault);
  // Without a working directory: a relative path names nothing of the system's there.
  const std::string name = (fault ? std::filesystem::path(path) : absolute).lexically_normal();
  return name.starts_with("/dev/") || name.starts_with("/proc/");
}

// Returns 0 or the system's error. Some file systems know no such thing of some files.
int make_durable(int descriptor) {
  int result = 0;
  do {
    result = ::fsync(descriptor);
  } while (result != 0 && errno == EINTR);
  if (result == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS) return 0;
  return errno;
}

}  // namespace

Result<OutputFile> OutputFile::open(const std::string& given_path) {
  const std::string path = known_name(given_path);
  if (path == "-") return OutputFile(path, STDOUT_FILENO);
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return open_error(path, EISDIR);
  if ((exists && !S_ISREG(status.st_mode)) || is_of_the_system(path)) return open_direct(path);
  // Behind a symbolic link the file that it names is replaced, not the link.
  std::error_code ignored;
  const std::string target = exists ? std::filesystem::canonical(path, ignored).string() : path;
  std::string temporary_path = (target.empty() ? path : target) + ".tmp.XXXXXX";
  const int descriptor = ::mkostemp(temporary_path.data(), O_CLOEXEC);
  if (descriptor < 0) return open_error(path, errno);
  OutputFile file(target.empty() ? path : target, descriptor);
  file.temporary_.emplace(temporary_path, TemporaryPath::Kind::kFile);
  file.temporary_path_ = temporary_path;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (::fchmod(descriptor, exists ? status.st_mode & 07777 : 0666 & ~mask) != 0) {
    return open_error(path, errno);
  }
  return file;
}

Result<OutputFile> OutputFile::open_direct(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) return open_error(path, errno);
  return OutputFile(path, descriptor);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_path_(std::exchange(other.temporary_path_, "")),
      temporary_(std::move(other.temporary_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      buffer_(std::move(other.buffer_)),
      error_number_(other.error_number_) {}

OutputFile::~OutputFile() {
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
  if (!temporary_path_.empty()) ::unlink(temporary_path_.c_str());
}

void OutputFile::drain() {
  const char* at = buffer_.data();
  std::size_t left = buffer_.size();
  while (left > 0 && error_number_ == 0) {
    const ssize_t written = ::write(descriptor_, at, left);
    if (written < 0) {
      if (errno != EINTR) error_number_ = errno;
      continue;
    }
    at += written;
    left -= static_cast<std::size_t>(written);
  }
  buffer_.clear();
}

void OutputFile::write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kBufferBytes) drain();
}

Result<void> OutputFile::state() const {
  if (error_number_ == 0) return success();
  return machine_error(
      fmt::format("{}: cannot be written: {}", display_name(path_), std::strerror(error_number_)));
}

Result<void> OutputFile::commit() {
  drain();
  if (is_standard_output()) return state();
  const bool is_renamed = !temporary_path_.empty();
  if (error_number_ == 0 && is_renamed) error_number_ = make_durable(descriptor_);
  if (::close(std::exchange(descriptor_, -1)) != 0 && error_number_ == 0) error_number_ = errno;
  if (error_number_ == 0 && is_renamed) {
    error_number_ = rename_durably(temporary_path_, path_);
    if (error_number_ == 0) temporary_path_.clear();
  }
  return state();
}

int rename_durably(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return errno;
  const std::size_t folder = to.find_last_of('/');
  const std::string directory = folder == std::string::npos ? "." : to.substr(0, folder + 1);
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // One may write to a directory without the right to read it: the name is then as durable as the
  // file system makes it.
  if (descriptor < 0) return 0;
  const int fault = make_durable(descriptor);
  ::close(descriptor);
  return fault;
}

bool is_same_output(const std::string& given_a, const std::string& given_b) {
  const std::string a = known_name(given_a);
  const std::string b = known_name(given_b);
  if (a == b) return true;
  if (a == "-" || b == "-") return false;
  std::error_code fault_a;
  std::error_code fault_b;
  const auto path_a = std::filesystem::weakly_canonical(a, fault_a);
  const auto path_b = std::filesystem::weakly_canonical(b, fault_b);
  return !fault_a && !fault_b && path_a == path_b;
}

Result<void> write_output(const std::string& path, std::string_view text) {
  auto file = BOOST_OUTCOME_TRYX(OutputFile::open(path));
  file.write(text);
  return file.commit();
}

}  // namespace lsmlab
