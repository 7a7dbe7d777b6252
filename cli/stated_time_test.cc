// Times in place of numbers of operations, through the command line.
#include <nlohmann/json.hpp>

#include "testing/cli.h"

namespace lsmlab::testing::stated_time_test {
namespace {

using Json = nlohmann::json;

constexpr const char* kPolicy =
    "-p rocksdb-leveled:buffer=64KiB,file_size=64KiB,level_base=256KiB,";

Json result_of(const Cli& cli, const std::string& arguments) {
  const Outcome outcome = cli.run(arguments + " -q --out result.json");
  INFO(arguments << ": " << outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return Json::parse(cli.read("result.json"));
}

TEST_CASE("a run with a time is the run with its number of operations, and states both") {
  const Cli cli;
  const std::string policy = kPolicy;
  const std::string load = " -w load:entries=20k,delete_fraction=10%";
  const Json timed =
      result_of(cli, "simulate " + policy + "ttl=1min" + load + ",operations_per_second=100");
  const Json counted = result_of(cli, "simulate " + policy + "ttl=6000" + load);
  REQUIRE(timed["policy"]["parameters"]["ttl"] == 6000);
  REQUIRE(timed["policy"]["parameters"]["ttl_as_time"] == "1min");
  REQUIRE(timed["workload"]["parameters"]["operations_per_second"] == "100");
  REQUIRE(timed["totals"] == counted["totals"]);
  REQUIRE(timed["totals"]["merges"] > 0);
  // Replayed on disk.
  const Json replayed = result_of(
      cli, "replay --dir db " + policy + "ttl=1min" + load + ",operations_per_second=100");
  REQUIRE(replayed["policy"]["parameters"]["ttl_as_time"] == "1min");
  REQUIRE(replayed["totals"]["merges"] == timed["totals"]["merges"]);
  const Outcome checked = cli.run("check --dir db");
  INFO(checked.err);
  REQUIRE(checked.exit_code == 0);
  const Json half = result_of(
      cli, "simulate " + policy + "ttl=1min" + load + ",operations_per_second=100 --scale 1/2");
  REQUIRE(half["policy"]["parameters"]["ttl"] == 3000);
  REQUIRE(half["policy"]["parameters"]["ttl_as_time"] == "1min");
}

TEST_CASE("a list of times is a run for each, and advise orders them") {
  const Cli cli;
  const std::string load = "-w load:entries=20k,operations_per_second=100";
  const Outcome list =
      cli.run("simulate -q -p 'rocksdb-leveled:buffer=64KiB,file_size=64KiB,ttl=30s|1min' " + load);
  INFO(list.err);
  REQUIRE(list.exit_code == 0);
  REQUIRE(contains(list.out, "ttl=30s"));
  REQUIRE(contains(list.out, "ttl=1min"));
  const Outcome advice = cli.run(std::string("advise -q ") + kPolicy +
                                 "levels=5 --vary ttl=30s,1min " + load + " --budget 4");
  INFO(advice.err);
  REQUIRE(advice.exit_code == 0);
  REQUIRE(contains(advice.out, "ttl=1min"));
}

TEST_CASE("a time that nothing can count is refused, with exit code 2") {
  const Cli cli;
  for (const std::string verb : {"simulate ", "replay --dir db "}) {
    const Outcome outcome = cli.run(verb + kPolicy + "ttl=1min -w load:entries=20k");
    REQUIRE(outcome.exit_code == 2);
    REQUIRE(contains(outcome.err, "add operations_per_second=N to the workload"));
  }
}

TEST_CASE("the times of an OPTIONS file and of a schema are simulated by the workload's rate") {
  const Cli cli;
  cli.write("OPTIONS-000005",
            "[Version]\nrocksdb_version=7.8.3\n[DBOptions]\nmax_background_jobs=2\n"
            "[CFOptions \"default\"]\ncompaction_style=kCompactionStyleLevel\n"
            "write_buffer_size=65536\ntarget_file_size_base=65536\n"
            "max_bytes_for_level_base=262144\ncompression=kNoCompression\nttl=60\n");
  const auto policy_of = [&](const std::string& arguments) {
    const Outcome outcome =
        cli.run("what-if " + arguments + " -q --format json --set " + "block_size=8KiB");
    INFO(arguments << ": " << outcome.err);
    REQUIRE(outcome.exit_code == 0);
    return Json::parse(outcome.out)["policy"].get<std::string>();
  };
  const std::string load = " -w load:entries=20k,operations_per_second=100";
  REQUIRE(contains(policy_of("OPTIONS-000005" + load), "ttl=1min"));
  REQUIRE_FALSE(contains(policy_of("OPTIONS-000005 -w load:entries=20k"), "ttl="));
  REQUIRE(contains(cli.run("inspect OPTIONS-000005").out,
                   "lsmlab does not model: ttl=60 (no file tells operations_per_second)"));
  cli.write("schema.cql",
            "CREATE TABLE k.t (a int PRIMARY KEY) WITH gc_grace_seconds = 120 AND "
            "default_time_to_live = 600 AND compaction = {'class': "
            "'TimeWindowCompactionStrategy', 'compaction_window_unit': 'MINUTES', "
            "'compaction_window_size': '5'};\n");
  const std::string times = "compaction_window_size=5min,ttl=10min,min_threshold=4,gc_grace=2min";
  REQUIRE(contains(policy_of("schema.cql" + load), times));
  const Outcome inspected = cli.run("inspect schema.cql");
  REQUIRE(contains(inspected.out, times));
  REQUIRE(contains(inspected.out, "times need operations_per_second=N of the workload"));
  const Outcome missing = cli.run("explain schema.cql -q -w load:entries=20k");
  REQUIRE(missing.exit_code == 2);
  REQUIRE(contains(missing.err, "compaction_window_size=5min, ttl=10min"));
  REQUIRE(contains(missing.err, "write -w 'load:entries=20k,operations_per_second=1000'"));
  const Outcome flushes =
      cli.run("what-if schema.cql -q -w flushes:count=9,size=1MiB --set ttl=1M");
  REQUIRE(flushes.exit_code == 2);
  REQUIRE(contains(flushes.err, "give a workload of operations, as -w 'load:entries=1M,"));
  const Outcome unknown = cli.run("what-if schema.cql -q -w lode --set ttl=1M");
  REQUIRE(contains(unknown.err, "unknown workload 'lode'"));
}

}  // namespace
}  // namespace lsmlab::testing::stated_time_test
