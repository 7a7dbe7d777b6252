#include <nlohmann/json.hpp>

#include "testing/cli.h"

namespace lsmlab::testing::what_if_test {
namespace {

constexpr const char* kOptions =
    "[Version]\nrocksdb_version=8.4.1\n[DBOptions]\nmax_background_jobs=2\n"
    "[CFOptions \"default\"]\ncompaction_style=kCompactionStyleLevel\nwrite_buffer_size=65536\n"
    "target_file_size_base=65536\nmax_bytes_for_level_base=262144\n"
    "compression=kNoCompression\n";
const std::string kAsked = " OPTIONS-000005 -q -w load:entries=20k ";

TEST_CASE("lsmlab what-if simulates the options of a store and changed ones") {
  const Cli cli;
  cli.write("OPTIONS-000005", kOptions);
  const Outcome text = cli.run("what-if" + kAsked + "--set 'size_ratio=4|6'");
  INFO(text.err);
  REQUIRE(text.exit_code == 0);
  REQUIRE(contains(text.out, "The files report no flush"));
  REQUIRE(contains(text.out, "today's options"));
  REQUIRE(contains(text.out, "\nsize_ratio=6"));
  const Outcome json = cli.run("what-if" + kAsked + "--set buffer=128KiB --format json");
  const auto answer = nlohmann::json::parse(json.out);
  REQUIRE(answer["variants"].size() == 2);
  REQUIRE(answer["variants"][0]["change"].is_null());
  REQUIRE(answer["variants"][1]["change"] == "buffer=128KiB");
  REQUIRE(answer["workload"] == "load:entries=20k");
  REQUIRE(!answer["variants"][0].contains("stalled_seconds"));
  const Outcome clock = cli.run("what-if" + kAsked + "--device nvme --stalls rocksdb-defaults");
  REQUIRE(contains(clock.out, "put P99"));
}

TEST_CASE("lsmlab explain tries the usual changes") {
  const Cli cli;
  cli.write("OPTIONS-000005", kOptions);
  const Outcome text = cli.run("explain" + kAsked);
  INFO(text.err);
  REQUIRE(text.exit_code == 0);
  REQUIRE(contains(text.out, "that were tried"));
  REQUIRE(contains(text.out, "write ampl. "));
}

TEST_CASE("what lsmlab what-if cannot answer is said, with exit code 2") {
  const Cli cli;
  cli.write("OPTIONS-000005", kOptions);
  cli.write("notes", "nothing of a store\n");
  const std::pair<std::string, std::string> cases[] = {
      {"what-if OPTIONS-000005", "give the workload with -w"},
      {"what-if notes", "none of the files that lsmlab can inspect"},
      {"what-if nowhere", "No such file"},
      {"what-if" + kAsked + "--family other", "no column family 'other'; it has: default"},
      {"what-if" + kAsked + "--set size_rato=4", "did you mean 'size_ratio'"},
      {"what-if" + kAsked + "--stalls rocksdb-defaults", "--stalls: needs --device"},
      {"what-if" + kAsked + "--merge-threads 2", "--merge-threads: needs --device"},
      {"what-if OPTIONS-000005 --check-decisions", "only a MANIFEST tells the decisions"},
      {"what-if" + kAsked + "--check-decisions", "--workload: does not apply"},
      {"what-if OPTIONS-000005 --check-decisions --set 'size_ratio=4|6'", "expected one value"},
      {"explain" + kAsked + "--format xml", "expected text or json"}};
  for (const auto& [command, message] : cases) {
    const Outcome outcome = cli.run(command);
    INFO(command << ": " << outcome.err);
    REQUIRE(outcome.exit_code == 2);
    REQUIRE(contains(outcome.err, message));
  }
}

}  // namespace
}  // namespace lsmlab::testing::what_if_test
