// Simulated SSTables as reads meet them: filters that say yes to keys that are there and, by a draw
// that depends on file and key alone, to a share of the others; fence pointers in memory; data
// blocks behind a cache. What a file needs for this is made when a read first wants it. Not thread
// safe.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "models/accounting/run_result.h"
#include "models/base/units.h"
#include "models/sizes/filter_chance.h"
#include "models/sizes/sstable_size.h"
#include "sim/keys/block_cache.h"
#include "sim/keys/block_map.h"
#include "sim/keys/entry.h"
#include "sim/keys/entry_list.h"

namespace lsmlab {

/// An SSTable in the tree, or frozen.
struct StoredFile {
  EntryList entries;
  SstableFormat format;  // that it was written with
};
using StoredFiles = std::unordered_map<std::uint64_t, StoredFile>;  // by id; asked, never walked

class TableReader {
 public:
  struct Table {
    FileId id;
    const EntryList* entries = nullptr;
    const SstableFormat* format = nullptr;
    std::uint64_t false_positive_bound = 0;  // draw_bound()
    bool has_filter = false;
    std::optional<BlockMap> blocks;  // once one was fetched
  };
  /// What asking a table for a key came to.
  struct Answer {
    bool filter_checked = false;
    bool false_positive = false;
    std::optional<Entry> entry;
  };

  /// What is referred to must outlive the reader.
  TableReader(const StoredFiles& files, const SizeClasses& classes, Bytes cache)
      : files_(files), classes_(classes), cache_(cache) {}

  /// REQUIRES: the file is stored. Valid until forget().
  [[nodiscard]] Table& table(FileId id);
  /// The table's version of the key. Where the filter says yes, or there is none, the block that
  /// holds the key if any does is fetched. REQUIRES: the key is in the range of the table's keys.
  [[nodiscard]] Answer find(Table& table, std::uint64_t key, BlockReads& reads);
  /// Block boundaries of the table.
  [[nodiscard]] const BlockMap& blocks_of(Table& table);
  void fetch(Table& table, std::size_t block, BlockReads& reads);
  /// The file is no longer.
  void forget(FileId id) { tables_.erase(id.value()); }

 private:
  const StoredFiles& files_;
  const SizeClasses& classes_;
  BlockCache cache_;
  FilterModel filters_;
  std::unordered_map<std::uint64_t, Table> tables_;  // by id; asked, never walked
};

}  // namespace lsmlab
