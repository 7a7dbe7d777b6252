#include "engine/memtable/arena.h"

#include <sys/mman.h>

#include <new>

#include "models/base/check.h"

namespace lsmlab::engine {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

void FreeArenaChunk::operator()(std::byte* chunk) const {
  ::operator delete (chunk, std::align_val_t{alignment});
}

ArenaChunk ArenaReserve::take(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  for (Kept& kept : kept_) {
    if (kept.bytes != bytes) continue;
    ArenaChunk chunk = std::move(kept.chunk);
    std::swap(kept, kept_.back());
    kept_.pop_back();
    bytes_ -= bytes;
    return chunk;
  }
  return nullptr;
}

void ArenaReserve::give(ArenaChunk chunk, std::size_t bytes) noexcept {
  // A sanitizer must see memory that is freed twice or used after it was freed.
#if !defined(__SANITIZE_ADDRESS__)
  const std::lock_guard lock(mutex_);
  if (bytes_ + bytes > bytes_max_) return;
  try {
    kept_.push_back({std::move(chunk), bytes});
    bytes_ += bytes;
  } catch (const std::bad_alloc&) {  // no memory for the list: free the chunk as usual
  }
#else
  static_cast<void>(chunk);
  static_cast<void>(bytes);
#endif
}

Arena::~Arena() {
  if (!reserve_) return;
  for (Chunk& chunk : chunks_) {
    if (chunk.bytes == chunk_bytes_) reserve_->give(std::move(chunk.memory), chunk.bytes);
  }
}

std::byte* Arena::new_chunk(std::size_t bytes) {
  ArenaChunk chunk = reserve_ ? reserve_->take(bytes) : nullptr;
  if (!chunk) {
    // Searches access scattered addresses: with small pages most steps would miss the processor's
    // page table cache.
    const bool is_huge = bytes % kHugePage == 0;
    const std::size_t alignment = is_huge ? kHugePage : kAlignmentMax;
    auto* fresh = static_cast<std::byte*>(::operator new (bytes, std::align_val_t{alignment}));
    // Only advice, so a failure is no error.
    if (is_huge) static_cast<void>(::madvise(fresh, bytes, MADV_HUGEPAGE));
    chunk = ArenaChunk(fresh, FreeArenaChunk{alignment});
  }
  std::byte* const memory = chunk.get();
  chunks_.push_back({std::move(chunk), bytes});
  memory_bytes_.store(memory_bytes() + bytes, std::memory_order_relaxed);
  return memory;
}

std::byte* Arena::allocate_slowly(std::size_t bytes, std::size_t alignment) {
  CHECK(alignment <= kAlignmentMax);
  // A large piece gets its own chunk, so that the rest of the shared chunk is not wasted.
  if (bytes > chunk_bytes_ / 4) return new_chunk(bytes);
  next_ = new_chunk(chunk_bytes_);
  left_ = chunk_bytes_;
  return allocate(bytes, alignment);
}

}  // namespace lsmlab::engine
