// A store whose policy schedules merges by the load of clients: merges of level 0 go on beside
// paused ones, deeper ones keep to their rate, and nothing stays paused for good.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/store/store.h"
#include "testing/catch.h"
#include "testing/engine/fault_file_system.h"
#include "testing/engine/threaded_clients.h"
#include "testing/engine/threaded_store.h"
#include "testing/engine/watchdog.h"

namespace lsmlab::engine::merge_scheduling_test {
namespace {

using namespace std::chrono_literals;
using testing::key_of;
using testing::open;
using testing::threaded;
using testing::Watchdog;

// Small levels, so that few flushes make deeper levels merge.
const std::string kSmall =
    "silk:buffer=4kB,block_size=512,file_size=4kB,level_base=8kB,size_ratio=2,l0_trigger=2";

// Which plans of level 0 and of deeper levels a store has executed.
struct Plans {
  std::mutex mutex;
  std::uint64_t of_level0 = 0;
  std::uint64_t level0_in_a_row = 0;  // since the last deeper one
  std::uint64_t deeper_bytes = 0;     // written

  [[nodiscard]] PlanLogSink sink() {
    return [this](const PlanRecord& record) {
      if (record.takes_memtable) return;
      const std::lock_guard lock(mutex);
      const bool is_level0 = record.inputs.front().level == 0;
      of_level0 += is_level0 ? 1 : 0;
      level0_in_a_row = is_level0 ? level0_in_a_row + 1 : 0;
      if (is_level0 || record.plan != PlanKind::kMerge) return;
      for (const PlanRecord::Output& output : record.outputs) deeper_bytes += output.bytes.value();
    };
  }
  template <class Member>
  [[nodiscard]] std::uint64_t read(Member member) {
    const std::lock_guard lock(mutex);
    return this->*member;
  }
};

void put_keys(Store& store, std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t i = first; i < first + count; ++i) {
    REQUIRE(store.put(key_of(i * 7919 % 20'000), std::string(100, 'v')).has_value());
  }
}

TEST_CASE(
    "while clients are at a peak level 0 merges and deeper levels wait, and then they merge") {
  const Watchdog watchdog("a peak");
  FaultFileSystem files;
  Plans plans;
  const std::string spec = kSmall + ",pause_above=1000,bandwidth_check_interval=20000";
  StoreSetup setup = threaded(files, spec.c_str());
  setup.log = plans.sink();
  setup.merge_threads = 2;
  const auto store = open(setup);
  // A client that the system lets pause for 20 ms is at no peak, so this may take some turns. That
  // level 1 merges into level 2 at the latest after two merges of level 0 is what size_ratio=2
  // makes of a store without pauses.
  std::uint64_t key = 0;
  while (plans.read(&Plans::level0_in_a_row) < 20) put_keys(*store, key++ * 10, 10);
  const std::uint64_t of_level0 = plans.read(&Plans::of_level0);
  REQUIRE(store->flush().has_value());
  REQUIRE(plans.read(&Plans::deeper_bytes) > 0);
  REQUIRE(plans.read(&Plans::of_level0) >= of_level0);
  REQUIRE(testing::tree_fault(*store, "/db") == "");
  // The policy wants nothing more: level 1 is within its target.
  REQUIRE(store->settle().has_value());
  const TreeImage image = store->tree_image();
  std::uint64_t level1_bytes = 0;
  for (const SortedRun& run : image.levels.at(1).runs) level1_bytes += run.bytes().value();
  REQUIRE(level1_bytes <= 8'000);
}

TEST_CASE("deeper merges take the time that their bandwidth leaves them") {
  const Watchdog watchdog("bandwidth");
  FaultFileSystem files;
  Plans plans;
  constexpr double kBytesPerSecond = 1'000'000;
  // A round is one memtable and one run of level 0, which so never waits for deeper merges.
  StoreSetup setup = threaded(
      files,
      "silk:buffer=1M,block_size=512,file_size=4kB,level_base=8kB,size_ratio=2,l0_trigger=1,"
      "bandwidth=1MB,bandwidth_min=1MB,bandwidth_step=1000");
  setup.log = plans.sink();
  const auto begin = std::chrono::steady_clock::now();
  const auto store = open(setup);
  for (int round = 0; round < 3; ++round) {
    put_keys(*store, 0, 1'000);
    REQUIRE(store->flush().has_value());
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  const auto bytes = static_cast<double>(plans.read(&Plans::deeper_bytes));
  REQUIRE(bytes > 200'000);
  // The last file waits for those before it only.
  REQUIRE(taken.count() >= (bytes - 10'000) / kBytesPerSecond);
  REQUIRE(testing::tree_fault(*store, "/db") == "");
}

TEST_CASE("a store closes at once, whatever its merges wait for, and loses nothing") {
  FaultFileSystem files;
  const std::string spec = kSmall +
                           ",bandwidth=1000,bandwidth_min=1000,bandwidth_step=1000,"
                           "pause_above=1000,bandwidth_check_interval=1000";
  {
    const Watchdog watchdog("a merge that waits for bandwidth", 60s);
    const auto store = open(threaded(files, spec.c_str()));
    put_keys(*store, 0, 2'000);
    REQUIRE(store->close().has_value());
  }
  StoreSetup stepped = threaded(files, spec.c_str());
  stepped.mode = StoreMode::kStepped;
  const auto store = open(stepped);
  for (std::uint64_t i = 0; i < 2'000; ++i) {
    const auto found = store->get(key_of(i * 7919 % 20'000));
    REQUIRE(found.has_value());
    REQUIRE(found.value() == std::string(100, 'v'));
  }
}

}  // namespace
}  // namespace lsmlab::engine::merge_scheduling_test
