// The setup of a store besides its policy: the memtable, the SSTable format and the filters. It is
// the same for every policy. At resolution flush none of it applies.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/base/options.h"
#include "models/base/units.h"
#include "models/sizes/sstable_size.h"
#include "models/tree/kept_ranges.h"

namespace lsmlab {

class TreeView;
struct File;

/// How filter bits are divided among levels.
enum class FilterSplit {
  kUniform,  // the same bits for every key
  // fewer bits for deeper levels, fewest false positives in total (models/sizes/filter_split.h)
  kMonkey,
  // the same by the capacities of levels instead of what they hold: whole bits for each level
  kAutotune,
};

/// What a policy lets a level hold, in sorted runs of one size. No bytes: nothing.
struct LevelCapacity {
  std::uint64_t bytes = 0;
  std::uint64_t runs = 1;
};

/// Which tombstones a merge drops before they reach the last level (the delete-aware thesis,
/// Section 3.1.2): those that no older data can hold the key of, by
enum class PreRemove {
  kOff,      // nothing: only a merge that leaves no older data drops tombstones
  kFiles,    // the key ranges of files, as LevelDB and RocksDB do
  kBlocks,   // kept ranges of data blocks (models/tree/kept_ranges.h)
  kFilters,  // the Bloom filters of files, as Cassandra and ScyllaDB do
};

/// What a write does with the entry that the memtable has of its key.
enum class MemtableKind {
  // Keeps it, or its memory: every write fills the memtable, as in RocksDB and LevelDB, Cassandra
  // (SlabAllocator and HeapPool count every value) and Tarantool (vy_mem.c).
  kVersions,
  // Replaces it, whose memory comes back: only new keys fill the memtable, as in bLSM, AsterixDB,
  // ScyllaDB and WiredTiger.
  kInPlace,
};

/// Who gives a memtable its memory. RocksDB counts what it gets, not what it asks for.
enum class Allocator { kSystem, kJemalloc };

struct StoreOptions {
  SstableLayout layout = SstableLayout::kLsmlab;
  // A memtable is full when its charged bytes reach this. What is charged depends on the layout and
  // on the kind of memtable (memtable_size.h).
  Bytes buffer{8 << 20};
  MemtableKind memtable = MemtableKind::kVersions;
  Bytes block_size{4096};
  Decimal bits_per_key{10, 1};
  FilterSplit filter_split = FilterSplit::kUniform;
  Bytes block_cache{8 << 20};
  PreRemove pre_remove = PreRemove::kFiles;
  Bytes range_bytes{4096};
  CompressionRules compression;
  // RocksDB's db_write_buffer_size of a store with one column family: a memtable is full, too, when
  // it takes more than seven eighths of this and no other memtable waits for its flush
  // (WriteBufferManager::ShouldFlush, DBImpl::HandleWriteBufferManagerFlush). Nothing: no such
  // limit.
  std::optional<Bytes> shared_buffer;
  // RocksDB's arena_block_size, which may end a memtable early. Nothing: what RocksDB chooses.
  std::optional<Bytes> arena_block;
  Allocator allocator = Allocator::kSystem;
  // How values compress (ValueShape). Nothing: as the workload says, otherwise not at all.
  std::optional<Decimal> value_ratio;
  // The text of keys: no option of a policy, but the workload's.
  KeyFormat keys;
  // Writes of one write batch, which goes into one memtable: no option of a policy, but the
  // workload's.
  std::uint64_t write_batch = 1;
  // Whether writes are logged: no option of a policy, but the run's.
  bool writes_log = true;

  void declare(OptionTable& table);
  [[nodiscard]] std::vector<std::string> validate() const;
  [[nodiscard]] bool keeps_ranges() const { return pre_remove == PreRemove::kBlocks; }
  [[nodiscard]] bool replaces_entries() const { return memtable == MemtableKind::kInPlace; }
  /// The format without a split of filter bits.
  [[nodiscard]] SstableFormat format() const;
};

/// The options of a plan that begins now: those that a policy set at run time replace the store's.
[[nodiscard]] StoreOptions tuned_options(const StoreOptions& store, const TreeView& tree);
/// Keeps a new file's ranges, each of which covers `range_bytes`. It is noted where the store's
/// options say something else, so that recovery makes the same ranges.
void keep_ranges(File& file, Bytes range_bytes, const StoreOptions& store,
                 std::shared_ptr<const KeptRanges> ranges);

}  // namespace lsmlab
