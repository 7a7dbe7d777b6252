#include "sim/keys/key_reader.h"

#include <algorithm>

#include "models/base/check.h"
#include "models/execution/lookup_path.h"

namespace lsmlab {

std::optional<Entry> KeyReader::find_buffered(std::uint64_t key) const {
  for (KeyMemtable* memtable : memtables_) {
    const std::optional<Entry> found = memtable->find(key);
    if (found) return found;
  }
  return std::nullopt;
}

KeyReader::Lookup KeyReader::get(std::uint64_t key) {
  LookupFigures figures;
  figures.count = 1;
  std::optional<Entry> found = find_buffered(key);
  passed_filter_.reset();
  Lookup lookup;
  if (found) {
    figures.memtable_hits = 1;
  } else {
    lookup.searched_in_vain = walk_lookup(
        tree_, key, [this](const FileLocation& at) { tree_.touch(at); },
        [&](const FileLocation&, FileId table) {
          const std::optional<Entry> entry = ask(table, key, figures);
          if (entry && (!found || found->version < entry->version)) found = entry;
          return entry.has_value() && is_age_ordered_;
        },
        [&](const FileLocation&, FileId table) { return may_hold(table, key, figures); });
  }
  if (found && !found->is_tombstone()) {
    lookup.entry = found;
    figures_.gets_found += figures;
  } else {
    figures_.gets_absent += figures;
  }
  lookup.figures = figures;
  return lookup;
}

std::optional<Entry> KeyReader::ask(FileId id, std::uint64_t key, LookupFigures& figures) {
  ++figures.runs_touched;
  const TableReader::Answer answer = tables_.find(tables_.table(id), key, figures.blocks);
  figures.filter_checks += answer.filter_checked && passed_filter_ != id;
  figures.false_positives += answer.false_positive;
  return answer.entry;
}

bool KeyReader::may_hold(FileId id, std::uint64_t key, LookupFigures& figures) {
  const TableReader::Table& table = tables_.table(id);
  figures.filter_checks += table.has_filter;
  const bool passes = tables_.may_hold(table, key);
  if (passes) passed_filter_ = id;
  return passes;
}

void KeyReader::push(const ScanEvent& event) {
  events_.push(event, [this](std::size_t a, std::size_t b) {
    return current(a).version > current(b).version;
  });
}

void KeyReader::show(std::uint64_t key, std::size_t source) { push({key, true, source}); }

ScanEvent KeyReader::pop() {
  return events_.pop(
      [this](std::size_t a, std::size_t b) { return current(a).version > current(b).version; });
}

void KeyReader::scan(const ScanRange& range, const Visit& visit) {
  ++figures_.scans.count;
  if (range.first_key > range.last_key) return;
  start_scan(range);
  std::uint64_t shown = 0;
  while (!events_.empty()) {
    const ScanEvent event = pop();
    if (!event.is_entry) {
      open_file(event.file, event.is_run_touched, range);
      continue;
    }
    passed_.assign(1, event.source);
    Entry newest = current(event.source);
    while (!events_.empty() && events_.front().key == event.key) {
      const ScanEvent other = pop();
      const Entry entry = current(other.source);
      if (entry.version > newest.version) newest = entry;
      passed_.push_back(other.source);
    }
    if (!newest.is_tombstone()) {
      if (visit) visit(newest);
      ++figures_.scans.entries;
      if (++shown == range.entries_max) return;
    }
    for (const std::size_t source : passed_) advance(source);
  }
}

void KeyReader::start_scan(const ScanRange& range) {
  sources_.clear();
  events_.clear();
  open_memtables(range);
  const Result<void> opened =
      open_first_files(tree_, range.first_key, [&](const FileLocation& at) -> Result<void> {
        open_file(at, false, range);
        return success();
      });
  CHECK(opened.has_value());
}

void KeyReader::open_memtables(const ScanRange& range) {
  for (KeyMemtable* memtable : memtables_) {
    Source source;
    std::optional<std::uint64_t> key;
    if (memtable->is_sorted()) {
      source.memtable = memtable;
      source.last_key = range.last_key;
      source.entry = memtable->lower_bound(range.first_key);
      if (source.entry < memtable->entries().size()) key = memtable->entries()[source.entry].key;
    } else {
      const std::map<std::uint64_t, std::uint64_t>& buffered = memtable->ordered();
      buffered_ = buffered.lower_bound(range.first_key);
      buffered_end_ = buffered.upper_bound(range.last_key);
      if (buffered_ != buffered_end_) key = buffered_->first;
    }
    sources_.push_back(source);
    if (key && *key <= range.last_key) show(*key, sources_.size() - 1);
  }
}

void KeyReader::open_file(const FileLocation& at, bool is_run_touched, const ScanRange& range) {
  const Result<ScanOpening> opened = open_scanned_file(
      tree_, at, is_run_touched, range.last_key,
      [&](FileId id, const KeyRange& keys) -> Result<bool> { return open_table(id, keys, range); });
  const ScanOpening& opening = opened.value();
  if (opening.is_touched) tree_.touch(at);
  figures_.scans.runs_touched += opening.runs_touched;
  if (opening.next) push(*opening.next);
}

bool KeyReader::open_table(FileId id, const KeyRange& keys, const ScanRange& range) {
  const std::uint64_t first = std::max(keys.smallest, range.first_key);
  const std::uint64_t last = std::min(keys.largest, range.last_key);
  if (first > last) return false;
  TableReader::Table& table = tables_.table(id);
  const std::size_t entry = table.entries->lower_bound(first);
  if (entry == table.entries->size()) return false;
  const std::size_t block = tables_.blocks_of(table).block_of(first);
  tables_.fetch(table, block, figures_.scans.blocks);
  const std::uint64_t key = (*table.entries)[entry].key;
  if (key > last) return true;
  sources_.push_back({&table, nullptr, entry, block, last});
  show(key, sources_.size() - 1);
  return true;
}

Entry KeyReader::current(std::size_t source) const {
  const Source& from = sources_[source];
  if (from.memtable != nullptr) return from.memtable->entries()[from.entry];
  if (from.table == nullptr) return {buffered_->first, buffered_->second};
  return (*from.table->entries)[from.entry];
}

void KeyReader::advance(std::size_t source) {
  Source& from = sources_[source];
  if (from.memtable != nullptr) {
    const std::span<const Entry> entries = from.memtable->entries();
    const std::uint64_t passed_key = entries[from.entry].key;
    while (++from.entry < entries.size() && entries[from.entry].key == passed_key) {
    }
    if (from.entry == entries.size() || entries[from.entry].key > from.last_key) return;
    show(entries[from.entry].key, source);
    return;
  }
  if (from.table == nullptr) {
    if (++buffered_ != buffered_end_) show(buffered_->first, source);
    return;
  }
  const EntryList& entries = *from.table->entries;
  const std::uint64_t passed_key = entries[from.entry].key;
  if (passed_key >= from.last_key) return;
  // The table may have older versions of the key.
  do {
    const bool ends_block = from.entry == tables_.blocks_of(*from.table).last_entry_of(from.block);
    if (++from.entry == entries.size()) return;
    if (ends_block) tables_.fetch(*from.table, ++from.block, figures_.scans.blocks);
  } while (entries[from.entry].key == passed_key);
  const std::uint64_t key = entries[from.entry].key;
  if (key <= from.last_key) show(key, source);
}

}  // namespace lsmlab
