// The binary as its users meet it: outputs, messages and exit codes.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "testing/cli.h"

namespace lsmlab::cli_test {
namespace {

using Json = nlohmann::ordered_json;
using lsmlab::testing::Cli;
using lsmlab::testing::contains;
using lsmlab::testing::Outcome;

const std::string kRun = "simulate --policy binomial:k=4 --workload flushes:count=1000,size=1 ";

void write_bad_files(const Cli& cli) {
  cli.write("bad.txt", "10\nten\n");
  cli.write("empty.txt", "");
  cli.write("broken.json", "{");
  cli.write("deep.json", std::string(100, '[') + std::string(100, ']'));
  cli.write("odd.json",
            R"({"schema": "lsmlab.result/1", "policy": {}, "workload": {}, "series": {},)"
            R"( "totals": {"flushes": 1}, "amplification": {}})");
  REQUIRE(cli.shell("mkdir empty").exit_code == 0);
}

// Arguments of lsmlab, and a part of the error that they cause.
using RefusedCases = std::vector<std::pair<std::string, std::string>>;

void require_refused(const Cli& cli, const RefusedCases& cases) {
  for (const auto& [arguments, message] : cases) {
    const Outcome outcome = cli.run(arguments);
    INFO("lsmlab " << arguments << "\n" << outcome.err);
    REQUIRE(outcome.exit_code == 2);
    REQUIRE(contains(outcome.err, message));
    REQUIRE(outcome.err.starts_with("lsmlab: "));
    REQUIRE(outcome.out.empty());
  }
}

TEST_CASE("bad input gets a message that names it, and exit code 2") {
  const Cli cli;
  write_bad_files(cli);
  const std::string policy = "simulate -w flushes -p ";
  const std::string workload = "simulate -p none -w ";
  require_refused(
      cli,
      {
          {policy + "binomail:k=4", "did you mean 'binomial'"},
          {policy + "binomial:k=0", "expected 1..1024"},
          {policy + "exploring:lambda=-1", "lambda: -1 is negative"},
          {policy + "binomial:k=99999999999999999999", "larger than 2^64"},
          {policy + "binomial:k=4,k=5", "given twice"},
          {policy + "binomial:", "is not a parameter"},
          {policy + "leveled --resolution flush", "decides by key ranges"},
          {policy + "/no/such.json", "No such file"},
          {policy + "broken.json", "broken.json: "},
          {policy + "/tmp/", "is a directory"},
          {workload + "flushs", "did you mean 'flushes'"},
          {workload + "flushes:count=0", "expected 1..2^62"},
          {workload + "flushes:size=0", "size: 0 is out of range"},
          {workload + "flushes:size=-1", "negative"},
          {workload + "flushes:count=99999999999999999999", "larger than 2^64"},
          {workload + "flushes:count=100G,size=1GiB", "more than 2^63 bytes"},
          {workload + "flushes:distribution=file,path=bad.txt", "bad.txt:2: 'ten' is not a number"},
          {workload + "flushes:distribution=file,path=empty.txt",
           "empty.txt: holds no flush sizes"},
          {workload + "flushes:distribution=file,path=/tmp", "is a directory"},
          {workload + "flushes:distribution=file,path=none.txt", "No such file"},
          {kRun + "--out /no/such/dir/r.json", "/no/such/dir/r.json: cannot be written"},
          {kRun + "--out /tmp", "Is a directory"},
          {kRun + "--log /no/such/dir/l", "cannot be written"},
          {kRun + "-p none --log l",
           "--log: takes the plan log of one run, and the command has 2 runs"},
          {kRun + "--resolution kye", "unknown resolution 'kye'"},
          {kRun + "--resolution key", "consists of flush sizes"},
          {kRun + "--cells 12 --resolution range", "12 is not a power of two from 1 to 256"},
          {kRun + "--cells 512 --resolution range", "not a power of two"},
          {kRun + "--cells 8", "runs at resolution 'flush', which has no cells"},
          {"simulate -w flushes -p binomial:buffer=8MiB",
           "'buffer' is for workloads of operations"},
          {"simulate -w flushes -p full:file_size=1MiB --resolution flush",
           "'file_size' cuts sorted runs into files"},
          {kRun + "--sede 3", "did you mean '--seed'"},
          {kRun + "--seed -1", "--seed"},
          {kRun + "--seed abc", "--seed"},
          {"simulate -p none", "--workload is required"},
          {"simulat", "did you mean 'simulate'"},
          {"", "lsmlab --help"},
          {"compare broken.json broken.json", "not JSON"},
          {"compare none.json broken.json", "none.json: No such file"},
          {"compare broken.json broken.json --tolerance x", "--tolerance: 'x' is not a share"},
          {"report broken.json", "not JSON"},
          {"report empty", "empty: holds no .json files"},
          {"report odd.json", "odd.json: result 1: "},
          {"compare deep.json deep.json", "nested more than 64 deep"},
          {kRun + "--out same --log same", "--out and --log name the same output"},
          {kRun + "--out - --log -", "--out and --log name the same output"},
          {kRun + "--out ''", "--out: is empty"},
          {kRun + "--seed 1 --seed 2", "--seed: takes one value"},
      });
}

TEST_CASE("a wrong command line is told what was found and what is expected") {
  const Cli cli;
  const std::string policy = "simulate -w flushes -p ";
  require_refused(
      cli, {
               {kRun + "--seed 1 --seed 2", "found 2 values: 1, 2"},
               {kRun + "--threads",
                "--threads: takes one value, and none is given; expected --threads N"},
               {kRun + "-j", "-j: takes one value, and none is given"},
               {kRun + "--threads 1025", "--threads: 1025 is out of range; expected 0..1024"},
               {kRun + "--threads two", "--threads: 'two' is not a whole number; expected 0..1024"},
               {kRun + "--threads --seed 3", "--threads: '--seed' is not a whole number"},
               {kRun + "--quiet=abc", "--quiet: found '--quiet=abc'; expected no value"},
               {kRun + "--write_buffer_size=67108864",
                "LevelDB's write_buffer_size=67108864 is buffer=64MiB of every policy"},
               {kRun + "--max_background_jobs 4", "is the option --merge-threads N"},
               {"simulate", "--workload is required"},
               {"simulate -w load", "--policy is required; expected --policy SPEC"},
               {"check -d x --read-only --recovery absolute", "exclude each other"},
               {"trace import", "INPUT and --format and --out are required"},
               {"policies show", "NAME is required"},
               {kRun + "extra", "unexpected argument 'extra'"},
               {policy + "'binomial:k=5||6'", "k: '' is not a number"},
               {"policies show binomail", "did you mean 'binomial'"},
               {"workloads show flushs", "did you mean 'flushes'"},
               {"policies shwo binomial", "did you mean 'show'"},
           });
}

TEST_CASE("a failed run leaves no output behind") {
  const Cli cli;
  const Outcome outcome = cli.run(
      "simulate -p none -w flushes:count=10,size=4000000TiB,distribution=exponential "
      "--out r.json --log l");
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 2);
  REQUIRE(contains(outcome.err, "2^63"));
  REQUIRE(cli.file_count() == 2);  // out and err
}

TEST_CASE("a single run is one object, several an array in the order given") {
  const Cli cli;
  REQUIRE(cli.run(kRun + "--out one.json").exit_code == 0);
  const Json one = Json::parse(cli.read("one.json"));
  REQUIRE(one["amplification"]["write_flushed"] == 8.841);
  const Outcome many = cli.run(
      "simulate -p 'min-latency:k=7|3' -p tiered:size_ratio=4 -w 'flushes:count=500|100,size=1' "
      "--out -");
  REQUIRE(many.exit_code == 0);
  const Json results = Json::parse(many.out);
  REQUIRE(results.size() == 6);
  REQUIRE(results[0]["policy"]["label"] == "min-latency k=7");
  REQUIRE(results[1]["policy"]["label"] == "min-latency k=3");
  REQUIRE(results[2]["policy"]["label"] == "tiered size_ratio=4");
  REQUIRE(results[3]["totals"]["flushes"] == 100);
}

TEST_CASE("without --out a table is printed") {
  const Cli cli;
  const Outcome outcome = cli.run(kRun);
  REQUIRE(outcome.exit_code == 0);
  REQUIRE(contains(outcome.out, "binomial k=4"));
  REQUIRE(contains(outcome.out, "8.841"));
  REQUIRE(outcome.err.empty());
}

TEST_CASE("the same command gives the same JSON, run aside, on any number of threads") {
  const Cli cli;
  const std::string command =
      "simulate -p 'exploring:k=4|5' -p accumulo -w flushes:count=3000,distribution=lognormal "
      "--seed 9 --out ";
  REQUIRE(cli.run(command + "a.json").exit_code == 0);
  REQUIRE(cli.run(command + "b.json --threads 1").exit_code == 0);
  Json a = Json::parse(cli.read("a.json"));
  Json b = Json::parse(cli.read("b.json"));
  for (Json* results : {&a, &b}) {
    for (Json& result : *results) result.erase("run");
  }
  REQUIRE(a.dump() == b.dump());
}

TEST_CASE("the plan log has a line a plan") {
  const Cli cli;
  REQUIRE(
      cli.run("simulate -p constant:k=2 -w flushes:count=6,size=5 --log plans.jsonl --out r.json")
          .exit_code == 0);
  const std::string log = cli.read("plans.jsonl");
  REQUIRE(std::count(log.begin(), log.end(), '\n') == 6);
  REQUIRE(contains(log, R"("plan":"merge","reason":"depth-bound","flush":3,"memtable_bytes":5)"));
  REQUIRE(Json::parse(cli.read("r.json"))["totals"]["merges"] == 2);
}

TEST_CASE("an unreadable end of a pipe is a clear error and exit code 3") {
  const Cli cli;
  const Outcome outcome =
      cli.shell(std::string("{ '") + LSMLAB_BINARY +
                "' simulate -p 'binomial:k=4|5|6|7' -w flushes:count=100k --out - ; "
                "echo $? > code ; } | true");
  INFO(outcome.err);
  REQUIRE(contains(outcome.err, "standard output: cannot be written: Broken pipe"));
  REQUIRE(contains(cli.read("code"), "3"));
}

TEST_CASE("a full disk is a clear error and exit code 3") {
  const Cli cli;
  const Outcome outcome = cli.run(kRun + "--out /dev/full");
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 3);
  REQUIRE(contains(outcome.err, "/dev/full: cannot be written: No space left on device"));
}

