// Threaded mode with every policy and preset: clients beside flushes and merges find what they
// wrote, the tree keeps its shape, and a store opened anew holds the same.
#include <fmt/format.h>

#include <string>

#include "engine/store.h"
#include "engine/testing/fault_file_system.h"
#include "engine/testing/threaded_clients.h"
#include "engine/testing/watchdog.h"
#include "testing/catch.h"
#include "testing/every_policy.h"
#include "testing/random_operations.h"

namespace lsmlab {
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
  // LSMLAB_THREADED_SEEDS=50 runs as many for each policy; the first ones are these.
  const std::uint64_t seeds = testing::seeds_wanted("LSMLAB_THREADED_SEEDS", 1);
  for (const Spec& spec : testing::every_policy()) {
    const ConfiguredPolicy policy = testing::small_policy(spec);
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      run_clients(policy, seed, static_cast<unsigned>(seed % 3) + 1);
    }
  }
}

}  // namespace
}  // namespace lsmlab
