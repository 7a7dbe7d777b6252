#include "engine/sstable/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "engine/sstable/sstable.h"
#include "models/base/check.h"

namespace lsmlab::engine {

std::uint64_t checksum_of(std::string_view bytes) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0) return checksum_avx2(bytes);
#endif
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::uint64_t hash_of_key(std::string_view key) { return XXH3_64bits(key.data(), key.size()); }

struct RunningChecksum::State {
  XXH3_state_t xxh3;
};

RunningChecksum::RunningChecksum(std::uint64_t seed) : state_(std::make_unique<State>()) {
  CHECK(XXH3_64bits_reset_withSeed(&state_->xxh3, seed) == XXH_OK);
}

RunningChecksum::~RunningChecksum() = default;

void RunningChecksum::add(std::string_view bytes) {
  CHECK(XXH3_64bits_update(&state_->xxh3, bytes.data(), bytes.size()) == XXH_OK);
}

std::uint64_t RunningChecksum::value() const { return XXH3_64bits_digest(&state_->xxh3); }

}  // namespace lsmlab::engine