TEST_CASE("a file that fails while it is read is the machine's fault") {
  const Cli cli;
  for (const std::string arguments :
       {"compare /proc/self/mem /proc/self/mem", "report /proc/self/mem",
        "simulate -w flushes -p /proc/self/mem",
        "simulate -p none -w flushes:distribution=file,path=/proc/self/mem"}) {
    const Outcome outcome = cli.run(arguments);
    INFO(arguments << outcome.err);
    REQUIRE(outcome.exit_code == 3);
    REQUIRE(contains(outcome.err, "/proc/self/mem: cannot be read"));
  }
}

TEST_CASE("an existing output keeps its mode and its place behind a link") {
  const Cli cli;
  REQUIRE(cli.shell("echo old > target && chmod 640 target && ln -s target link").exit_code == 0);
  REQUIRE(cli.run(kRun + "--out link").exit_code == 0);
  REQUIRE(Json::parse(cli.read("target"))["schema"] == "lsmlab.result/1");
  REQUIRE(cli.shell("test -L link && stat -c %a target").out == "640\n");
}

TEST_CASE("standard output by its name, and a named pipe, are written directly") {
  const Cli cli;
  const Outcome named = cli.run(kRun + "--out /dev/stdout");
  REQUIRE(named.exit_code == 0);
  REQUIRE(contains(named.out, "\"schema\": \"lsmlab.result/1\""));
  const Outcome piped = cli.shell(std::string("mkfifo pipe && { cat pipe > copy & } && '") +
                                  LSMLAB_BINARY + "' " + kRun + "--out pipe && wait");
  REQUIRE(piped.exit_code == 0);
  REQUIRE(Json::parse(cli.read("copy"))["complete"] == true);
}

