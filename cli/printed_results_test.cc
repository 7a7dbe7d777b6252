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

}  // namespace
}  // namespace lsmlab::testing::printed_results_test
