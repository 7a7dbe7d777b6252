// Checks the invariants of a tree, and what reads must find in it.
#include <algorithm>

#include "testing/oracles/store_oracle.h"

namespace lsmlab::testing {

StoreOracle::Places StoreOracle::places_of(const TreeView& tree) {
  Places places;
  for (std::size_t level = 0; level < tree.levels().size(); ++level) {
    const std::vector<SortedRun>& runs = tree.levels()[level].runs;
    for (std::size_t run = 0; run < runs.size(); ++run) {
      for (std::size_t file = 0; file < runs[run].files.size(); ++file) {
        const Standing standing{static_cast<std::uint32_t>(level), &runs[run], run, file};
        require(places.emplace(runs[run].files[file].id, standing).second,
                "file {} is in the tree twice", runs[run].files[file].id.value());
      }
    }
  }
  return places;
}

// LDC, Section III-B: the files' largest keys divide the key space; the first range begins at 0,
// the last has no end.
KeyRange StoreOracle::responsible(const SortedRun& run, std::size_t index) {
  KeyRange keys;
  if (index != 0) keys.smallest = run.files[index - 1].keys.largest + 1;
  if (index != run.files.size() - 1) keys.largest = run.files[index].keys.largest;
  return keys;
}

void StoreOracle::check_tree(const TreeView& tree) const {
  const Places places = places_of(tree);
  for (const auto& [id, known] : standing_) {
    require(places.contains(id), "file {} is gone from the tree", id.value());
  }
  for (const auto& [id, at] : places) {
    const auto known = standing_.find(id);
    require(known != standing_.end(), "file {} of the tree comes from no edit", id.value());
    check_file(at.run->files[at.index], known->second.file);
    check_slice_places(*at.run, at.index);
  }
  for (std::size_t level = 0; level < tree.levels().size(); ++level) {
    const std::vector<SortedRun>& runs = tree.levels()[level].runs;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      check_run(runs[i]);
      require(i == 0 || runs[i - 1].flushes.last >= runs[i].flushes.last,
              "run {} of level {} is newer than run {}, which precedes it", runs[i].id.value(),
              level, runs[i == 0 ? 0 : i - 1].id.value());
    }
  }
  check_frozen(tree);
}

void StoreOracle::check_run(const SortedRun& run) const {
  require(!run.files.empty(), "run {} is empty", run.id.value());
  FlushSpan hull = run.files.front().flushes;
  for (std::size_t i = 0; i < run.files.size(); ++i) {
    const File& file = run.files[i];
    require(file.keys.smallest <= file.keys.largest, "file {} has a range of no key",
            file.id.value());
    require(i == 0 || run.files[i - 1].keys.largest < file.keys.smallest,
            "file {} overlaps file {}, which precedes it in a run", file.id.value(),
            run.files[i == 0 ? 0 : i - 1].id.value());
    hull = {std::min(hull.first, file.flushes.first), std::max(hull.last, file.flushes.last)};
  }
  require(run.flushes == hull, "run {} says flushes {} to {}, but its files hold {} to {}",
          run.id.value(), run.flushes.first, run.flushes.last, hull.first, hull.last);
}

// Lookups look for a slice's key in the file to which the slice is linked.
void StoreOracle::check_slice_places(const SortedRun& run, std::size_t index) const {
  const File& file = run.files[index];
  const KeyRange keys = responsible(run, index);
  for (const Slice& slice : file.slices) {
    const auto frozen = frozen_.find(slice.frozen_file);
    require(frozen != frozen_.end(), "a slice on file {} is of file {}, which is not frozen",
            file.id.value(), slice.frozen_file.value());
    for (const StoredEntry& entry : frozen->second.entries) {
      if (entry.key < slice.keys.smallest || entry.key > slice.keys.largest) continue;
      require(keys.smallest <= entry.key && entry.key <= keys.largest,
              "key {} of a slice on file {} lies in the responsible range of another file",
              entry.key, file.id.value());
    }
  }
}

std::map<FileId, std::uint64_t> StoreOracle::references() const {
  std::map<FileId, std::uint64_t> counts;
  for (const auto& [id, known] : standing_) {
    for (const Slice& slice : known.file.slices) ++counts[slice.frozen_file];
    for (const Copy& copy : known.file.copies) ++counts[copy.frozen_file];
  }
  return counts;
}

void StoreOracle::check_frozen(const TreeView& tree) const {
  for (const auto& [id, known] : frozen_) {
    require(tree.frozen_files().contains(id), "frozen file {} is gone, but slices of it are linked",
            id.value());
  }
  const std::map<FileId, std::uint64_t> hanging = references();
  for (const FrozenFile& frozen : tree.frozen_files()) {
    const FileId id = frozen.file.id;
    const auto known = frozen_.find(id);
    require(known != frozen_.end(), "file {} is frozen, but no slice of it is linked", id.value());
    require(frozen.references == hanging.at(id), "frozen file {} has {} references, should be {}",
            id.value(), frozen.references, hanging.at(id));
    check_file(frozen.file, known->second.file);
  }
}

