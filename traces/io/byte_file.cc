#include "traces/io/byte_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "models/base/check.h"
#include "traces/io/input_file.h"

namespace lsmlab {
namespace {

std::atomic<std::uint64_t> passed_to_outputs = 0;

class FileSource final : public ByteSource {
 public:
  FileSource(std::string path, int descriptor, StopFlag stop)
      : path_(std::move(path)), descriptor_(descriptor), stop_(stop) {}
  ~FileSource() override { ::close(descriptor_); }

  Result<std::size_t> read_some(std::span<std::uint8_t> bytes) override {
    for (;;) {
      BOOST_OUTCOME_TRYV(check_stop(stop_));
      BOOST_OUTCOME_TRYV(wait());
      const ssize_t count = ::read(descriptor_, bytes.data(), bytes.size());
      if (count >= 0) {
        offset_ += static_cast<std::uint64_t>(count);
        return static_cast<std::size_t>(count);
      }
      if (errno == EINTR || errno == EAGAIN) continue;
      return machine_error(
          fmt::format("{}: cannot be read at byte {}: {}", path_, offset_, std::strerror(errno)));
    }
  }

 private:
  // Waits until there are bytes or the end; for a file that is at once. A pipe's writer may take
  // its time, and a signal that arrives just before read() would not interrupt read().
  Result<void> wait() {
    constexpr int kLookEveryMilliseconds = 100;
    pollfd waited{descriptor_, POLLIN, 0};
    for (;;) {
      const int ready = ::poll(&waited, 1, kLookEveryMilliseconds);
      if (ready > 0 || (ready < 0 && errno != EINTR)) return success();  // read() returns the error
      BOOST_OUTCOME_TRYV(check_stop(stop_));
    }
  }

  std::string path_;
  int descriptor_;
  StopFlag stop_;
  std::uint64_t offset_ = 0;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> open_byte_source(const std::string& path, StopFlag stop) {
  const int descriptor = BOOST_OUTCOME_TRYX(open_input(path, Pipes::kNamedToo));
  return std::unique_ptr<ByteSource>(std::make_unique<FileSource>(path, descriptor, stop));
}

Result<std::unique_ptr<ByteReader>> ByteReader::open(const std::string& path, StopFlag stop) {
  auto source = BOOST_OUTCOME_TRYX(open_byte_source(path, stop));
  return std::make_unique<ByteReader>(path, std::move(source));
}

ByteReader::ByteReader(std::string path, std::unique_ptr<ByteSource> source,
                       std::size_t buffer_bytes)
    : path_(std::move(path)), source_(std::move(source)), buffer_(buffer_bytes) {
  CHECK(buffer_bytes > 0);
}

Result<std::size_t> ByteReader::read(std::span<std::uint8_t> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto rest = bytes.subspan(done);
    if (begin_ == end_ && rest.size() >= buffer_.size()) {
      // Large reads bypass the buffer: a copy would gain nothing.
      auto count = BOOST_OUTCOME_TRYX(source_->read_some(rest));
      if (count == 0) break;
      offset_ += count;
      done += count;
    } else {
      auto buffered = BOOST_OUTCOME_TRYX(peek());
      if (buffered.empty()) break;
      const std::size_t count = std::min(buffered.size(), rest.size());
      std::copy_n(buffered.begin(), count, rest.begin());
      consume(count);
      done += count;
    }
  }
  return done;
}

Result<std::span<const std::uint8_t>> ByteReader::peek(std::size_t least) {
  CHECK(least <= buffer_.size());
  if (begin_ == end_) {
    begin_ = end_ = 0;
  } else if (begin_ + least > buffer_.size()) {
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
    end_ -= begin_;
    begin_ = 0;
  }
  while (end_ - begin_ < least) {
    auto count = BOOST_OUTCOME_TRYX(source_->read_some(std::span(buffer_).subspan(end_)));
    if (count == 0) break;
    end_ += count;
  }
  return std::span<const std::uint8_t>(buffer_).subspan(begin_, end_ - begin_);
}

void ByteReader::consume(std::size_t bytes) {
  CHECK(bytes <= end_ - begin_);
  begin_ += bytes;
  offset_ += bytes;
}

std::uint64_t output_bytes_written() { return passed_to_outputs; }

ByteWriter::ByteWriter(std::string name, int descriptor, std::size_t buffer_bytes)
    : name_(std::move(name)), descriptor_(descriptor), buffer_bytes_(buffer_bytes) {
  CHECK(buffer_bytes > 0);
  buffer_.reserve(buffer_bytes + buffer_bytes / 8);  // the last write may exceed the buffer's size
}

Error ByteWriter::fail() {
  if (fault_ == 0) fault_ = errno;
  return machine_error(fmt::format("{}: cannot be written: {}", name_, std::strerror(fault_)));
}

Result<void> ByteWriter::write_through(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail();
    passed_to_outputs += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return success();
}

Result<void> ByteWriter::flush() {
  if (fault_ != 0) return fail();
  BOOST_OUTCOME_TRYV(write_through(buffer_));
  buffer_.clear();
  return success();
}

Result<void> ByteWriter::write(std::span<const std::uint8_t> bytes) {
  if (fault_ != 0) return fail();
  size_ += bytes.size();
  if (bytes.size() >= buffer_bytes_) {
    BOOST_OUTCOME_TRYV(flush());
    return write_through(bytes);
  }
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  if (buffer_.size() < buffer_bytes_) return success();
  return flush();
}

Result<std::unique_ptr<ReplacingWriter>> ReplacingWriter::create(const std::string& path) {
  auto file = BOOST_OUTCOME_TRYX(PendingFile::create(path));
  return std::unique_ptr<ReplacingWriter>(new ReplacingWriter(std::move(file)));
}

ReplacingWriter::ReplacingWriter(PendingFile file)
    : file_(std::move(file)), writer_(file_.path(), file_.descriptor()) {}

Result<void> ReplacingWriter::finish() {
  BOOST_OUTCOME_TRYV(writer_.flush());
  return file_.publish();
}

Result<std::unique_ptr<TemporaryDirectory>> TemporaryDirectory::create(const std::string& parent) {
  std::error_code fault;
  const std::string base =
      parent.empty() ? std::filesystem::temp_directory_path(fault).string() : parent;
  if (fault) return machine_error("no directory for temporary files: " + fault.message());
  std::string name = (std::filesystem::path(base) / "lsmlab-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    return input_error(
        fmt::format("{}: cannot create a directory there: {}", base, std::strerror(errno)));
  }
  return std::unique_ptr<TemporaryDirectory>(new TemporaryDirectory(name));
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace lsmlab