TEST_CASE("a closed standard output is an error, and nothing else is written in its place") {
  const Cli cli;
  const Outcome outcome =
      cli.shell(std::string("'") + LSMLAB_BINARY + "' " + kRun + "--out r.json >&-");
  REQUIRE(outcome.exit_code == 3);
  REQUIRE(contains(outcome.err, "standard output: cannot be written"));
  REQUIRE(Json::parse(cli.read("r.json"))["complete"] == true);
}

TEST_CASE("a run killed halfway leaves the old result as it was") {
  const Cli cli;
  cli.write("r.json", "old");
  const Outcome outcome =
      cli.shell(std::string("timeout --signal=KILL 0.3 '") + LSMLAB_BINARY +
                "' simulate -p binomial:k=6 -w flushes:count=1T,size=1 --out r.json; true");
  INFO(outcome.err);
  REQUIRE(cli.read("r.json") == "old");
}

TEST_CASE("memory does not grow with the number of flushes") {
#if !defined(__SANITIZE_ADDRESS__)
  const Cli cli;
  REQUIRE(cli.run("simulate -p min-latency:k=6 -w flushes:count=20M --out r.json").exit_code == 0);
  const Json result = Json::parse(cli.read("r.json"));
  REQUIRE(result["run"]["process_peak_memory_bytes"].get<std::uint64_t>() < std::uint64_t{64}
                                                                                << 20);
#endif
}

