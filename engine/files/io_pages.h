// Memory that direct I/O reads into and writes from: whole pages, large buffers in huge pages where
// the system has them. A request from pages that lie anywhere is a piece for the device with each
// of them: 64 pieces of 4 KiB, which took a read of 256 KiB on a virtual disk twice as long as one
// piece, and as chance would have it somewhere between.
//
// Threading: buffers begin and end on any thread. Some that ended are kept for the next ones, as a
// huge page is dear to begin with.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

namespace lsmlab::engine {

class IoPages {
 public:
  IoPages() = default;
  /// At least so many bytes, of no certain content. Throws std::bad_alloc where there is no memory.
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

/// Copies `bytes` to where the device will read them, past the caches where the processor can: the
/// lines there may be in a cache of whoever carried the last request out, on virtual machines
/// another core complex's, and storing into these takes ten times as long (256 KiB: 8 or 108 us;
/// past the caches 10).
void copy_for_device(char* to, std::string_view bytes);

}  // namespace lsmlab::engine
