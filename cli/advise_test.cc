#include <nlohmann/json.hpp>

#include "testing/cli.h"

namespace lsmlab::testing::advise_test {
namespace {

constexpr const char* kOptions =
    "[Version]\nrocksdb_version=8.4.1\n[DBOptions]\nmax_background_jobs=2\n"
    "[CFOptions \"default\"]\ncompaction_style=kCompactionStyleLevel\nwrite_buffer_size=65536\n"
    "target_file_size_base=65536\nmax_bytes_for_level_base=262144\n"
    "compression=kNoCompression\n";
const std::string kSmall = "advise -q -w flushes:count=100,size=1MiB -p binomial ";

TEST_CASE("lsmlab advise prints the best, the front, and a command that gives the same figures") {
  const Cli cli;
  const Outcome outcome =
      cli.run(kSmall + "-p tiered --where 'read_max<=5' --out a.json --csv a.csv");
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  REQUIRE(contains(outcome.out, "best by write, with read_max<=5"));
  REQUIRE(contains(outcome.out, "Pareto front of write, read_mean, space"));
  const auto answer = nlohmann::json::parse(cli.read("a.json"));
  REQUIRE(answer["schema"] == "lsmlab.advice/1");
  REQUIRE(answer["complete"] == true);
  const auto best = answer["candidates"][answer["best"].get<std::size_t>()];
  REQUIRE(best["satisfies"] == true);
  const std::string command = answer["command"];
  REQUIRE(contains(outcome.out, command));
  const std::string program = "lsmlab ";
  REQUIRE(command.starts_with(program));
  const Outcome again = cli.run(command.substr(program.size()) + " -q --out r.json");
  INFO(again.err);
  REQUIRE(again.exit_code == 0);
  const auto result = nlohmann::json::parse(cli.read("r.json"));
  REQUIRE(result["amplification"]["write"] == best["figures"]["write"]);
  REQUIRE(contains(cli.read("a.csv"), "amplification.write"));
}

TEST_CASE("lsmlab advise draws a picture") {
  const Cli cli;
  const Outcome outcome = cli.run(kSmall + "--plot front.svg");
  INFO(outcome.err);
  if (contains(outcome.err, "gnuplot was not found")) return;
  REQUIRE(outcome.exit_code == 0);
  const std::string svg = cli.read("front.svg");
  REQUIRE(svg.starts_with("<svg "));
  REQUIRE(contains(svg, "Pareto front"));
}

TEST_CASE("lsmlab advise exits with 1 and shows the nearest where no candidate will do") {
  const Cli cli;
  const Outcome outcome = cli.run(kSmall + "--where 'read_max<=1' --where 'write<=2'");
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 1);
  REQUIRE(contains(outcome.out, "no candidate satisfies every condition"));
  REQUIRE(contains(outcome.out, "read_max<=1: it has"));
}

TEST_CASE("lsmlab advise --dry-run lists candidates and values, and simulates nothing") {
  const Cli cli;
  const Outcome outcome =
      cli.run("advise -w load:entries=1000G -p tiered --vary size_ratio=3,7 --dry-run");
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  REQUIRE(contains(outcome.out, "2 candidates in the first round"));
  REQUIRE(contains(outcome.out, "\n  tiered:size_ratio=7"));
}

TEST_CASE("lsmlab advise compares a store's options with others") {
  const Cli cli;
  cli.write("OPTIONS-000005", kOptions);
  const Outcome outcome =
      cli.run("advise --store OPTIONS-000005 -w load:entries=20k -q -p rocksdb-universal --out -");
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  REQUIRE(contains(outcome.err, "today's options"));
  const auto answer = nlohmann::json::parse(outcome.out);
  REQUIRE(answer["candidates"][0]["round"] == "today");
  REQUIRE(contains(answer["question"]["today"].get<std::string>(), "buffer=64KiB"));
  REQUIRE(contains(answer["candidates"][1]["policy"].get<std::string>(), "buffer=64KiB"));
}

TEST_CASE("what lsmlab advise cannot answer is said, with exit code 2") {
  const Cli cli;
  const std::pair<std::string, std::string> cases[] = {
      {"advise", "give the workload with -w, or a store with --store"},
      {"advise -w load --family x", "--family: needs --store"},
      {kSmall + "--minimize wirte", "did you mean 'write'"},
      {kSmall + "--minimize put_p99", "add --device"},
      {kSmall + "--where 'throughput>=1000'", "add --device"},
      {kSmall + "--vary kk=2,4", "no policy that is searched has this parameter"},
      {kSmall + "--vary k=2 --vary k=4", "given twice"},
      {kSmall + "--vary k=0", "--vary k: "},
      {kSmall + "--memory 1GiB", "--memory: filters take memory for each key"},
      {kSmall + "--memory lots", "--memory: "},
      {kSmall + "--budget 0", "--budget"},
      {kSmall + "--plot front.png", "ends in .svg"},
      {kSmall + "--out a --csv a", "--out and --csv name the same output"},
      {kSmall + "--out a --dry-run", "--dry-run simulates nothing"},
      {kSmall + "--clients closed:clients=4", "--clients: needs --device"},
      {"advise --store nowhere", "No such file"}};
  for (const auto& [command, message] : cases) {
    const Outcome outcome = cli.run(command);
    INFO(command << ": " << outcome.err);
    REQUIRE(outcome.exit_code == 2);
    REQUIRE(contains(outcome.err, message));
  }
}

}  // namespace
}  // namespace lsmlab::testing::advise_test
