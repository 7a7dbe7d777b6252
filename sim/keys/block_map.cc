#include "sim/keys/block_map.h"

#include <algorithm>

namespace lsmlab {

namespace {

// Calls visit(index of the block's last entry, stored bytes up to the block's end) for each block.
template <class Visit>
void visit_blocks(const EntryList& entries, const SizeClasses& classes, const SstableFormat& format,
                  Visit&& visit) {
  SstableSize size(format);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const SizeClass& entry_size = classes[entries[i].size_class()];
    const std::uint64_t closed_before = size.closed_blocks();
    if (size.needs_keys()) {
      size.add_key(entries[i].key, entry_size.key_bytes, entry_size.value_bytes);
    } else {
      size.add_measured(entry_size.entry_bytes, entry_size.key_bytes);
    }
    if (size.closed_blocks() == closed_before) continue;
    // Some layouts close a block with its last entry, others before the next entry.
    const bool is_before = size.data_blocks() > size.closed_blocks();
    visit(is_before ? i - 1 : i, size.stored_data_bytes().value());
  }
  if (size.data_blocks() == size.closed_blocks()) return;
  visit(entries.size() - 1, size.all_data_bytes().value());
}

}  // namespace

std::shared_ptr<const KeptRanges> kept_ranges_of(const EntryList& entries,
                                                 const SizeClasses& classes,
                                                 const SstableFormat& format, Bytes range_bytes) {
  KeptRangesBuilder ranges(range_bytes);
  std::size_t first = 0;
  std::uint64_t begin_bytes = 0;
  visit_blocks(entries, classes, format, [&](std::size_t last, std::uint64_t end_bytes) {
    ranges.add_block({entries[first].key, entries[last].key}, end_bytes - begin_bytes);
    first = last + 1;
    begin_bytes = end_bytes;
  });
  return ranges.finish();
}

BlockMap::BlockMap(const EntryList& entries, const SizeClasses& classes,
                   const SstableFormat& format) {
  visit_blocks(entries, classes, format, [&](std::size_t last, std::uint64_t end_bytes) {
    blocks_.push_back({entries[last].key, last, end_bytes});
  });
}

std::size_t BlockMap::block_of(std::uint64_t key) const {
  const auto block =
      std::lower_bound(blocks_.begin(), blocks_.end(), key,
                       [](const Block& b, std::uint64_t sought) { return b.last_key < sought; });
  return static_cast<std::size_t>(block - blocks_.begin());
}

std::uint64_t BlockMap::bytes_of(std::size_t block) const {
  return blocks_[block].end_bytes - (block == 0 ? 0 : blocks_[block - 1].end_bytes);
}

Bytes BlockMap::bytes_in(const KeyRange& keys) const {
  const std::size_t first = block_of(keys.smallest);
  const auto after = std::upper_bound(
      blocks_.begin(), blocks_.end(), keys.largest,
      [](std::uint64_t sought, const Block& block) { return sought < block.last_key; });
  auto end = static_cast<std::size_t>(after - blocks_.begin());
  // Versions of a key may fill several blocks. What follows the last block that ends with the
  // range's largest key is not counted: an index cannot tell how it begins.
  const bool ends_just_so = end > first && blocks_[end - 1].last_key == keys.largest;
  if (end < count() && !ends_just_so) ++end;
  if (first >= end) return Bytes(0);
  const std::uint64_t begin = first == 0 ? 0 : blocks_[first - 1].end_bytes;
  return Bytes(blocks_[end - 1].end_bytes - begin);
}

}  // namespace lsmlab
