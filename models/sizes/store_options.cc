#include "models/sizes/store_options.h"

#include <utility>

#include "models/base/rocksdb_arena.h"
#include "models/tree/tree.h"

namespace lsmlab {
namespace {

Result<std::vector<LevelCodec>> parse_bottommost(std::string_view text) {
  auto codecs = BOOST_OUTCOME_TRYX(CompressionRules::parse(text));
  if (codecs.size() == 1) return codecs;
  return input_error("expected one codec, because there is one deepest level");
}

void declare_compression(OptionTable& table, CompressionRules& rules,
                         std::optional<Decimal>& value_ratio) {
  table.parsed<std::vector<LevelCodec>>("compression", rules.levels,
                                        "CODEC[@SHARE][:CODEC[@SHARE]...]", CompressionRules::parse,
                                        CompressionRules::text,
                                        "codec of data blocks, for each level from 0, the last one "
                                        "for all deeper: none, zstd, lz4 or "
                                        "snappy. @SHARE is what it leaves of a block (lz4@0.6); "
                                        "without it a sample of the workload's "
                                        "entries is compressed to find out, with values as the "
                                        "workload's value_ratio says. A stronger "
                                        "codec: fewer bytes, more work for the processor");
  table.parsed<std::vector<LevelCodec>>(
      "bottommost_compression", rules.bottommost, "CODEC[@SHARE]", parse_bottommost,
      CompressionRules::text,
      "the codec of merges into the deepest level (RocksDB's option); default: that of its level");
  table.optional_decimal(
      "value_ratio", value_ratio, "0.01", "1",
      "with compression: the random share of every 100 bytes of a value, which is then repeated, "
      "as "
      "db_bench's --compression_ratio; less: codecs leave less; default: what the workload states, "
      "otherwise values that no codec shortens");
}

}  // namespace

void StoreOptions::declare(OptionTable& table) {
  table.choice<SstableLayout>("table_format", layout,
                              {{"lsmlab", SstableLayout::kLsmlab},
                               {"rocksdb", SstableLayout::kRocksdb},
                               {"leveldb", SstableLayout::kLeveldb}},
                              "the store whose SSTables and memtables the simulator sizes; the "
                              "engine supports only lsmlab");
  table.bytes("buffer", buffer, {1, std::uint64_t{1} << 40},
              "memtable size: it is flushed when its entries reach this many bytes; more: fewer "
              "flushes and merges, but more memory");
  table.choice<MemtableKind>(
      "memtable", memtable,
      {{"versions", MemtableKind::kVersions}, {"in-place", MemtableKind::kInPlace}},
      "what a write does with the entry that the memtable has of its key. versions: keeps it until "
      "the flush, so that every write fills the memtable. in-place: replaces it, so that only new "
      "keys fill the memtable: fewer flushes where keys are updated soon again");
  table.optional_bytes(
      "shared_buffer", shared_buffer, {1, std::uint64_t{1} << 48},
      "RocksDB's db_write_buffer_size: a memtable is also flushed when it takes more than seven "
      "eighths of this memory and no other one is being flushed; default: no such limit");
  table.optional_bytes(
      "arena_block", arena_block, {kArenaBlockBytesMin, kArenaBlockBytesMax},
      "RocksDB's arena_block_size: memory that a memtable takes at a time; more: memtables that "
      "are "
      "full earlier; default: an eighth of buffer, at most 1 MiB, and with version=6.12 without "
      "that limit, which came with 6.22");
  table.choice<Allocator>(
      "allocator", allocator, {{"system", Allocator::kSystem}, {"jemalloc", Allocator::kJemalloc}},
      "who gives RocksDB's memtables their memory: jemalloc rounds a block up by as much as a "
      "quarter, and the memtable counts that; the sizes are the same where a block is a power of "
      "two");
  table.bytes("block_size", block_size, {64, block_bytes_max(SstableLayout::kRocksdb)},
              "size of a data block, at most 32 KiB in lsmlab's own format; more: a smaller index, "
              "but larger reads");
  table.decimal("bits_per_key", bits_per_key, "0", "100",
                "bits of the Bloom filters; 0: no filters; more: fewer useless reads, but larger "
                "SSTables");
  table.choice<FilterSplit>(
      "filter_split", filter_split,
      {{"uniform", FilterSplit::kUniform},
       {"monkey", FilterSplit::kMonkey},
       {"autotune", FilterSplit::kAutotune}},
      "uniform: the same bits for every key; monkey: more bits for small levels, so that lookups "
      "of absent keys read the fewest blocks in total, by what the levels hold when a file is "
      "written; autotune: the same by the capacities of the levels, in whole bits, as Delete-Aware "
      "RocksDB sets them when it opens a store");
  table.bytes("block_cache", block_cache, {0, std::uint64_t{1} << 40},
              "memory for data blocks; the least recently used block is dropped; more: fewer "
              "reads");
  table.choice<PreRemove>(
      "pre_remove", pre_remove,
      {{"off", PreRemove::kOff},
       {"files", PreRemove::kFiles},
       {"blocks", PreRemove::kBlocks},
       {"filters", PreRemove::kFilters}},
      "a merge drops a tombstone where no older data can have its key: off: only where the merge "
      "leaves no older data at all; files: by the key ranges of files, as RocksDB and LevelDB do; "
      "blocks: by ranges of data blocks, which are kept in memory; filters: by the Bloom filters "
      "of files, as Cassandra and ScyllaDB do, whose policies have this as default");
  table.bytes("range_bytes", range_bytes, {1, std::uint64_t{1} << 40},
              "data that one kept range covers, with pre_remove=blocks; it has whole data blocks; "
              "more: less memory, but fewer tombstones dropped early");
  declare_compression(table, compression, value_ratio);
}

std::vector<std::string> StoreOptions::validate() const {
  if (block_size.value() > block_bytes_max(layout)) {
    return {
        "block_size: table_format=lsmlab has data blocks of at most 32 KiB; those of rocksdb and "
        "leveldb may have 1 MiB"};
  }
  if (replaces_entries() && layout != SstableLayout::kLsmlab) {
    return {
        "memtable=in-place: memtables of table_format=rocksdb and leveldb keep every version of a "
        "key"};
  }
  if (shared_buffer && layout != SstableLayout::kRocksdb) {
    return {"shared_buffer: only memtables of table_format=rocksdb have such a limit"};
  }
  if ((arena_block || allocator != Allocator::kSystem) && layout != SstableLayout::kRocksdb) {
    return {
        "arena_block, allocator: only memtables of table_format=rocksdb count the memory of an "
        "arena"};
  }
  // A store that is opened again is given its defaults, too.
  if (!keeps_ranges() && range_bytes != StoreOptions().range_bytes) {
    return {"range_bytes: only pre_remove=blocks keeps ranges"};
  }
  if (!keeps_ranges() || layout == SstableLayout::kLsmlab) return {};
  return {"pre_remove=blocks: only table_format=lsmlab has first keys of data blocks in its index"};
}

SstableFormat StoreOptions::format() const {
  SstableFormat format;
  format.layout = layout;
  format.has_first_keys = keeps_ranges();
  format.compression = compression.of_flush();
  format.keys = keys;
  format.block_bytes = static_cast<std::uint32_t>(block_size.value());
  format.filter_millibits_per_key = static_cast<std::uint32_t>(Uint128{bits_per_key.numerator()} *
                                                               1000 / bits_per_key.denominator());
  return format;
}

StoreOptions tuned_options(const StoreOptions& store, const TreeView& tree) {
  StoreOptions tuned = store;
  if (!tree.tuning()) return tuned;
  tuned.bits_per_key =
      Decimal(static_cast<std::uint32_t>(tree.tuning()->bits_per_key_thousandths), 1000);
  tuned.range_bytes = tree.tuning()->range_bytes;
  return tuned;
}

void keep_ranges(File& file, Bytes range_bytes, const StoreOptions& store,
                 std::shared_ptr<const KeptRanges> ranges) {
  file.kept_ranges = std::move(ranges);
  if (range_bytes != store.range_bytes) file.range_bytes = range_bytes;
}

}  // namespace lsmlab