TEST_CASE("Ctrl-C ends the search for the floor too") {
  const Cli cli;
  const Outcome outcome =
      cli.shell(std::string("timeout --signal=INT --preserve-status 1 '") + LSMLAB_BINARY +
                "' simulate -p 'exploring:k=50|51|52|53|54|55|56|57|58|59|60|61|62|63' -w "
                "flushes:count=5000,distribution=lognormal --threads 1 --out r.json");
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 130);
  REQUIRE(Json::parse(cli.read("r.json")).size() == 14);
}

TEST_CASE("Ctrl-C in a long run keeps what there is, marked incomplete") {
  const Cli cli;
  const Outcome outcome = cli.shell(
      std::string("timeout --signal=INT --preserve-status 1 '") + LSMLAB_BINARY +
      "' simulate -p binomial:k=6 -p none -w flushes:count=1T,size=1 --threads 1 --out r.json");
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 130);
  REQUIRE(contains(outcome.err, "stopped early"));
  const Json results = Json::parse(cli.read("r.json"));
  REQUIRE(results[0]["complete"] == false);
  REQUIRE(results[0]["totals"]["flushes"].get<std::uint64_t>() > 0);
  REQUIRE(results[0]["series"]["flushes"].back() == results[0]["totals"]["flushes"]);
  REQUIRE(results[1]["complete"] == false);
}

TEST_CASE("Ctrl-C keeps what there is at resolution range") {
  const Cli cli;
  for (const std::string workload : {"flushes:count=1T,size=4MiB", "ycsb-a:records=1T",
                                     "load:entries=1T,value_bytes=1000 --device nvme"}) {
    INFO(workload);
    const Outcome outcome =
        cli.shell(std::string("timeout --signal=INT --preserve-status 1 '") + LSMLAB_BINARY +
                  "' simulate -p lo+1 -w " + workload + " --resolution range --out r.json");
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 130);
    const Json result = Json::parse(cli.read("r.json"));
    REQUIRE(result["resolution"] == "range");
    REQUIRE(result["complete"] == false);
    REQUIRE(result["totals"]["flushes"].get<std::uint64_t>() > 0);
    REQUIRE(result["series"]["flushes"].back() == result["totals"]["flushes"]);
  }
}

TEST_CASE("compare tells differences and keeps a tolerance") {
  const Cli cli;
  REQUIRE(cli.run(kRun + "--out a.json").exit_code == 0);
  REQUIRE(cli.run("simulate -p binomial:k=5 -w flushes:count=1000,size=1 --out b.json").exit_code ==
          0);
  REQUIRE(cli.run("compare a.json a.json --tolerance 0").exit_code == 0);
  const Outcome differing = cli.run("compare a.json b.json");
  REQUIRE(differing.exit_code == 0);
  REQUIRE(contains(differing.out, "totals.merge_bytes_written"));
  REQUIRE(contains(differing.out, "policy.parameters.k: 4 -> 5"));
  const Outcome beyond = cli.run("compare a.json b.json --tolerance 1%");
  REQUIRE(beyond.exit_code == 1);
  REQUIRE(contains(beyond.out, "1 of 1 results differ by more than 1%"));
  cli.write("two.json", "[" + cli.read("a.json") + "," + cli.read("b.json") + "]");
  REQUIRE(cli.run("compare a.json two.json").exit_code == 2);
}

