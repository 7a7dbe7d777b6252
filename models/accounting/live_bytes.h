// Key and value bytes of all live keys while a run goes on. Exact up to 65,536 keys; beyond that
// estimated from a sample by hash, which takes no more memory and little time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "models/base/random.h"
#include "models/base/units.h"
#include "models/tree/plan.h"

namespace lsmlab {

class LiveBytes {
 public:
  static constexpr std::size_t kKeysMax = std::size_t{1} << 16;

  /// The key's value is replaced; `bytes` are those of key and value, `sequence` is the write's.
  void put(std::uint64_t key, std::uint64_t bytes, std::uint64_t sequence) {
    if (is_sampled(key)) [[unlikely]]
      put_sampled(key, bytes, sequence);
  }
  void remove(std::uint64_t key) {
    if (is_sampled(key)) [[unlikely]]
      remove_sampled(key);
  }
  /// A file was dropped: the keys that it covers whose newest write it may hold are gone. Exact
  /// where no other file that covers such a key has writes between the file's first and last one,
  /// and where no older version of it is left. O(sampled keys).
  void drop(const SequenceSpan& sequences, const KeyRange& keys);
  /// Of all keys. Beyond kKeysMax keys of one size the standard deviation is below 0.6 %.
  [[nodiscard]] Uint128 bytes() const { return sampled_bytes_ << shift_; }

 private:
  [[nodiscard]] bool is_sampled(std::uint64_t key) const { return (mix_bits(key) & mask_) == 0; }
  struct Newest {
    std::uint64_t bytes = 0;
    std::uint64_t sequence = 0;
  };
  void put_sampled(std::uint64_t key, std::uint64_t bytes, std::uint64_t sequence);
  void remove_sampled(std::uint64_t key);
  /// Keeps half of the keys.
  void halve();

  std::unordered_map<std::uint64_t, Newest> newest_;  // by key; no result depends on its order
  std::uint64_t mask_ = 0;                            // of the bits of a key's hash that are 0
  unsigned shift_ = 0;                                // one of 2^shift_ keys is kept
  Uint128 sampled_bytes_ = 0;
};

}  // namespace lsmlab
