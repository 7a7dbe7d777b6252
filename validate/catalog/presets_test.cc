#include "validate/catalog/presets.h"

#include <fstream>

#include "models/execution/write_stall.h"
#include "testing/catch.h"
#include "testing/engine/scratch_directory.h"
#include "validate/catalog/catalog.h"

namespace lsmlab::presets_test {
namespace {

// The stall rules of a policy in a file.
Result<StallRules> stalls_of(const std::string& json) {
  const engine::testing::ScratchDirectory scratch;
  const std::string path = scratch.path() + "/store.json";
  std::ofstream(path) << json;
  auto policy = policy_of_spec({path, {}});
  if (!policy) return policy.error();
  return policy.value().stalls;
}

TEST_CASE("a preset's stall rules replace those of its family one by one") {
  const auto stalls = stalls_of(
      R"({"policy": "pebble", "parameters": {"buffer": "4MiB"}, "stalls": {"level0_stop_runs": 50}})");
  REQUIRE(stalls.value().level0_stop_runs == 50);
  REQUIRE(stalls.value().full_memtables_max ==
          policy_of_spec({"pebble", {}}).value().stalls.full_memtables_max);
}

TEST_CASE("a file's stall rules override those of the preset that it names") {
  const StallRules cockroach = policy_of_spec({"pebble-cockroachdb", {}}).value().stalls;
  REQUIRE(cockroach.level0_stop_runs == 1000);
  const auto stalls =
      stalls_of(R"({"policy": "pebble-cockroachdb", "stalls": {"level0_slowdown_runs": 20}})");
  REQUIRE(stalls.value().level0_slowdown_runs == 20);
  REQUIRE(stalls.value().level0_stop_runs == 1000);
}

TEST_CASE("stall rules on the command line override those of a preset") {
  const auto policy = policy_of_spec({"pebble-cockroachdb", {}});
  const auto rules = stall_rules_of(policy.value(), {{"level0_stop_runs", "2000"}});
  REQUIRE(rules.value().level0_stop_runs == 2000);
  REQUIRE(rules.value().level0_slowdown_runs == 1000);
}

TEST_CASE("faults of a preset's stall rules name the file and the rule") {
  const auto unknown = stalls_of(R"({"policy": "pebble", "stalls": {"level0_stop": 50}})");
  REQUIRE(unknown.error().message.find("store.json") != std::string::npos);
  REQUIRE(unknown.error().message.find("level0_stop_runs") != std::string::npos);
  const auto no_object = stalls_of(R"({"policy": "pebble", "stalls": "none"})");
  REQUIRE(no_object.error().message.find("\"stalls\" is not an object") != std::string::npos);
}

TEST_CASE("a preset of a workload has no stall rules") {
  const engine::testing::ScratchDirectory scratch;
  const std::string path = scratch.path() + "/load.json";
  std::ofstream(path) << R"({"workload": "flushes", "stalls": {}})";
  const auto workload = resolved_workload({path, {}});
  REQUIRE(workload.error().message.find("unknown member 'stalls'") != std::string::npos);
}

}  // namespace
}  // namespace lsmlab::presets_test
