// Calls fail while the machine keeps running. The store refuses writes with the error, reads still
// work, and the directory opens again.
#include "testing/engine/store_fixture.h"

namespace lsmlab::engine::fault_test {
namespace {

using testing::kDirectory;
using testing::RandomBatches;
using testing::StoreModel;

constexpr std::uint64_t kWrites = 300;

StoreSetup setup_of(const std::string& policy, FileSystem& disk) {
  StoreSetup setup = testing::small_setup(policy, disk);
  setup.manifest_bytes_max = Bytes(4'000);
  return setup;
}

// A store and the state that it must hold.
struct Run {
  std::string policy;
  FaultFileSystem disk{7};
  StoreModel model;
  RandomBatches random{7};
  std::unique_ptr<Store> store;

  explicit Run(std::string spec) : policy(std::move(spec)) {}

  Result<void> open() {
    store = BOOST_OUTCOME_TRYX(Store::open(kDirectory, setup_of(policy, disk)));
    return success();
  }
  Result<void> write(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      BOOST_OUTCOME_TRYV(testing::write_and_note(*store, model, random.batch(), true));
      if (i % 100 != 99) continue;
      BOOST_OUTCOME_TRYV(store->flush());
    }
    return success();
  }
  Result<void> close() {
    const Result<void> closed = store->close();
    store.reset();
    return closed;
  }
  // Returns an empty text if reads show every acknowledged write.
  std::string reads_fault() {
    const auto found = testing::scan_all(*store);
    if (!found) return "scan: " + found.error().message;
    if (!model.batches_of(found.value(), StoreModel::Kept::kAcknowledged)) return "wrong in a scan";
    const std::string fault = testing::gets_differ(*store, found.value());
    return fault.empty() ? testing::tree_fault(*store) : fault;
  }
  // Opens the store again and continues from its state.
  std::string reopening_fault() {
    const Result<void> opened = open();
    if (!opened) return "open: " + opened.error().message;
    const auto found = testing::scan_all(*store);
    if (!found) return "scan: " + found.error().message;
    const auto batches = model.batches_of(found.value(), StoreModel::Kept::kAcknowledged);
    if (!batches) return "wrong when opened again";
    model.continue_from(*batches);
    const Result<void> written = write(120);
    if (!written) return "write: " + written.error().message;
    return reads_fault();
  }
};

// Checks the store after an error of a write, flush or merge; empty if it behaves as promised.
std::string refusal_fault(Run& run, const Error& error) {
  if (error.message.find("/disk/") == std::string::npos) return "no path in: " + error.message;
  for (int i = 0; i < 3; ++i) {
    const Result<void> written = run.store->put("late", "write");
    if (written) return "a write after an error: " + error.message;
    if (written.error().message != error.message) return "another: " + written.error().message;
  }
  const Result<void> kept = run.store->background_error();
  if (kept || kept.error().message != error.message) return "not kept: " + error.message;
  if (run.store->flush() || run.store->settle()) return "a flush after an error";
  const auto absent = run.store->get("late");
  if (!absent || absent.value()) return "a refused write can be read";
  return run.reads_fault();
}

std::string fault_of_failing(const std::string& policy, std::uint64_t call, Failure failure,
                             bool is_power_cut) {
  Run run(policy);
  run.disk.fail_call(call, failure);
  const Result<void> opened = run.open();
  if (opened) {
    const Result<void> written = run.write(kWrites);
    if (!written) {
      const std::string fault = refusal_fault(run, written.error());
      if (!fault.empty()) return fault;
    }
    // The error does not matter; close() must return.
    static_cast<void>(run.close());
  } else if (opened.error().message.find("/disk") == std::string::npos) {
    return "no path in: " + opened.error().message;
  }
  if (is_power_cut) run.disk.restart(call, LossMode::kReordered);
  return run.reopening_fault();
}

TEST_CASE("fault: any call may fail once, writes end, reads go on, and the store opens again") {
  const std::uint64_t step = testing::number_from("LSMLAB_FAULT_STEP", 211);
  std::uint64_t failures = 0;
  for (const std::string& policy : testing::policy_specs()) {
    std::uint64_t calls = 0;
    {
      Run run(policy);
      REQUIRE(run.open());
      REQUIRE(run.write(kWrites));
      REQUIRE(run.close());
      calls = run.disk.calls();
    }
    // Every call of the opening, and some of the others.
    for (std::uint64_t call = 1; call <= calls; call += call < 12 ? 1 : step) {
      const Failure kinds[] = {Failure::kIoError, Failure::kNoSpace, Failure::kShortWrite};
      for (const Failure failure : kinds) {
        const std::string fault =
            fault_of_failing(policy, call, failure, (call + failures) % 2 == 0);
        ++failures;
        if (fault.empty()) continue;
        INFO(policy << ", call " << call << ", failure " << static_cast<int>(failure) << ": "
                    << fault);
        REQUIRE(fault.empty());
      }
    }
  }
  if (step == 1) WARN(failures << " failures");
}

TEST_CASE("fault: a full disk is told, reads go on, and with space again a new opening goes on") {
  for (const std::string& policy : testing::policy_specs()) {
    for (std::uint64_t room = 0; room < 6'000; room += 311) {
      INFO(policy << ", room for " << room << " bytes");
      Run run(policy);
      REQUIRE(run.open());
      REQUIRE(run.write(100));
      run.disk.set_space(run.disk.used_bytes() + room);
      Result<void> written = success();
      while (written) written = run.write(1);
      INFO(written.error().message);
      REQUIRE(written.error().kind == ErrorKind::kMachine);
      REQUIRE(written.error().message.find("No space left on device") != std::string::npos);
      REQUIRE(refusal_fault(run, written.error()).empty());
      static_cast<void>(run.close());
      // While the disk is full, the store may open or report why not; it loses nothing.
      const Result<void> opened = run.open();
      if (opened) {
        REQUIRE(run.reads_fault().empty());
        static_cast<void>(run.close());
      } else {
        REQUIRE(opened.error().message.find("No space left on device") != std::string::npos);
      }
      run.disk.set_space(std::nullopt);
      REQUIRE(run.reopening_fault().empty());
    }
  }
}

TEST_CASE("fault: a read that fails is told, and the next one may succeed") {
  Run run("leveled");
  REQUIRE(run.open());
  REQUIRE(run.write(kWrites));
  REQUIRE(run.store->flush());
  const testing::StoreState state = run.model.newest();
  std::uint64_t errors = 0;
  for (const auto& [key, value] : state) {
    run.disk.fail_matching(Op::kRead, ".sst", 1);
    const auto found = run.store->get(key);
    if (!found) {
      ++errors;
      REQUIRE(found.error().message.find(".sst") != std::string::npos);
    } else {
      REQUIRE(found.value() == value);
      static_cast<void>(testing::scan_all(*run.store));  // this read meets the failure
    }
    REQUIRE(run.store->get(key).value() == value);
  }
  REQUIRE(errors > 10);  // other reads were served by the block cache
  run.disk.fail_matching(Op::kRead, ".sst", 1);
  const auto scanned = testing::scan_all(*run.store);
  REQUIRE(!scanned);
  REQUIRE(scanned.error().message.find(".sst") != std::string::npos);
  REQUIRE(testing::scan_all(*run.store).value() == state);
  REQUIRE(run.write(100));
}

TEST_CASE("fault: a merge whose input cannot be read ends writes, not reads") {
  for (const std::string& policy : testing::policy_specs()) {
    INFO(policy);
    Run run(policy);
    REQUIRE(run.open());
    REQUIRE(run.write(kWrites));
    run.disk.fail_matching(Op::kRead, ".sst", 1);
    const Result<void> written = run.write(1'000);
    REQUIRE(!written);
    const std::string fault = refusal_fault(run, written.error());
    INFO(fault);
    REQUIRE(fault.empty());
    REQUIRE(run.close());
    REQUIRE(run.reopening_fault().empty());
  }
}

TEST_CASE("fault: in threaded mode an error of the background reaches writers and waiters") {
  for (const Op op : {Op::kSync, Op::kAppend, Op::kCreate}) {
    FaultFileSystem disk;
    StoreModel model;
    RandomBatches random(3);
    StoreSetup setup = setup_of("leveled", disk);
    setup.mode = StoreMode::kThreaded;
    setup.sync = SyncRule::kNever;
    {
      const auto store = Store::open(kDirectory, setup).value();
      disk.fail_matching(op, ".sst", 1);
      Result<void> written = success();
      while (written) {
        written = testing::write_and_note(*store, model, random.batch(), false);
      }
      INFO(written.error().message);
      REQUIRE(written.error().message.find(".sst") != std::string::npos);
      REQUIRE(!store->settle());
      REQUIRE(!store->flush());
      REQUIRE(!store->sync());
      REQUIRE(!store->put("late", "write"));
      const auto found = testing::scan_all(*store);
      REQUIRE(found);
      REQUIRE(model.batches_of(found.value(), StoreModel::Kept::kAcknowledged));
      REQUIRE(store->close());
    }
    const auto store = Store::open(kDirectory, setup).value();
    const auto found = testing::scan_all(*store);
    REQUIRE(found);
    REQUIRE(model.batches_of(found.value(), StoreModel::Kept::kAcknowledged));
  }
}

}  // namespace
}  // namespace lsmlab::engine::fault_test
