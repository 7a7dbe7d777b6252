// The memtable of a simulated store: a log of writes that is sorted when it is full. Reads index
// the log as far as it has grown: a run without reads pays nothing for them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "models/base/units.h"
#include "models/sizes/memtable_size.h"
#include "models/sizes/store_options.h"
#include "sim/keys/entry.h"

namespace lsmlab {

class KeyMemtable {
 public:
  explicit KeyMemtable(const StoreOptions& store) : size_(store.layout, store.buffer) {}

  void add(const Entry& entry, const SizeClass& size, Instant now) {
    entries_.push_back(entry);
    size_.add(entry.sequence(), size.key_bytes, size.value_bytes, size.buffered_bytes);
    if (entry.is_tombstone()) tombstones_.push_back({entry.sequence(), now});
  }
  [[nodiscard]] bool is_full() const { return size_.is_full(); }
  [[nodiscard]] const MemtableSize& size() const { return size_; }
  [[nodiscard]] bool empty() const { return entries_.empty(); }

  /// The newest version of a key, be it a tombstone.
  [[nodiscard]] std::optional<Entry> find(std::uint64_t key);
  /// The newest version (Entry::version) of each key. Valid until the next write. REQUIRES: not
  /// sorted.
  [[nodiscard]] const std::map<std::uint64_t, std::uint64_t>& ordered();

  /// The newest version of each key, by key. Nothing may be added until clear().
  [[nodiscard]] std::span<const Entry> sort();
  [[nodiscard]] bool is_sorted() const { return is_sorted_; }
  /// What sort() returned. REQUIRES: sorted.
  [[nodiscard]] std::span<const Entry> entries() const { return entries_; }
  /// Where in entries() the first key stands that is not below this one. REQUIRES: sorted.
  [[nodiscard]] std::size_t lower_bound(std::uint64_t key) const;
  /// When the oldest tombstone of those that sort() left was written. REQUIRES: sorted.
  [[nodiscard]] std::optional<Instant> oldest_tombstone() const;
  /// Writes that sort() found overwritten.
  [[nodiscard]] std::uint64_t overwritten() const { return overwritten_; }
  void clear();

 private:
  struct Tombstone {
    std::uint64_t sequence;
    Instant written;
  };
  MemtableSize size_;
  std::vector<Entry> entries_;
  std::vector<Tombstone> tombstones_;  // every one, in order
  std::uint64_t overwritten_ = 0;
  bool is_sorted_ = false;
  // Version by key, of the first so many writes.
  std::unordered_map<std::uint64_t, std::uint64_t> versions_;  // asked, never walked
  std::size_t versions_writes_ = 0;
  std::map<std::uint64_t, std::uint64_t> ordered_;
  std::size_t ordered_writes_ = 0;
};

}  // namespace lsmlab
