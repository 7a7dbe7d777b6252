// Runs that begin with a tree in the store, at both resolutions.
#include "models/execution/starting_tree.h"

#include <cmath>
#include <map>
#include <set>

#include "sim/keys/key_store.h"
#include "sim/keys/simulate_keys.h"
#include "sim/keys/starting_records.h"
#include "sim/ranges/simulate_ranges.h"
#include "testing/runs.h"
#include "testing/timed_runs.h"

namespace lsmlab::starting_tree_test {
namespace {

using namespace std::string_literals;

const std::string kLeveled =
    "rocksdb-leveled:buffer=64KiB,file_size=64KiB,level_base=256KiB,size_ratio=4";

OperationWorkload workload_of(const std::string& text) {
  return make_operation_workload(parse_spec(text).value()).value();
}

// What a store holds after the first operations of a workload.
StartingTree tree_after(const std::string& policy, const OperationWorkload& workload,
                        std::uint64_t operations, std::uint64_t records) {
  const ConfiguredPolicy configured = testing::policy_of(policy);
  KeyStore store(configured, {}, nullptr);
  const auto source = workload.open(1);
  std::vector<Operation> batch(1);
  for (std::uint64_t i = 0; i < operations; ++i) {
    REQUIRE(source->fill(batch).value() == 1);
    REQUIRE(store.write(batch[0].key, batch[0].key_bytes, batch[0].value_bytes, false));
  }
  store.flush();
  StartingTree start;
  start.records = records;
  const auto share = [](std::uint64_t key) { return static_cast<double>(key) * 0x1p-64; };
  for (std::size_t level = store.tree().levels().size(); level-- > 0;) {
    const std::vector<SortedRun>& runs = store.tree().levels()[level].runs;
    for (std::size_t run = runs.size(); run-- > 0;) {
      StartingRun started{static_cast<std::uint32_t>(level), {}};
      for (const File& file : runs[run].files) {
        started.files.push_back(
            {share(file.keys.smallest), share(file.keys.largest), file.entries.value()});
      }
      start.runs.push_back(started);
    }
  }
  return start;
}

double written_per_flushed(const PartFigures& part) {
  return ratio_of(part.flush_bytes_written + part.merge_bytes_written, part.bytes_flushed);
}

RunSetup setup_of(const std::string& policy, const StartingTree& start) {
  RunSetup setup = default_setup(testing::policy_of(policy));
  setup.start = std::make_shared<StartingTree>(start);
  return setup;
}

struct Ended {
  double write = 0;  // bytes written / bytes flushed
  Uint128 live_bytes = 0;
};
Ended ended(const RunResult& result) {
  const Totals& totals = result.totals;
  return {ratio_of(totals.flush_bytes_written + totals.merge_bytes_written, totals.bytes_flushed),
          result.disk.live_bytes};
}

TEST_CASE("a run that begins with the tree of another one writes what that one went on to write") {
  const std::string kUpdates = "load:records=100k,entries=300k,update_fraction=100%";
  for (const std::string& policy :
       {kLeveled, "leveldb:buffer=64KiB,file_size=64KiB,level_base=256KiB"s,
        "rocksdb-universal:buffer=64KiB"s}) {
    INFO(policy);
    const OperationWorkload whole = workload_of(kUpdates);
    RunSetup setup = default_setup(testing::policy_of(policy));
    setup.parts = {{"before", 250'000}, {"measured", 400'000}};
    RunControl control;
    const RunResult all = simulate_keys(setup, *whole.open(1), control).value();
    const double expected = written_per_flushed(all.parts.back());

    const RunSetup begun = setup_of(policy, tree_after(policy, whole, 250'000, 100'000));
    const OperationWorkload rest =
        workload_of("load:records=100k,entries=150k,update_fraction=100%");
    const RunResult by_keys = simulate_keys(begun, *rest.open(2), control).value();
    CHECK(ended(by_keys).write == Approx(expected).epsilon(0.05));
    CHECK(by_keys.totals.user_bytes == Uint128{150'000} * 128);
    const RunResult by_ranges = simulate_ranges(begun, rest, control).value();
    CHECK(ended(by_ranges).write == Approx(expected).epsilon(0.05));
    CHECK(static_cast<double>(ended(by_ranges).live_bytes) ==
          Approx(static_cast<double>(ended(by_keys).live_bytes)).epsilon(0.01));
  }
}

TEST_CASE("records stand in the files that are told, each in the oldest run or above it") {
  const ConfiguredPolicy policy = testing::policy_of(kLeveled);
  // 1000 records: level 2 has 600 of the first half's 500 and of 300 more, level 1 200 at random.
  StartingTree start;
  start.records = 1000;
  start.runs = {{2, {{0, 0.5, 500}, {0.5, 1, 300}}}, {1, {{0.25, 0.75, 200}}}, {0, {{0, 1, 100}}}};
  const OperationWorkload workload = workload_of("load:records=1000,entries=1000");
  KeyStore store(policy, {}, nullptr);
  const auto source = workload.open(3);
  REQUIRE(place_records(start, *source, 3, store.files()));
  const TreeView& tree = store.tree();
  REQUIRE(tree.levels().size() == 3);
  REQUIRE(tree.levels()[2].runs.size() == 1);
  REQUIRE(tree.levels()[2].runs[0].files.size() == 2);
  std::map<std::uint64_t, std::size_t> copies;
  std::set<std::uint64_t> sequences;
  for (std::size_t level = 0; level < 3; ++level) {
    std::uint64_t entries = 0;
    for (const SortedRun& run : tree.levels()[level].runs) {
      for (const File& file : run.files) {
        for (const StoredEntry& entry : store.contents(file.id)) {
          ++copies[entry.key];
          sequences.insert(entry.sequence);
          ++entries;
        }
      }
    }
    REQUIRE(entries == (level == 2 ? 800 : level == 1 ? 200 : 100));
  }
  REQUIRE(sequences.size() == 1100);
  // The second file took all the records of its half that no file above holds.
  REQUIRE(copies.size() >= 900);
  REQUIRE(store.files().live_bytes().value() == copies.size() * 128);
  REQUIRE(store.files().next_sequence() == 1101);
  REQUIRE(store.totals().user_bytes == 0);
  REQUIRE(store.files().ledger().file_bytes() > 0);
}

TEST_CASE("with a clock, runs begin with a tree at both resolutions") {
  const OperationWorkload whole =
      workload_of("load:records=100k,entries=300k,update_fraction=100%");
  RunSetup setup = setup_of(kLeveled, tree_after(kLeveled, whole, 250'000, 100'000));
  setup.options.is_stepped = false;
  const OperationWorkload rest = workload_of("load:records=100k,entries=100k,update_fraction=100%");
  DeviceAndClients machine;
  machine.device = make_device("plain", testing::plain_device()).value();
  machine.clients = make_clients(parse_spec("closed").value()).value();
  RunControl control;
  const RunResult by_keys = simulate_timed(setup, machine, *rest.open(2), control).value();
  REQUIRE(by_keys.complete);
  REQUIRE(by_keys.keys->operations.puts == 100'000);
  REQUIRE(by_keys.time->loading_operations == 0);
  const RunResult by_ranges = simulate_timed_ranges(setup, machine, rest, control).value();
  REQUIRE(by_ranges.complete);
  REQUIRE(by_ranges.keys->operations.puts == 100'000);
  REQUIRE(ended(by_ranges).write == Approx(ended(by_keys).write).epsilon(0.1));
}

TEST_CASE("resolution range begins with a tree only where keys are uniform") {
  StartingTree start;
  start.records = 1000;
  start.runs = {{1, {{0, 1, 1000}}}};
  RunControl control;
  for (const char* text :
       {"load:records=1000,entries=1000,insert_distribution=sequential",
        "load:records=1000,entries=1000,update_fraction=50%,update_distribution=latest"}) {
    const auto run = simulate_ranges(setup_of(kLeveled, start), workload_of(text), control);
    REQUIRE(!run.has_value());
    REQUIRE(run.error().message.find("a starting tree unless keys are inserted uniformly") !=
            std::string::npos);
  }
}

}  // namespace
}  // namespace lsmlab::starting_tree_test
