#include <algorithm>

#include "engine/merge/merge.h"
#include "models/base/check.h"

namespace lsmlab::engine {

MemtableSummary summarize(const std::vector<const Memtable*>& memtables,
                          const SstableFormat& format, bool keeps_overwritten) {
  MemtableSummary summary;
  SstableSize size(format);
  std::uint64_t tombstones = 0;
  std::uint64_t oldest_tombstone = kSequenceMax;
  std::string_view last_key;  // a view is safe: records never move
  const std::unique_ptr<MergeSource> versions = memtable_source(memtables);
  for (;;) {
    const Result<bool> has_entry = versions->next();
    CHECK(has_entry.has_value());  // it reads memory
    if (!has_entry.value()) break;
    const EntryView& entry = versions->entry();
    if (!keeps_overwritten && size.entries() > 0 && entry.key == last_key) continue;
    last_key = entry.key;
    if (size.entries() == 0) summary.pending.keys.smallest = versions->window();
    summary.pending.keys.largest = versions->window();
    size.add(entry.key.size(), entry.value.size());
    if (!entry.is_tombstone()) continue;
    ++tombstones;
    oldest_tombstone = std::min(oldest_tombstone, entry.sequence());
  }
  CHECK(size.entries() > 0);
  summary.pending.bytes = size.file_bytes();
  summary.pending.entries = Entries(size.entries());
  summary.pending.tombstones = Entries(tombstones);
  summary.pending.first_write = memtables.front()->first_written();
  for (const Memtable* memtable : memtables) {
    if (tombstones == 0 || summary.oldest_tombstone) break;
    summary.oldest_tombstone = memtable->tombstone_written(oldest_tombstone);
  }
  return summary;
}

}  // namespace lsmlab::engine
