#include "traces/byte_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "models/check.h"
#include "traces/input_file.h"
#include "traces/output_file.h"

namespace lsmlab {

Result<std::unique_ptr<ByteReader>> ByteReader::open(const std::string& path,
                                                     std::size_t buffer_bytes) {
  const int descriptor = BOOST_OUTCOME_TRYX(open_input(path, Pipes::kNamedToo));
  return std::unique_ptr<ByteReader>(new ByteReader(path, descriptor, buffer_bytes));
}

ByteReader::ByteReader(std::string path, int descriptor, std::size_t buffer_bytes)
    : path_(std::move(path)), descriptor_(descriptor), buffer_(buffer_bytes) {
  CHECK(buffer_bytes > 0);
}

ByteReader::~ByteReader() { ::close(descriptor_); }

Result<std::size_t> ByteReader::read_some(std::span<std::uint8_t> bytes) {
  for (;;) {
    const ssize_t count = ::read(descriptor_, bytes.data(), bytes.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EINTR) continue;
    return machine_error(fmt::format("{}: cannot be read at byte {}: {}", path_,
                                     offset_ + (end_ - begin_), std::strerror(errno)));
  }
}

Result<std::size_t> ByteReader::read(std::span<std::uint8_t> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto rest = bytes.subspan(done);
    if (begin_ == end_ && rest.size() >= buffer_.size()) {
      // Large reads go past the buffer: nothing would be gained by copying them.
      auto count = BOOST_OUTCOME_TRYX(read_some(rest));
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

Result<std::span<const std::uint8_t>> ByteReader::peek() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
    auto count = BOOST_OUTCOME_TRYX(read_some(buffer_));
    end_ = count;
  }
  return std::span<const std::uint8_t>(buffer_).subspan(begin_, end_ - begin_);
}

void ByteReader::consume(std::size_t bytes) {
  CHECK(bytes <= end_ - begin_);
  begin_ += bytes;
  offset_ += bytes;
}

Result<std::unique_ptr<ByteWriter>> ByteWriter::create(const std::string& path,
                                                       std::size_t buffer_bytes,
                                                       const std::string& given_name) {
  const std::string& name = given_name.empty() ? path : given_name;
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    return input_error(fmt::format("{}: cannot be created: {}", name, std::strerror(errno)));
  }
  return std::unique_ptr<ByteWriter>(new ByteWriter(path, name, descriptor, buffer_bytes));
}

ByteWriter::ByteWriter(std::string path, std::string name, int descriptor, std::size_t buffer_bytes)
    : path_(std::move(path)),
      name_(std::move(name)),
      descriptor_(descriptor),
      unfinished_(path_, TemporaryPath::Kind::kFile),
      buffer_(buffer_bytes) {
  CHECK(buffer_bytes > 0);
}

ByteWriter::~ByteWriter() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(path_.c_str());
}

Error ByteWriter::fail() {
  if (fault_ == 0) fault_ = errno;
  return machine_error(fmt::format("{}: cannot be written: {}", name_, std::strerror(fault_)));
}

Result<void> ByteWriter::flush() {
  if (fault_ != 0) return fail();
  std::size_t done = 0;
  while (done < buffered_) {
    const ssize_t count = ::write(descriptor_, buffer_.data() + done, buffered_ - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail();
    done += static_cast<std::size_t>(count);
  }
  buffered_ = 0;
  return success();
}

Result<void> ByteWriter::write(std::span<const std::uint8_t> bytes) {
  CHECK(descriptor_ >= 0);
  while (!bytes.empty()) {
    if (buffered_ == buffer_.size()) {
      BOOST_OUTCOME_TRYV(flush());
    }
    const std::size_t count = std::min(bytes.size(), buffer_.size() - buffered_);
    std::copy_n(
        bytes.begin(), count,
        buffer_.begin() + static_cast<std::vector<std::uint8_t>::difference_type>(buffered_));
    buffered_ += count;
    bytes = bytes.subspan(count);
  }
  return success();
}

Result<void> ByteWriter::close(bool durable) {
  CHECK(descriptor_ >= 0);
  BOOST_OUTCOME_TRYV(flush());
  if (durable && ::fsync(descriptor_) != 0) return fail();
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0) {
    Error error = fail();
    ::unlink(path_.c_str());
    return error;
  }
  return success();
}

Result<std::unique_ptr<ReplacingWriter>> ReplacingWriter::create(const std::string& given_path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(given_path, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return input_error(fmt::format("{}: is no regular file and cannot be replaced", given_path));
  }
  // Behind a symbolic link the file that it names is replaced, not the link.
  const std::string path = std::filesystem::exists(status)
                               ? std::filesystem::canonical(given_path, ignored).string()
                               : given_path;
  // A neighbour that a crashed process of the same id left behind must not be in the way for ever.
  constexpr int kAttempts = 16;
  for (int attempt = 0;; ++attempt) {
    auto writer = ByteWriter::create(fmt::format("{}.partial-{}-{}", path, ::getpid(), attempt),
                                     ByteWriter::kBufferBytes, given_path);
    if (writer) {
      return std::unique_ptr<ReplacingWriter>(new ReplacingWriter(path, std::move(writer).value()));
    }
    if (attempt + 1 == kAttempts) return std::move(writer).error();
  }
}

ReplacingWriter::ReplacingWriter(std::string path, std::unique_ptr<ByteWriter> writer)
    : path_(std::move(path)), writer_(std::move(writer)) {}

Result<void> ReplacingWriter::finish() {
  BOOST_OUTCOME_TRYV(writer_->close(true));
  if (const int fault = rename_durably(writer_->path(), path_); fault != 0) {
    ::unlink(writer_->path().c_str());
    return machine_error(fmt::format("{}: cannot be replaced: {}", path_, std::strerror(fault)));
  }
  return success();
}

Result<std::unique_ptr<TemporaryDirectory>> TemporaryDirectory::create(const std::string& parent) {
  std::error_code fault;
  const std::string base =
      parent.empty() ? std::filesystem::temp_directory_path(fault).string() : parent;
  if (fault) return machine_error("no directory for temporary files: " + fault.message());
  std::string name = (std::filesystem::path(base) / "lsmlab-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    return input_error(
        fmt::format("{}: no directory can be made there: {}", base, std::strerror(errno)));
  }
  return std::unique_ptr<TemporaryDirectory>(new TemporaryDirectory(name));
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace lsmlab
