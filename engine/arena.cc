#include "engine/arena.h"

#include <new>

#include "models/check.h"

namespace lsmlab::engine {

void Arena::FreeChunk::operator()(std::byte* chunk) const {
  ::operator delete(chunk, std::align_val_t{kAlignmentMax});
}

std::byte* Arena::new_chunk(std::size_t bytes) {
  auto* chunk = static_cast<std::byte*>(::operator new(bytes, std::align_val_t{kAlignmentMax}));
  chunks_.emplace_back(chunk);
  memory_bytes_.store(memory_bytes() + bytes, std::memory_order_relaxed);
  return chunk;
}

std::byte* Arena::allocate_slowly(std::size_t bytes, std::size_t alignment) {
  CHECK(alignment <= kAlignmentMax);
  // What is left of the shared chunk is not given up for a large piece.
  if (bytes > chunk_bytes_ / 4) return new_chunk(bytes);
  next_ = new_chunk(chunk_bytes_);
  left_ = chunk_bytes_;
  return allocate(bytes, alignment);
}

}  // namespace lsmlab::engine
