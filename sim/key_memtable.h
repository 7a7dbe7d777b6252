// The memtable of a simulated store: a log of writes that is sorted when it is full. What it
// charges for a write, overwritten or not, is what the entry would take in a data block.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/units.h"
#include "sim/entry.h"

namespace lsmlab {

class KeyMemtable {
 public:
  explicit KeyMemtable(Bytes capacity) : capacity_(capacity) {}

  void add(const Entry& entry, const SizeClass& size, Instant now) {
    entries_.push_back(entry);
    charged_bytes_ += size.buffered_bytes;
    if (entry.is_tombstone()) tombstones_.push_back({entry.sequence(), now});
  }
  [[nodiscard]] bool is_full() const { return charged_bytes_ >= capacity_.value(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::uint64_t charged_bytes() const { return charged_bytes_; }

  /// The newest version of each key, by key. Nothing may be added until clear().
  [[nodiscard]] std::span<const Entry> sort();
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
  Bytes capacity_;
  std::vector<Entry> entries_;
  std::vector<Tombstone> tombstones_;  // every one, in order
  std::uint64_t charged_bytes_ = 0;
  std::uint64_t overwritten_ = 0;
};

}  // namespace lsmlab
