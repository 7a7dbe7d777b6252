#include "output.h"

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

}  // namespace

Result<OutputFile> OutputFile::open(const std::string& path) {
  if (path == "-") return OutputFile(path, "", STDOUT_FILENO);
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return open_error(path, EISDIR);
  // Devices and pipes cannot be renamed over.
  const bool is_direct = exists && !S_ISREG(status.st_mode);
  const std::string opened = is_direct ? path : fmt::format("{}.tmp.{}", path, ::getpid());
  const int descriptor = ::open(opened.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return open_error(path, errno);
  return OutputFile(path, is_direct ? "" : opened, descriptor);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_path_(std::exchange(other.temporary_path_, "")),
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

Result<void> OutputFile::commit() {
  drain();
  const auto failed = [&](int number) {
    return machine_error(
        fmt::format("{}: cannot be written: {}", display_name(path_), std::strerror(number)));
  };
  if (error_number_ != 0) return failed(error_number_);
  if (is_standard_output()) return success();
  if (::close(std::exchange(descriptor_, -1)) != 0) return failed(errno);
  if (temporary_path_.empty()) return success();
  if (::rename(temporary_path_.c_str(), path_.c_str()) != 0) return failed(errno);
  temporary_path_.clear();
  return success();
}

Result<void> write_output(const std::string& path, std::string_view text) {
  BOOST_OUTCOME_TRY(file, OutputFile::open(path));
  file.write(text);
  return file.commit();
}

}  // namespace lsmlab
