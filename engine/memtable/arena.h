// Memory that is handed out piece by piece and given back all at once.
//
// Threading: of an arena, one thread allocates, any may ask for the size; a reserve may be used by
// many.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace lsmlab::engine {

/// A chunk of an arena.
struct FreeArenaChunk {
  std::size_t alignment = 0;
  void operator()(std::byte* chunk) const;
};
using ArenaChunk = std::unique_ptr<std::byte, FreeArenaChunk>;

/// Chunks of arenas that are gone, for the next ones: a new chunk costs its clearing by the system,
/// page by page, in the thread that first writes to it.
class ArenaReserve {
 public:
  /// Keeps so many bytes at most.
  explicit ArenaReserve(std::uint64_t bytes_max) : bytes_max_(bytes_max) {}

  /// Null where there is none of this size.
  [[nodiscard]] ArenaChunk take(std::size_t bytes);
  void give(ArenaChunk chunk, std::size_t bytes) noexcept;

 private:
  struct Kept {
    ArenaChunk chunk;
    std::size_t bytes = 0;
  };
  std::mutex mutex_;
  std::uint64_t bytes_max_;
  std::uint64_t bytes_ = 0;
  std::vector<Kept> kept_;
};

class Arena {
 public:
  /// `chunk_bytes`: what is taken from the system at a time; larger pieces get chunks of their own.
  /// Chunks of whole 2 MiB are put on huge pages where the system has them. With a reserve, chunks
  /// come from it and go back to it.
  explicit Arena(std::size_t chunk_bytes, std::shared_ptr<ArenaReserve> reserve = nullptr)
      : chunk_bytes_(chunk_bytes), reserve_(std::move(reserve)) {}
  ~Arena();
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
  [[nodiscard]] std::byte* allocate_slowly(std::size_t bytes, std::size_t alignment);
  [[nodiscard]] std::byte* new_chunk(std::size_t bytes);

  std::size_t chunk_bytes_;
  std::shared_ptr<ArenaReserve> reserve_;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;  // of the newest shared chunk
  struct Chunk {
    ArenaChunk memory;
    std::size_t bytes = 0;
  };
  std::vector<Chunk> chunks_;
  std::atomic<std::uint64_t> memory_bytes_ = 0;
};

}  // namespace lsmlab::engine
