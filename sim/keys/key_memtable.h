// The memtable of a simulated store: a log of writes that is sorted when it is full. Only reads
// build an index of the log, so a run without reads does not pay for it. With memtable=in-place
// every write needs the index, and the log has one entry for each key.
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
  /// `keeps_overwritten`: sort() keeps every version of a key (flush_keeps_overwritten()).
  KeyMemtable(const StoreOptions& store, bool keeps_overwritten)
      : size_(store),
        replaces_entries_(store.replaces_entries()),
        keeps_overwritten_(keeps_overwritten) {}

  /// `sizes`: of all entries of the run.
  void add(const Entry& entry, const SizeClasses& sizes, Instant now) {
    if (entries_.empty()) first_write_ = now;
    if (entry.is_tombstone()) tombstones_.push_back({entry.sequence(), now});
    if (replaces_entries_ && replace(entry, sizes)) return;
    entries_.push_back(entry);
    const SizeClass& size = sizes[entry.size_class()];
    size_.add(entry.sequence(), size.key_bytes, size.value_bytes, size.buffered_bytes);
  }
  [[nodiscard]] bool is_full() const { return size_.is_full(); }
  [[nodiscard]] const MemtableSize& size() const { return size_; }
  [[nodiscard]] bool empty() const { return entries_.empty(); }

  /// The newest version of a key, which may be a tombstone.
  [[nodiscard]] std::optional<Entry> find(std::uint64_t key);
  /// The newest version (Entry::version) of each key. Valid until the next write. REQUIRES: the
  /// memtable is not sorted.
  [[nodiscard]] const std::map<std::uint64_t, std::uint64_t>& ordered();

  /// Sorts the memtable, and returns the newest version of each key, or every version, newest
  /// first, in the order of keys. REQUIRES: no write follows until clear().
  [[nodiscard]] std::span<const Entry> sort();
  [[nodiscard]] bool is_sorted() const { return is_sorted_; }
  /// The result of sort(). REQUIRES: the memtable is sorted.
  [[nodiscard]] std::span<const Entry> entries() const { return entries_; }
  /// The first index in entries() whose key is at or above `key`. REQUIRES: the memtable is sorted.
  [[nodiscard]] std::size_t lower_bound(std::uint64_t key) const;
  /// Takes the entries of another one in addition. REQUIRES: both are sorted; all writes of `newer`
  /// came after those of this one.
  void join(const KeyMemtable& newer);
  /// When the oldest tombstone that sort() kept was written. REQUIRES: the memtable is sorted.
  [[nodiscard]] std::optional<Instant> oldest_tombstone() const;
  /// When the first entry was added. REQUIRES: not empty.
  [[nodiscard]] Instant first_write() const { return first_write_; }
  /// Whether entries() has several versions of some key. REQUIRES: the memtable is sorted.
  [[nodiscard]] bool has_overwritten() const { return has_overwritten_; }
  void clear();

 private:
  struct Tombstone {
    std::uint64_t sequence;
    Instant written;
  };
  /// Replaces the entry with this key, if there is one.
  [[nodiscard]] bool replace(const Entry& entry, const SizeClasses& sizes);
  void index_entries();

  MemtableSize size_;
  bool replaces_entries_;
  std::vector<Entry> entries_;
  Instant first_write_;
  std::vector<Tombstone> tombstones_;  // all of them, in the order of writes
  bool keeps_overwritten_;
  bool has_overwritten_ = false;
  bool is_sorted_ = false;
  // Where the newest version of a key is in entries_, for the first indexed_ of these.
  std::unordered_map<std::uint64_t, std::size_t> places_;  // only looked up, never iterated
  std::size_t indexed_ = 0;
  std::map<std::uint64_t, std::uint64_t> ordered_;
  std::size_t ordered_entries_ = 0;
};

}  // namespace lsmlab
