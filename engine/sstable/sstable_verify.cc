#include <fmt/format.h>

#include <algorithm>

#include "engine/sstable/sstable.h"
#include "engine/sstable/sstable_format.h"

namespace lsmlab::engine {
namespace {

constexpr std::uint64_t kReadAheadBytes = 1 << 20;

}  // namespace

Result<void> verify_sstable(const SstableReader& table) {
  const std::string& path = table.file().path();
  const SstableProperties& stated = table.properties();
  SstableProperties found;
  found.sequences.first = kSequenceMax;
  // The scanner already checks checksums, order, and the index's keys.
  SstableScanner scanner(table, {0, ~std::uint64_t{0}}, kReadAheadBytes);
  while (true) {
    const bool is_there = BOOST_OUTCOME_TRYX(scanner.next());
    if (!is_there) break;
    const EntryView& entry = scanner.entry();
    if (!table.may_contain(hash_of_key(entry.key))) {
      // A key may exceed the last key that the index has for its block; then no block holds it.
      const std::size_t block = std::min(table.block_of(entry.key), table.block_count() - 1);
      return damage(path, table.block_position(block),
                    fmt::format("the filter denies the key of entry {}", found.entries));
    }
    if (found.entries == 0 && entry.key != stated.smallest_key) {
      return damage(path, 0, "the first key differs from the properties' smallest key");
    }
    ++found.entries;
    found.tombstones += entry.is_tombstone() ? 1U : 0U;
    found.key_and_value_bytes += entry.key.size() + entry.value.size();
    found.sequences.first = std::min(found.sequences.first, entry.sequence());
    found.sequences.last = std::max(found.sequences.last, entry.sequence());
  }
  const auto differs = [&](const char* what, std::uint64_t count, std::uint64_t expected) {
    return damage(path, table.file().size(),
                  fmt::format("{} {}, but the properties say {}", count, what, expected));
  };
  if (found.entries != stated.entries) return differs("entries", found.entries, stated.entries);
  if (found.tombstones != stated.tombstones) {
    return differs("tombstones", found.tombstones, stated.tombstones);
  }
  if (found.key_and_value_bytes != stated.key_and_value_bytes) {
    return differs("bytes of keys and values", found.key_and_value_bytes,
                   stated.key_and_value_bytes);
  }
  if (found.sequences.first != stated.sequences.first) {
    return differs("is the first sequence number", found.sequences.first, stated.sequences.first);
  }
  if (found.sequences.last != stated.sequences.last) {
    return differs("is the last sequence number", found.sequences.last, stated.sequences.last);
  }
  return success();
}

}  // namespace lsmlab::engine
