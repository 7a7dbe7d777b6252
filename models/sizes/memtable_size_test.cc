#include "models/sizes/memtable_size.h"

#include "models/sizes/sstable_size.h"
#include "testing/catch.h"

namespace lsmlab::memtable_size_test {
namespace {

StoreOptions store_of(SstableLayout layout, Bytes capacity) {
  StoreOptions store;
  store.layout = layout;
  store.buffer = capacity;
  return store;
}

std::uint64_t writes_to_full(const StoreOptions& store, std::uint64_t key_bytes,
                             std::uint64_t value_bytes) {
  MemtableSize size(store);
  std::uint64_t writes = 0;
  while (!size.is_full()) {
    ++writes;
    size.add(writes, key_bytes, value_bytes, buffered_entry_bytes(key_bytes, value_bytes));
  }
  return writes;
}

std::uint64_t writes_to_full(SstableLayout layout, Bytes capacity, std::uint64_t key_bytes,
                             std::uint64_t value_bytes) {
  return writes_to_full(store_of(layout, capacity), key_bytes, value_bytes);
}

TEST_CASE("lsmlab's memtable is full when its entries as data blocks reach the capacity") {
  const std::uint64_t each = buffered_entry_bytes(16, 112);
  REQUIRE(writes_to_full(SstableLayout::kLsmlab, Bytes(10 * each), 16, 112) == 10);
  REQUIRE(writes_to_full(SstableLayout::kLsmlab, Bytes(10 * each + 1), 16, 112) == 11);
}

TEST_CASE("the bytes of a replaced entry come back to the memtable") {
  StoreOptions store = store_of(SstableLayout::kLsmlab, Bytes(1'000));
  MemtableSize size(store);
  size.add(1, 16, 112, 140);
  size.replace(140, 150);
  REQUIRE(size.charged_bytes() == 150);
  size.replace(150, 20);
  REQUIRE(size.charged_bytes() == 20);
  REQUIRE(size.added_bytes() == 310);
  size.replace(20, 1'000);
  REQUIRE(size.is_full());
  size.clear();
  REQUIRE(size.added_bytes() == 0);
}

TEST_CASE("only memtables of lsmlab's own format replace entries") {
  StoreOptions store = store_of(SstableLayout::kLsmlab, Bytes(1'000));
  store.memtable = MemtableKind::kInPlace;
  REQUIRE(store.validate().empty());
  for (const SstableLayout layout : {SstableLayout::kRocksdb, SstableLayout::kLeveldb}) {
    store.layout = layout;
    REQUIRE(store.validate().front().starts_with("memtable=in-place: "));
  }
}

TEST_CASE("RocksDB's memtable of 8 MiB is full with three quarters of its eighth block") {
  // An entry of 138 bytes with a tower of one or two pointers takes 160 bytes; one in sixteen takes
  // more. The memtable is full at 7.75 MiB of such entries.
  const double writes =
      static_cast<double>(writes_to_full(SstableLayout::kRocksdb, Bytes(8 << 20), 16, 112));
  const double mean_bytes = 160 + 16.0 / 16 + 16.0 / 256;
  REQUIRE(writes * mean_bytes > 7.74 * (1 << 20));
  REQUIRE(writes * mean_bytes < 7.76 * (1 << 20));
}

TEST_CASE("LevelDB's memtable is full when the blocks of its arena pass the capacity") {
  // 138 bytes, aligned, and a node of 8 bytes plus 4/3 of a pointer on average.
  const double writes =
      static_cast<double>(writes_to_full(SstableLayout::kLeveldb, Bytes(4 << 20), 16, 112));
  const double mean_bytes = (144 + 8 + 8 * 4.0 / 3) * 4104 / 4096;
  REQUIRE(writes * mean_bytes > 0.975 * (4 << 20));
  REQUIRE(writes * mean_bytes < 1.0 * (4 << 20));
}

TEST_CASE("whether a write fills the memtable is known before it") {
  for (const SstableLayout layout :
       {SstableLayout::kLsmlab, SstableLayout::kRocksdb, SstableLayout::kLeveldb}) {
    MemtableSize size(store_of(layout, Bytes(100'000)));
    for (std::uint64_t write = 1; !size.is_full(); ++write) {
      const std::uint64_t value_bytes = 100 + write % 50;
      const std::uint64_t buffered = buffered_entry_bytes(16, value_bytes);
      const bool fills = size.is_full_after(write, 16, value_bytes, buffered);
      size.add(write, 16, value_bytes, buffered);
      REQUIRE(fills == size.is_full());
    }
  }
}

TEST_CASE("an entry larger than a quarter of a block has a block of its own") {
  MemtableSize size(store_of(SstableLayout::kLeveldb, Bytes(1 << 20)));
  size.add(1, 16, 2'000, 0);
  REQUIRE(size.charged_bytes() >= 2'000 + 4'096);
  size.clear();
  REQUIRE(size.charged_bytes() == 0);
}

TEST_CASE("the same writes fill a memtable at the same place every time") {
  for (const SstableLayout layout : {SstableLayout::kRocksdb, SstableLayout::kLeveldb}) {
    REQUIRE(writes_to_full(layout, Bytes(1 << 20), 16, 100) ==
            writes_to_full(layout, Bytes(1 << 20), 16, 100));
  }
}

// Arena blocks of RocksDB's full memtable, where blocks have `block_bytes` and entries are small.
std::uint64_t blocks_to_full(const StoreOptions& store, std::uint64_t block_bytes) {
  MemtableSize size(store);
  for (std::uint64_t write = 1; !size.is_full(); ++write) size.add(write, 16, 112, 0);
  REQUIRE((size.charged_bytes() - 2048) % block_bytes == 0);
  return (size.charged_bytes() - 2048) / block_bytes;
}

TEST_CASE("RocksDB's arena blocks have an eighth of the memtable, at most 1 MiB, or the option's") {
  StoreOptions store = store_of(SstableLayout::kRocksdb, Bytes(64 << 20));
  REQUIRE(blocks_to_full(store, 1 << 20) == 64);
  // As before 6.22: the memtable is full with three quarters of the eighth block.
  store.arena_block = Bytes(8 << 20);
  REQUIRE(blocks_to_full(store, 8 << 20) == 8);
  const std::uint64_t old = writes_to_full(store, 16, 112);
  store.arena_block.reset();
  const std::uint64_t writes = writes_to_full(store, 16, 112);
  REQUIRE(old * 6375 / 6200 >= writes - writes / 500);
  REQUIRE(old * 6375 / 6200 <= writes + writes / 500);
}

TEST_CASE("jemalloc rounds arena blocks up, and a RocksDB's memtable counts that") {
  // An eighth of 340,992 bytes is 45,056 in whole pages; jemalloc's class above is 49,152. Eight of
  // these exceed the limit, buffer and six tenths of a block, so that the seventh is the last.
  StoreOptions store = store_of(SstableLayout::kRocksdb, Bytes(340'992));
  REQUIRE(blocks_to_full(store, 45'056) == 8);
  store.allocator = Allocator::kJemalloc;
  REQUIRE(blocks_to_full(store, 49'152) == 7);
  // RocksDB 7.8.3 with jemalloc flushed 291.8 such entries on average, with the system's 330.
  const std::uint64_t writes = writes_to_full(store, 16, 1'000);
  REQUIRE(writes >= 289);
  REQUIRE(writes <= 293);
  // Powers of two are classes of their own.
  store.buffer = Bytes(8 << 20);
  REQUIRE(blocks_to_full(store, 1 << 20) == 8);
}

TEST_CASE("only memtables of RocksDB have an arena to describe") {
  for (const SstableLayout layout : {SstableLayout::kLsmlab, SstableLayout::kLeveldb}) {
    StoreOptions store = store_of(layout, Bytes(1 << 20));
    store.arena_block = Bytes(8192);
    REQUIRE(store.validate().front().starts_with("arena_block, allocator: "));
    store.arena_block.reset();
    store.allocator = Allocator::kJemalloc;
    REQUIRE(store.validate().front().starts_with("arena_block, allocator: "));
  }
}

TEST_CASE(
    "a shared buffer ends RocksDB's memtable with the block that exceeds seven eighths of it") {
  // Values of 1,000 bytes: entries of 1,027 bytes with towers of 8 or more take 1,040 bytes or
  // more, and at least 120 of them fit a block of 128 KiB. The arena begins with 2 KiB of its own.
  constexpr std::uint64_t kBlock = 128 << 10;
  StoreOptions store = store_of(SstableLayout::kRocksdb, Bytes(1 << 20));
  const auto blocks_of = [&](std::uint64_t shared) {
    store.shared_buffer = Bytes(shared);
    MemtableSize size(store);
    for (std::uint64_t write = 1; !size.is_full(); ++write) size.add(write, 16, 1'000, 0);
    return (size.charged_bytes() - 2048) / kBlock;
  };
  REQUIRE(blocks_of(1) == 0);  // the arena's own 2 KiB are more than that
  // Four blocks and 2 KiB are 526,336 bytes: seven eighths of 601,526.
  REQUIRE(blocks_of(601'525) == 4);
  REQUIRE(blocks_of(601'528) == 5);
  // The memtable's own limit counts before that of a larger buffer: the eighth block is the last.
  REQUIRE(blocks_of(8 << 20) == 8);
}

TEST_CASE("a shared buffer ends no memtable while others wait for their flush") {
  StoreOptions store = store_of(SstableLayout::kRocksdb, Bytes(1 << 20));
  const std::uint64_t alone = writes_to_full(store, 16, 1'000);
  store.shared_buffer = Bytes(512 << 10);
  MemtableSize size(store);
  std::uint64_t writes = 0;
  while (!size.is_full()) size.add(++writes, 16, 1'000, 0);
  REQUIRE(writes < alone / 2);
  REQUIRE_FALSE(size.is_full(true));
  while (!size.is_full(true)) size.add(++writes, 16, 1'000, 0);
  REQUIRE(writes == alone);
}

TEST_CASE("a memtable is full only at the end of a write batch") {
  for (const SstableLayout layout :
       {SstableLayout::kLsmlab, SstableLayout::kRocksdb, SstableLayout::kLeveldb}) {
    StoreOptions store = store_of(layout, Bytes(100'000));
    const std::uint64_t single = writes_to_full(store, 16, 112);
    for (const std::uint64_t batch : {1U, 2U, 7U, 100U, 1'000U, 100'000U}) {
      store.write_batch = batch;
      REQUIRE(writes_to_full(store, 16, 112) == (single + batch - 1) / batch * batch);
    }
  }
}

TEST_CASE("only RocksDB's memtables share a buffer") {
  StoreOptions store;
  store.shared_buffer = Bytes(1 << 20);
  REQUIRE(store.validate().size() == 1);
  store.layout = SstableLayout::kRocksdb;
  REQUIRE(store.validate().empty());
}

}  // namespace
}  // namespace lsmlab::memtable_size_test
