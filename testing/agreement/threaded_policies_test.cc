// Threaded mode with every policy and preset. Clients that run concurrently with flushes and merges
// find what they wrote, the tree keeps its shape, and a reopened store holds the same. If merges go
// first, the tree becomes that of stepped mode.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "engine/store/store.h"
#include "testing/catch.h"
#include "testing/engine/fault_file_system.h"
#include "testing/engine/threaded_clients.h"
#include "testing/engine/watchdog.h"
#include "testing/every_policy.h"
#include "testing/random_operations.h"

namespace lsmlab::threaded_policies_test {
namespace {

using engine::testing::ClientOptions;
using engine::testing::Clients;
using engine::testing::Watchdog;

void run_clients(const ConfiguredPolicy& policy, std::uint64_t seed, unsigned merge_threads) {
  INFO(policy.label << ", seed " << seed << ", " << merge_threads << " merge threads");
  const Watchdog watchdog(fmt::format("{}, seed {}", policy.label, seed));
  engine::FaultFileSystem files;
  engine::StoreSetup setup;
  setup.policy = policy;
  setup.files = &files;
  setup.mode = engine::StoreMode::kThreaded;
  setup.merge_threads = merge_threads;
  setup.stalls.level0_slowdown_runs = 12;
  setup.stalls.level0_stop_runs = 16;
  setup.stalls.slowdown_bytes_per_second = Bytes(100 << 20);
  ClientOptions options;
  options.seed = seed;

  Clients clients(options);
  {
    auto store = engine::Store::open("/db", setup);
    INFO((store ? "" : store.error().message));
    REQUIRE(store.has_value());
    REQUIRE(clients.run(*store.value()) == "");
    REQUIRE(clients.check(*store.value()) == "");
    REQUIRE(engine::testing::tree_fault(*store.value(), "/db") == "");
    REQUIRE(store.value()->totals().flushes > 60);
    REQUIRE(store.value()->close().has_value());
  }
  setup.mode = engine::StoreMode::kStepped;
  auto store = engine::Store::open("/db", setup);
  INFO((store ? "" : store.error().message));
  REQUIRE(store.has_value());
  REQUIRE(clients.check(*store.value()) == "");
}

TEST_CASE("clients beside flushes and merges of every policy find what they wrote") {
  // LSMLAB_THREADED_SEEDS=50 runs that many workloads for each policy, beginning with these.
  const std::uint64_t seeds = testing::seeds_wanted("LSMLAB_THREADED_SEEDS", 1);
  for (const Spec& spec : testing::every_policy(testing::PolicyShare::kThird)) {
    const ConfiguredPolicy policy = testing::small_policy(spec);
    // Its clients do not know what drops took (engine/store/drop_test.cc).
    if (testing::drops_data(policy)) continue;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      run_clients(policy, seed, static_cast<unsigned>(seed % 3) + 1);
    }
  }
}

// Whether the policy's plans depend on the number of operations meanwhile.
bool has_clock(const ConfiguredPolicy& policy) {
  return std::any_of(policy.options.begin(), policy.options.end(), [](const auto& option) {
    const auto& [name, value] = option;
    return (name == "staleness" || name == "delete_persistence" ||
            name == "tombstone_compaction_interval" || name == "periodic_age" || name == "ttl") &&
           !std::holds_alternative<std::monostate>(value);
  });
}

struct Ended {
  std::string shape;  // the files of each run, by level
  Totals totals;
};

Ended run_writes(const ConfiguredPolicy& policy, std::uint64_t seed, engine::StoreMode mode) {
  const Watchdog watchdog(fmt::format("{}, seed {}", policy.label, seed));
  engine::FaultFileSystem files;
  engine::StoreSetup setup;
  setup.policy = policy;
  setup.files = &files;
  setup.mode = mode;
  setup.stalls.merges_first = true;
  auto opened = engine::Store::open("/db", setup);
  REQUIRE(opened.has_value());
  engine::Store& store = *opened.value();
  testing::RandomOperations source(seed, 1000, false);
  std::vector<Operation> operations(1000);
  REQUIRE(source.fill(operations).value() == operations.size());
  for (const Operation& operation : operations) {
    const std::string key = fmt::format("{:016}", operation.key);
    const bool is_put = operation.kind == OperationKind::kPut;
    const Result<void> written =
        is_put ? store.put(key, std::string(operation.value_bytes, 'v')) : store.remove(key);
    REQUIRE(written.has_value());
  }
  REQUIRE(store.flush().has_value());
  Ended ended{"", store.totals()};
  ended.totals.manifest_bytes_written = 0;  // later times take more bytes
  for (const Level& level : store.tree_image().levels) {
    for (const SortedRun& run : level.runs) {
      for (const File& file : run.files) {
        ended.shape += fmt::format("{} in {} B, ", file.entries.value(), file.bytes.value());
      }
      ended.shape += '/';
    }
    ended.shape += '\n';
  }
  return ended;
}

TEST_CASE("where merges go first, a store with threads becomes what it is in stepped mode") {
  const std::uint64_t seeds = testing::seeds_wanted("LSMLAB_THREADED_SEEDS", 2);
  for (const Spec& spec : testing::every_policy(testing::PolicyShare::kThird)) {
    const ConfiguredPolicy policy = testing::small_policy(spec);
    if (has_clock(policy) || testing::moves_coldest(policy)) continue;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      INFO(policy.label << ", seed " << seed);
      const Ended stepped = run_writes(policy, seed, engine::StoreMode::kStepped);
      const Ended threaded = run_writes(policy, seed, engine::StoreMode::kThreaded);
      REQUIRE(threaded.shape == stepped.shape);
      REQUIRE(threaded.totals == stepped.totals);
      REQUIRE((stepped.totals.flushes > 10 || policy.store.replaces_entries()));
    }
  }
}

}  // namespace
}  // namespace lsmlab::threaded_policies_test
