// One version of a key, as the engine passes it on: views of bytes that something else owns.
#pragma once

#include <cstdint>
#include <string_view>

namespace lsmlab::engine {

/// Largest sequence number: a tag keeps one byte for the kind (docs/sstable.md).
inline constexpr std::uint64_t kSequenceMax = (std::uint64_t{1} << 56) - 1;

/// Sequence number and kind in one word: of two versions of a key, the one with the larger tag is
/// newer.
[[nodiscard]] constexpr std::uint64_t make_tag(std::uint64_t sequence, bool is_tombstone) {
  return sequence << 8 | (is_tombstone ? 1 : 0);
}

struct EntryView {
  std::string_view key;
  std::string_view value;  // empty for a tombstone
  std::uint64_t tag = 0;
  [[nodiscard]] std::uint64_t sequence() const { return tag >> 8; }
  [[nodiscard]] bool is_tombstone() const { return (tag & 0xff) == 1; }
};

/// The order of entries: by key, and the versions of one key newest first.
[[nodiscard]] inline bool precedes(const EntryView& a, const EntryView& b) {
  const int order = a.key.compare(b.key);
  return order != 0 ? order < 0 : a.tag > b.tag;
}

}  // namespace lsmlab::engine
