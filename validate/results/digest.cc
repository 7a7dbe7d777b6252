#include "validate/results/digest.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <new>

#include "models/base/check.h"

namespace lsmlab {

void Digest::Free::operator()(XXH3_state_s* state) const { XXH3_freeState(state); }

Digest::Digest() : state_(XXH3_createState()) {
  if (!state_) throw std::bad_alloc();
  XXH3_128bits_reset(state_.get());
}

void Digest::add(std::string_view bytes) {
  const XXH_errorcode code = XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
  CHECK(code == XXH_OK);
}

std::string Digest::text() const {
  const XXH128_hash_t digest = XXH3_128bits_digest(state_.get());
  return fmt::format("{:016x}{:016x}", digest.high64, digest.low64);
}

std::string digest_of_text(std::string_view text) {
  Digest digest;
  digest.add(text);
  return digest.text();
}

}  // namespace lsmlab
