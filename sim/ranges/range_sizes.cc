#include "sim/ranges/range_sizes.h"

#include <algorithm>

#include "models/base/check.h"

namespace lsmlab {

std::uint64_t RangeSizes::put_bytes() const {
  return is_bare_ ? 1 : buffered_entry_bytes(key_bytes_, value_bytes_);
}

std::uint64_t RangeSizes::delete_bytes() const {
  return is_bare_ ? 1 : buffered_entry_bytes(key_bytes_, 0);
}

SstableSize RangeSizes::size_of(const SstableFormat& format, const EntryMix& mix) const {
  SstableSize size(format);
  size.add_equal(mix.puts, key_bytes_, value_bytes_);
  size.add_equal(mix.tombstones, key_bytes_, 0);
  return size;
}

Bytes RangeSizes::file_bytes(const SstableFormat& format, const EntryMix& mix) const {
  CHECK(mix.entries() > 0);
  if (is_bare_) return Bytes(mix.entries());
  return size_of(format, mix).file_bytes();
}

std::uint64_t RangeSizes::entries_to_fill(const SstableFormat& format, CutMeasure measure,
                                          std::uint64_t bytes_max, const EntryMix& mix) const {
  CHECK(mix.entries() > 0);
  if (is_bare_) return std::max<std::uint64_t>(1, bytes_max);
  const Uint128 count = mix.entries();
  // Of `count` entries together, so that a mean is an exact fraction.
  const Uint128 bytes = Uint128{mix.puts} * put_bytes() + Uint128{mix.tombstones} * delete_bytes();
  const auto up = [](Uint128 number, Uint128 divisor) { return (number + divisor - 1) / divisor; };
  if (measure == CutMeasure::kEntries) {
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(up(bytes_max * count, bytes)));
  }
  const auto in_block = static_cast<std::uint64_t>(up(format.block_bytes * count, bytes));
  const std::uint64_t frame = SstableSize::block_frame_bytes();
  const Uint128 block_bytes = in_block * bytes + frame * count;  // times count
  return static_cast<std::uint64_t>(up(bytes_max * count, block_bytes)) * in_block;
}

}  // namespace lsmlab
