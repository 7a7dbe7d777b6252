// The verbs on real stores as their users meet them.
#include <nlohmann/json.hpp>

#include "testing/cli.h"

namespace lsmlab::replay_verb_test {
namespace {

using Json = nlohmann::ordered_json;
using lsmlab::testing::Cli;
using lsmlab::testing::contains;
using lsmlab::testing::Outcome;

const std::string kWorkload = "-w load:entries=30k,update_fraction=40%,delete_fraction=5% ";

TEST_CASE("a replay logs what the simulation logs, counts every byte, and reads all back") {
  const Cli cli;
  for (const std::string policy :
       {"lo+1:buffer=64KiB,file_size=64KiB", "ldc:buffer=64KiB", "binomial:k=4,buffer=64KiB"}) {
    const Outcome real = cli.run("replay -p " + policy + " " + kWorkload +
                                 "--dir db --log e.jsonl --out e.json --verify");
    INFO(real.err);
    REQUIRE(real.exit_code == 0);
    REQUIRE(contains(real.out, "keys as written"));
    REQUIRE(cli.run("simulate -p " + policy + " " + kWorkload + "--log s.jsonl --out s.json")
                .exit_code == 0);
    REQUIRE(cli.read("e.jsonl") == cli.read("s.jsonl"));
    const Json result = Json::parse(cli.read("e.json"));
    REQUIRE(result["source"] == "engine");
    REQUIRE(result["mode"] == "stepped");
    REQUIRE(result["engine"]["sync"] == "never");
    REQUIRE(result["totals"]["wal_bytes_written"] > 0);
    const Json simulated = Json::parse(cli.read("s.json"));
    for (const char* figure : {"flushes", "merges", "user_bytes", "flush_bytes_written",
                               "merge_bytes_written", "merge_bytes_read"}) {
      REQUIRE(result["totals"][figure] == simulated["totals"][figure]);
    }
    REQUIRE(cli.run("check --dir db").exit_code == 0);
    REQUIRE(cli.shell("rm -r db").exit_code == 0);
  }
}

TEST_CASE("a threaded replay tells latencies, stalls and throughput") {
  const Cli cli;
  const Outcome run = cli.run(
      "replay -p rocksdb-leveled:buffer=64KiB -w ycsb-a:records=2000,operations=4000 --dir db "
      "--mode threaded --merge-threads 2 --verify --out r.json");
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  const Json result = Json::parse(cli.read("r.json"));
  REQUIRE(result["mode"] == "threaded");
  REQUIRE(result["throughput"]["loading_operations"] == 2000);
  REQUIRE(result["latency"]["put"]["count"].get<int>() +
              result["latency"]["get"]["count"].get<int>() ==
          4000);
  REQUIRE(result["latency"]["get"]["p99.9_ns"] >= result["latency"]["get"]["p50_ns"]);
  REQUIRE(result["throughput"]["operations_per_second"] > 0);
  REQUIRE(result["stalls"].is_array());
  REQUIRE(result["engine"]["merge_threads"] == 2);
}

TEST_CASE("a threaded replay's client may keep to times of arrival, from which latencies count") {
  const Cli cli;
  const std::string load =
      "replay -p none -w load:entries=400 --dir db --mode threaded --out r.json ";
  // 100 operations in the first 20 ms, and 300 in the next burst, a second later.
  const Outcome run = cli.run(load + "--clients bursty:rate=5000,on_ms=20,off_ms=480");
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  const Json result = Json::parse(cli.read("r.json"));
  REQUIRE(result["engine"]["arrivals"] == "bursty");
  REQUIRE(result["engine"]["on_ms"] == 20);
  REQUIRE(result["arrivals"]["delayed"].get<int>() >= 0);
  // The fourth burst begins after 1.5 s and lasts 20 ms.
  REQUIRE(result["throughput"]["operations_per_second"].get<double>() <= 400 / 1.5);
  REQUIRE(cli.shell("rm -r db").exit_code == 0);
  const Outcome paced = cli.run(load + "--clients paced:rate=1000");
  REQUIRE(paced.exit_code == 0);
  REQUIRE(Json::parse(cli.read("r.json"))["throughput"]["operations_per_second"].get<double>() <=
          1'010);
  REQUIRE_FALSE(Json::parse(cli.read("r.json")).contains("arrivals"));
  REQUIRE(cli.shell("rm -r db").exit_code == 0);
}

TEST_CASE("every compression and sync rule replays and reads back") {
  const Cli cli;
  for (const std::string options : {"--compression zstd", "--compression lz4", "--sync batch",
                                    "--sync 4KiB --sync-files", "--direct-io", "--wal-buffer 0"}) {
    const Outcome run =
        cli.run("replay -p tier:buffer=32KiB -w load:entries=2k --dir db --verify " + options);
    INFO(options << ": " << run.err);
    REQUIRE(run.exit_code == 0);
    REQUIRE(cli.run("check --dir db --read-only").exit_code == 0);
    REQUIRE(cli.shell("rm -r db").exit_code == 0);
  }
}

TEST_CASE("what replay, check and dump cannot work with gets a message, and exit code 2") {
  const Cli cli;
  REQUIRE(cli.shell("mkdir full empty; touch full/file").exit_code == 0);
  const std::string replay = "replay -p lo+1 -w load:entries=10 --dir ";
  const std::vector<std::pair<std::string, std::string>> cases{
      {replay + "full", "full: not empty"},
      {replay + "db --mode steped", "did you mean 'stepped'"},
      {replay + "db --sync sometimes", "expected never, batch or a number of bytes"},
      {replay + "db --compression gzip", "unknown codec 'gzip'"},
      {replay + "db --wal-buffer x", "--wal-buffer"},
      {replay + "db --merge-threads 0", "--merge-threads"},
      {replay + "db --clients poisson:rate=10", "--clients: --mode stepped has no time"},
      {replay + "db --mode threaded --clients closed:clients=2", "one closed client"},
      {replay + "db --mode threaded --clients poisson:clients=3", "a replay has one client, not 3"},
      {replay + "db --mode threaded --clients poison", "did you mean 'poisson'"},
      {"replay -p rocksdb-leveled:max_subcompactions=4 -w load:entries=10 --dir db --mode threaded",
       "max_subcompactions=4: lsmlab's engine merges with one thread"},
      {replay + "db --engine leveldb --clients poisson:rate=10",
       "--clients: not with --engine leveldb"},
      {replay + "db --seed x", "--seed"},
      {"replay -p lo+1 -w load", "--dir is required"},
      {"replay -p lo+1 -w flushes:count=3 --dir db", "consists of flush sizes"},
      {"replay -p lo+1 -w load:key_bytes=4,entries=10 --dir short", "has 4 bytes"},
      {"replay -p low+1 -w load --dir db", "did you mean 'lo+1'"},
      {replay + "db --engine rocksbd", "did you mean 'rocksdb'"},
      {replay + "db --engine rocksdb --sync batch", "--sync: not with --engine rocksdb"},
      {replay + "db --engine leveldb --verify", "--verify: not with --engine leveldb"},
      {"replay -p lo+1:table_format=rocksdb -w load:entries=10 --dir db", "table_format"},
      {"check --dir none", "no such directory"},
      {"check --dir empty", "no store"},
      {"dump none", "No such file or directory"},
      {"dump empty", "no store's files"},
  };
  for (const auto& [arguments, message] : cases) {
    const Outcome run = cli.run(arguments);
    INFO(arguments << "\n" << run.err);
    REQUIRE(run.exit_code == 2);
    REQUIRE(contains(run.err, message));
  }
  REQUIRE_FALSE(cli.exists("db"));
}

TEST_CASE("a damaged store is told by check and not changed") {
  const Cli cli;
  REQUIRE(cli.run("replay -p lo+1:buffer=32KiB -w load:entries=3k --dir db").exit_code == 0);
  REQUIRE(cli.shell("printf X | dd of=$(ls db/*.sst | head -1) bs=1 seek=1000 conv=notrunc")
              .exit_code == 0);
  const Outcome checked = cli.run("check --dir db");
  REQUIRE(checked.exit_code == 1);
  REQUIRE(contains(checked.out, "FAULT: db/"));
  REQUIRE(contains(checked.out, "1 fault found"));
  const Outcome dumped = cli.run("dump db --entries");
  REQUIRE(dumped.exit_code == 3);
  REQUIRE(contains(dumped.out, "damaged"));
}

TEST_CASE("check tells a damaged log from a torn one, and drops bytes only where it is told to") {
  const Cli cli;
  REQUIRE(cli.run("replay -p lo+1:buffer=32KiB -w load:entries=500 --dir db --sync batch "
                  "--no-final-flush")
              .exit_code == 0);
  const std::string log = "$(ls db/*.wal)";
  REQUIRE(cli.shell("cp -r db torn && truncate -s -5 torn/*.wal").exit_code == 0);
  REQUIRE(cli.shell("printf X | dd of=" + log + " bs=1 seek=200 conv=notrunc").exit_code == 0);
  REQUIRE(cli.shell("cp -r db before").exit_code == 0);

  for (const std::string mode : {"", " --recovery tolerate-torn-tail", " --recovery absolute"}) {
    INFO(mode);
    const Outcome damaged = cli.run("check --dir db" + mode);
    REQUIRE(damaged.exit_code == 1);
    REQUIRE(contains(damaged.out, "whole batches behind it"));
    REQUIRE(contains(damaged.out, "--recovery point-in-time"));
    REQUIRE(cli.shell("diff -r db before").exit_code == 0);
  }
  const Outcome recovered = cli.run("check --dir db --recovery point-in-time");
  REQUIRE(recovered.exit_code == 0);
  REQUIRE(contains(recovered.out, "kept: db/"));
  REQUIRE(contains(recovered.out, "set aside by an earlier recovery: "));
  REQUIRE(cli.shell("cmp db/*.damaged before/*.wal").exit_code == 0);

  const Outcome torn = cli.run("check --dir torn");
  REQUIRE(torn.exit_code == 0);
  REQUIRE(contains(torn.out, "torn: torn/"));
  REQUIRE(contains(torn.out, "--recovery tolerate-torn-tail"));
  REQUIRE(cli.run("check --dir torn --recovery absolute").exit_code == 1);
  REQUIRE(cli.run("check --dir torn --recovery tolerate-torn-tail").exit_code == 0);
  REQUIRE(!contains(cli.run("check --dir torn").out, "torn: "));
  const Outcome unknown = cli.run("check --dir torn --recovery point");
  REQUIRE(unknown.exit_code == 2);
  REQUIRE(contains(unknown.err, "point-in-time"));
}

TEST_CASE("Ctrl-C ends a replay with a result marked incomplete, and the store opens") {
  const Cli cli;
  const Outcome run =
      cli.shell("timeout -s INT 2 '" + std::string(LSMLAB_BINARY) +
                "' replay -p lo+1:buffer=64KiB -w load:entries=1G --dir db --out r.json");
  REQUIRE(contains(run.err, "stopped early"));
  REQUIRE(Json::parse(cli.read("r.json"))["complete"] == false);
  REQUIRE(cli.run("check --dir db").exit_code == 0);
}

TEST_CASE("a log forced on simulator and engine comes out as it went in, elsewhere it is refused") {
  const Cli cli;
  const std::string workload = "-w load:entries=20k ";
  REQUIRE(cli.run("simulate -p udc:buffer=64KiB,file_size=64KiB " + workload + "--log free.jsonl")
              .exit_code == 0);
  const std::string forced = "-p tier:buffer=64KiB,file_size=64KiB,replay_log=free.jsonl ";
  const Outcome simulated = cli.run("simulate " + forced + workload + "--log forced.jsonl");
  REQUIRE(simulated.exit_code == 0);
  REQUIRE(contains(simulated.out, "forced plans"));
  REQUIRE(cli.read("forced.jsonl") == cli.read("free.jsonl"));
  REQUIRE(cli.run("replay " + forced + workload + "--dir db --verify --log real.jsonl").exit_code ==
          0);
  REQUIRE(cli.read("real.jsonl") == cli.read("free.jsonl"));
  // A store with forced plans can also be checked after the log was moved away.
  REQUIRE(cli.run("replay " + forced + workload + "--dir db2 --no-final-flush").exit_code == 0);
  REQUIRE(cli.shell("mv free.jsonl moved.jsonl").exit_code == 0);
  const Outcome checked = cli.run("check --dir db2");
  INFO(checked.err);
  REQUIRE(checked.exit_code == 0);
  REQUIRE(contains(checked.out, "recovered: "));
  REQUIRE(contains(checked.out, "20,000 entries; every block was read"));
  REQUIRE(cli.shell("mv moved.jsonl free.jsonl").exit_code == 0);

  const Outcome timed = cli.run("simulate " + forced + workload + "--device nvme");
  REQUIRE(timed.exit_code == 2);
  REQUIRE(contains(timed.err, "--device"));
  const Outcome threaded = cli.run("replay " + forced + workload + "--dir d2 --mode threaded");
  REQUIRE(threaded.exit_code == 2);
  REQUIRE(contains(threaded.err, "--mode"));
  const Outcome missing = cli.run("simulate -p tier:replay_log=none.jsonl " + workload);
  REQUIRE(missing.exit_code == 2);
  REQUIRE(contains(missing.err, "none.jsonl"));
  REQUIRE(contains(cli.run("simulate -p tier:replay_lgo=x " + workload).err, "'replay_log'"));
  REQUIRE(contains(cli.run("simulate -p tier:bufer=1MiB " + workload).err, "'buffer'"));
  cli.write("bad.jsonl", "{}\n");
  const Outcome bad = cli.run("simulate -p tier:replay_log=bad.jsonl " + workload);
  REQUIRE(bad.exit_code == 2);
  REQUIRE(contains(bad.err, "bad.jsonl:1"));
  REQUIRE(
      cli.run("simulate -p binomial:k=3 -w flushes:count=300,size=1MiB --log f.jsonl").exit_code ==
      0);
  REQUIRE(
      cli.run("simulate -p none:replay_log=f.jsonl -w flushes:count=300,size=1MiB --log g.jsonl")
          .exit_code == 0);
  REQUIRE(cli.read("f.jsonl") == cli.read("g.jsonl"));
}

TEST_CASE("compare says where two plan logs part, with exit code 1") {
  const Cli cli;
  const std::string run = "simulate -w load:entries=20k -p lo+1:buffer=64KiB,file_size=64KiB";
  REQUIRE(cli.run(run + " --log a").exit_code == 0);
  REQUIRE(cli.run(run + ",size_ratio=4 --log b").exit_code == 0);
  const Outcome same = cli.run("compare a a");
  REQUIRE(same.exit_code == 0);
  REQUIRE(contains(same.out, "the logs are the same"));
  const Outcome other = cli.run("compare a b");
  REQUIRE(other.exit_code == 1);
  REQUIRE(contains(other.out, "another decision"));
  REQUIRE(cli.run("compare a b --tolerance 1%").exit_code == 2);
}

}  // namespace
}  // namespace lsmlab::replay_verb_test
