// Threaded mode: what stalls writers, and that they continue.
#include <chrono>
#include <cstdint>
#include <string>

#include "engine/store/store.h"
#include "testing/catch.h"
#include "testing/engine/fault_file_system.h"
#include "testing/engine/slow_file_system.h"
#include "testing/engine/threaded_clients.h"
#include "testing/engine/threaded_store.h"
#include "testing/engine/watchdog.h"

namespace lsmlab::engine::stall_test {
namespace {

using namespace std::chrono_literals;
using testing::open;
using testing::put_some;
using testing::threaded;
using testing::Watchdog;

// Writes until the stall was counted; the watchdog ends the test if it never is.
void write_until(Store& store, StoreStalls::Stall StoreStalls::*stall) {
  for (std::uint64_t i = 0; (store.stalls().*stall).count < 2; i += 10) put_some(store, i, 10);
  REQUIRE((store.stalls().*stall).nanoseconds > 0);
}

TEST_CASE("writers wait for slow flushes, and go on") {
  const Watchdog watchdog("slow flushes");
  FaultFileSystem disk;
  SlowFileSystem files(disk);
  files.set_pause(WriteKind::kFlush, 20ms, 0us);
  StoreSetup setup = threaded(files);
  setup.stalls.full_memtables_max = 1;
  setup.stalls.level0_slowdown_runs = setup.stalls.level0_stop_runs = 1000;
  const auto store = open(setup);
  write_until(*store, &StoreStalls::memtables);
  const StoreStalls stalls = store->stalls();
  REQUIRE(stalls.level0_slowdown.count == 0);
  REQUIRE(stalls.level0_stop.count == 0);
  files.set_pause(WriteKind::kFlush, 0us, 0us);
  put_some(*store, 0, 200);
  REQUIRE(store->flush().has_value());
}

struct SlowMerges {
  SlowMerges() { files.set_pause(WriteKind::kMerge, 20ms, 0us); }
  FaultFileSystem disk;
  SlowFileSystem files{disk};
};

// Checks that writers continue once merges are fast again.
void require_goes_on(Store& store, SlowFileSystem& files) {
  files.set_pause(WriteKind::kMerge, 0us, 0us);
  put_some(store, 0, 200);
  REQUIRE(store.flush().has_value());
  REQUIRE(testing::tree_fault(store, "/db") == "");
}

TEST_CASE("writers are slowed down or stopped by the runs of level 0, and go on") {
  for (const bool is_stop : {false, true}) {
    const Watchdog watchdog("slow merges");
    SlowMerges slow;
    StoreSetup setup = threaded(slow.files);
    setup.stalls.full_memtables_max = 1000;
    setup.stalls.level0_slowdown_runs = 3;
    setup.stalls.level0_stop_runs = is_stop ? 3 : 1000;
    setup.stalls.slowdown_bytes_per_second = Bytes(100'000);
    const auto store = open(setup);
    write_until(*store, is_stop ? &StoreStalls::level0_stop : &StoreStalls::level0_slowdown);
    REQUIRE(store->stalls().memtables.count == 0);
    REQUIRE((is_stop || store->stalls().level0_stop.count == 0));
    require_goes_on(*store, slow.files);
  }
}

TEST_CASE("what merges have still to move slows writers down or stops them, and they go on") {
  for (const bool is_stop : {false, true}) {
    const Watchdog watchdog("pending merges");
    SlowMerges slow;
    StoreSetup setup = threaded(
        slow.files, "rocksdb-leveled:file_size=700,level_base=2100,l0_trigger=2,buffer=700");
    setup.stalls = policy_family("rocksdb-leveled")->stalls;
    setup.stalls.full_memtables_max = 1000;
    setup.stalls.level0_slowdown_runs = setup.stalls.level0_stop_runs = 1000;
    setup.stalls.pending_slowdown_bytes = Bytes(1'000);
    setup.stalls.pending_stop_bytes = Bytes(is_stop ? 3'000 : 0);
    setup.stalls.slowdown_bytes_per_second = Bytes(100'000);
    const auto store = open(setup);
    write_until(*store, is_stop ? &StoreStalls::pending_stop : &StoreStalls::pending_slowdown);
    REQUIRE(store->stalls().memtables.count == 0);
    REQUIRE((is_stop || store->stalls().pending_stop.count == 0));
    require_goes_on(*store, slow.files);
  }
}

TEST_CASE("where merges go first, writers wait for slow ones, and go on") {
  const Watchdog watchdog("merges first");
  SlowMerges slow;
  StoreSetup setup = threaded(slow.files);
  setup.stalls.merges_first = true;
  setup.stalls.level0_slowdown_runs = setup.stalls.level0_stop_runs = 3;
  const auto store = open(setup);
  for (std::uint64_t i = 0; store->stalls().merges_first.longest_ns < 20'000'000; i += 10) {
    put_some(*store, i, 10);
  }
  const StoreStalls stalls = store->stalls();
  REQUIRE(stalls.merges_first.longest_ns <= stalls.merges_first.nanoseconds);
  // Two sorted runs make the policy merge, so a third one never exists.
  REQUIRE(stalls.level0_slowdown.count + stalls.level0_stop.count == 0);
  // A flush that waits for the merges stalls no write; the first, second or third write meets one.
  std::uint64_t key = 100'000;
  for (int round = 0; round < 3; ++round) {
    const std::uint64_t flushes = store->totals().flushes;
    while (store->totals().flushes == flushes) put_some(*store, key++, 1);
    put_some(*store, key++, 1);
    const std::uint64_t waited = store->stalls().merges_first.count;
    REQUIRE(store->flush());
    REQUIRE(store->stalls().merges_first.count == waited);
  }
  require_goes_on(*store, slow.files);
}

TEST_CASE("a level 0 that the policy leaves as it is stops no writer for good") {
  const Watchdog watchdog("many runs that are wanted");
  FaultFileSystem files;
  StoreSetup setup = threaded(
      files, "leveldb:file_size=700,level_base=2100,l0_trigger=60,buffer=700,flush_level_max=0");
  setup.stalls.level0_slowdown_runs = setup.stalls.level0_stop_runs = 4;
  setup.stalls.slowdown_bytes_per_second = Bytes(100 << 20);
  const auto store = open(setup);
  put_some(*store, 0, 400);
  REQUIRE(store->settle().has_value());
  REQUIRE(store->tree_image().levels.front().runs.size() > 4);
}

}  // namespace
}  // namespace lsmlab::engine::stall_test
