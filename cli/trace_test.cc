// `lsmlab trace` from outside.
#include <sstream>

#include "testing/cli.h"

namespace lsmlab::trace_verb_test {
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
  REQUIRE(contains(imported.out, "7 operations (3 puts, 1 delete, 2 gets, 1 scan) on 4 keys"));
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

TEST_CASE("a trace's profile is a workload at resolutions key and range, at any scale") {
  const Cli cli;
  REQUIRE(cli.run("trace generate load:entries=20k,update_fraction=50%,update_distribution=zipfian "
                  "-o a.trace")
              .exit_code == 0);
  const Outcome info = cli.run("trace info a.trace --profile p.json");
  INFO(info.err);
  REQUIRE(info.exit_code == 0);
  REQUIRE(contains(info.out, "wrote p.json: 20,000 operations, 10,000 inserted keys\n"));
  REQUIRE(contains(cli.read("p.json"), "\"distribution\": \"classes\""));
  const std::string simulate = "simulate -p lo+1:buffer=64KiB,file_size=64KiB --resolution ";
  for (const char* run :
       {"key -w profile:file=p.json", "key -w p.json", "range -w profile:file=p.json,scale=5"}) {
    const Outcome outcome = cli.run(simulate + run + " --out r.json");
    INFO(run << ": " << outcome.err);
    REQUIRE(outcome.exit_code == 0);
  }
  REQUIRE(contains(cli.read("r.json"), "\"puts\": 100000"));
  REQUIRE(cli.run("trace generate profile:file=p.json,scale=2 -o b.trace").exit_code == 0);
  REQUIRE(contains(cli.run("trace info b.trace").out, "operations     40,000"));
  REQUIRE(contains(cli.run("workloads").out, "profile:file=FILE"));
  REQUIRE(contains(cli.run("workloads show profile").out, "scale=1"));
}

TEST_CASE("faults of profiles are one clear line") {
  const Cli cli;
  REQUIRE(cli.run("trace generate load:entries=100 -o a.trace").exit_code == 0);
  cli.write("get.txt", "Q apple\n");
  REQUIRE(cli.run("trace import get.txt --format kv-workload -o get.trace").exit_code == 0);
  cli.write("bad.json", R"({"phases": [{"operations": 9, "mix": {"insert": 1, "update": 1},
      "update_keys": {"distribution": "classes", "classes": [[1, 0.5]]}}]})");
  const std::pair<const char*, const char*> cases[] = {
      {"trace info a.trace --profile -", "--profile: expected a file"},
      {"trace info a.trace --profile a.trace", "--profile"},
      {"trace info get.trace --profile p.json", "a profile needs puts"},
      {"simulate -p lo+1 -w profile", "workload 'profile' needs file=FILE"},
      {"simulate -p lo+1 -w profile:fil=x", "did you mean 'file'"},
      {"simulate -p lo+1 -w profile:file=none.json", "none.json"},
      {"simulate -p lo+1 -w profile:file=bad.json",
       "bad.json: phases[0].update_keys.classes: the shares of accesses add up to 0.5; expected 1"},
      {"simulate -p lo+1 -w profile:file=bad.json,scale=0", "scale"},
      {"simulate -p binomial -w profile:file=bad.json --resolution flush", "resolution 'flush'"},
      {"trace generate profile:file=bad.json -o bad.json", "bad.json"},
  };
  for (const auto& [arguments, words] : cases) {
    const Outcome outcome = cli.run(arguments);
    INFO(arguments << ": " << outcome.err);
    REQUIRE(outcome.exit_code == 2);
    REQUIRE(contains(outcome.err, words));
    REQUIRE(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  }
  REQUIRE(!cli.exists("p.json"));
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

TEST_CASE("the help of an import lists every format and whose it is") {
  const Cli cli;
  const std::string help = cli.run("trace import --help").out;
  const std::string fault = cli.run("trace import x --format ? -o t").err;
  const std::string before = "expected one of ";
  REQUIRE(contains(fault, before));
  std::istringstream names(fault.substr(fault.find(before) + before.size()));
  std::size_t formats = 0;
  for (std::string name; names >> name; ++formats) {
    if (name.ends_with(',')) name.pop_back();
    INFO(name);
    const std::size_t line = help.find("\n  " + name + ' ');
    REQUIRE(line != std::string::npos);
    const std::size_t summary = help.find_first_not_of(' ', line + 3 + name.size());
    REQUIRE(help.at(summary) != '\n');
  }
  REQUIRE(formats > 1);
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
      {"simulate -p none -w load --resolution flush", "consists of operations"},
      {"simulate -p none -w none.trace", "none.trace"},
      {"simulate -p none -w trace", "needs path"},
      {"simulate -p none -w trace:file=x", "unknown parameter 'file'; expected one of path"},
      {"simulate -p tier -w zzzz", "unknown workload 'zzzz'; expected one of flushes, "},
      {"simulate -p tier -w lod", "unknown workload 'lod'; did you mean 'load'?"},
      {"replay -p tier -w lod --dir t", "unknown workload 'lod'; did you mean 'load'?"},
      {"trace generate load:entries=9 -o -", "--out: expected a file"},
      {"trace generate load:entries=9 -o /dev/null", "not a regular file"},
      {"trace export notrace -o -", "--out: expected a file"},
      {"trace info notrace", "notrace"},
      {"trace info none.trace", "none.trace"},
      {"trace export notrace -o x", "notrace"},
      {"trace export notrace --format cvs -o x", "did you mean 'csv'"},
      {"trace", "no verb; expected one of generate, import, info, export"},
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
  REQUIRE(contains(skipped.out, "left out: 1 operation that"));
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

TEST_CASE("an import that is stopped by its first signal leaves nothing behind") {
  const Cli cli;
  std::string rows = "key,op,size,op_count\n";
  for (int i = 0; i < 1000; ++i) rows += "k" + std::to_string(i) + ",SET,9,1000000\n";
  cli.write("rows.csv", rows);
  REQUIRE(cli.shell("mkdir tmp").exit_code == 0);
  const std::string import = std::string("'") + LSMLAB_BINARY +
                             "' trace import rows.csv --format cachelib --tmp tmp -o out.trace";
  const Outcome stopped = cli.shell("timeout --signal=TERM --preserve-status 0.5 " + import);
  INFO(stopped.err);
  REQUIRE(stopped.exit_code == 143);
  REQUIRE(contains(stopped.err, "stopped; out.trace was not written"));
  REQUIRE(cli.shell("ls tmp out.trace* 2>/dev/null | grep -v tmp").out.empty());
  REQUIRE(cli.shell("timeout --signal=KILL 0.5 " + import).exit_code != 0);
  REQUIRE(cli.shell("ls tmp").out.empty());
  cli.write("bomb.csv", "key,op,size,op_count\nk,SET,9,100000000\n");
  const Outcome refused = cli.run("trace import bomb.csv --format cachelib -o out.trace");
  REQUIRE(refused.exit_code == 2);
  REQUIRE(contains(refused.err, "bomb.csv: line 2: op_count 100000000 expands this row to "));
}

TEST_CASE("a file limit is an error of the machine that names the file, and leaves nothing") {
  const Cli cli;
  const Outcome limited = cli.shell("ulimit -f 64 && '" + std::string(LSMLAB_BINARY) +
                                    "' trace generate load:entries=1M -o out.trace");
  INFO(limited.err);
  REQUIRE(limited.exit_code == 3);
  REQUIRE(contains(limited.err, "out.trace: cannot be written: File too large"));
  REQUIRE(cli.shell("ls out.trace* 2>/dev/null").out.empty());
}

TEST_CASE("no verb writes over what it reads, be it by links") {
  const Cli cli;
  cli.write("w.txt", kWorkload);
  REQUIRE(cli.run("trace import w.txt --format kv-workload -o w.trace").exit_code == 0);
  REQUIRE(cli.run("simulate -p tier -w load:entries=1k -o r.json --log p.log").exit_code == 0);
  cli.write("phases.json", R"({"phases":[{"operations":10,"mix":{"insert":1}}]})");
  cli.write("sizes", "4096\n");
  cli.write("flushes.json",
            R"({"workload":"flushes","parameters":{"distribution":"file","path":"sizes"}})");
  for (const char* file : {"w.txt", "w.trace", "r.json", "p.log", "phases.json", "sizes"}) {
    const std::string name = file;
    REQUIRE(cli.shell("ln " + name + " hard-" + name + " && ln -s " + name + " soft-" + name)
                .exit_code == 0);
  }
  const std::vector<std::pair<std::string, std::string>> cases{
      {"w.txt", "trace import w.txt --format kv-workload -o "},
      {"w.trace", "trace export w.trace -o "},
      {"w.trace", "simulate -p tier -w w.trace --out "},
      {"w.trace", "simulate -p tier -w trace:path=w.trace --log "},
      {"w.trace", "replay -p tier -w w.trace --dir db --out "},
      {"p.log", "simulate -p tier:replay_log=p.log -w load:entries=1k --log "},
      {"phases.json", "trace generate phases.json -o "},
      {"phases.json", "simulate -p tier -w phases.json -o "},
      {"sizes", "simulate -p bigtable -w flushes:distribution=file,path=sizes -o "},
      {"sizes", "simulate -p bigtable -w flushes.json -o "},
      {"r.json", "report r.json -o "},
      {"r.json", "report . -o "}};
  for (const auto& [file, arguments] : cases) {
    const std::string before = cli.read(file);
    for (const char* prefix : {"", "hard-", "soft-", "./"}) {
      const Outcome refused = cli.run(arguments + prefix + file);
      INFO(arguments << prefix << file << "\n" << refused.err);
      REQUIRE(refused.exit_code == 2);
      REQUIRE(contains(refused.err, prefix + file + " is the input "));
      REQUIRE(cli.read(file) == before);
    }
  }
  const Outcome twice = cli.run("simulate -p tier -w load:entries=1k -o r.json --log hard-r.json");
  REQUIRE(contains(twice.err, "--out and --log name the same output"));
}

TEST_CASE("a trace's provenance cannot drive the terminal") {
  const Cli cli;
  const std::string name =
      "\xc2\x9b"
      "31m\xe2\x80\xae";  // the control code CSI (C1), and a change of text direction
  cli.write(name, kWorkload);
  const Outcome imported = cli.run("trace import '" + name + "' --format kv-workload -o w.trace");
  INFO(imported.err);
  REQUIRE(imported.exit_code == 0);
  const Outcome info = cli.run("trace info w.trace");
  INFO(info.out);
  REQUIRE(contains(info.out, R"(\xC2\x9B31m\xE2\x80\xAE)"));
  REQUIRE_FALSE(contains(info.out, "\xc2\x9b"));
  const Outcome wrote = cli.run("trace export w.trace -o '" + name + ".csv'");
  REQUIRE(wrote.exit_code == 0);
  REQUIRE(contains(wrote.out, R"(wrote \xC2\x9B31m)"));
}

}  // namespace
}  // namespace lsmlab::trace_verb_test