// Every write is in the memtable, in a file, in one slice, or was overwritten or dropped.
void StoreOracle::check_conservation() const {
  std::uint64_t visible = memtable_.size() + overwritten_.size();
  for (const auto& [id, known] : standing_) {
    visible += known.entries.size();
    for (const Slice& slice : known.file.slices) {
      const std::vector<StoredEntry>& entries = frozen_.at(slice.frozen_file).entries;
      visible += static_cast<std::uint64_t>(
          std::count_if(entries.begin(), entries.end(), [&](const StoredEntry& entry) {
            return slice.keys.smallest <= entry.key && entry.key <= slice.keys.largest;
          }));
    }
  }
  require(writes_ == visible + entries_gone_, "of {} writes, {} can be found and {} are dropped",
          writes_, visible, entries_gone_);
}

void StoreOracle::check_reads(const TreeView& tree, std::size_t keys) {
  const std::size_t count = std::min(keys, keys_.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t key = keys_[next_key_ % keys_.size()];
    next_key_ = (next_key_ + 1) % keys_.size();
    if (options_.keeps_age_order) check_read(key, look_up(tree, key), "a lookup");
    check_read(key, newest_anywhere(key), "the newest version anywhere");
  }
}

void StoreOracle::check_read(std::uint64_t key, const std::optional<StoredEntry>& found,
                             const char* way) const {
  if (!live_.contains(key)) {
    require(!found || found->is_tombstone, "{} of key {} finds version {}, but a drop removed it",
            way, key, found ? found->sequence : 0);
    return;
  }
  const StoredEntry& live = live_.at(key);
  if (live.is_tombstone) {
    require(!found || found->is_tombstone, "{} of key {} finds version {}, though {} deletes it",
            way, key, found ? found->sequence : 0, live.sequence);
    return;
  }
  require(found.has_value(), "{} of key {} finds nothing instead of version {}", way, key,
          live.sequence);
  require(*found == live, "{} of key {} finds version {} instead of {}", way, key, found->sequence,
          live.sequence);
}

std::optional<StoredEntry> StoreOracle::look_up(const TreeView& tree, std::uint64_t key) const {
  const auto in_memtable = memtable_.find(key);
  if (in_memtable != memtable_.end()) return in_memtable->second.entry;
  for (const Level& level : tree.levels()) {
    for (const SortedRun& run : level.runs) {
      for (std::size_t i = 0; i < run.files.size(); ++i) {
        const KeyRange keys = responsible(run, i);
        if (key < keys.smallest || key > keys.largest) continue;
        for (const Copy& copy : run.files[i].copies) {
          if (key < copy.keys.smallest || key > copy.keys.largest) continue;
          const auto found = find_in(frozen_.at(copy.frozen_file).entries, key);
          if (found) return found;
        }
        const std::vector<Slice>& slices = run.files[i].slices;
        for (auto slice = slices.rbegin(); slice != slices.rend(); ++slice) {
          if (key < slice->keys.smallest || key > slice->keys.largest) continue;
          const auto found = find_in(frozen_.at(slice->frozen_file).entries, key);
          if (found) return found;
        }
        const auto found = find_in(standing_.at(run.files[i].id).entries, key);
        if (found) return found;
      }
    }
  }
  return std::nullopt;
}

std::optional<StoredEntry> StoreOracle::newest_anywhere(std::uint64_t key) const {
  std::optional<StoredEntry> newest;
  const auto in_memtable = memtable_.find(key);
  if (in_memtable != memtable_.end()) newest = in_memtable->second.entry;
  for (const StoredEntry& version : versions_of(key, {})) {
    if (!newest || version.sequence > newest->sequence) newest = version;
  }
  return newest;
}

std::vector<StoredEntry> StoreOracle::versions_of(std::uint64_t key,
                                                  const std::set<FileId>& skipped) const {
  std::vector<StoredEntry> versions;
  const auto add = [&](const std::optional<StoredEntry>& found) {
    if (found) versions.push_back(*found);
  };
  for (const auto& [id, known] : standing_) {
    if (skipped.contains(id)) continue;
    add(find_in(known.entries, key));
    for (const Slice& slice : known.file.slices) {
      if (key < slice.keys.smallest || key > slice.keys.largest) continue;
      add(find_in(frozen_.at(slice.frozen_file).entries, key));
    }
  }
  return versions;
}

std::optional<StoredEntry> StoreOracle::find_in(const std::vector<StoredEntry>& entries,
                                                std::uint64_t key) {
  const auto found = std::lower_bound(
      entries.begin(), entries.end(), key,
      [](const StoredEntry& entry, std::uint64_t sought) { return entry.key < sought; });
  if (found == entries.end() || found->key != key) return std::nullopt;
  return *found;
}

}  // namespace lsmlab::testing
