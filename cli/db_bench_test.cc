// Lines of db_bench, lines and files of YCSB and specs of Tectonic, from outside.
#include <algorithm>

#include "testing/catch.h"
#include "testing/cli.h"

namespace lsmlab::db_bench_verb_test {
namespace {

using lsmlab::testing::Cli;
using lsmlab::testing::contains;
using lsmlab::testing::Outcome;

TEST_CASE("a line of db_bench is explained, simulated, replayed and written as a trace") {
  const Cli cli;
  cli.write(
      "line.txt",
      "./db_bench --benchmarks=fillrandom,stats,readrandom --num=20000 --reads=50 --seed=3 \\\n"
      "  --write_buffer_size=200000 --compression_type=none --statistics 2>&1 | tee log\n");
  const Outcome shown = cli.run("workloads show db_bench:file=line.txt");
  INFO(shown.err);
  REQUIRE(shown.exit_code == 0);
  REQUIRE(contains(shown.out, "fillrandom               20,000 operations"));
  REQUIRE(contains(shown.out, "-p db_bench is rocksdb-leveled:size_ratio=10,file_size=64MiB"));
  REQUIRE(contains(shown.out, "stats has no operations: prints figures"));
  REQUIRE(contains(shown.out, "ignored, without effect on the bytes:\n  statistics=true\n"));
  const std::string run = " -p db_bench -w db_bench:file=line.txt --out ";
  for (const char* verb :
       {"simulate", "simulate --resolution range", "replay --dir d", "simulate --device nvme"}) {
    const bool is_replay = std::string_view(verb).starts_with("replay");
    const std::string policy =
        is_replay ? " -p db_bench:table_format=lsmlab -w db_bench:file=line.txt --out " : run;
    const Outcome outcome = cli.run(verb + policy + "r.json");
    INFO(verb << ": " << outcome.err);
    REQUIRE(outcome.exit_code == 0);
    REQUIRE(contains(cli.read("r.json"), "\"puts\": 20000"));
    REQUIRE(contains(cli.read("r.json"), "\"flags_without_effect_on_bytes\": \"statistics=true\""));
  }
  REQUIRE(cli.run("trace generate db_bench:file=line.txt -o line.trace").exit_code == 0);
  REQUIRE(contains(cli.run("trace info line.trace").out, "operations     20,050"));
  REQUIRE(contains(cli.run("workloads").out, "db_bench:\"--benchmarks=...\""));
  REQUIRE(contains(cli.run("workloads show db_bench").out, "writer_puts"));
}

// db_bench 7.8.3 with snappy 1.1.9 left a file of 64,426,208 bytes, and without compression of the
// index one of 64,667,037.
TEST_CASE("the file of a compacted store is as large as that of RocksDB, index included") {
  const Cli cli;
  const Outcome outcome = cli.run(
      "simulate -p db_bench -w 'db_bench:\"--benchmarks=filluniquerandom,compact --num=1000000 "
      "--seed=1\"' --out r.json");
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const std::string json = cli.read("r.json");
  const std::string mark = "\"file_bytes\": ";
  const double bytes = std::stod(json.substr(json.find(mark) + mark.size(), 12));
  REQUIRE(bytes == Approx(64'426'208).epsilon(0.0005));
  REQUIRE(contains(json, ", index 0."));
}

TEST_CASE("a table of statistics on standard input is inspected and explained") {
  const Cli cli;
  cli.write("line.txt",
            "--benchmarks=fillrandom --num=2000000 --write_buffer_size=4194304 "
            "--target_file_size_base=4194304 --max_bytes_for_level_base=16777216");
  const Outcome table = cli.run(
      "simulate -p db_bench -w db_bench:file=line.txt --no-final-flush --format rocksdb-stats");
  REQUIRE(table.exit_code == 0);
  cli.write("table.txt", table.out);
  const Outcome shown = cli.run("inspect - < table.txt");
  INFO(shown.err);
  REQUIRE(shown.exit_code == 0);
  REQUIRE(contains(shown.out, "statistics from /dev/stdin"));
  REQUIRE(contains(shown.out, "write amplification: "));
  const Outcome explained = cli.run("explain table.txt");
  INFO(explained.err);
  REQUIRE(explained.exit_code == 0);
  REQUIRE(contains(explained.out, "changes with the largest effect"));
}

TEST_CASE("a file of YCSB is simulated, and its store's properties are listed as ignored") {
  const Cli cli;
  cli.write("workloada",
            "recordcount=1000\noperationcount=500\nrequestdistribution=zipfian\n"
            "readproportion=0.5\nupdateproportion=0.5\nrocksdb.dir=/tmp/x\n");
  const Outcome outcome = cli.run("simulate -p lo+1 -w ycsb:file=workloada --out r.json");
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  REQUIRE(contains(cli.read("r.json"), "\"puts\": 1250"));
  REQUIRE(contains(cli.read("r.json"), "\"ignored_properties\": \"rocksdb.dir=/tmp/x\""));
  REQUIRE(contains(cli.run("workloads show ycsb").out, "property file"));
}

TEST_CASE("a command line of YCSB is simulated with the properties of its file and its own") {
  const Cli cli;
  cli.write("workloada", "recordcount=1000\noperationcount=500\nreadproportion=0\n");
  const Outcome outcome = cli.run(
      "simulate -p lo+1 -w 'ycsb:\"bin/ycsb run rocksdb -s -P workloada -p recordcount=300 -p "
      "updateproportion=1\"' --out r.json");
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  REQUIRE(contains(cli.read("r.json"), "\"puts\": 800"));
  REQUIRE(contains(cli.read("r.json"), "\"ignored_properties\": \"rocksdb -s\""));
  const Outcome properties =
      cli.run("simulate -p lo+1 -w 'ycsb:\"recordcount=70 operationcount=0\"' --out r.json");
  INFO(properties.err);
  REQUIRE(contains(cli.read("r.json"), "\"puts\": 70"));
  // The result must not replace a file that the line reads.
  const Outcome own = cli.run("simulate -p lo+1 -w 'ycsb:\"-P workloada\"' --out workloada");
  REQUIRE(own.exit_code == 2);
  REQUIRE(contains(cli.read("workloada"), "recordcount=1000"));
}

TEST_CASE("a spec of Tectonic runs by its path alone, and what differs is told once") {
  const Cli cli;
  cli.write("mix.spec.json", R"({"sections": [{"groups": [
      {"inserts": {"op_count": 2000, "key": {"uniform": {"len": 24}},
                   "val": {"uniform": {"len": 200}}}},
      {"updates": {"op_count": 1000, "val": {"uniform": {"len": 200}},
                   "selection": {"beta": {"alpha": 0.1, "beta": 5}}},
       "range_deletes": {"op_count": 100, "selectivity": 0.0005}}]}]})");
  for (const char* arguments : {"simulate -p lo+1 -p tier -w mix.spec.json",
                                "simulate -p lo+1 -w tectonic:file=mix.spec.json",
                                "simulate -p lo+1 -w mix.spec.json --resolution range",
                                "replay --dir d -p lo+1 -w mix.spec.json"}) {
    const Outcome outcome = cli.run(std::string(arguments) + " --out r.json");
    INFO(arguments << ": " << outcome.err);
    REQUIRE(outcome.exit_code == 0);
    REQUIRE(contains(cli.read("r.json"), "\"puts\": 3000"));
    REQUIRE(
        contains(cli.read("r.json"), "\"differences\": \"sections[0].groups[1].range_deletes: "));
    const std::string note = "lsmlab: the workload differs from Tectonic's: sections[0].groups[1]";
    REQUIRE(contains(outcome.err, note));
    REQUIRE(outcome.err.find(note) == outcome.err.rfind(note));
  }
  REQUIRE(cli.run("trace generate mix.spec.json -o mix.trace").exit_code == 0);
  REQUIRE(contains(cli.run("trace info mix.trace").out, "operations     3,100"));
  REQUIRE(contains(cli.run("workloads show tectonic").out, "workload spec of Tectonic"));
  REQUIRE(contains(cli.run("workloads").out, "tectonic:file=FILE"));
}

