// A store whose policy drops files: their keys are absent for every reader that comes later, and
// stay so through reopening and crashes.
#include "engine/store/store_check.h"
#include "testing/engine/store_fixture.h"

namespace lsmlab::engine::drop_test {
namespace {

using testing::kDirectory;
using testing::StoreState;

constexpr std::uint64_t kLimitBytes = 3000;
constexpr std::uint64_t kKeptMin = 10;  // entries that take less than the limit minus a file

constexpr const char* kFifo = "rocksdb-fifo:max_table_files_size=3000";
// Drops SSTables of whole windows. An SSTable goes when 60 writes came after its newest one.
constexpr const char* kWindows = "cassandra-twcs:compaction_window_size=25,ttl=60";

StoreSetup setup_of(FileSystem& files, const std::string& policy = kFifo) {
  StoreSetup setup = testing::small_setup(policy, files);
  setup.sync = SyncRule::kEveryBatch;
  setup.manifest_bytes_max = Bytes(4'000);
  return setup;
}

std::string key_of(std::uint64_t number) { return fmt::format("{:08}", number); }

Result<void> put(Store& store, std::uint64_t number) {
  return store.put(key_of(number), fmt::format("{}:{}", number, std::string(40, 'v')));
}

// Empty if the store holds the keys from one number on to the last one, and as many as fit at
// least. `last`: its number.
std::string suffix_fault(Store& store, std::uint64_t& last) {
  const auto found = testing::scan_all(store);
  if (!found) return found.error().message;
  const StoreState& state = found.value();
  if (state.empty()) return "the store is empty";
  const std::uint64_t first = std::stoull(state.begin()->first);
  last = std::stoull(state.rbegin()->first);
  if (state.size() != last - first + 1) return "a key is missing between others";
  if (state.size() < std::min(kKeptMin, last + 1)) return "too many keys were dropped";
  if (first > 0) {
    const auto gone = store.get(key_of(first - 1));
    if (!gone || gone.value()) return fmt::format("key {} is still there", first - 1);
  }
  std::string fault = testing::gets_differ(store, state);
  return fault.empty() ? testing::tree_fault(store) : fault;
}

std::uint64_t file_bytes(const Store& store) {
  std::uint64_t bytes = 0;
  for (const Level& level : store.tree_image().levels) {
    for (const SortedRun& run : level.runs) bytes += run.bytes().value();
  }
  return bytes;
}

TEST_CASE("a dropped key is absent, and the rest of the store is whole") {
  for (const char* const more : {"", ",allow_compaction=true,l0_trigger=2", ",ttl=90"}) {
    INFO(more);
    const std::string policy = std::string(kFifo) + more;
    FaultFileSystem disk(1);
    std::uint64_t last = 0;
    {
      const auto store = Store::open(kDirectory, setup_of(disk, policy)).value();
      for (std::uint64_t i = 0; i < 300; ++i) REQUIRE(put(*store, i));
      // An old key that is written again is not old.
      REQUIRE(put(*store, 299));
      REQUIRE(store->flush());
      REQUIRE(suffix_fault(*store, last) == "");
      REQUIRE(last == 299);
      REQUIRE(!store->get(key_of(0)).value());
      REQUIRE(file_bytes(*store) <= kLimitBytes);
      REQUIRE(store->totals().drops > 5);
      REQUIRE(store->totals().bytes_dropped > 10'000);
      REQUIRE(store->close());
    }
    const auto report = check_store(disk, kDirectory);
    REQUIRE(report);
    REQUIRE(report.value().leftovers.empty());
    const auto again = Store::open(kDirectory, setup_of(disk, policy)).value();
    REQUIRE(suffix_fault(*again, last) == "");
    REQUIRE(last == 299);
  }
}

TEST_CASE("threads that flush, merge and drop leave the newest data") {
  FaultFileSystem disk(1);
  // A flush that comes late takes several memtables, so that a file may hold a few thousand bytes.
  constexpr std::uint64_t kLargeLimitBytes = 20'000;
  StoreSetup setup = setup_of(
      disk, fmt::format("rocksdb-fifo:max_table_files_size={},allow_compaction=true,l0_trigger=2",
                        kLargeLimitBytes));
  setup.mode = StoreMode::kThreaded;
  setup.merge_threads = 2;
  const auto store = Store::open(kDirectory, setup).value();
  for (std::uint64_t i = 0; i < 4000; ++i) {
    REQUIRE(put(*store, i));
    const auto newest = store->get(key_of(i));
    REQUIRE(newest);
    REQUIRE(newest.value().has_value());
  }
  REQUIRE(store->flush());
  REQUIRE(store->settle());
  std::uint64_t last = 0;
  REQUIRE(suffix_fault(*store, last) == "");
  REQUIRE(last == 3999);
  REQUIRE(file_bytes(*store) <= kLargeLimitBytes);
  REQUIRE(store->totals().drops > 5);
  REQUIRE(store->close());
  REQUIRE(check_store(disk, kDirectory).value().leftovers.empty());
}

TEST_CASE("an SSTable of a time window is dropped when all its writes are too old") {
  FaultFileSystem disk(1);
  std::uint64_t last = 0;
  const auto store = Store::open(kDirectory, setup_of(disk, kWindows)).value();
  for (std::uint64_t i = 0; i < 300; ++i) {
    REQUIRE(put(*store, i));
    REQUIRE(store->totals().drops == store->totals().by_reason[PlanReason::kTimeToLive].plans);
  }
  REQUIRE(store->flush());
  REQUIRE(suffix_fault(*store, last) == "");
  REQUIRE(last == 299);
  // A window and a memtable more than the time to live.
  REQUIRE(testing::scan_all(*store).value().size() <= 60 + 25 + 20);
  REQUIRE(store->totals().drops > 5);
  REQUIRE(store->totals().merges > 5);
}

TEST_CASE("a snapshot still reads what was dropped after it was taken") {
  FaultFileSystem disk(1);
  const auto store = Store::open(kDirectory, setup_of(disk)).value();
  for (std::uint64_t i = 0; i < 30; ++i) REQUIRE(put(*store, i));
  const auto snapshot = store->snapshot().value();
  ReadOptions of_snapshot;
  of_snapshot.snapshot = snapshot.get();
  const auto before = testing::scan_all(*store, of_snapshot);
  const auto cursor = store->scan({});
  REQUIRE(cursor->next().value());
  for (std::uint64_t i = 30; i < 200; ++i) REQUIRE(put(*store, i));
  REQUIRE(!store->get(key_of(0)).value());
  REQUIRE(testing::scan_all(*store, of_snapshot).value() == before.value());
  REQUIRE(cursor->next().value());
  REQUIRE(cursor->key() == key_of(std::stoull(before.value().begin()->first) + 1));
}

// Returns the keys that were acknowledged.
std::uint64_t write_until_crash(const std::string& policy, FileSystem& disk, std::uint64_t first,
                                std::uint64_t keys) {
  const auto opened = Store::open(kDirectory, setup_of(disk, policy));
  if (!opened) return first;
  for (std::uint64_t i = first; i < first + keys; ++i) {
    if (!put(*opened.value(), i)) return i;
  }
  static_cast<void>(opened.value()->close());
  return first + keys;
}

// What the store holds after a crash, and whether it goes on from there.
void require_recovery(const std::string& policy, FileSystem& disk, std::uint64_t acknowledged) {
  const auto store = Store::open(kDirectory, setup_of(disk, policy));
  INFO((store ? "" : store.error().message));
  REQUIRE(store);
  std::uint64_t last = 0;
  std::uint64_t next = 0;
  const auto found = testing::scan_all(*store.value());
  REQUIRE(found);
  if (acknowledged > 0 || !found.value().empty()) {
    REQUIRE(suffix_fault(*store.value(), last) == "");
    REQUIRE(last + 1 >= acknowledged);
    REQUIRE(last <= acknowledged);
    next = last + 1;
  }
  for (std::uint64_t i = next; i < next + 40; ++i) REQUIRE(put(*store.value(), i));
  REQUIRE(suffix_fault(*store.value(), last) == "");
  REQUIRE(last == next + 39);
  REQUIRE(store.value()->close());
}

// LSMLAB_CRASH_STEP=1 tries every loss mode at each call, not one of them;
// LSMLAB_CRASH_KINDS_STEP=13 stops at every 13th call only.
void crash_everywhere(const std::string& policy) {
  INFO(policy);
  constexpr std::uint64_t kKeys = 110;
  constexpr LossMode kModes[] = {LossMode::kNothing, LossMode::kPrefix, LossMode::kReordered,
                                 LossMode::kEverything};
  const std::uint64_t step = testing::number_from("LSMLAB_CRASH_KINDS_STEP", 1);
  const bool takes_all = testing::number_from("LSMLAB_CRASH_STEP", 0) == 1;
  FaultFileSystem whole(1);
  REQUIRE(write_until_crash(policy, whole, 0, kKeys) == kKeys);
  for (std::uint64_t call = 1; call <= whole.calls(); call += step) {
    for (const LossMode mode : kModes) {
      if (!takes_all && mode != kModes[call / step % std::size(kModes)]) continue;
      INFO("crash at call " << call << ", loss mode " << static_cast<int>(mode));
      FaultFileSystem disk(1);
      disk.crash_at(call);
      const std::uint64_t acknowledged = write_until_crash(policy, disk, 0, kKeys);
      disk.restart(call, mode);
      require_recovery(policy, disk, acknowledged);
      REQUIRE(check_store(disk, kDirectory).value().leftovers.empty());
    }
  }
}

TEST_CASE("crash at every call: drops take no newer data with them and do not come undone") {
  crash_everywhere(kFifo);
}

TEST_CASE("crash at every call: windows that are dropped with their merges' outputs") {
  crash_everywhere(kWindows);
}

}  // namespace
}  // namespace lsmlab::engine::drop_test
