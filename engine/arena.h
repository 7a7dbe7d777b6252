// Memory that is handed out piece by piece and given back all at once.
//
// Threading: one thread allocates; any may ask for the size.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace lsmlab::engine {

class Arena {
 public:
  /// `chunk_bytes`: what is taken from the system at a time; larger pieces get chunks of their own.
  /// Chunks of whole 2 MiB are put on huge pages where the system has them.
  explicit Arena(std::size_t chunk_bytes) : chunk_bytes_(chunk_bytes) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// REQUIRES: alignment is a power of two, at most kAlignmentMax.
  [[nodiscard]] std::byte* allocate(std::size_t bytes, std::size_t alignment) {
    const std::size_t padding = -reinterpret_cast<std::uintptr_t>(next_) & (alignment - 1);
    if (padding + bytes > left_) return allocate_slowly(bytes, alignment);
    std::byte* piece = next_ + padding;
    next_ += padding + bytes;
    left_ -= padding + bytes;
    return piece;
  }
  /// Of all chunks.
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return memory_bytes_.load(std::memory_order_relaxed);
  }

  static constexpr std::size_t kAlignmentMax = 64;

 private:
  struct FreeChunk {
    std::size_t alignment;
    void operator()(std::byte* chunk) const;
  };
  [[nodiscard]] std::byte* allocate_slowly(std::size_t bytes, std::size_t alignment);
  [[nodiscard]] std::byte* new_chunk(std::size_t bytes);

  std::size_t chunk_bytes_;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;  // of the newest shared chunk
  std::vector<std::unique_ptr<std::byte, FreeChunk>> chunks_;
  std::atomic<std::uint64_t> memory_bytes_ = 0;
};

}  // namespace lsmlab::engine
