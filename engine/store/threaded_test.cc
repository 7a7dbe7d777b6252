// Threaded mode: clients run concurrently with the flush thread and the merge threads.
// testing/agreement/threaded_policies_test.cc runs every policy.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "engine/files/file_names.h"
#include "engine/files/posix_file_system.h"
#include "engine/store/store.h"
#include "engine/store/store_impl.h"
#include "testing/catch.h"
#include "testing/engine/fault_file_system.h"
#include "testing/engine/slow_file_system.h"
#include "testing/engine/threaded_clients.h"
#include "testing/engine/threaded_store.h"
#include "testing/engine/watchdog.h"
#include "traces/io/byte_file.h"

namespace lsmlab::engine::threaded_test {
namespace {

using namespace std::chrono_literals;
using testing::ClientOptions;
using testing::Clients;
using testing::key_of;
using testing::kSmallLeveldb;
using testing::open;
using testing::put_some;
using testing::threaded;
using testing::Watchdog;

std::map<std::string, std::string> contents(Store& store) {
  std::map<std::string, std::string> shown;
  const auto cursor = store.scan({"", std::nullopt});
  while (cursor->next().value()) shown.emplace(cursor->key(), cursor->value());
  return shown;
}

TEST_CASE("clients on real files find what they wrote") {
  const Watchdog watchdog("clients on real files");
  const auto directory = TemporaryDirectory::create("");
  REQUIRE(directory.has_value());
  PosixFileSystem files;
  StoreSetup setup = threaded(files);
  setup.merge_threads = 2;
  setup.sync = SyncRule::kEveryBytes;
  setup.sync_bytes = Bytes(4096);
  ClientOptions options;
  Clients clients(options);
  const std::string path = join_path(directory.value()->path(), "db");
  {
    const auto store = open(setup, path);
    REQUIRE(clients.run(*store) == "");
    REQUIRE(clients.check(*store) == "");
    REQUIRE(testing::tree_fault(*store, path) == "");
    REQUIRE(store->close().has_value());
  }
  REQUIRE(clients.check(*open(setup, path)) == "");
}

// A write that returned is visible to every later reader, while memtables are rotated.
TEST_CASE("readers find what another thread has written, beside rotations") {
  const Watchdog watchdog("readers during rotations");
  FaultFileSystem files;
  StoreSetup setup = threaded(files);
  setup.sync = SyncRule::kNever;
  const auto store = open(setup);
  constexpr std::uint64_t kKeys = 40;
  std::atomic<std::uint64_t> announced{0};
  std::atomic<bool> is_over{false};
  std::atomic<std::uint64_t> faults{0};
  std::vector<std::thread> readers;
  for (int reader = 0; reader < 3; ++reader) {
    readers.emplace_back([&] {
      while (!is_over) {
        const std::uint64_t newest = announced.load(std::memory_order_acquire);
        if (newest == 0) continue;
        const auto found = store->get(key_of(newest % kKeys));
        const bool is_there = found && found.value() && std::stoull(*found.value()) >= newest;
        faults += !is_there;
      }
    });
  }
  bool is_written = true;
  for (std::uint64_t i = 1; i <= 6000; ++i) {
    is_written = is_written && store->put(key_of(i % kKeys), std::to_string(i)).has_value();
    announced.store(i, std::memory_order_release);
  }
  is_over = true;
  for (std::thread& reader : readers) reader.join();
  REQUIRE(is_written);
  REQUIRE(faults == 0);
}

TEST_CASE("concurrent batches share syncs, and each is durable when it is acknowledged") {
  const Watchdog watchdog("group commit");
  FaultFileSystem disk;
  SlowFileSystem files(disk);
  files.set_pause(WriteKind::kWal, 0us, 1000us);
  constexpr unsigned kThreads = 8;
  constexpr std::uint64_t kBatches = 60;
  std::vector<std::uint64_t> acknowledged(kThreads);
  {
    const auto store = open(threaded(files));
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (std::uint64_t i = 1; i <= kBatches; ++i) {
          if (!store->put(fmt::format("key{}", t), fmt::format("{} and more", i))) return;
          acknowledged[t] = i;
          // The first thread that gets here stops the machine.
          if (t == 0 && i == kBatches / 2) disk.crash();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t count : acknowledged) sum += count;
  REQUIRE(acknowledged[0] == kBatches / 2);
  REQUIRE(files.syncs(WriteKind::kWal) < sum);
  disk.restart(1, LossMode::kEverything);
  const auto store = open(threaded(files));
  for (unsigned t = 0; t < kThreads; ++t) {
    const auto found = store->get(fmt::format("key{}", t));
    REQUIRE(found.has_value());
    const std::uint64_t kept = found.value() ? std::stoull(*found.value()) : 0;
    REQUIRE(kept >= acknowledged[t]);
  }
}

TEST_CASE("bounds of depth hold at rest though flushes went on beside merges") {
  const char* const specs[] = {
      "bigtable:k=4,flush=separate,buffer=700", "binomial:k=4,flush=separate,buffer=700",
      "constant:k=4,flush=separate,buffer=700", "exploring:k=4,flush=separate,buffer=700",
      "min-latency:k=4,flush=separate,buffer=700"};
  for (const char* const spec : specs) {
    INFO(spec);
    const Watchdog watchdog(spec);
    FaultFileSystem disk;
    SlowFileSystem files(disk);
    files.set_pause(WriteKind::kMerge, 5ms, 0us);
    const auto store = open(threaded(files, spec));
    for (std::uint64_t round = 0; round < 3; ++round) {
      put_some(*store, round, 600);
      REQUIRE(testing::tree_fault(*store, "/db") == "");
    }
  }
}

// Clients fill memtables faster than flushes end.
TEST_CASE("a flush takes all memtables that wait if the policy says so, and no log stays behind") {
  std::map<bool, std::uint64_t> flushes;
  for (const bool takes_all : {false, true}) {
    const Watchdog watchdog("flushes of several memtables");
    FaultFileSystem disk;
    SlowFileSystem files(disk);
    files.set_pause(WriteKind::kFlush, 5ms, 0us);
    StoreSetup setup =
        threaded(files, takes_all ? "rocksdb-universal:buffer=700" : "none:buffer=700");
    setup.stalls.full_memtables_max = 6;
    std::map<std::string, std::string> written;
    {
      const auto store = open(setup);
      put_some(*store, 0, 1000);
      REQUIRE(store->flush_memtables().has_value());
      flushes[takes_all] = store->impl().flushes();
      REQUIRE(testing::tree_fault(*store, "/db") == "");
      written = contents(*store);
      files.set_pause(WriteKind::kFlush, 0us, 0us);
      REQUIRE(store->close().has_value());
    }
    const std::vector<std::string> names = disk.list("/db").value();
    const auto logs = std::count_if(names.begin(), names.end(),
                                    [](const std::string& name) { return name.ends_with(".wal"); });
    REQUIRE(logs <= 1);
    REQUIRE(written.size() == 400);
    REQUIRE(contents(*open(setup)) == written);
  }
  REQUIRE(flushes[false] > 30);  // one for each memtable
  REQUIRE(flushes[true] * 2 < flushes[false]);
}

TEST_CASE("merges tell how many operations were done when they began") {
  constexpr std::uint64_t kPuts = 600;
  const Watchdog watchdog("merges and their begin");
  FaultFileSystem disk;
  const auto store = open(threaded(disk));
  std::vector<std::size_t> merges;  // merges finished by the end of each round
  for (std::uint64_t round = 0; round < 3; ++round) {
    put_some(*store, round * kPuts, kPuts);
    REQUIRE(store->settle().has_value());
    merges.push_back(store->impl().merge_times().size());
  }
  const std::vector<MergeTime> times = store->impl().merge_times();
  REQUIRE(merges[0] > 0);
  REQUIRE(merges[2] > merges[0]);
  std::uint64_t before = 1;
  for (std::size_t i = 0; i < times.size(); ++i) {
    // There is one merge thread, so each merge began after the previous one ended.
    REQUIRE(times[i].operations_before >= before);
    before = times[i].operations_before;
    REQUIRE(before <= (i < merges[0] ? 1 : 3) * kPuts);
    if (i >= merges[0]) REQUIRE(before >= kPuts);
  }
  std::uint64_t merge_ns = 0;
  for (const MergeTime& merge : times) merge_ns += merge.nanoseconds;
  JobTimes by_level;
  for (const JobTimes& level : store->impl().job_times()) by_level += level;
  REQUIRE(by_level.merge_ns == merge_ns);
  REQUIRE(by_level.flush_ns > 0);
}

TEST_CASE("a sync makes durable what no rule did") {
  for (const std::uint64_t count : {3u, 25u, 200u}) {
    INFO(count);
    const Watchdog watchdog("a sync without a rule");
    FaultFileSystem files;
    StoreSetup setup = threaded(files);
    setup.sync = SyncRule::kNever;
    setup.wal_buffer = Bytes(1 << 10);
    std::map<std::string, std::string> written;
    {
      const auto store = open(setup);
      put_some(*store, 0, count);
      REQUIRE(store->sync().has_value());
      written = contents(*store);
      files.crash();
    }
    files.restart(count, LossMode::kEverything);
    REQUIRE(contents(*open(setup)) == written);
  }
}

TEST_CASE("settling does what time made the policy want") {
  const Watchdog watchdog("settling after time");
  FaultFileSystem files;
  const auto store =
      open(threaded(files,
                    "primitives:trigger=level-saturation+staleness,staleness=2000,file_size=700,"
                    "level_base=2100,size_ratio=3,l0_trigger=2,buffer=700"));
  put_some(*store, 0, 300);
  REQUIRE(store->flush().has_value());
  const auto plans = [&] { return store->totals().merges + store->totals().moves; };
  for (int round = 0; round < 3; ++round) {
    put_some(*store, 0, 60);
    REQUIRE(store->flush().has_value());
    const std::uint64_t before = plans();
    for (int i = 0; i < 5000; ++i) REQUIRE(store->get("nothing").has_value());
    std::vector<std::thread> settlers;
    std::atomic<int> settled{0};
    for (int i = 0; i < 3; ++i) {
      settlers.emplace_back([&] { settled += store->settle().has_value(); });
    }
    for (std::thread& settler : settlers) settler.join();
    REQUIRE(settled == 3);
    if (round == 0) REQUIRE(plans() > before);
  }
}

TEST_CASE("an error of a flush or merge wakes writers and leaves readers alone") {
  for (std::uint64_t call = 0; call < 10; ++call) {
    INFO("SSTables before the failure: " << call * 3);
    const Watchdog watchdog("an error in the background");
    FaultFileSystem disk;
    SlowFileSystem files(disk);
    StoreSetup setup = threaded(files);
    setup.stalls.full_memtables_max = 1;
    setup.stalls.level0_slowdown_runs = setup.stalls.level0_stop_runs = 3;
    const auto store = open(setup);
    put_some(*store, 0, 20 + 40 * call);
    const auto before = contents(*store);
    disk.fail_matching(call % 2 == 0 ? Op::kAppend : Op::kCreate, ".sst", 1);
    std::vector<std::thread> writers;
    std::vector<std::string> errors(3);
    for (std::string& error : errors) {
      writers.emplace_back([&store, &error] {
        for (std::uint64_t i = 0; error.empty(); ++i) {
          const Result<void> outcome = store->put(key_of(1000 + i % 300), "a new value");
          if (!outcome) error = outcome.error().message;
        }
      });
    }
    for (std::thread& writer : writers) writer.join();
    const Result<void> background = store->background_error();
    REQUIRE(!background.has_value());
    for (const std::string& error : errors) REQUIRE(error == background.error().message);
    REQUIRE(!store->settle().has_value());
    REQUIRE(!store->flush().has_value());
    auto after = contents(*store);
    std::erase_if(after, [](const auto& entry) { return entry.second == "a new value"; });
    REQUIRE(after == before);
    static_cast<void>(store->close());
  }
}

TEST_CASE("closing ends running merges, and a stop leaves them undone") {
  const Watchdog watchdog("closing during merges");
  FaultFileSystem disk;
  SlowFileSystem files(disk);
  std::atomic<bool> stop{false};
  StoreSetup setup = threaded(files);
  setup.merge_threads = 3;
  setup.stop = &stop;
  std::map<std::string, std::string> written;
  for (std::uint64_t round = 0; round < 6; ++round) {
    stop = false;
    files.set_pause(WriteKind::kMerge, 5ms, 0us);
    const auto store = open(setup);
    REQUIRE(contents(*store) == written);
    for (std::uint64_t i = 0; i < 300; ++i) {
      const std::string key = key_of((i * 13 + round) % 300);
      written[key] = fmt::format("{} in round {}", i, round);
      REQUIRE(store->put(key, written[key]).has_value());
    }
    if (round % 2 == 0) {
      stop = true;
      REQUIRE(store->settle().has_value());
    }
    REQUIRE(store->close().has_value());
  }
}

TEST_CASE("a checkpoint beside writes is the store of one moment") {
  const Watchdog watchdog("checkpoints during writes");
  FaultFileSystem files;
  StoreSetup setup = threaded(files);
  setup.merge_threads = 2;
  const auto store = open(setup);
  std::atomic<bool> is_over{false};
  std::atomic<std::uint64_t> announced{0};
  std::thread writer([&] {
    for (std::uint64_t i = 1; !is_over; ++i) {
      WriteBatch batch;
      for (std::uint64_t key = 0; key < 5; ++key) {
        batch.put(key_of((i * 5 + key) % 100), std::to_string(i));
        batch.put("newest" + std::to_string(key), std::to_string(i));
      }
      if (!store->write(batch)) return;
      announced = i;
    }
  });
  for (int n = 0; n < 8; ++n) {
    const std::uint64_t before = announced;
    const std::string directory = fmt::format("/checkpoint{}", n);
    REQUIRE(store->checkpoint(directory).has_value());
    const auto copy = open(setup, directory);
    const auto shown = contents(*copy);
    if (before == 0) continue;
    const std::uint64_t newest = std::stoull(shown.at("newest0"));
    REQUIRE(newest >= before);
    for (int key = 1; key < 5; ++key) {
      REQUIRE(shown.at("newest" + std::to_string(key)) == shown.at("newest0"));
    }
    for (std::uint64_t i = newest; i > 0 && i + 20 > newest; --i) {
      for (std::uint64_t key = 0; key < 5; ++key) {
        REQUIRE(shown.at(key_of((i * 5 + key) % 100)) == std::to_string(i));
      }
    }
  }
  is_over = true;
  writer.join();
}

std::set<std::string> tables_on_disk(FileSystem& files) {
  std::set<std::string> tables;
  const std::vector<std::string> names = files.list("/db").value();
  for (const std::string& name : names) {
    if (parse_name(name) && parse_name(name)->kind == FileKind::kSstable) tables.insert(name);
  }
  return tables;
}

// Records which thread removes SSTables.
class RemovalsNoted final : public FaultFileSystem {
 public:
  [[nodiscard]] Result<void> remove(const std::string& path) override {
    if (path.ends_with(".sst")) {
      const std::lock_guard lock(mutex_);
      threads_.insert(std::this_thread::get_id());
    }
    return FaultFileSystem::remove(path);
  }
  [[nodiscard]] bool has_removed_by(std::thread::id thread) const {
    const std::lock_guard lock(mutex_);
    return threads_.contains(thread);
  }

 private:
  mutable std::mutex mutex_;
  std::set<std::thread::id> threads_;
};

TEST_CASE("a reader that is the last to let go of files leaves it to the store to remove them") {
  const Watchdog watchdog("files to be removed");
  RemovalsNoted files;
  const auto store = open(threaded(files));
  put_some(*store, 0, 500);
  REQUIRE(store->flush().has_value());
  auto cursor = store->scan({"", std::nullopt});
  for (std::uint64_t i = 0; i < 400; ++i) REQUIRE(store->put(key_of(i), "new").has_value());
  // The main thread may execute merges here, and then removes files itself; so another thread is
  // the reader.
  REQUIRE(store->settle().has_value());
  REQUIRE(testing::tree_fault(*store, "/db") == "files on disk are not those of the tree");
  bool has_reader_removed = false;
  std::thread reader([&] {
    cursor.reset();
    while (testing::tree_fault(*store, "/db") != "") std::this_thread::yield();
    has_reader_removed = files.has_removed_by(std::this_thread::get_id());
  });
  reader.join();
  REQUIRE(!has_reader_removed);
}

TEST_CASE("cursors and snapshots hold their files until they go") {
  const Watchdog watchdog("files that are held");
  FaultFileSystem files;
  const auto store = open(threaded(files));
  put_some(*store, 0, 500);
  REQUIRE(store->flush().has_value());
  const auto expected = contents(*store);
  const std::set<std::string> held = tables_on_disk(files);
  auto cursor = store->scan({"", std::nullopt});
  auto snapshot = store->snapshot().value();
  for (std::uint64_t i = 0; i < 400; ++i) REQUIRE(store->put(key_of(i), "new").has_value());
  REQUIRE(store->flush().has_value());
  const std::set<std::string> both = tables_on_disk(files);
  REQUIRE(std::includes(both.begin(), both.end(), held.begin(), held.end()));
  std::map<std::string, std::string> shown;
  while (cursor->next().value()) shown.emplace(cursor->key(), cursor->value());
  REQUIRE(shown == expected);
  cursor.reset();
  ReadOptions options;
  options.snapshot = snapshot.get();
  for (const auto& [key, value] : expected) REQUIRE(store->get(key, options).value() == value);
  snapshot.reset();
  REQUIRE(store->settle().has_value());
  REQUIRE(testing::tree_fault(*store, "/db") == "");
}

}  // namespace
}  // namespace lsmlab::engine::threaded_test
