// Reads that bypass the page cache. They read whole pages into a buffer of whole pages, and give
// the caller the bytes that it asked for.
#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/files/io_pages.h"
#include "engine/files/posix_handle.h"

namespace lsmlab::engine {
namespace {

class DirectReadableFile final : public ReadableFile {
 public:
  DirectReadableFile(PosixHandle handle, std::uint64_t size)
      : handle_(std::move(handle)), size_(size) {}

  Result<std::size_t> read(std::uint64_t offset, std::span<char> buffer) const override {
    if (offset >= size_ || buffer.empty()) return std::size_t{0};
    const std::uint64_t end = std::min<std::uint64_t>(offset + buffer.size(), size_);
    const std::uint64_t first_page = offset / kPageBytes * kPageBytes;
    const std::uint64_t bytes = (end - first_page + kPageBytes - 1) / kPageBytes * kPageBytes;
    thread_local IoPages pages;
    if (bytes > pages.room()) pages = IoPages(bytes);
    char* const into = pages.data();
    std::uint64_t done = 0;
    while (first_page + done < end) {
      const ssize_t count = retry([&] {
        return handle_.calls.pread(handle_.descriptor.get(), into + done, bytes - done,
                                   static_cast<off_t>(first_page + done));
      });
      if (count < 0) {
        const int number = errno;
        // The device needs larger pages, or the file system accepts the flag but not the reads.
        if (number == EINVAL && drop_direct()) continue;
        return call_error(path() + " at byte " + std::to_string(first_page + done), "read", number);
      }
      if (count == 0) break;  // the file became shorter after it was opened
      done += static_cast<std::uint64_t>(count);
      // Only the end of a file is not a whole page. A read that ended early continues at a page.
      if (done % kPageBytes != 0 && first_page + done < end) static_cast<void>(drop_direct());
    }
    const std::uint64_t read_to = first_page + done;
    if (read_to <= offset) return std::size_t{0};
    const auto copied = static_cast<std::size_t>(std::min(end, read_to) - offset);
    std::memcpy(buffer.data(), into + (offset - first_page), copied);
    constexpr std::uint64_t kKeptBytes = 2 << 20;
    if (pages.room() > kKeptBytes) pages = IoPages();
    return copied;
  }
  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] const std::string& path() const override { return handle_.path; }

 private:
  /// Whether reads were direct until now.
  [[nodiscard]] bool drop_direct() const {
    const int descriptor = handle_.descriptor.get();
    const int flags = handle_.calls.get_flags(descriptor);
    return flags >= 0 && (flags & O_DIRECT) != 0 &&
           handle_.calls.set_flags(descriptor, flags & ~O_DIRECT) == 0;
  }

  PosixHandle handle_;
  std::uint64_t size_;
};

}  // namespace

std::unique_ptr<ReadableFile> posix_direct_readable(PosixHandle handle, std::uint64_t size) {
  return std::make_unique<DirectReadableFile>(std::move(handle), size);
}

}  // namespace lsmlab::engine
