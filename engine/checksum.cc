#include "engine/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "engine/sstable.h"

namespace lsmlab::engine {

std::uint64_t checksum_of(std::string_view bytes) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0) return checksum_avx2(bytes);
#endif
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::uint64_t hash_of_key(std::string_view key) { return XXH3_64bits(key.data(), key.size()); }

}  // namespace lsmlab::engine