TEST_CASE("a pasted command of db_bench says its store itself") {
  const Cli cli;
  const std::string command = "./db_bench --benchmarks=fillrandom --num=3000'";
  const std::string line = "'db_bench:" + command;
  for (const std::string& text : {line, "'" + command, "'LD_LIBRARY_PATH=/x FOO=1 " + command,
                                  "'db_bench:LD_LIBRARY_PATH=/x FOO=1 " + command}) {
    const Outcome pasted = cli.run("simulate -q -w " + text);
    INFO(text << ": " << pasted.err);
    REQUIRE(pasted.exit_code == 0);
    REQUIRE(contains(pasted.out, "rocksdb-leveled"));
    REQUIRE(contains(cli.run("workloads show " + text).out, "fillrandom"));
  }
  const Outcome mixed = cli.run("simulate -q -w load:entries=10 -w " + line);
  REQUIRE(mixed.exit_code == 2);
  REQUIRE(contains(mixed.err, "--policy is required"));
}

TEST_CASE("what policy db_bench leaves out of the line's RocksDB is said") {
  const Cli cli;
  const std::string simulate = "simulate -p db_bench -w 'db_bench:\"--benchmarks=fillseq --num=9";
  const Outcome compressed = cli.run(simulate + " --compression_type=xpress\"'");
  REQUIRE(compressed.exit_code == 0);
  REQUIRE(contains(compressed.err, "compression=kXpressCompression is not modelled"));
  const Outcome plain = cli.run(simulate + "\"'");
  REQUIRE(plain.exit_code == 0);
  REQUIRE(plain.err.empty());
  // Another policy is nobody's RocksDB.
  const Outcome other = cli.run("simulate -p lo+1 -w 'db_bench:\"--benchmarks=fillseq --num=9\"'");
  REQUIRE(other.exit_code == 0);
  REQUIRE(other.err.empty());
}

