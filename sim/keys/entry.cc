#include "sim/keys/entry.h"

#include "models/sizes/sstable_size.h"

namespace lsmlab {

Result<std::uint32_t> SizeClasses::number_of(std::uint32_t key_bytes, std::uint32_t value_bytes) {
  const std::uint64_t pair = std::uint64_t{key_bytes} << 32 | value_bytes;
  if (pair == last_pair_) return last_number_;
  const auto [at, is_new] = numbers_.try_emplace(pair, static_cast<std::uint32_t>(count()));
  if (is_new) {
    if (count() >= std::size_t{1} << Entry::kClassBits) {
      return input_error(
          "the workload has more than 2^24 different pairs of key size and value size");
    }
    classes_.push_back({key_bytes, value_bytes, sstable_entry_bytes(key_bytes, value_bytes),
                        buffered_entry_bytes(key_bytes, value_bytes)});
  }
  last_pair_ = pair;
  last_number_ = at->second;
  return last_number_;
}

StoredEntry stored_entry(const Entry& entry, const SizeClasses& classes) {
  const SizeClass& size = classes[entry.size_class()];
  return {entry.key, entry.sequence(), size.key_bytes, size.value_bytes, entry.is_tombstone()};
}

}  // namespace lsmlab
