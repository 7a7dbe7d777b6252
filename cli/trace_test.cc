// `lsmlab trace` from outside.
#include "testing/cli.h"

namespace {

using lsmlab::testing::Cli;
using lsmlab::testing::contains;
using lsmlab::testing::Outcome;

constexpr const char* kWorkload =
    "I apple one\nI pear three\nU apple 22\nQ apple\nQ fig\nD pear \nS a m\n";

TEST_CASE("a trace is imported, described and exported") {
  const Cli cli;
  cli.write("w.txt", kWorkload);
  const Outcome imported = cli.run("trace import w.txt --format kv-workload -o w.trace");
  INFO(imported.err);
  REQUIRE(imported.exit_code == 0);
  REQUIRE(contains(imported.out, "7 operations (3 puts, 1 deletes, 2 gets, 1 scans) on 4 keys"));
  const Outcome info = cli.run("trace info w.trace");
  REQUIRE(info.exit_code == 0);
  REQUIRE(contains(info.out, "operations     7 (3 puts"));
  REQUIRE(contains(info.out, "distinct keys  3"));
  REQUIRE(contains(info.out, "value bytes    mean 3.3, from 2 to 5"));
  REQUIRE(contains(info.out, "w.txt"));
  const Outcome exported = cli.run("trace export w.trace --format csv -o w.csv");
  REQUIRE(exported.exit_code == 0);
  const std::string csv = cli.read("w.csv");
  REQUIRE(csv.starts_with("kind,key,key_bytes,value_bytes,scan_last_key,scan_entries_max\n"));
  REQUIRE(std::count(csv.begin(), csv.end(), '\n') == 8);
}

TEST_CASE("a workload's operations are generated, the same for the same seed") {
  const Cli cli;
  const std::string generate = "trace generate load:entries=20k,update_fraction=30% ";
  const Outcome outcome = cli.run(generate + "--seed 7 -o a.trace");
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  REQUIRE(contains(outcome.out, "20,000 operations (20,000 puts"));
  REQUIRE(cli.run(generate + "--seed 7 -o b.trace").exit_code == 0);
  REQUIRE(cli.run(generate + "--seed 8 -o c.trace").exit_code == 0);
  REQUIRE(cli.read("a.trace") == cli.read("b.trace"));
  REQUIRE(cli.read("a.trace") != cli.read("c.trace"));
  const Outcome info = cli.run("trace info a.trace");
  REQUIRE(contains(info.out, "distinct keys  14,000"));
  REQUIRE(contains(info.out, "update_fraction"));
  REQUIRE(cli.run("workloads show load").exit_code == 0);
  REQUIRE(cli.shell("ln -s a.trace link.trace").exit_code == 0);
  REQUIRE(cli.run(generate + "--seed 8 -o link.trace").exit_code == 0);
  REQUIRE(cli.read("a.trace") == cli.read("c.trace"));
  REQUIRE(contains(cli.run("workloads").out, "ycsb-a"));
}

TEST_CASE("bad traces and arguments are refused, and leave nothing behind") {
  const Cli cli;
  cli.write("bad.txt", "I a b\nX\n");
  cli.write("ranges.txt", "I a b\nR a c\n");
  cli.write("notrace", "this is no trace file at all, whatever its length may be");
  const std::vector<std::pair<std::string, std::string>> cases{
      {"trace import bad.txt --format kv-workload -o t", "bad.txt: line 2"},
      {"trace import ranges.txt --format kv-workload -o t", "ranges.txt: line 2"},
      {"trace import bad.txt --format kv-workloda -o t", "did you mean 'kv-workload'"},
      {"trace import none.txt --format ycsb -o t", "none.txt"},
      {"trace import bad.txt --format ycsb", "--out is required"},
      {"trace import bad.txt --format ycsb -o t --memory 5", "memory"},
      {"trace generate laod -o t", "did you mean 'load'"},
      {"trace generate load:entries=0 -o t", "entries"},
      {"trace generate load --seed x -o t", "--seed"},
      {"trace generate none.json -o t", "none.json: No such file"},
      {"simulate -p none -w load --resolution flush", "is one of operations"},
      {"simulate -p none -w none.trace", "none.trace"},
      {"simulate -p none -w trace", "needs path"},
      {"simulate -p none -w trace:file=x", "unknown parameter 'file'"},
      {"trace generate load:entries=9 -o -", "--out: expected a file"},
      {"trace generate load:entries=9 -o /dev/null", "no regular file"},
      {"trace export notrace -o -", "--out: expected a file"},
      {"trace info notrace", "notrace"},
      {"trace info none.trace", "none.trace"},
      {"trace export notrace -o x", "notrace"},
      {"trace export notrace --format cvs -o x", "did you mean 'csv'"},
      {"trace", "subcommand"},
      {"trace inof x", "did you mean 'info'"}};
  for (const auto& [arguments, message] : cases) {
    const Outcome outcome = cli.run(arguments);
    INFO(arguments << "\n" << outcome.err);
    REQUIRE(outcome.exit_code == 2);
    REQUIRE(contains(outcome.err, message));
    REQUIRE(!cli.exists("t"));
    REQUIRE(!cli.exists("x"));
  }
  const Outcome skipped =
      cli.run("trace import ranges.txt --format kv-workload -o t --skip-unsupported");
  REQUIRE(skipped.exit_code == 0);
  REQUIRE(contains(skipped.out, "left out: 1 operations"));
}

TEST_CASE("a damaged trace is told with its block and offset, and salvaged before it") {
  const Cli cli;
  cli.write("w.txt", kWorkload);
  REQUIRE(cli.run("trace import w.txt --format kv-workload -o w.trace").exit_code == 0);
  REQUIRE(cli.shell("head -c -10 w.trace > cut.trace").exit_code == 0);
  const Outcome refused = cli.run("trace info cut.trace");
  INFO(refused.err);
  REQUIRE(refused.exit_code == 2);
  REQUIRE(contains(refused.err, "cut.trace"));
  REQUIRE(contains(refused.err, "block"));
  const Outcome salvaged = cli.run("trace info cut.trace --salvage");
  REQUIRE(salvaged.exit_code == 2);
  REQUIRE(contains(salvaged.out, "operations     7"));
  REQUIRE(contains(salvaged.err, "cut.trace"));
}

TEST_CASE("a trace that is stopped while it is written leaves nothing behind") {
  const Cli cli;
  const Outcome stopped =
      cli.shell(std::string("timeout --signal=INT --preserve-status 0.5 '") + LSMLAB_BINARY +
                "' trace generate load:entries=1G -o big.trace");
  INFO(stopped.err);
  REQUIRE(stopped.exit_code == 130);
  REQUIRE(contains(stopped.err, "stopped; big.trace was not written"));
  REQUIRE(cli.shell("ls big.trace* 2>/dev/null | wc -l").out == "0\n");
}

}  // namespace
