// Stops the machine at each call that changes the disk, and opens the store again.
// LSMLAB_CRASH_STEP=1 stops at every call; a larger number at every n-th.
#include <cstdlib>

#include "testing/engine/store_fixture.h"

namespace lsmlab::engine::crash_test {
namespace {

using testing::RandomBatches;
using testing::StoreModel;
using testing::StoreState;

struct Case {
  std::string policy;
  SyncRule sync;
  Bytes wal_buffer;
  std::uint64_t seed;
  std::uint64_t operations;
  StoreMode mode = StoreMode::kStepped;
};

StoreSetup setup_of(const Case& run, FileSystem& disk) {
  StoreSetup setup = testing::small_setup(run.policy, disk);
  setup.mode = run.mode;
  setup.merge_threads = 2;
  setup.sync = run.sync;
  setup.sync_bytes = Bytes(300);
  setup.wal_buffer = run.wal_buffer;
  // So small that a run begins several manifests.
  setup.manifest_bytes_max = Bytes(4'000);
  return setup;
}

Result<std::unique_ptr<Store>> open_store(const Case& run, FileSystem& disk) {
  return Store::open(testing::kDirectory, setup_of(run, disk));
}

// Runs writes, removals, batches, flushes, syncs and openings; ends at the first error.
Result<void> run_workload(const Case& run, FileSystem& disk, StoreModel& model) {
  RandomBatches random(run.seed);
  auto store = BOOST_OUTCOME_TRYX(open_store(run, disk));
  for (std::uint64_t i = 0; i < run.operations; ++i) {
    const std::uint64_t kind = random.draw(200);
    if (kind == 0) {
      BOOST_OUTCOME_TRYV(store->close());
      store.reset();
      store = BOOST_OUTCOME_TRYX(open_store(run, disk));
      model.make_durable();
    } else if (kind == 1) {
      BOOST_OUTCOME_TRYV(store->flush());
      model.make_durable();
    } else if (kind == 2) {
      BOOST_OUTCOME_TRYV(store->sync());
      model.make_durable();
    } else {
      BOOST_OUTCOME_TRYV(testing::write_and_note(*store, model, random.batch(),
                                                 run.sync == SyncRule::kEveryBatch));
    }
  }
  return store->close();
}

StoreModel::Kept kept_by(const Case& run, LossMode mode) {
  // A killed process loses the bytes that it had not written to the file.
  const bool is_handed = run.wal_buffer == Bytes(0);
  return mode == LossMode::kNothing && is_handed ? StoreModel::Kept::kAcknowledged
                                                 : StoreModel::Kept::kDurable;
}

// Opens what a crash left. Returns an empty text if the store holds what it must, is consistent and
// accepts more writes.
std::string recovery_fault(const Case& run, FaultFileSystem& disk, StoreModel& model,
                           StoreModel::Kept kept) {
  RandomBatches random(run.seed + 1);
  {
    auto opened = open_store(run, disk);
    if (!opened) return "open: " + opened.error().message;
    Store& store = *opened.value();
    const auto found = testing::scan_all(store);
    if (!found) return "scan: " + found.error().message;
    const auto batches = model.batches_of(found.value(), kept);
    if (!batches) {
      return fmt::format("{} keys, which no prefix of the writes makes", found.value().size());
    }
    model.continue_from(*batches);
    std::string fault = testing::gets_differ(store, found.value());
    if (fault.empty()) fault = testing::tree_fault(store);
    if (!fault.empty()) return fault;
    for (int i = 0; i < 40; ++i) {
      const auto written = testing::write_and_note(store, model, random.batch(), true);
      if (!written) return "write: " + written.error().message;
    }
    const Result<void> settled = store.settle();
    if (!settled) return "settle: " + settled.error().message;
    fault = testing::tree_fault(store);
    if (!fault.empty()) return fault;
    if (testing::scan_all(store).value() != model.newest()) return "wrong after more writes";
    const Result<void> closed = store.close();
    if (!closed) return "close: " + closed.error().message;
  }
  auto again = open_store(run, disk);
  if (!again) return "open again: " + again.error().message;
  if (testing::scan_all(*again.value()).value() != model.newest()) return "wrong when opened again";
  return testing::gets_differ(*again.value(), model.newest());
}

constexpr LossMode kLossModes[] = {LossMode::kNothing, LossMode::kPrefix, LossMode::kReordered,
                                   LossMode::kEverything};

std::uint64_t calls_of(const Case& run) {
  FaultFileSystem disk(run.seed);
  StoreModel model;
  const auto outcome = run_workload(run, disk, model);
  INFO((outcome ? "" : outcome.error().message));
  REQUIRE(outcome.has_value());
  return disk.calls();
}

std::vector<Case> cases(std::uint64_t operations) {
  std::vector<Case> runs;
  std::uint64_t seed = 1;
  for (const std::string& policy : testing::policy_specs()) {
    const std::pair<SyncRule, Bytes> rules[] = {{SyncRule::kEveryBatch, Bytes(0)},
                                                {SyncRule::kEveryBytes, Bytes(0)},
                                                {SyncRule::kNever, Bytes(0)},
                                                {SyncRule::kNever, Bytes(150)}};
    for (const auto& [sync, buffer] : rules) {
      runs.push_back({policy, sync, buffer, seed++, operations});
    }
  }
  return runs;
}

// All loss modes, or one of them in turn.
std::vector<LossMode> modes_at(std::uint64_t turn, bool takes_all) {
  if (takes_all) return {std::begin(kLossModes), std::end(kLossModes)};
  return {kLossModes[turn % std::size(kLossModes)]};
}

void report(const Case& run, std::uint64_t call, LossMode mode, const std::string& fault) {
  INFO(run.policy << ", sync rule " << static_cast<int>(run.sync) << ", seed " << run.seed
                  << ", crash at call " << call << ", loss mode " << static_cast<int>(mode) << ": "
                  << fault);
  REQUIRE(fault.empty());
}

TEST_CASE("crash: at any call, what was acknowledged survives as the sync rule says") {
  const std::uint64_t step = testing::number_from("LSMLAB_CRASH_STEP", 331);
  std::uint64_t crashes = 0;
  for (const Case& run : cases(400)) {
    const std::uint64_t calls = calls_of(run);
    for (std::uint64_t call = 1 + run.seed % step; call <= calls; call += step) {
      for (const LossMode mode : modes_at(call / step + run.seed, step == 1)) {
        FaultFileSystem disk(run.seed);
        disk.crash_at(call);
        StoreModel model;
        static_cast<void>(run_workload(run, disk, model));
        disk.restart(call, mode);
        const std::string fault = recovery_fault(run, disk, model, kept_by(run, mode));
        if (!fault.empty()) report(run, call, mode, fault);
        ++crashes;
      }
    }
  }
  if (std::getenv("LSMLAB_CRASH_STEP") != nullptr) WARN(crashes << " crashes");
}

// Crashes in the workload at `call`, then at every call of the opening. Returns the number of
// crashes.
std::uint64_t crash_twice(const Case& run, std::uint64_t call, LossMode first, LossMode second) {
  for (std::uint64_t again = 1;; ++again) {
    FaultFileSystem disk(run.seed);
    disk.crash_at(call);
    StoreModel model;
    static_cast<void>(run_workload(run, disk, model));
    disk.restart(call, first);
    disk.crash_at(again);
    static_cast<void>(open_store(run, disk));
    // Once the opening makes no call that could be stopped, the loop ends.
    const bool was_opened = !disk.has_stopped();
    disk.restart(again, second);
    const LossMode worse = first == LossMode::kNothing ? second : first;
    const std::string fault = recovery_fault(run, disk, model, kept_by(run, worse));
    if (!fault.empty()) report(run, call, second, fmt::format("and at {}: {}", again, fault));
    if (was_opened) return again - 1;
  }
}

TEST_CASE("crash: the opening after a crash may crash at any call as well") {
  const std::uint64_t wanted = testing::number_from("LSMLAB_CRASH_STEP", 0);
  std::uint64_t crashes = 0;
  for (const Case& run : cases(100)) {
    const std::uint64_t calls = calls_of(run);
    const std::uint64_t step = wanted > 0 ? 20 * wanted : calls;
    for (std::uint64_t call = 1 + run.seed * 37 % calls; call <= calls; call += step) {
      for (const LossMode mode : modes_at(run.seed, wanted > 0)) {
        crashes += crash_twice(run, call, mode, kLossModes[call % std::size(kLossModes)]);
      }
    }
  }
  REQUIRE(crashes > 100);
  if (wanted > 0) WARN(crashes << " crashes of openings");
}

// In threaded mode the outcome depends on the machine's timing as well as on the seed.
void crash_often(StoreMode mode) {
  const std::uint64_t rounds = 10'000 / testing::number_from("LSMLAB_CRASH_STEP", 5'000) + 6;
  for (Case run : cases(0)) {
    run.mode = mode;
    RandomBatches random(run.seed + 100);
    FaultFileSystem disk(run.seed);
    StoreModel model;
    for (std::uint64_t round = 0; round < rounds; ++round) {
      run.seed += 1'000;
      run.operations = 20 + random.draw(200);
      disk.crash_at(1 + random.draw(600));
      static_cast<void>(run_workload(run, disk, model));
      const LossMode loss = kLossModes[random.draw(std::size(kLossModes))];
      const std::uint64_t calls = disk.calls();
      if (!disk.has_stopped()) disk.crash();
      disk.restart(random.draw(1 << 20), loss);
      const std::string fault = recovery_fault(run, disk, model, kept_by(run, loss));
      if (!fault.empty()) report(run, calls, loss, fmt::format("in round {}: {}", round, fault));
    }
  }
}

TEST_CASE("crash: one disk through many crashes") { crash_often(StoreMode::kStepped); }

TEST_CASE("crash: one disk through many crashes of a store with threads") {
  crash_often(StoreMode::kThreaded);
}

}  // namespace
}  // namespace lsmlab::engine::crash_test
