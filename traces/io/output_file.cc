#include "traces/io/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <span>
#include <utility>

#include "traces/io/pending_file.h"

namespace lsmlab {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 16;

// Recognises standard output under its names as a file. Opened again, it would have a separate
// position in the file behind it.
std::string known_name(const std::string& path) {
  const bool is_standard_output =
      path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
  return is_standard_output ? "-" : path;
}

// Devices, pipes and open descriptors cannot be replaced by a rename, and their links lead to files
// that other processes have open.
bool is_of_the_system(const std::string& path) {
  std::error_code fault;
  const auto absolute = std::filesystem::absolute(path, fault);
  // Without a working directory a relative path names no file of the system.
  const std::string name = (fault ? std::filesystem::path(path) : absolute).lexically_normal();
  return name.starts_with("/dev/") || name.starts_with("/proc/");
}

// Only regular files count: a device may be read and written at the same time.
bool is_same_file(const std::string& a, const std::string& b) {
  struct stat status_a {};
  struct stat status_b {};
  return ::stat(a.c_str(), &status_a) == 0 && ::stat(b.c_str(), &status_b) == 0 &&
         S_ISREG(status_a.st_mode) && status_a.st_dev == status_b.st_dev &&
         status_a.st_ino == status_b.st_ino;
}

// Writes to a descriptor at once: standard output, a device or a pipe.
class DirectSink final : public ByteSink {
 public:
  DirectSink(std::string name, int descriptor)
      : name_(std::move(name)), descriptor_(descriptor), writer_(name_, descriptor, kBufferBytes) {}
  DirectSink(const DirectSink&) = delete;
  DirectSink& operator=(const DirectSink&) = delete;
  ~DirectSink() override {
    if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
  }
  Result<void> write(std::span<const std::uint8_t> bytes) override { return writer_.write(bytes); }
  Result<void> finish() override {
    BOOST_OUTCOME_TRYV(writer_.flush());
    if (descriptor_ <= STDERR_FILENO || ::close(std::exchange(descriptor_, -1)) == 0) {
      return success();
    }
    return machine_error(fmt::format("{}: cannot be written: {}", name_, std::strerror(errno)));
  }

 private:
  std::string name_;
  int descriptor_;
  ByteWriter writer_;
};

}  // namespace

Result<OutputFile> OutputFile::open(const std::string& given_path) {
  const std::string path = known_name(given_path);
  if (path == "-") {
    return OutputFile(path, std::make_unique<DirectSink>("standard output", STDOUT_FILENO));
  }
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  const bool is_replaceable = !exists || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode);
  if (is_replaceable && !is_of_the_system(path)) {
    auto writer = BOOST_OUTCOME_TRYX(ReplacingWriter::create(path));
    return OutputFile(path, std::move(writer));
  }
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) return creation_error(path, errno);
  return OutputFile(path, std::make_unique<DirectSink>(path, descriptor));
}

void OutputFile::write(std::string_view text) {
  if (!state_) return;
  state_ = sink_->write({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

Result<void> OutputFile::state() const { return state_; }

Result<void> OutputFile::commit() {
  if (state_) state_ = sink_->finish();
  return state_;
}

bool is_same_output(const std::string& given_a, const std::string& given_b) {
  const std::string a = known_name(given_a);
  const std::string b = known_name(given_b);
  if (a == b) return true;
  if (a == "-" || b == "-") return false;
  if (is_same_file(a, b)) return true;
  std::error_code fault_a;
  std::error_code fault_b;
  const auto path_a = std::filesystem::weakly_canonical(a, fault_a);
  const auto path_b = std::filesystem::weakly_canonical(b, fault_b);
  return !fault_a && !fault_b && path_a == path_b;
}

Result<void> check_not_overwritten(const std::string& option, const std::string& out,
                                   const std::vector<std::string>& inputs) {
  const std::string name = known_name(out);
  if (name.empty() || name == "-") return success();
  for (const std::string& input : inputs) {
    if (!is_same_file(name, input)) continue;
    return input_error(fmt::format("{}: {} is the input {}; expected another file{}", option, out,
                                   input == out ? "itself" : input,
                                   input == out ? "" : " (they are one file)"));
  }
  return success();
}

Result<void> write_output(const std::string& path, std::string_view text) {
  auto file = BOOST_OUTCOME_TRYX(OutputFile::open(path));
  file.write(text);
  return file.commit();
}

}  // namespace lsmlab
