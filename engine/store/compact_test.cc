// Manual compactions of a store: afterwards its data lies in one level, and nothing is lost.
#include <thread>

#include "engine/store/store_check.h"
#include "testing/engine/store_fixture.h"
#include "testing/engine/watchdog.h"

namespace lsmlab::engine::compact_test {
namespace {

using testing::kDirectory;
using testing::StoreState;

std::string key_of(std::uint64_t number) { return fmt::format("{:08}", number * 7919 % 1000); }

// Puts and removes keys, and does the same to `state`.
void write(Store& store, std::uint64_t first, std::uint64_t count, StoreState& state) {
  for (std::uint64_t i = first; i < first + count; ++i) {
    const std::string key = key_of(i);
    if (i % 9 == 0) {
      REQUIRE(store.remove(key));
      state.erase(key);
      continue;
    }
    const std::string value = fmt::format("{}:{}", i, std::string(30, 'v'));
    REQUIRE(store.put(key, value));
    state[key] = value;
  }
}

std::size_t levels_used(const Store& store) {
  std::size_t used = 0;
  for (const Level& level : store.tree_image().levels) used += !level.runs.empty();
  return used;
}

std::uint64_t tombstones_in(const Store& store) {
  std::uint64_t count = 0;
  for (const Level& level : store.tree_image().levels) {
    for (const SortedRun& run : level.runs) {
      for (const File& file : run.files) count += file.tombstones.value();
    }
  }
  return count;
}

}  // namespace

TEST_CASE("a compacted store has one level, no tombstone, and what was written") {
  const testing::Watchdog watchdog("compactions");
  for (const StoreMode mode : {StoreMode::kStepped, StoreMode::kThreaded}) {
    for (const char* const policy : {"rocksdb-leveled", "rocksdb-leveled:dynamic_levels=true",
                                     "rocksdb-universal", "leveldb", "binomial"}) {
      INFO(policy << (mode == StoreMode::kStepped ? ", stepped" : ", threads"));
      FaultFileSystem disk(1);
      StoreSetup setup = testing::small_setup(policy, disk);
      setup.mode = mode;
      setup.merge_threads = 2;
      StoreState state;
      {
        const auto store = Store::open(kDirectory, setup).value();
        for (std::uint64_t round = 0; round < 3; ++round) {
          write(*store, 1000 * round, 700, state);
          REQUIRE(store->compact());
          REQUIRE(levels_used(*store) == 1);
          REQUIRE(tombstones_in(*store) == 0);
          REQUIRE(testing::gets_differ(*store, state) == "");
        }
        REQUIRE(store->close());
      }
      REQUIRE(check_store(disk, kDirectory).has_value());
      const auto again = Store::open(kDirectory, setup).value();
      REQUIRE(testing::gets_differ(*again, state) == "");
      REQUIRE(testing::scan_all(*again).value() == state);
    }
  }
}

TEST_CASE("writers go on while a store is compacted") {
  const testing::Watchdog watchdog("a compaction beside writers");
  FaultFileSystem disk(1);
  StoreSetup setup = testing::small_setup("rocksdb-leveled", disk);
  setup.mode = StoreMode::kThreaded;
  const auto store = Store::open(kDirectory, setup).value();
  StoreState state;
  write(*store, 0, 900, state);
  std::thread compacting([&] {
    for (int i = 0; i < 3; ++i) static_cast<void>(store->compact());
  });
  write(*store, 900, 900, state);
  compacting.join();
  REQUIRE(store->background_error());
  REQUIRE(store->compact());
  REQUIRE(levels_used(*store) == 1);
  REQUIRE(testing::gets_differ(*store, state) == "");
}

TEST_CASE("a store whose policy knows no manual compaction says so and goes on") {
  FaultFileSystem disk(1);
  const auto store =
      Store::open(kDirectory, testing::small_setup("ldc:slice_threshold=2", disk)).value();
  StoreState state;
  write(*store, 0, 50, state);
  const auto compacted = store->compact();
  REQUIRE(!compacted);
  REQUIRE(compacted.error().message.find("by its own rules only") != std::string::npos);
  write(*store, 50, 50, state);
  REQUIRE(testing::gets_differ(*store, state) == "");
}

}  // namespace lsmlab::engine::compact_test
