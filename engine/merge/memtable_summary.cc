#include <algorithm>

#include "engine/merge/merge.h"
#include "models/base/check.h"

namespace lsmlab::engine {

MemtableSummary summarize(const Memtable& memtable, const KeyWindow& window,
                          const SstableFormat& format, bool keeps_overwritten) {
  CHECK(window.prefix() == memtable.window().prefix());
  MemtableSummary summary;
  SstableSize size(format);
  std::uint64_t tombstones = 0;
  std::uint64_t oldest_tombstone = kSequenceMax;
  std::string_view last_key;  // a view is safe: records never move
  Memtable::Cursor cursor(memtable);
  for (cursor.seek_first(); cursor.valid(); cursor.next()) {
    const EntryView entry = cursor.entry();
    if (!keeps_overwritten && size.entries() > 0 && entry.key == last_key) continue;
    last_key = entry.key;
    if (size.entries() == 0) summary.pending.keys.smallest = cursor.window();
    summary.pending.keys.largest = cursor.window();
    size.add(entry.key.size(), entry.value.size());
    if (!entry.is_tombstone()) continue;
    ++tombstones;
    oldest_tombstone = std::min(oldest_tombstone, entry.sequence());
  }
  CHECK(size.entries() > 0);
  summary.pending.bytes = size.file_bytes();
  summary.pending.entries = Entries(size.entries());
  summary.pending.tombstones = Entries(tombstones);
  summary.pending.first_write = memtable.first_written();
  if (tombstones > 0) summary.oldest_tombstone = memtable.tombstone_written(oldest_tombstone);
  return summary;
}

}  // namespace lsmlab::engine
