#include <nlohmann/json.hpp>

#include "testing/cli.h"

namespace lsmlab::testing::inspect_test {
namespace {

constexpr const char* kOptions =
    "[Version]\nrocksdb_version=8.4.1\n[DBOptions]\nmax_background_jobs=2\n"
    "[CFOptions \"default\"]\ncompaction_style=kCompactionStyleLevel\nwrite_buffer_size=33554432\n";

TEST_CASE("lsmlab inspect reports what a file says, as text and as JSON") {
  const Cli cli;
  cli.write("OPTIONS-000005", kOptions);
  const Outcome text = cli.run("inspect OPTIONS-000005");
  REQUIRE(text.exit_code == 0);
  REQUIRE(contains(text.out, "RocksDB 8.4.1"));
  REQUIRE(contains(text.out, "* write_buffer_size = 33554432  (default 67108864)"));
  const Outcome json = cli.run("inspect . --format json");
  REQUIRE(json.exit_code == 0);
  const auto report = nlohmann::json::parse(json.out);
  REQUIRE(report["version"] == "8.4.1");
  REQUIRE(report["column_families"][0]["name"] == "default");
}

TEST_CASE("lsmlab inspect writes a store description whose policy can be simulated") {
  const Cli cli;
  cli.write("OPTIONS-000005", kOptions);
  REQUIRE(cli.run("inspect OPTIONS-000005 --describe store.json").exit_code == 0);
  const auto store = nlohmann::json::parse(cli.read("store.json"));
  const std::string spec = store["column_families"][0]["policy"]["spec"];
  REQUIRE(cli.run("simulate -w load:entries=20k -p '" + spec + "'").exit_code == 0);
}

TEST_CASE("lsmlab inspect maps a schema of Cassandra to a policy that can be simulated") {
  const Cli cli;
  for (const char* strategy :
       {"SizeTieredCompactionStrategy", "LeveledCompactionStrategy", "UnifiedCompactionStrategy"}) {
    cli.write("schema.cql", std::string("CREATE TABLE k.t (a int PRIMARY KEY) WITH compaction = "
                                        "{'class': '") +
                                strategy + "'};\n");
    const Outcome text = cli.run("inspect schema.cql --describe store.json");
    REQUIRE(text.exit_code == 0);
    REQUIRE(contains(text.out, "table k.t"));
    const auto store = nlohmann::json::parse(cli.read("store.json"));
    const std::string spec = store["column_families"][0]["policy"]["spec"];
    REQUIRE(cli.run("simulate -w load:entries=20k -p '" + spec + "'").exit_code == 0);
  }
}

TEST_CASE("lsmlab inspect never writes into a store") {
  const Cli cli;
  cli.write("OPTIONS-000005", kOptions);
  REQUIRE(cli.run("inspect . --describe OPTIONS-000005").exit_code == 2);
  REQUIRE(cli.run("inspect . --describe new.json").exit_code == 2);
  REQUIRE(cli.run("inspect OPTIONS-000005 --describe OPTIONS-000005").exit_code == 2);
  REQUIRE(cli.read("OPTIONS-000005") == kOptions);
  REQUIRE_FALSE(cli.exists("new.json"));
}

TEST_CASE("lsmlab inspect prints what a damaged file says, and exits with 2") {
  const Cli cli;
  cli.write("OPTIONS-000005", std::string(kOptions) + "nonsense\n");
  const Outcome outcome = cli.run("inspect OPTIONS-000005");
  REQUIRE(outcome.exit_code == 2);
  REQUIRE(contains(outcome.out, "write_buffer_size"));
  REQUIRE(contains(outcome.err, "line 8: found 'nonsense'"));
  cli.write("other", "hello");
  REQUIRE(cli.run("inspect other").exit_code == 2);
  REQUIRE(cli.run("inspect missing").exit_code == 2);
  REQUIRE(cli.run("inspect OPTIONS-000005 --format xml").exit_code == 2);
}

}  // namespace
}  // namespace lsmlab::testing::inspect_test
