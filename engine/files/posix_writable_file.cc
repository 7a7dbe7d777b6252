#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "engine/files/caught.h"
#include "engine/files/io_pages.h"
#include "engine/files/posix_handle.h"
#include "models/base/check.h"

namespace lsmlab::engine {
namespace {

constexpr std::size_t kDirectBufferBytes = 64 * kPageBytes;
// The largest step in which disk space is reserved. So an expected size that is too large does not
// take space that others need on a nearly full disk.
constexpr std::uint64_t kReservedBytesMax = 64 << 20;
// A file may keep one part in this many of its size reserved beyond its end.
constexpr std::uint64_t kKeptDivisor = 16;

// Writes all bytes. Returns how many were written; if fewer than all, errno says why.
std::size_t write_at(const PosixHandle& handle, std::uint64_t offset, std::string_view bytes) {
  std::size_t done = 0;
  errno = 0;
  while (done < bytes.size()) {
    const ssize_t count = retry([&] {
      return handle.calls.pwrite(handle.descriptor.get(), bytes.data() + done, bytes.size() - done,
                                 static_cast<off_t>(offset + done));
    });
    // A write of 0 bytes without an error would loop forever.
    if (count == 0) errno = EIO;
    if (count <= 0) return done;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

class PosixFile : public WritableFile {
 public:
  PosixFile(PosixHandle handle, WriteKind kind, WriteCounters& counters)
      : handle_(std::move(handle)), kind_(kind), counters_(counters) {}

  Result<void> append(std::string_view bytes) override {
    CHECK(is_open());
    const std::size_t done = write_at(handle_, size_, bytes);
    size_ += done;
    counters_.add(kind_, done);
    if (done < bytes.size()) return call_error(handle_.path, "write");
    return success();
  }
  Result<void> sync() override {
    CHECK(is_open());
    if (retry([&] { return calls().fdatasync(descriptor()); }) < 0) {
      return call_error(handle_.path, "fdatasync");
    }
    return success();
  }
  Result<void> close() override {
    CHECK(is_open());
    // The descriptor is closed even if close is interrupted.
    if (calls().close(handle_.descriptor.release()) < 0 && errno != EINTR)
      return call_error(handle_.path, "close");
    return success();
  }
  [[nodiscard]] std::uint64_t size() const override { return size_; }

 protected:
  [[nodiscard]] PosixCalls& calls() const { return handle_.calls; }
  [[nodiscard]] int descriptor() const { return handle_.descriptor.get(); }
  [[nodiscard]] bool is_open() const { return handle_.descriptor.is_open(); }

  PosixHandle handle_;
  WriteKind kind_;
  WriteCounters& counters_;
  std::uint64_t size_ = 0;
};

class DirectFile final : public PosixFile {
 public:
  DirectFile(PosixHandle handle, const CreateOptions& options, WriteCounters& counters)
      : PosixFile(std::move(handle), options.kind, counters),
        buffer_(kDirectBufferBytes),
        expected_bytes_(options.expected_bytes) {
    reserve();
  }
  ~DirectFile() override {
    if (!is_open()) return;
    static_cast<void>(caught(handle_.path, [&] { return write_rest(); }));
  }

  Result<void> append(std::string_view bytes) override {
    CHECK(is_open());
    while (!bytes.empty()) {
      const std::size_t count = std::min(bytes.size(), kDirectBufferBytes - held_);
      copy_for_device(buffer_.data() + held_, bytes.substr(0, count));
      held_ += count;
      size_ += count;
      bytes.remove_prefix(count);
      if (held_ == kDirectBufferBytes) {
        BOOST_OUTCOME_TRYV(write_pages());
      }
    }
    return success();
  }
  Result<void> sync() override {
    BOOST_OUTCOME_TRYV(write_rest());
    return PosixFile::sync();
  }
  Result<void> close() override {
    const Result<void> written = write_rest();
    give_back();
    const Result<void> closed = PosixFile::close();
    return written ? closed : written;
  }

 private:
  void reserve() {
    if (reserved_bytes_ >= expected_bytes_) return;
    const std::uint64_t wanted = std::min(expected_bytes_, reserved_bytes_ + kReservedBytesMax);
    if (reserve_room(descriptor(), wanted, calls())) {
      reserved_bytes_ = wanted;
    } else {
      expected_bytes_ = reserved_bytes_ =
          0;  // nothing is reserved beyond the end, and nothing will be
    }
  }
  // A small excess stays reserved, because freeing it costs a trim request. A failure to free a
  // large one is harmless.
  void give_back() {
    if (reserved_bytes_ <= size_ + size_ / kKeptDivisor + kPageBytes) return;
    static_cast<void>(
        retry([&] { return calls().ftruncate(descriptor(), static_cast<off_t>(size_)); }));
  }
  Result<void> set_direct(bool is_direct) {
    if (!can_direct_ || is_direct == is_direct_) return success();
    const int flags = calls().get_flags(descriptor());
    const int wanted = is_direct ? flags | O_DIRECT : flags & ~O_DIRECT;
    if (flags < 0 || calls().set_flags(descriptor(), wanted) < 0) {
      return call_error(handle_.path, "fcntl");
    }
    is_direct_ = is_direct;
    return success();
  }
  // Writes the first `count` bytes of the buffer to their place in the file.
  Result<void> write(std::size_t count) {
    const std::size_t done = write_at(handle_, buffer_offset_, {buffer_.data(), count});
    if (done > counted_) {
      counters_.add(kind_, done - counted_);
      counted_ = done;
    }
    if (done < count) return call_error(handle_.path, "write");
    return success();
  }
  // Writes all whole pages of the buffer; the rest moves to its front.
  Result<void> write_pages() {
    const std::size_t whole = held_ / kPageBytes * kPageBytes;
    if (whole == 0) return success();
    if (buffer_offset_ + whole > reserved_bytes_) reserve();
    BOOST_OUTCOME_TRYV(set_direct(true));
    Result<void> written = write(whole);
    if (!written && errno == EINVAL && is_direct_) {
      // The device needs larger pages, or the file system accepts the flag but not the writes.
      BOOST_OUTCOME_TRYV(set_direct(false));
      can_direct_ = false;
      written = write(whole);
    }
    BOOST_OUTCOME_TRYV(written);
    buffer_offset_ += whole;
    held_ -= whole;
    counted_ -= std::min(counted_, whole);
    std::memmove(buffer_.data(), buffer_.data() + whole, held_);
    return success();
  }
  Result<void> write_rest() {
    CHECK(is_open());
    BOOST_OUTCOME_TRYV(write_pages());
    if (counted_ == held_) return success();
    BOOST_OUTCOME_TRYV(set_direct(false));
    return write(held_);
  }

  IoPages buffer_;
  std::uint64_t buffer_offset_ =
      0;  // offset of the buffer in the file; a multiple of the page size
  std::size_t held_ = 0;
  std::size_t counted_ = 0;  // bytes of the buffer that were written and counted already
  bool is_direct_ = true;
  bool can_direct_ = true;
  std::uint64_t expected_bytes_ = 0;  // never reserve more than this
  std::uint64_t reserved_bytes_ = 0;  // from the begin of the file
};

}  // namespace

bool reserve_room(int descriptor, std::uint64_t bytes, PosixCalls& calls) {
  if (bytes == 0 || bytes > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max())) {
    return false;
  }
  const int outcome = retry([&] {
    return calls.fallocate(descriptor, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes));
  });
  if (outcome == 0) return true;
  // A disk with too little space may have reserved what it had.
  struct stat status {};
  if (errno != EOPNOTSUPP && calls.fstat(descriptor, &status) == 0) {
    static_cast<void>(retry([&] { return calls.ftruncate(descriptor, status.st_size); }));
  }
  return false;
}

std::unique_ptr<WritableFile> posix_writable_file(PosixHandle handle, WriteKind kind,
                                                  WriteCounters& counters) {
  return std::make_unique<PosixFile>(std::move(handle), kind, counters);
}

std::unique_ptr<WritableFile> posix_direct_file(PosixHandle handle, const CreateOptions& options,
                                                WriteCounters& counters) {
  return std::make_unique<DirectFile>(std::move(handle), options, counters);
}

}  // namespace lsmlab::engine
