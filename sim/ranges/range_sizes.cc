#include "sim/ranges/range_sizes.h"

#include <algorithm>
#include <cmath>

#include "models/base/check.h"
#include "models/base/random.h"

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

std::uint64_t id_gap_of(const KeyRange& keys, std::uint64_t entries) {
  const std::uint64_t width = keys.largest - keys.smallest;
  return std::max<std::uint64_t>(1, width / std::max<std::uint64_t>(1, entries));
}

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
  if (charges_) return charges_->put.of(count);
  return is_bare_ ? count : buffered_bytes(puts(count));
}

std::uint64_t RangeSizes::delete_bytes(std::uint64_t count) const {
  if (charges_) return charges_->tombstone.of(count);
  return is_bare_ ? count : buffered_bytes(tombstones(count));
}

std::uint64_t RangeSizes::put_bytes_max() const {
  if (charges_) return charges_->put.of(1) + 1;
  // So many puts have the fractions of their mean sizes in whole numbers.
  constexpr std::uint64_t kManyPuts = std::uint64_t{1} << MeanBytes::kBits;
  std::uint64_t most = 0;
  for (const EqualEntries& part : puts(kManyPuts)) {
    if (part.count == 0) continue;
    most = std::max(most, buffered_entry_bytes(part.key_bytes, part.value_bytes));
  }
  return most;
}

SstableSize RangeSizes::size_of(const SstableFormat& format, const EntryMix& mix) const {
  if (is_bare_) {
    // One entry of all bytes, in a block of its own: each byte as an entry would count many more.
    SstableFormat bare;
    bare.block_bytes = 1;
    SstableSize size(bare);
    if (mix.entries() > 0) size.add(0, mix.entries());
    return size;
  }
  SstableSize size(format);
  if (size.needs_keys()) {
    if (mix.entries() == 0) return size;
    const auto bytes = [](MeanBytes mean) {
      return static_cast<double>(mean.scaled) / static_cast<double>(MeanBytes::whole(1).scaled);
    };
    const double puts = static_cast<double>(mix.puts) / static_cast<double>(mix.entries());
    const double gap = std::max(1.0, static_cast<double>(mix.id_gap) * gap_scale_);
    const double bare = value_bytes_.scaled == 0 ? 1 : 1 - puts;
    const double versions =
        static_cast<double>(mix.overwritten) / static_cast<double>(mix.entries());
    size.add_expected({mix.entries(), bytes(key_bytes_), bytes(value_bytes_) * puts, gap,
                       are_keys_even_, bare, versions});
    return size;
  }
  for (const auto& parts : {puts(mix.puts), tombstones(mix.tombstones)}) {
    for (const EqualEntries& part : parts) {
      if (part.count > 0) size.add_equal(part.count, part.key_bytes, part.value_bytes);
    }
  }
  return size;
}

RangeSizes::DataBlocks RangeSizes::data_blocks_of(const SstableFormat& format, const EntryMix& mix,
                                                  Bytes file_bytes) const {
  if (is_bare_) return {mix.entries(), file_bytes.value()};
  const SstableSize size = size_of(format, mix);
  const std::uint64_t others = size.file_bytes().value() - size.all_data_bytes().value();
  return {size.data_blocks(), file_bytes.value() - std::min(others, file_bytes.value())};
}

Bytes RangeSizes::file_bytes(const SstableFormat& format, const EntryMix& mix) const {
  CHECK(mix.entries() > 0);
  if (is_bare_) return Bytes(mix.entries());
  return size_of(format, mix).file_bytes();
}

auto RangeSizes::entry_moments(const EntryMix& mix) const -> Moments {
  const auto entries = static_cast<double>(mix.entries());
  const double puts = static_cast<double>(mix.puts) / entries;
  const double bytes = static_cast<double>(buffered_bytes(this->puts(mix.puts)) +
                                           buffered_bytes(tombstones(mix.tombstones))) /
                       entries;
  const double value =
      static_cast<double>(value_bytes_.scaled) / static_cast<double>(MeanBytes::whole(1).scaled);
  return {bytes,
          variances_.key_bytes + puts * variances_.value_bytes + puts * (1 - puts) * value * value};
}

// The entry that ends a block is the larger the more of its bytes there are, and the block ends
// anywhere in it.
auto RangeSizes::block_of(const SstableFormat& format, const Moments& entry) -> MixedBlock {
  const double last_entry = entry.mean + entry.variance / entry.mean;
  const double left = static_cast<double>(format.compression.stored_millionths) / kWholeMillionths;
  const double entries = format.block_bytes + last_entry / 2;
  const auto frame = static_cast<double>(SstableSize::block_frame_bytes());
  return {entries / entry.mean, entries * left + frame, last_entry * left};
}

