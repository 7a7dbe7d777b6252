#include "sim/ranges/memtable_fill.h"

#include <cmath>

#include "models/base/random.h"
#include "models/sizes/memtable_size.h"
#include "testing/catch.h"

namespace lsmlab::memtable_fill_test {
namespace {

// Puts and deletes in turn, as `share` of 10 says, until the memtable of the store is full.
EntryMix filled(const StoreOptions& store, std::uint64_t value_bytes, std::uint64_t share) {
  MemtableSize size(store);
  SplitMix64 random(4);
  EntryMix mix;
  while (!size.is_full()) {
    const bool is_put = random.below(10) >= share;
    ++(is_put ? mix.puts : mix.tombstones);
    size.add(mix.entries(), 16, is_put ? value_bytes : 0, 0);
  }
  return mix;
}

TEST_CASE("a mixture of writes charges the buffer when it fills the memtable of another store") {
  for (const SstableLayout layout : {SstableLayout::kRocksdb, SstableLayout::kLeveldb}) {
    for (const std::uint64_t value_bytes : {8U, 112U, 1'000U, 20'000U}) {
      StoreOptions store;
      store.layout = layout;
      store.buffer = Bytes(4 << 20);
      RangeSizes sizes(16, value_bytes);
      sizes.charge(memtable_charges(store, SizeDistribution::constant(16),
                                    SizeDistribution::constant(value_bytes)));
      for (const std::uint64_t share : {0U, 1U, 5U, 10U}) {
        INFO("layout " << static_cast<int>(layout) << ", values " << value_bytes << ", deletes "
                       << share << " of 10");
        const EntryMix mix = filled(store, value_bytes, share);
        const auto charged =
            static_cast<double>(sizes.put_bytes(mix.puts) + sizes.delete_bytes(mix.tombstones));
        REQUIRE(std::abs(charged / (4 << 20) - 1) < 0.02);
        REQUIRE(sizes.put_bytes(1) <= sizes.put_bytes_max());
      }
    }
  }
}

TEST_CASE("a memtable without room for a write takes one, which charges all of it") {
  for (const SstableLayout layout :
       {SstableLayout::kLsmlab, SstableLayout::kRocksdb, SstableLayout::kLeveldb}) {
    StoreOptions store;
    store.layout = layout;
    store.buffer = Bytes(1);
    RangeSizes sizes(16, 100);
    sizes.charge(
        memtable_charges(store, SizeDistribution::constant(16), SizeDistribution::constant(100)));
    REQUIRE(sizes.put_bytes(1) == 1);
    REQUIRE(sizes.delete_bytes(1) == 1);
  }
}

TEST_CASE(
    "a memtable that replaces entries is never fuller than bounded, however seldom looked at") {
  const RangeSizes sizes(16, 100);
  const std::uint64_t each = sizes.put_bytes(1);
  // Writes of keys that are drawn evenly from so many.
  for (const double keys : {50.0, 5'000.0, 1e9}) {
    const auto bytes_after = [&](std::uint64_t writes) {
      return each *
             static_cast<std::uint64_t>(-keys * std::expm1(-static_cast<double>(writes) / keys));
    };
    InPlaceFill fill(sizes);
    std::uint64_t writes = 0;
    int looks = 0;
    while (bytes_after(writes) < 2'000 * each && looks < 100 && writes < 1'000'000) {
      const std::uint64_t next = fill.writes_to(2'000 * each);
      REQUIRE(bytes_after(next) <= fill.bytes_max(next));
      writes = std::max(writes + 1, next);
      fill.look(writes, bytes_after(writes));
      ++looks;
    }
    REQUIRE(bytes_after(writes) <= 2'001 * each);
    REQUIRE(looks < 25);
    fill.begin(0, 0);
    REQUIRE(fill.writes_to(10 * each) == 9);
    REQUIRE(fill.writes_to(each) == 0);
  }
}

}  // namespace
}  // namespace lsmlab::memtable_fill_test
