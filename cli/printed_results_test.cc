#include <algorithm>
#include <nlohmann/json.hpp>

#include "testing/cli.h"

namespace lsmlab::testing::printed_results_test {
namespace {

TEST_CASE("lsmlab simulate prints RocksDB's table of statistics, and lsmlab inspect reads it") {
  const Cli cli;
  const Outcome stats = cli.run(
      "simulate -p rocksdb-leveled -w load:entries=400k --format rocksdb-stats > stats.txt");
  REQUIRE(stats.exit_code == 0);
  REQUIRE(contains(stats.err, "docs/rocksdb-stats.md"));
  REQUIRE(contains(cli.read("stats.txt"), "\n** Compaction Stats [default] **\nLevel "));
  const Outcome inspected = cli.run("inspect stats.txt");
  REQUIRE(inspected.exit_code == 0);
  REQUIRE(contains(inspected.out, "last table of statistics"));
  REQUIRE(contains(inspected.out, "Sum  files"));
}

TEST_CASE("lsmlab replay prints RocksDB's table of its own engine's run") {
  const Cli cli;
  const Outcome stats =
      cli.run("replay -p lo+1 -w load:entries=100k -d db --verify --format rocksdb-stats");
  REQUIRE(stats.exit_code == 0);
  REQUIRE(contains(stats.out, "** Compaction Stats [default] **"));
  REQUIRE(contains(stats.out, "verified: all"));
}

TEST_CASE("a format that cannot be printed is an error before the run") {
  const Cli cli;
  const std::string run = "simulate -p lo+1 -w load:entries=1k --format ";
  const Outcome unknown = cli.run(run + "rocksdb-stat");
  REQUIRE(unknown.exit_code == 2);
  REQUIRE(contains(unknown.err, "did you mean 'rocksdb-stats'"));
  REQUIRE(cli.run(run + "rocksdb-stats --out -").exit_code == 2);
}

constexpr const char* kSweep =
    "simulate -q -p 'leveled:buffer=64KiB,size_ratio=10|4|6' -w load:entries=60k,value_bytes=40 ";

TEST_CASE("lsmlab simulate prints the runs that a condition leaves, sorted and cut off") {
  const Cli cli;
  const Outcome sorted = cli.run(std::string(kSweep) + "--sort write:desc --out all.json");
  REQUIRE(sorted.exit_code == 0);
  REQUIRE(std::count(sorted.out.begin(), sorted.out.end(), '\n') == 4);
  const Outcome top =
      cli.run(std::string(kSweep) + "--sort write --top 1 --out top.json --csv top.csv");
  REQUIRE(std::count(top.out.begin(), top.out.end(), '\n') == 2);
  REQUIRE(contains(top.err, "1 of 3 runs shown"));
  REQUIRE(top.out.substr(top.out.find('\n') + 1, 20) ==
          sorted.out.substr(sorted.out.rfind('\n', sorted.out.size() - 2) + 1, 20));
  const auto json = nlohmann::json::parse(cli.read("top.json"));
  REQUIRE(json.size() == 3);  // the JSON has all runs, in their own order
  REQUIRE(json[0]["policy"]["parameters"]["size_ratio"] == 10);
  const std::string csv = cli.read("top.csv");
  REQUIRE(csv.starts_with("policy,workload,seed,complete,"));
  REQUIRE(contains(csv, "amplification.write,"));
  REQUIRE(std::count(csv.begin(), csv.end(), '\n') == 2);
}

TEST_CASE("lsmlab simulate writes the table to standard error beside --csv -") {
  const Cli cli;
  const Outcome outcome = cli.run(std::string(kSweep) + "--csv - --where 'write<1000'");
  REQUIRE(outcome.out.starts_with("policy,workload,"));
  REQUIRE(contains(outcome.err, "write ampl."));
  REQUIRE_FALSE(contains(outcome.out, "write ampl."));
}

TEST_CASE("an unknown figure or order is refused before the run, with the nearest name") {
  const Cli cli;
  const Outcome where = cli.run(std::string(kSweep) + "--where 'wirte<=8'");
  REQUIRE(where.exit_code == 2);
  REQUIRE(contains(where.err, "--where: unknown figure 'wirte'; did you mean 'write'?"));
  REQUIRE(contains(cli.run(std::string(kSweep) + "--sort write:down").err, "asc or desc"));
  REQUIRE(cli.run(std::string(kSweep) + "--top 0").exit_code == 2);
  REQUIRE(contains(cli.run(std::string(kSweep) + "--csv a --out a").err, "same output"));
  REQUIRE(cli.run(std::string(kSweep) + "--sort write --out -").exit_code == 2);
  REQUIRE(contains(cli.run(std::string(kSweep) + "--where 'latency.put.p99_ns<5'").err,
                   "no run has the figure latency.put.p99_ns"));
}

}  // namespace
}  // namespace lsmlab::testing::printed_results_test
