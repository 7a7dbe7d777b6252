#include "sim/ranges/range_sizes.h"

#include <algorithm>

#include "models/base/check.h"

namespace lsmlab {

namespace {

std::array<EqualEntries, 3> equal_parts(std::uint64_t count, MeanBytes key, MeanBytes value) {
  if (count == 0) return {};
  const std::uint64_t key_bytes = key.of(1);
  const std::uint64_t value_bytes = value.of(1);
  // So many have a byte more.
  const std::uint64_t larger_keys = key.of(count) - count * key_bytes;
  const std::uint64_t larger_values = value.of(count) - count * value_bytes;
  const auto [first, second] = std::minmax(larger_keys, larger_values);
  const std::uint64_t more_key = larger_keys > larger_values ? 1 : 0;
  return {{{first, key_bytes + 1, value_bytes + 1},
           {second - first, key_bytes + more_key, value_bytes + 1 - more_key},
           {count - second, key_bytes, value_bytes}}};
}

std::uint64_t buffered_bytes(const std::array<EqualEntries, 3>& parts) {
  std::uint64_t bytes = 0;
  for (const EqualEntries& part : parts) {
    bytes += part.count * buffered_entry_bytes(part.key_bytes, part.value_bytes);
  }
  return bytes;
}

}  // namespace

RangeSizes RangeSizes::of_bytes() {
  RangeSizes sizes(1, 0);
  sizes.is_bare_ = true;
  return sizes;
}

std::array<EqualEntries, 3> RangeSizes::puts(std::uint64_t count) const {
  return equal_parts(count, key_bytes_, value_bytes_);
}

std::array<EqualEntries, 3> RangeSizes::tombstones(std::uint64_t count) const {
  return equal_parts(count, key_bytes_, MeanBytes{});
}

std::uint64_t RangeSizes::put_bytes(std::uint64_t count) const {
  return is_bare_ ? count : buffered_bytes(puts(count));
}

std::uint64_t RangeSizes::delete_bytes(std::uint64_t count) const {
  return is_bare_ ? count : buffered_bytes(tombstones(count));
}

SstableSize RangeSizes::size_of(const SstableFormat& format, const EntryMix& mix) const {
  SstableSize size(format);
  for (const auto& parts : {puts(mix.puts), tombstones(mix.tombstones)}) {
    for (const EqualEntries& part : parts) {
      if (part.count > 0) size.add_equal(part.count, part.key_bytes, part.value_bytes);
    }
  }
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
  const Uint128 bytes = Uint128{put_bytes(mix.puts)} + delete_bytes(mix.tombstones);
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
