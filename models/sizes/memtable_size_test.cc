#include "models/sizes/memtable_size.h"

#include "models/sizes/sstable_size.h"
#include "testing/catch.h"

namespace lsmlab::memtable_size_test {
namespace {

std::uint64_t writes_to_full(SstableLayout layout, Bytes capacity, std::uint64_t key_bytes,
                             std::uint64_t value_bytes) {
  MemtableSize size(layout, capacity);
  std::uint64_t writes = 0;
  while (!size.is_full()) {
    ++writes;
    size.add(writes, key_bytes, value_bytes, buffered_entry_bytes(key_bytes, value_bytes));
  }
  return writes;
}

TEST_CASE("lsmlab's memtable is full when its entries as data blocks reach the capacity") {
  const std::uint64_t each = buffered_entry_bytes(16, 112);
  REQUIRE(writes_to_full(SstableLayout::kLsmlab, Bytes(10 * each), 16, 112) == 10);
  REQUIRE(writes_to_full(SstableLayout::kLsmlab, Bytes(10 * each + 1), 16, 112) == 11);
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
    MemtableSize size(layout, Bytes(100'000));
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
  MemtableSize size(SstableLayout::kLeveldb, Bytes(1 << 20));
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

}  // namespace
}  // namespace lsmlab::memtable_size_test
