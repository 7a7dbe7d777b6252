#include "engine/arena.h"

#include <sys/mman.h>

#include <new>

#include "models/check.h"

namespace lsmlab::engine {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

void Arena::FreeChunk::operator()(std::byte* chunk) const {
  ::operator delete (chunk, std::align_val_t{alignment});
}

std::byte* Arena::new_chunk(std::size_t bytes) {
  // Searches jump about: with small pages most steps would miss the processor's page tables.
  const bool is_huge = bytes % kHugePage == 0;
  const std::size_t alignment = is_huge ? kHugePage : kAlignmentMax;
  auto* chunk = static_cast<std::byte*>(::operator new (bytes, std::align_val_t{alignment}));
  // A wish only, so that its failing is no error.
  if (is_huge) static_cast<void>(::madvise(chunk, bytes, MADV_HUGEPAGE));
  chunks_.push_back(std::unique_ptr<std::byte, FreeChunk>(chunk, FreeChunk{alignment}));
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
