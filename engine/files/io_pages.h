// Memory for direct I/O: whole pages, and huge pages for large buffers if the system has them. If
// the pages of a request are scattered, the device gets one piece for each page. A read of 256 KiB
// in 64 pieces took twice as long on a virtual disk as in one piece.
//
// Threading: a buffer may be created on one thread and destroyed on another. A destroyed buffer is
// kept for reuse, because the first use of a huge page is slow.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

namespace lsmlab::engine {

class IoPages {
 public:
  IoPages() = default;
  /// At least `bytes` bytes with undefined content. Throws std::bad_alloc if there is no memory.
  explicit IoPages(std::uint64_t bytes);
  IoPages(IoPages&& other) noexcept
      : bytes_(std::exchange(other.bytes_, nullptr)), room_(std::exchange(other.room_, 0)) {}
  IoPages& operator=(IoPages&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(room_, other.room_);
    return *this;
  }
  ~IoPages();

  [[nodiscard]] char* data() const { return bytes_; }
  [[nodiscard]] std::uint64_t room() const { return room_; }

 private:
  char* bytes_ = nullptr;
  std::uint64_t room_ = 0;
};

/// Copies `bytes` to memory that the device will read, and bypasses the caches if the processor
/// can. The cache lines of that memory may lie in the cache of the core that ran the last request
/// (on a virtual machine in another core complex). Storing into them takes ten times as long: 108
/// us instead of 8 us for 256 KiB, and 10 us past the caches.
void copy_for_device(char* to, std::string_view bytes);

}  // namespace lsmlab::engine
