#include "engine/sstable/block_cache.h"
#include "engine/sstable/table_codec.h"

namespace lsmlab::engine {

std::optional<DataBlock> DataBlock::parse(std::string payload) {
  const DataBlockShape shape(payload);
  if (shape.count == 0) return std::nullopt;
  const char* at = payload.data();
  for (std::uint32_t i = 0; i < shape.count; ++i) {
    if (shape.offset(i) != static_cast<std::uint64_t>(at - payload.data())) return std::nullopt;
    EntryView entry;
    at = load_entry(at, shape.entries_end, entry);
    if (at == nullptr) return std::nullopt;
  }
  if (at != shape.entries_end) return std::nullopt;
  return DataBlock(std::move(payload), shape.count);
}

EntryView DataBlock::entry(std::size_t index) const {
  const char* const offsets =
      payload_.data() + payload_.size() - (count_ + 1) * sizeof(std::uint16_t);
  const auto offset = load<std::uint16_t>(offsets + index * sizeof(std::uint16_t));
  EntryView entry;
  static_cast<void>(load_entry(payload_.data() + offset, offsets, entry));
  return entry;
}

std::size_t DataBlock::lower_bound(std::string_view key) const {
  std::size_t begin = 0;
  std::size_t end = count_;
  while (begin < end) {
    const std::size_t middle = begin + (end - begin) / 2;
    if (entry(middle).key < key) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

}  // namespace lsmlab::engine
