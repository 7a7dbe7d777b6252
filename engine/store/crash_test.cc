// Stops the machine at each call that changes the disk, and opens the store again.
// LSMLAB_CRASH_STEP=1 stops at every call; a larger number at every n-th.
#include <cstdlib>

#include "testing/engine/crash_run.h"

namespace lsmlab::engine::crash_test {
namespace {

using testing::calls_of;
using testing::CrashRun;
using testing::kept_by;
using testing::kLossModes;
using testing::modes_at;
using testing::open_store;
using testing::RandomBatches;
using testing::recovery_fault;
using testing::report;
using testing::run_workload;
using testing::StoreModel;

std::vector<CrashRun> cases(std::uint64_t operations) {
  std::vector<CrashRun> runs;
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

TEST_CASE("crash: at any call, what was acknowledged survives as the sync rule says") {
  const std::uint64_t step = testing::number_from("LSMLAB_CRASH_STEP", 331);
  std::uint64_t crashes = 0;
  for (const CrashRun& run : cases(400)) {
    const std::uint64_t calls = calls_of(run);
    for (std::uint64_t call = 1 + run.seed % step; call <= calls; call += step) {
      for (const LossMode mode : modes_at(call / step + run.seed, step == 1)) {
        testing::crash_once(run, call, mode);
        ++crashes;
      }
    }
  }
  if (std::getenv("LSMLAB_CRASH_STEP") != nullptr) WARN(crashes << " crashes");
}

// Crashes in the workload at `call`, then at every call of the opening. Returns the number of
// crashes.
std::uint64_t crash_twice(const CrashRun& run, std::uint64_t call, LossMode first,
                          LossMode second) {
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
  for (const CrashRun& run : cases(100)) {
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
  const std::uint64_t rounds = testing::number_from(
      "LSMLAB_CRASH_ROUNDS", 10'000 / testing::number_from("LSMLAB_CRASH_STEP", 5'000) + 6);
  for (CrashRun run : cases(0)) {
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