TEST_CASE("report takes a directory of results") {
  const Cli cli;
  REQUIRE(cli.shell("mkdir results").exit_code == 0);
  REQUIRE(cli.run(kRun + "--out results/a.json").exit_code == 0);
  REQUIRE(cli.run("simulate -p none -w flushes:count=9 --out results/b.json").exit_code == 0);
  const Outcome outcome = cli.run("report results/ -o page.html");
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  REQUIRE(contains(outcome.out, "2 results"));
}

TEST_CASE("several workloads are told apart in the table") {
  const Cli cli;
  const Outcome outcome = cli.run("simulate -p constant:k=2 -w 'flushes:count=3,size=1|2'");
  REQUIRE(outcome.exit_code == 0);
  REQUIRE(contains(outcome.out, "flushes:count=3,size=1,distribution=constant"));
  REQUIRE(contains(outcome.out, "flushes:count=3,size=2,distribution=constant"));
}

TEST_CASE("report writes one page") {
  const Cli cli;
  REQUIRE(cli.run(kRun + "--out a.json").exit_code == 0);
  const Outcome outcome = cli.run("report a.json -o page.html --title 'a < b'");
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  REQUIRE(contains(outcome.out, "wrote page.html (1 result)\n"));
  const std::string page = cli.read("page.html");
  REQUIRE(contains(page, "<svg"));
  REQUIRE(contains(page, "a &lt; b"));
  REQUIRE(cli.run("report a.json -o /no/such/page.html").exit_code == 2);
}

TEST_CASE("help and listings name everything and succeed") {
  const Cli cli;
  for (const std::string command :
       {"--help", "policies", "policies list", "workloads", "devices", "--version"}) {
    INFO(command);
    const Outcome outcome = cli.run(command);
    REQUIRE(outcome.exit_code == 0);
    REQUIRE(!outcome.out.empty());
    REQUIRE(outcome.err.empty());
  }
  for (const std::string verb :
       {"",           "simulate",     "replay",   "validate",       "calibrate",
        "check",      "dump",         "inspect",  "explain",        "what-if",
        "compare",    "report",       "trace",    "trace generate", "trace import",
        "trace info", "trace export", "policies", "policies list",  "policies show",
        "workloads",  "devices"}) {
    INFO(verb);
    const Outcome outcome = cli.run(verb + " --help");
    REQUIRE(outcome.exit_code == 0);
    REQUIRE(contains(outcome.out, "Exit codes:\n  0    "));
    REQUIRE(outcome.err.empty());
  }
  const std::string policies = cli.run("policies").out;
  for (const std::string name : {"bigtable", "binomial", "constant", "exploring", "ldc", "leveldb",
                                 "leveldb-defaults", "leveled", "leveled-full", "min-latency",
                                 "none", "prefix", "ratio-based", "tiered", "accumulo", "udc"}) {
    REQUIRE(contains(policies, name));
    REQUIRE(cli.run("policies show " + name).exit_code == 0);
  }
  const std::string exploring = cli.run("policies show exploring").out;
  REQUIRE(contains(exploring, "lambda=1.2"));
  // The stall rules of its system, without those that have no effect.
  REQUIRE(contains(exploring, "full_memtables_max=2"));
  REQUIRE(!contains(exploring, "level0_stop_runs"));
  const std::string leveldb = cli.run("policies show leveldb").out;
  REQUIRE(contains(leveldb, "level0_stop_runs=12"));
  // The store's options with the policy's own defaults.
  REQUIRE(contains(leveldb, "pre_remove=files "));
  REQUIRE(contains(cli.run("policies show cassandra-stcs").out, "pre_remove=filters "));
  REQUIRE(contains(leveldb, "memtable=versions "));
  REQUIRE(contains(cli.run("policies show scylla-ics").out, "memtable=in-place "));
  REQUIRE(contains(cli.run("workloads show flushes").out, "lognormal"));
}

}  // namespace
}  // namespace lsmlab::cli_test