TEST_CASE("faults of lines of db_bench and of YCSB's files are one clear line") {
  const Cli cli;
  cli.write("bad", "recordcount=1000\nreadproporton=1\n");
  cli.write("bad.json", R"({"sections": []})");
  REQUIRE(cli.run("trace generate load:entries=10 -o a.trace").exit_code == 0);
  const std::pair<const char*, const char*> cases[] = {
      {"simulate -p db_bench -w db_bench", "workload 'db_bench' needs one of"},
      {"simulate -p db_bench -w db_bench:file=none.txt", "none.txt"},
      {"simulate -p db_bench -w db_bench:--benchmarks=fillrandm", "did you mean 'fillrandom'?"},
      {"simulate -p db_bench -w db_bench:--benchmarks=fillseq,openandcompact",
       "cannot run 'openandcompact'"},
      {"simulate -p db_bench -w 'db_bench:\"--benchmarks=fillseq --nmu=4\"'",
       "did you mean --num?"},
      // What policy db_bench leaves out is not said of a run that does not come.
      {"simulate -p db_bench -p lo+1:k=3 -w 'db_bench:\"--benchmarks=fillseq --num=9 "
       "--compression_type=xpress\"'",
       "unknown parameter 'k'"},
      {"simulate -p db_bench -w load", "policy 'db_bench' is that of a workload db_bench"},
      {"simulate -p binomial -w db_bench:--benchmarks=fillseq --resolution flush",
       "resolution 'flush' cannot run"},
      {"simulate -p lo+1 -w db_bench:--benchmarks=fillseq,readseq --resolution range",
       "does not know readseq, which reads from the first key on"},
      {"workloads show db_bench:--num=5", "--benchmarks is missing"},
      {"trace generate a.trace -o b.trace", "is a trace already"},
      {"simulate -p lo+1 -w ycsb", "workload 'ycsb' needs one of ycsb:\"recordcount=..."},
      {"simulate -p lo+1 -w 'ycsb:\"-P none\"'", "workload 'ycsb': none"},
      {"simulate -p lo+1 -w 'ycsb:\"recordcount=5 -theads 2\"'", "did you mean '-threads'?"},
      {"simulate -p lo+1 -w tectonic", "workload 'tectonic' needs file=FILE"},
      {"simulate -p lo+1 -w bad.json", "bad.json: sections: no group has operations"},
      {"workloads show ycsb:file=bad",
       "takes parameters of db_bench only; for 'ycsb:file=bad' give the name 'ycsb'"},
      {"simulate -p lo+1 -w ycsb:file=bad", "bad: YCSB's core workload has no property"},
  };
  for (const auto& [arguments, words] : cases) {
    const Outcome outcome = cli.run(arguments);
    INFO(arguments << ": " << outcome.err);
    REQUIRE(outcome.exit_code == 2);
    REQUIRE(contains(outcome.err, words));
    REQUIRE(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  }
}

}  // namespace
}  // namespace lsmlab::db_bench_verb_test
