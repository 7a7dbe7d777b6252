// Memory that is allocated in pieces and freed all at once.
//
// Threading: one thread allocates from an arena, and any thread may read its size. Many threads may
// use a reserve.
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

/// Keeps the chunks of destroyed arenas for new ones. A new chunk is expensive: the system clears
/// it page by page, in the thread that first writes to it.
class ArenaReserve {
 public:
  /// Keeps at most `bytes_max` bytes.
  explicit ArenaReserve(std::uint64_t bytes_max) : bytes_max_(bytes_max) {}

  /// Null if the reserve has no chunk of this size.
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
  /// `chunk_bytes`: how much to take from the system at a time; larger pieces get chunks of their
  /// own. Chunks of a multiple of 2 MiB are put on huge pages if the system has them. With a
  /// reserve, chunks come from it and return to it.
  explicit Arena(std::size_t chunk_bytes, std::shared_ptr<ArenaReserve> reserve = nullptr)
      : chunk_bytes_(chunk_bytes), reserve_(std::move(reserve)) {}
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// A piece of memory that lives as long as the arena. REQUIRES: alignment is a power of two, at
  /// most kAlignmentMax.
  [[nodiscard]] std::byte* allocate(std::size_t bytes, std::size_t alignment) {
    const std::size_t padding = -reinterpret_cast<std::uintptr_t>(next_) & (alignment - 1);
    if (padding + bytes > left_) return allocate_slowly(bytes, alignment);
    std::byte* piece = next_ + padding;
    next_ += padding + bytes;
    left_ -= padding + bytes;
    return piece;
  }
  /// Size of all chunks.
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
  std::size_t left_ = 0;  // bytes left in the newest shared chunk
  struct Chunk {
    ArenaChunk memory;
    std::size_t bytes = 0;
  };
  std::vector<Chunk> chunks_;
  std::atomic<std::uint64_t> memory_bytes_ = 0;
};

}  // namespace lsmlab::engine
