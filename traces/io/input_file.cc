#include "traces/io/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace lsmlab {
namespace {

// A file that a shell has opened for this process: "lsmlab ... /dev/stdin", "<(...)".
bool is_open_already(const std::string& path) {
  return path == "/dev/stdin" || path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/");
}

// The reason why files of this kind are not read; nullptr if they are.
const char* refusal(mode_t mode, bool is_of_shell, Pipes pipes) {
  if (S_ISREG(mode)) return nullptr;
  if (S_ISDIR(mode)) return "is a directory; expected a file";
  if (S_ISSOCK(mode)) return "is a socket; expected a file";
  if (is_of_shell) return nullptr;
  if (S_ISFIFO(mode)) return pipes == Pipes::kNamedToo ? nullptr : "is a pipe; expected a file";
  return "is a device; expected a file";
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

// A pipe that was opened without blocking and has no writer looks as if it had ended.
bool has_writer(int descriptor) {
  constexpr int kWaitMilliseconds = 1000;
  pollfd wanted{descriptor, POLLIN, 0};
  int count = 0;
  do {
    count = ::poll(&wanted, 1, kWaitMilliseconds);
  } while (count < 0 && errno == EINTR);
  return count > 0;
}

}  // namespace

Result<int> open_input(const std::string& path, Pipes pipes) {
  const auto refused = [&](const char* why) {
    return input_error(fmt::format("{}: {}", path, why));
  };
  const bool is_of_shell = is_open_already(path);
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return refused(std::strerror(errno));
  // Checked before the file is opened: opening some devices has side effects.
  if (const char* why = refusal(status.st_mode, is_of_shell, pipes)) return refused(why);
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (file.number() < 0) return refused(std::strerror(errno));
  if (::fstat(file.number(), &status) != 0) return refused(std::strerror(errno));
  if (const char* why = refusal(status.st_mode, is_of_shell, pipes)) return refused(why);
  if (S_ISFIFO(status.st_mode) && !is_of_shell && !has_writer(file.number())) {
    return refused("is a pipe that no process writes to");
  }
  const int flags = ::fcntl(file.number(), F_GETFL);
  if (flags < 0 || ::fcntl(file.number(), F_SETFL, flags & ~O_NONBLOCK) != 0) {
    return refused(std::strerror(errno));
  }
  return file.release();
}

std::uint64_t size_of_input(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  return static_cast<std::uint64_t>(status.st_size);
}

}  // namespace lsmlab
