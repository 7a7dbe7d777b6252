#include "engine/scratch_file.h"

#include <cstring>
#include <new>

#include "traces/random.h"

namespace lsmlab::engine {

PageBuffer random_pages(std::uint64_t seed, std::uint64_t bytes) {
  PageBuffer buffer(static_cast<char*>(std::aligned_alloc(kPageBytes, bytes)));
  if (!buffer) throw std::bad_alloc();
  SplitMix64 random(seed);
  for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = random.next();
    std::memcpy(buffer.get() + at, &word, sizeof word);
  }
  return buffer;
}

void stamp_pages(char* buffer, std::uint64_t bytes, std::uint64_t number) {
  for (std::uint64_t at = 0; at < bytes; at += kPageBytes, ++number) {
    std::memcpy(buffer + at, &number, sizeof number);
  }
}

}  // namespace lsmlab::engine
