#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

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

TEST_CASE("with a clock, RocksDB's table has seconds, simulated or measured") {
  const Cli cli;
  for (const std::string run : {"simulate --device nvme", "replay --mode threaded -d db"}) {
    INFO(run);
    const Outcome stats = cli.run(
        run + " -q -p lo+1:buffer=256KiB -w load:entries=100k --format rocksdb-stats > stats.txt");
    REQUIRE(stats.exit_code == 0);
    REQUIRE(stats.err.empty());
    const std::string table = cli.read("stats.txt");
    REQUIRE_FALSE(contains(table, "Uptime(secs): 0.0 total"));
    REQUIRE_FALSE(contains(table, " 0.00 MB/s write"));
    const std::string sum = table.substr(table.find("\n Sum "), 120);
    REQUIRE_FALSE(contains(sum, "0.0      0.0      0.00"));  // reads, writes, seconds
  }
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

// The lines of the first table: a blank line follows it.
std::ptrdiff_t table_lines(const std::string& out) {
  return std::count(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(out.find("\n\n") + 1),
                    '\n');
}

TEST_CASE("lsmlab simulate prints the runs that a condition leaves, sorted and cut off") {
  const Cli cli;
  const Outcome sorted = cli.run(std::string(kSweep) + "--sort write:desc --out all.json");
  REQUIRE(sorted.exit_code == 0);
  REQUIRE(table_lines(sorted.out) == 4);
  const Outcome top =
      cli.run(std::string(kSweep) + "--sort write --top 1 --out top.json --csv top.csv");
  REQUIRE(table_lines(top.out) == 2);
  REQUIRE(contains(top.err, "1 of 3 runs shown"));
  const std::size_t last_row = sorted.out.rfind('\n', sorted.out.find("\n\n") - 1) + 1;
  REQUIRE(top.out.substr(top.out.find('\n') + 1, 20) == sorted.out.substr(last_row, 20));
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

TEST_CASE("lsmlab simulate --log - writes nothing but the plan log to standard output") {
  const Cli cli;
  const Outcome outcome = cli.run("simulate -p lo+1 -w load:entries=1k --log -");
  REQUIRE(outcome.exit_code == 0);
  std::istringstream lines(outcome.out);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    REQUIRE(nlohmann::json::parse(line).contains("plan"));
  }
  REQUIRE(count > 0);
  REQUIRE(contains(outcome.err, "write ampl."));
}

constexpr const char* kLongSweep =
    " simulate -j 1 -p 'lo+1:size_ratio=4|5|6' -w load:entries=50M --resolution key ";

TEST_CASE("a sweep that is killed leaves no result file") {
  const Cli cli;
  const Outcome outcome = cli.shell("timeout -s KILL 1 '" + std::string(LSMLAB_BINARY) + "'" +
                                    kLongSweep + "--out r.json --csv r.csv");
  REQUIRE(outcome.exit_code != 0);
  REQUIRE_FALSE(cli.exists("r.json"));
  REQUIRE_FALSE(cli.exists("r.csv"));
}

TEST_CASE("a sweep that is stopped shows no figures of runs that did not begin") {
  const Cli cli;
  const Outcome outcome = cli.shell("timeout -s INT 1 '" + std::string(LSMLAB_BINARY) + "'" +
                                    kLongSweep + "--sort write --out r.json");
  REQUIRE(contains(outcome.err, "stopped early"));
  REQUIRE(contains(outcome.err, "2 of 3 runs did not begin"));
  REQUIRE(contains(outcome.out, "  (stopped early)\n"));
  REQUIRE(contains(outcome.out, "-  (not started)\n"));
  // On a slow machine the run that did begin may have flushed nothing yet.
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    if (contains(line, "(not started)")) REQUIRE_FALSE(contains(line, " 0.000"));
  }
  REQUIRE(outcome.out.find("(stopped early)") < outcome.out.find("(not started)"));
  const auto results = nlohmann::json::parse(cli.read("r.json"));
  REQUIRE(results.size() == 3);
  const auto unknown = std::count_if(
      results.begin(), results.end(),
      [](const nlohmann::json& result) { return result["amplification"]["write"].is_null(); });
  REQUIRE(unknown >= 2);
}

TEST_CASE("a name from the literature or of a benchmark gets the name that works") {
  const Cli cli;
  const auto fault = [&](const std::string& policy, const std::string& workload) {
    const Outcome outcome = cli.run("simulate -p " + policy + " -w " + workload);
    REQUIRE(outcome.exit_code == 2);
    REQUIRE(outcome.err.size() < 400);
    return outcome.err;
  };
  REQUIRE(contains(fault("lo+1", "ycsb_a"), "did you mean 'ycsb-a'?"));
  REQUIRE(contains(fault("lo+1", "fillrandom"), "db_bench:\"--benchmarks=fillrandom --num="));
  REQUIRE(contains(fault("rocksdb", "load"), "'rocksdb-leveled', 'rocksdb-universal'"));
  REQUIRE(contains(fault("universal", "load"), "did you mean 'rocksdb-universal'?"));
  REQUIRE(contains(fault("leveling", "load"), "did you mean 'leveled'?"));
  REQUIRE(contains(fault("stcs", "load"), "did you mean one of 'cassandra-stcs', 'scylla-stcs'"));
  const std::string benchmark = "'db_bench:\"--benchmarks=fillrandom --num=10000\"'";
  REQUIRE(cli.run("simulate -p lo+1 -w " + benchmark).exit_code == 0);
}

TEST_CASE("lsmlab dump and check name lsmlab inspect for a store of RocksDB") {
  const Cli cli;
  REQUIRE(cli.shell("mkdir db && touch db/CURRENT db/000004.log db/000005.sst db/LOG").exit_code ==
          0);
  for (const char* command : {"dump db", "dump db/000005.sst", "check --dir db"}) {
    INFO(command);
    const Outcome outcome = cli.run(command);
    REQUIRE(outcome.exit_code == 2);
    REQUIRE(contains(outcome.err, "a store of RocksDB or LevelDB"));
    REQUIRE(contains(outcome.err, "'lsmlab inspect db'"));
  }
}

}  // namespace
}  // namespace lsmlab::testing::printed_results_test
