// Simulated SSTables for reads. A filter passes all keys that the table holds, and a share of the
// other keys; which ones depends only on file and key. Fence pointers (the index) are in memory.
// Data blocks are read through a cache. A file's data for reads is computed when a read first needs
// it. Not thread safe.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "models/accounting/run_result.h"
#include "models/base/units.h"
#include "models/execution/block_cache.h"
#include "models/sizes/filter_chance.h"
#include "models/sizes/sstable_size.h"
#include "models/tree/tree.h"
#include "sim/keys/block_map.h"
#include "sim/keys/entry.h"
#include "sim/keys/entry_list.h"
#include "sim/keys/stored_files.h"

namespace lsmlab {

class TableReader {
 public:
  struct Table {
    FileId id;
    const EntryList* entries = nullptr;
    const SstableFormat* format = nullptr;
    std::uint64_t false_positive_bound = 0;  // draw_bound()
    bool has_filter = false;
    std::optional<BlockMap> blocks;  // set when a block is first fetched
  };
  /// What a lookup found in one table.
  struct Answer {
    bool filter_checked = false;
    bool false_positive = false;
    std::optional<Entry> entry;
  };

  /// REQUIRES: the arguments outlive the reader.
  TableReader(const StoredFiles& files, const SizeClasses& classes, Bytes cache)
      : files_(files), classes_(classes), cache_(cache) {}

  /// cached_blocks() will be called. REQUIRES: no block was fetched yet.
  void count_cached_blocks(Bytes cache) { certain_.emplace(cache); }

  /// The read state of a file. Valid until forget(). REQUIRES: the file is stored.
  [[nodiscard]] Table& table(FileId id);
  /// The table's version of the key. If the filter passes the key, or there is no filter, the only
  /// block that can hold the key is fetched. REQUIRES: the key is in the table's key range.
  [[nodiscard]] Answer find(Table& table, std::uint64_t key, BlockReads& reads);
  /// Whether the table's filter passes the key; true without a filter. REQUIRES: as for find().
  [[nodiscard]] bool may_hold(const Table& table, std::uint64_t key) const;
  /// How many of the table's blocks are in the cache, as far as plans may know it
  /// (models/execution/block_cache.h). REQUIRES: count_cached_blocks() was called.
  [[nodiscard]] CachedBlocks cached_blocks(FileId id);
  /// The block boundaries of the table.
  [[nodiscard]] const BlockMap& blocks_of(Table& table);
  void fetch(Table& table, std::size_t block, BlockReads& reads);
  /// Drops the read state of a deleted file.
  void forget(FileId id) { tables_.erase(id.value()); }

 private:
  const StoredFiles& files_;
  const SizeClasses& classes_;
  void fetch(Table& table, std::size_t block, bool is_in_vain, BlockReads& reads);

  BlockCache cache_;
  std::optional<BlockCache> certain_;  // without fetches that a filter passed in vain
  FilterModel filters_;
  std::unordered_map<std::uint64_t, Table> tables_;  // by id; only looked up, never iterated
};

}  // namespace lsmlab
