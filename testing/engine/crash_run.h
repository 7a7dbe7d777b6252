// A small store's workload that can be stopped at any call that changes the disk, and what the
// store must hold when it is opened again.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "testing/engine/store_fixture.h"

namespace lsmlab::engine::testing {

struct CrashRun {
  std::string policy;
  SyncRule sync = SyncRule::kEveryBatch;
  Bytes wal_buffer;
  std::uint64_t seed = 1;
  std::uint64_t operations = 0;
  StoreMode mode = StoreMode::kStepped;
  // More: fewer calls of the log between those of flushes and merges.
  std::uint64_t batches_joined = 1;
  std::uint64_t lookups = 0;  // before each write
  bool keys_rise = false;     // flushes overlap neighbours at most
  StoreObserver* observer = nullptr;
};

inline StoreSetup setup_of(const CrashRun& run, FileSystem& disk) {
  StoreSetup setup = small_setup(run.policy, disk);
  setup.mode = run.mode;
  setup.merge_threads = 2;
  setup.sync = run.sync;
  setup.sync_bytes = Bytes(300);
  setup.wal_buffer = run.wal_buffer;
  // So small that a run begins several manifests.
  setup.manifest_bytes_max = Bytes(4'000);
  setup.observer = run.observer;
  return setup;
}

inline Result<std::unique_ptr<Store>> open_store(const CrashRun& run, FileSystem& disk) {
  return Store::open(kDirectory, setup_of(run, disk));
}

inline ModelBatch batch_of(const CrashRun& run, RandomBatches& random) {
  ModelBatch joined = random.batch();
  for (std::uint64_t i = 1; i < run.batches_joined; ++i) {
    for (auto& entry : random.batch()) joined.push_back(std::move(entry));
  }
  return joined;
}

/// Runs writes, removals, batches, flushes, syncs and openings; ends at the first error.
inline Result<void> run_workload(const CrashRun& run, FileSystem& disk, StoreModel& model) {
  RandomBatches random(run.seed);
  auto store = BOOST_OUTCOME_TRYX(open_store(run, disk));
  for (std::uint64_t i = 0; i < run.operations; ++i) {
    if (run.keys_rise) random.move_to(6 * i);
    const std::uint64_t kind = random.draw(200 / run.batches_joined);
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
      for (std::uint64_t lookup = 0; lookup < run.lookups; ++lookup) {
        BOOST_OUTCOME_TRYV(store->get(random.key()));
      }
      BOOST_OUTCOME_TRYV(
          write_and_note(*store, model, batch_of(run, random), run.sync == SyncRule::kEveryBatch));
    }
  }
  return store->close();
}

inline StoreModel::Kept kept_by(const CrashRun& run, LossMode mode) {
  // A killed process loses the bytes that it had not written to the file.
  const bool is_handed = run.wal_buffer == Bytes(0);
  return mode == LossMode::kNothing && is_handed ? StoreModel::Kept::kAcknowledged
                                                 : StoreModel::Kept::kDurable;
}

/// Opens what a crash left. Returns an empty text if the store holds what it must, is consistent
/// and accepts more writes.
inline std::string recovery_fault(const CrashRun& run, FaultFileSystem& disk, StoreModel& model,
                                  StoreModel::Kept kept) {
  RandomBatches random(run.seed + 1);
  {
    auto opened = open_store(run, disk);
    if (!opened) return "open: " + opened.error().message;
    Store& store = *opened.value();
    const auto found = scan_all(store);
    if (!found) return "scan: " + found.error().message;
    const auto batches = model.batches_of(found.value(), kept);
    if (!batches) {
      return fmt::format("{} keys, which no prefix of the writes makes", found.value().size());
    }
    model.continue_from(*batches);
    std::string fault = gets_differ(store, found.value());
    if (fault.empty()) fault = tree_fault(store);
    if (!fault.empty()) return fault;
    for (std::uint64_t i = 0; i < 40; i += run.batches_joined) {
      const auto written = write_and_note(store, model, batch_of(run, random), true);
      if (!written) return "write: " + written.error().message;
    }
    const Result<void> settled = store.settle();
    if (!settled) return "settle: " + settled.error().message;
    fault = tree_fault(store);
    if (!fault.empty()) return fault;
    if (scan_all(store).value() != model.newest()) return "wrong after more writes";
    const Result<void> closed = store.close();
    if (!closed) return "close: " + closed.error().message;
  }
  auto again = open_store(run, disk);
  if (!again) return "open again: " + again.error().message;
  if (scan_all(*again.value()).value() != model.newest()) return "wrong when opened again";
  return gets_differ(*again.value(), model.newest());
}

inline constexpr LossMode kLossModes[] = {LossMode::kNothing, LossMode::kPrefix,
                                          LossMode::kReordered, LossMode::kEverything};

/// All loss modes, or one of them in turn.
inline std::vector<LossMode> modes_at(std::uint64_t turn, bool takes_all) {
  if (takes_all) return {std::begin(kLossModes), std::end(kLossModes)};
  return {kLossModes[turn % std::size(kLossModes)]};
}

/// The calls of the whole workload.
inline std::uint64_t calls_of(const CrashRun& run) {
  FaultFileSystem disk(run.seed);
  StoreModel model;
  const auto outcome = run_workload(run, disk, model);
  INFO((outcome ? "" : outcome.error().message));
  REQUIRE(outcome.has_value());
  return disk.calls();
}

inline void report(const CrashRun& run, std::uint64_t call, LossMode mode,
                   const std::string& fault) {
  INFO(run.policy << ", sync rule " << static_cast<int>(run.sync) << ", seed " << run.seed
                  << ", crash at call " << call << ", loss mode " << static_cast<int>(mode) << ": "
                  << fault);
  REQUIRE(fault.empty());
}

/// Stops the workload at the call, and opens the store again.
inline void crash_once(const CrashRun& run, std::uint64_t call, LossMode mode) {
  FaultFileSystem disk(run.seed);
  disk.crash_at(call);
  StoreModel model;
  static_cast<void>(run_workload(run, disk, model));
  disk.restart(call, mode);
  const std::string fault = recovery_fault(run, disk, model, kept_by(run, mode));
  if (!fault.empty()) report(run, call, mode, fault);
}

}  // namespace lsmlab::engine::testing