Bytes RangeSizes::filled_file_bytes(const SstableFormat& format, const SstableSize& size,
                                    const Moments& entry, const FileEnd& end) {
  const auto limit = static_cast<double>(*end.filled_to);
  const MixedBlock block = block_of(format, entry);
  const double off = (SplitMix64(end.seed).unit() - 0.5) * block.last_entry_bytes *
                     std::sqrt(std::max(1.0, limit / block.stored_bytes));
  const double blocks = std::max(1.0, std::ceil((limit - off) / block.stored_bytes));
  const std::uint64_t others = size.file_bytes().value() - size.all_data_bytes().value();
  return Bytes(others + static_cast<std::uint64_t>(blocks * block.stored_bytes + off));
}

Bytes RangeSizes::ended_file_bytes(const SstableFormat& format, const EntryMix& mix,
                                   const FileEnd& end) const {
  CHECK(mix.entries() > 0);
  if (is_bare_) return Bytes(mix.entries());
  const SstableSize size = size_of(format, mix);
  const std::uint64_t bytes = size.file_bytes().value();
  const Moments entry = entry_moments(mix);
  const bool is_mixed = entry.variance > 0;
  if (!size.needs_keys()) {
    if (end.filled_to && is_mixed) return filled_file_bytes(format, size, entry, end);
    return Bytes(bytes);
  }
  // Neighbours share a byte more or less, by chance: a variance of a quarter for each.
  double variance = static_cast<double>(mix.entries()) / 4;
  const std::uint64_t blocks = size.closed_blocks();
  const bool is_filled = end.filled_to && blocks > 0;
  const MixedBlock mixed = block_of(format, entry);
  if (is_filled && is_mixed) {
    variance += static_cast<double>(blocks) * mixed.last_entry_bytes * mixed.last_entry_bytes / 12;
  }
  const double width = std::floor(std::sqrt(12 * variance));
  const double off = width < 2 ? 0 : std::floor((SplitMix64(end.seed).unit() - 0.5) * width);
  if (!is_filled) return Bytes(static_cast<std::uint64_t>(static_cast<double>(bytes) + off));
  const auto stored = static_cast<double>(size.stored_data_bytes().value());
  // RocksDB ends a block in front of the entry that would not fit.
  const double last = format.layout == SstableLayout::kRocksdb ? mixed.last_entry_bytes : 0;
  const double block = is_mixed ? mixed.stored_bytes - last : stored / static_cast<double>(blocks);
  // Bytes of all blocks but the last one are below the limit.
  const double reached = static_cast<double>(*end.filled_to) - (is_mixed ? off : 0);
  const double filled = std::max(1.0, std::ceil(reached / block));
  // A full file ends with a block.
  const auto others =
      static_cast<double>(bytes) - static_cast<double>(size.all_data_bytes().value());
  return Bytes(static_cast<std::uint64_t>(others + filled * block + off));
}

std::uint64_t RangeSizes::as_many_bytes(std::uint64_t count, const EntryMix& of,
                                        const EntryMix& in) const {
  return static_cast<std::uint64_t>(static_cast<double>(count) *
                                    (entry_moments(of).mean / entry_moments(in).mean));
}

// The measured bytes never fall while a file grows.
std::uint64_t RangeSizes::searched_to_fill(const SstableFormat& format, CutMeasure measure,
                                           std::uint64_t bytes_max, const EntryMix& mix) const {
  const auto is_full = [&](std::uint64_t entries) {
    const auto tombstones =
        static_cast<std::uint64_t>(Uint128{mix.tombstones} * entries / mix.entries());
    const SstableSize size = size_of(format, {entries - tombstones, tombstones, mix.id_gap});
    const Bytes bytes =
        measure == CutMeasure::kEntries ? size.entry_bytes() : size.stored_data_bytes();
    return bytes.value() >= bytes_max;
  };
  std::uint64_t enough = 1;
  while (!is_full(enough)) enough *= 2;
  std::uint64_t least = enough / 2 + 1;
  while (least < enough) {
    const std::uint64_t middle = least + (enough - least) / 2;
    if (is_full(middle)) {
      enough = middle;
    } else {
      least = middle + 1;
    }
  }
  return enough;
}

std::uint64_t RangeSizes::entries_to_fill(const SstableFormat& format, CutMeasure measure,
                                          std::uint64_t bytes_max, const EntryMix& mix) const {
  CHECK(mix.entries() > 0);
  if (is_bare_) return std::max<std::uint64_t>(1, bytes_max);
  const bool is_compressed = format.compression.stored_millionths != kWholeMillionths;
  const Moments entry = entry_moments(mix);
  if (format.layout == SstableLayout::kLsmlab && measure == CutMeasure::kStoredBlocks &&
      entry.variance > 0) {
    const MixedBlock block = block_of(format, entry);
    const double blocks = std::ceil(static_cast<double>(bytes_max) / block.stored_bytes);
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(blocks * block.entries));
  }
  if (format.layout != SstableLayout::kLsmlab || is_compressed) {
    return searched_to_fill(format, measure, bytes_max, mix);
  }
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
