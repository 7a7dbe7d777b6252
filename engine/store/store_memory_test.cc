// Stores without memory or threads: one thread's allocations fail from the n-th on, or only the
// n-th fails, or no thread can start. LSMLAB_MEMORY_STEP=1 takes every n; a larger number some.
#include <algorithm>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "engine/files/posix_file_system.h"
#include "testing/engine/failing_calls.h"
#include "testing/engine/reopening.h"
#include "testing/engine/scratch_directory.h"
#include "testing/engine/watchdog.h"

namespace {

// This thread's allocations that may still succeed; negative: any number.
thread_local std::int64_t allocations_left = -1;
thread_local bool is_want_lasting = false;

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (allocations_left == 0) {
    if (!is_want_lasting) allocations_left = -1;
    return nullptr;
  }
  if (allocations_left > 0) --allocations_left;
  if (bytes == 0) bytes = 1;
  if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) return std::malloc(bytes);
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  void* const memory = allocate(bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// Replaces operator new in the whole test program; only threads of this file run out of memory.
void* operator new(std::size_t bytes) { return allocate_or_throw(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t& /*unused*/) noexcept {
  return allocate(bytes, 1);
}
void* operator new(std::size_t bytes, std::align_val_t alignment,
                   const std::nothrow_t& /*unused*/) noexcept {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}

namespace lsmlab::engine::store_memory_test {
namespace {

using testing::FailingCalls;
using testing::RandomBatches;
using testing::ScratchDirectory;
using testing::StoreModel;
using testing::Watchdog;

// The allocations left for a run's calls of the store.
struct Supply {
  std::int64_t left;
  bool is_lasting;  // true: after the first failure, every allocation fails

  /// Calls `work` with at most that many allocations.
  template <class Work>
  auto spend(const Work& work) -> decltype(work()) {
    is_want_lasting = is_lasting;
    allocations_left = left;
    auto outcome = work();
    left = allocations_left;
    allocations_left = -1;
    return outcome;
  }
};

StoreSetup setup_of(const std::string& policy, FileSystem& files, StoreMode mode) {
  StoreSetup setup = testing::small_setup(policy, files);
  setup.mode = mode;
  setup.merge_threads = 2;
  setup.manifest_bytes_max = Bytes(2'000);
  return setup;
}

Result<void> write(Store& store, StoreModel& model, const testing::ModelBatch& batch,
                   Supply& supply) {
  WriteBatch writes;
  for (const auto& [key, value] : batch) {
    if (value) {
      writes.put(key, *value);
    } else {
      writes.remove(key);
    }
  }
  const auto& [key, value] = batch.front();
  const bool is_put = batch.size() == 1 && value.has_value();
  model.attempt(batch);
  Result<void> written =
      supply.spend([&] { return is_put ? store.put(key, *value) : store.write(writes); });
  if (written) model.acknowledge();
  return written;
}

// Makes all kinds of reads.
Result<void> read(Store& store, const std::string& key, Supply& supply) {
  BOOST_OUTCOME_TRYV(supply.spend([&] { return store.get(key); }));
  const auto snapshot = BOOST_OUTCOME_TRYX(supply.spend([&] { return store.snapshot(); }));
  const auto walk = [&]() -> Result<void> {
    std::unique_ptr<Cursor> cursor;
    try {
      cursor = store.scan({}, {snapshot.get()});
    } catch (const std::bad_alloc&) {  // as store.h allows
      return machine_error("out of memory");
    }
    for (;;) {
      const bool has_entry = BOOST_OUTCOME_TRYX(cursor->next());
      if (!has_entry) return success();
    }
  };
  return supply.spend(walk);
}

// Writes, reads, and flushes or settles; ends at the first error.
Result<void> run_workload(Store& store, StoreModel& model, Supply& supply) {
  RandomBatches random(9);
  for (int i = 0; i < 90; ++i) {
    BOOST_OUTCOME_TRYV(write(store, model, random.batch(), supply));
    if (i % 20 == 19) {
      BOOST_OUTCOME_TRYV(read(store, random.key(), supply));
    }
    if (i % 40 == 39) {
      BOOST_OUTCOME_TRYV(supply.spend([&] { return store.flush(); }));
      BOOST_OUTCOME_TRYV(supply.spend([&] { return store.sync(); }));
    }
  }
  return supply.spend([&] { return store.settle(); });
}

// Checks the store when memory is back: writes are refused or right, and so are reads.
std::string fault_after(Store& store, StoreModel& model) {
  if (store.background_error()) {
    // So the refused write has changed nothing.
    const auto found = testing::scan_all(store);
    if (!found) return "a read is refused: " + found.error().message;
    const auto batches = model.batches_of(found.value(), StoreModel::Kept::kAcknowledged);
    if (!batches) return "a read is wrong";
    model.continue_from(*batches);
  }
  Supply plenty{-1, false};
  const auto late = write(store, model, {{"late", "write"}}, plenty);
  if (late) {
    const auto flushed = store.flush();
    if (!flushed) return "a write is taken, and its flush is not: " + flushed.error().message;
  }
  const auto found = testing::scan_all(store);
  if (found && !model.batches_of(found.value(), StoreModel::Kept::kAcknowledged)) {
    return "a read is wrong";
  }
  if (late && !found) return "a write is taken, and a read is not: " + found.error().message;
  return {};
}

bool is_told(const Error& error) {
  return error.kind == ErrorKind::kMachine &&
         error.message.find("out of memory") != std::string::npos;
}

// The outcome for a client with a limited number of allocations, and how many it needed if they
// were enough.
struct Outcome {
  std::string fault;
  bool is_whole = false;
  std::int64_t left = 0;
};

Outcome run_starved_client(const std::string& policy, StoreMode mode, Supply supply) {
  const Watchdog watchdog("a client without memory");
  const ScratchDirectory scratch(ScratchDirectory::Place::kMemory);
  const std::string directory = scratch.path() + "/db";
  FailingCalls calls;  // skips syncs
  PosixFileSystem files(calls);
  const StoreSetup setup = setup_of(policy, files, mode);
  StoreModel model;
  {
    StoreSetup given = setup;
    auto opened = supply.spend([&] { return Store::open(directory, std::move(given)); });
    if (!opened && !is_told(opened.error())) return {"open: " + opened.error().message};
    if (opened) {
      Store& store = *opened.value();
      const auto outcome = run_workload(store, model, supply);
      if (!outcome && !is_told(outcome.error())) return {"told: " + outcome.error().message};
      if (outcome) {
        const auto closed = supply.spend([&] { return store.close(); });
        if (closed) return {"", true, supply.left};
      } else {
        std::string fault = fault_after(store, model);
        if (!fault.empty()) return {fault};
        // The result does not matter; there may be memory or not.
        static_cast<void>(supply.spend([&] { return store.close(); }));
      }
    }
  }
  return {testing::reopening_fault(setup, directory, model)};
}

TEST_CASE("memory: any allocation of a client may fail, and the store tells and opens again") {
  const auto wanted = static_cast<std::int64_t>(testing::number_from("LSMLAB_MEMORY_STEP", 0));
  constexpr std::int64_t kPlenty = 1 << 30;
  std::uint64_t failures = 0;
  for (const StoreMode mode : {StoreMode::kStepped, StoreMode::kThreaded}) {
    for (const std::string policy : {"leveled", "leveldb", "ldc:slice_threshold=2"}) {
      const Outcome whole = run_starved_client(policy, mode, {kPlenty, false});
      REQUIRE(whole.fault == "");
      REQUIRE(whole.is_whole);
      const std::int64_t needed = kPlenty - whole.left;
      const std::int64_t step = wanted > 0 ? wanted : needed / 17;
      for (std::int64_t n = 0; n < needed; n += n < 200 && wanted == 0 ? 37 : step) {
        for (const bool is_lasting : {false, true}) {
          const Outcome outcome = run_starved_client(policy, mode, {n, is_lasting});
          INFO(policy << ", mode " << static_cast<int>(mode) << ", " << n << " of " << needed
                      << " allocations, for ever after: " << is_lasting);
          REQUIRE(outcome.fault == "");
          failures += !outcome.is_whole;
        }
      }
    }
  }
  REQUIRE(failures > 100);
}

TEST_CASE("memory: any allocation of a background thread may fail, and clients learn of it") {
  const auto wanted = static_cast<std::int64_t>(testing::number_from("LSMLAB_MEMORY_STEP", 0));
  std::uint64_t failures = 0;
  for (const std::string policy : {"leveled", "leveldb", "ldc:slice_threshold=2"}) {
    const auto after = [&](std::int64_t n) { return n + (wanted > 0 ? wanted : 1 + n / 5); };
    for (std::int64_t n = 0; n < 3'000; n = after(n)) {
      for (const bool is_lasting : {false, true}) {
        INFO(policy << ", " << n << " allocations, for ever after: " << is_lasting);
        const Watchdog watchdog("background threads without memory");
        const ScratchDirectory scratch(ScratchDirectory::Place::kMemory);
        const std::string directory = scratch.path() + "/db";
        FailingCalls calls;
        PosixFileSystem files(calls);
        StoreSetup setup = setup_of(policy, files, StoreMode::kThreaded);
        StoreModel model;
        StoreSetup starving = setup;
        starving.start_thread = [&](std::function<void()> work) {
          return std::thread([n, is_lasting, work = std::move(work)] {
            is_want_lasting = is_lasting;
            allocations_left = n;
            work();
            allocations_left = -1;
          });
        };
        {
          const auto store = Store::open(directory, starving).value();
          Supply plenty{-1, false};
          const auto outcome = run_workload(*store, model, plenty);
          if (!outcome) {
            ++failures;
            INFO(outcome.error().message);
            REQUIRE(is_told(outcome.error()));
            REQUIRE(is_told(store->background_error().error()));
            REQUIRE(!store->put("late", "write"));
          }
          const auto found = testing::scan_all(*store);
          if (found) {
            REQUIRE(model.batches_of(found.value(), StoreModel::Kept::kAcknowledged));
          } else {
            REQUIRE(is_told(found.error()));
          }
          REQUIRE((store->close() || !outcome));
        }
        REQUIRE(testing::reopening_fault(setup, directory, model) == "");
      }
    }
  }
  REQUIRE(failures > 30);
}

TEST_CASE("memory: what a plan log's reader throws ends writes, not the program") {
  const Watchdog watchdog("plan logs that throw");
  for (const StoreMode mode : {StoreMode::kStepped, StoreMode::kThreaded}) {
    for (int last = 0; last < 12; ++last) {
      INFO("mode " << static_cast<int>(mode) << ", plan " << last);
      FaultFileSystem disk;
      StoreSetup setup = setup_of("leveled", disk, mode);
      StoreModel model;
      StoreSetup throwing = setup;
      throwing.log = [plans = 0, last](const PlanRecord&) mutable {
        if (plans++ == last) throw std::runtime_error("no more of this");
      };
      {
        const auto store = Store::open(testing::kDirectory, throwing).value();
        Supply plenty{-1, false};
        const auto outcome = run_workload(*store, model, plenty);
        REQUIRE(!outcome);
        REQUIRE(outcome.error().message == "/disk/store: no more of this");
        REQUIRE(!store->put("late", "write"));
        const auto found = testing::scan_all(*store);
        if (found) {
          REQUIRE(model.batches_of(found.value(), StoreModel::Kept::kAcknowledged));
        } else {
          REQUIRE(found.error().message == outcome.error().message);
        }
        static_cast<void>(store->close());
      }
      REQUIRE(testing::reopening_fault(setup, testing::kDirectory, model) == "");
    }
  }
}

TEST_CASE("memory: a store that gets no threads does not open, and its directory stays as it is") {
  const Watchdog watchdog("stores without threads");
  for (int given = 0; given < 4; ++given) {
    INFO(given << " threads to be had");
    FaultFileSystem disk;
    const StoreSetup setup = setup_of("leveled", disk, StoreMode::kThreaded);
    StoreModel model;
    RandomBatches random(3);
    {
      const auto store = Store::open(testing::kDirectory, setup).value();
      for (int i = 0; i < 60; ++i) {
        REQUIRE(testing::write_and_note(*store, model, random.batch(), true));
      }
      REQUIRE(store->close());
    }
    StoreSetup without = setup;
    without.start_thread = [left = given](std::function<void()> work) mutable {
      if (left-- == 0) {
        throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
      }
      return std::thread(std::move(work));
    };
    const auto opened = Store::open(testing::kDirectory, without);
    REQUIRE(!opened);
    REQUIRE(opened.error().kind == ErrorKind::kMachine);
    REQUIRE(opened.error().message ==
            "/disk/store: the store's threads: Resource temporarily unavailable");
    REQUIRE(testing::reopening_fault(setup, testing::kDirectory, model) == "");
  }
}

}  // namespace
}  // namespace lsmlab::engine::store_memory_test
