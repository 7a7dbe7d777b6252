#include "sim/keys/key_memtable.h"

#include <algorithm>
#include <boost/sort/spreadsort/integer_sort.hpp>

namespace lsmlab {

std::size_t KeyMemtable::lower_bound(std::uint64_t key) const {
  const auto found =
      std::lower_bound(entries_.begin(), entries_.end(), key,
                       [](const Entry& entry, std::uint64_t sought) { return entry.key < sought; });
  return static_cast<std::size_t>(found - entries_.begin());
}

void KeyMemtable::index_entries() {
  for (; indexed_ < entries_.size(); ++indexed_) places_[entries_[indexed_].key] = indexed_;
}

bool KeyMemtable::replace(const Entry& entry, const SizeClasses& sizes) {
  index_entries();
  const auto found = places_.find(entry.key);
  if (found == places_.end()) return false;
  Entry& replaced = entries_[found->second];
  size_.replace(sizes[replaced.size_class()].buffered_bytes,
                sizes[entry.size_class()].buffered_bytes);
  replaced = entry;
  if (found->second < ordered_entries_) ordered_[entry.key] = entry.version;
  return true;
}

std::optional<Entry> KeyMemtable::find(std::uint64_t key) {
  if (is_sorted_) {
    const std::size_t at = lower_bound(key);
    if (at == entries_.size() || entries_[at].key != key) return std::nullopt;
    return entries_[at];
  }
  index_entries();
  const auto found = places_.find(key);
  if (found == places_.end()) return std::nullopt;
  return entries_[found->second];
}

const std::map<std::uint64_t, std::uint64_t>& KeyMemtable::ordered() {
  for (; ordered_entries_ < entries_.size(); ++ordered_entries_) {
    const Entry& entry = entries_[ordered_entries_];
    ordered_[entry.key] = entry.version;
  }
  return ordered_;
}

std::span<const Entry> KeyMemtable::sort() {
  if (is_sorted_) return entries_;
  is_sorted_ = true;
  boost::sort::spreadsort::integer_sort(
      entries_.begin(), entries_.end(),
      [](const Entry& entry, unsigned bits) { return entry.key >> bits; },
      [](const Entry& a, const Entry& b) {
        return a.key != b.key ? a.key < b.key : a.version > b.version;
      });
  // integer_sort may order by key alone, so versions of one key can be in any order.
  if (keeps_overwritten_) {
    for (std::size_t i = 0; i < entries_.size();) {
      std::size_t end = i + 1;
      while (end < entries_.size() && entries_[end].key == entries_[i].key) ++end;
      if (end - i > 1) {
        has_overwritten_ = true;
        std::sort(entries_.begin() + static_cast<std::ptrdiff_t>(i),
                  entries_.begin() + static_cast<std::ptrdiff_t>(end),
                  [](const Entry& a, const Entry& b) { return a.version > b.version; });
      }
      i = end;
    }
    return entries_;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (kept > 0 && entries_[kept - 1].key == entries_[i].key) {
      if (entries_[kept - 1].version < entries_[i].version) entries_[kept - 1] = entries_[i];
    } else {
      entries_[kept++] = entries_[i];
    }
  }
  entries_.resize(kept);
  return entries_;
}

void KeyMemtable::join(const KeyMemtable& newer) {
  std::vector<Entry> joined;
  joined.reserve(entries_.size() + newer.entries_.size());
  std::size_t next = 0;
  for (const Entry& entry : newer.entries_) {
    while (next < entries_.size() && entries_[next].key < entry.key) {
      joined.push_back(entries_[next++]);
    }
    joined.push_back(entry);
    if (keeps_overwritten_) continue;
    while (next < entries_.size() && entries_[next].key == entry.key) ++next;
  }
  joined.insert(joined.end(), entries_.begin() + static_cast<std::ptrdiff_t>(next), entries_.end());
  entries_ = std::move(joined);
  tombstones_.insert(tombstones_.end(), newer.tombstones_.begin(), newer.tombstones_.end());
}

std::optional<Instant> KeyMemtable::oldest_tombstone() const {
  if (tombstones_.empty()) return std::nullopt;
  std::uint64_t oldest = ~std::uint64_t{0};
  for (const Entry& entry : entries_) {
    if (entry.is_tombstone()) oldest = std::min(oldest, entry.sequence());
  }
  const auto written = std::lower_bound(tombstones_.begin(), tombstones_.end(), oldest,
                                        [](const Tombstone& tombstone, std::uint64_t sequence) {
                                          return tombstone.sequence < sequence;
                                        });
  if (written == tombstones_.end()) return std::nullopt;
  return written->written;
}

void KeyMemtable::clear() {
  entries_.clear();
  is_sorted_ = false;
  tombstones_.clear();
  size_.clear();
  has_overwritten_ = false;
  if (indexed_ > 0) places_.clear();
  indexed_ = 0;
  ordered_.clear();
  ordered_entries_ = 0;
}

}  // namespace lsmlab
