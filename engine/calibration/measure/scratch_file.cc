#include "engine/calibration/measure/scratch_file.h"

#include <cstring>

#include "models/base/random.h"

namespace lsmlab::engine {

IoPages random_pages(std::uint64_t seed, std::uint64_t bytes) {
  IoPages buffer(bytes);
  SplitMix64 random(seed);
  for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = random.next();
    std::memcpy(buffer.data() + at, &word, sizeof word);
  }
  return buffer;
}

void stamp_pages(char* buffer, std::uint64_t bytes, std::uint64_t number) {
  for (std::uint64_t at = 0; at < bytes; at += kPageBytes, ++number) {
    std::memcpy(buffer + at, &number, sizeof number);
  }
}

}  // namespace lsmlab::engine
