// The verb that measures a disk and a processor, as its users meet it.
#include <nlohmann/json.hpp>

#include "testing/cli.h"

namespace lsmlab::calibrate_verb_test {
namespace {

using Json = nlohmann::ordered_json;
using lsmlab::testing::Cli;
using lsmlab::testing::contains;
using lsmlab::testing::Outcome;

const std::string kShort = "calibrate --seconds 1 --size 8MiB --dir scratch ";

TEST_CASE("a calibration writes a device with every parameter and what was measured") {
  const Cli cli;
  REQUIRE(cli.shell("mkdir scratch; touch scratch/mine").exit_code == 0);
  const Outcome run = cli.run(kShort + "--out device.json");
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  REQUIRE(contains(run.out, "random read"));
  REQUIRE(contains(run.out, "cpu_merge_kib_ns"));
  REQUIRE(run.err.empty());
  REQUIRE(cli.shell("ls -A scratch").out == "mine\n");

  const Json device = Json::parse(cli.read("device.json"));
  REQUIRE(device["schema"] == "lsmlab.device/1");
  REQUIRE(contains(device["description"], "cores"));
  REQUIRE(device.size() == 4);
  for (const char* name :
       {"read_bandwidth",     "write_bandwidth",   "mixed_bandwidth_25", "mixed_bandwidth_50",
        "mixed_bandwidth_75", "read_latency_ns",   "write_latency_ns",   "sequential_latency_ns",
        "sync_latency_ns",    "parallelism",       "request_bytes",      "cpu_cores",
        "cpu_put_ns",         "cpu_get_ns",        "cpu_table_ns",       "cpu_block_ns",
        "cpu_scan_ns",        "cpu_scan_entry_ns", "cpu_flush_entry_ns", "cpu_merge_entry_ns",
        "cpu_merge_kib_ns"}) {
    CAPTURE(name);
    REQUIRE(device["parameters"][name].is_number_unsigned());
    REQUIRE(device["parameters"][name] > 0);
  }
  for (const char* name : {"cpu_merge_doubling_entry_ns", "cpu_merge_doubling_kib_ns"}) {
    REQUIRE(device["parameters"][name].is_number_unsigned());
  }
  // A calibration sets no limits, as no measurement can tell them from the figures above.
  REQUIRE(device["parameters"]["requests_per_second"] == 0);
  REQUIRE(device["parameters"]["background_bandwidth"] == 0);
  const Outcome simulated = cli.run("simulate -p lo+1 -w load:entries=20k --device device.json");
  INFO(simulated.err);
  REQUIRE(simulated.exit_code == 0);
  bool has_disk = false;
  bool has_pauses = false;
  bool has_cpu = false;
  int quota_parts = 0;
  for (const Json& row : device["measured"]) {
    REQUIRE(row["what"].is_string());
    if (row.contains("cpu_ns")) {
      has_cpu = true;
      continue;
    }
    if (row.contains("paused_seconds")) {
      has_pauses = true;
      continue;
    }
    if (row.contains("stopped_share")) {
      ++quota_parts;
      REQUIRE(row["stopped_share"] >= 0);
      REQUIRE(row["stopped_share"] < 1);
      continue;
    }
    has_disk = true;
    for (const char* figure : {"request_bytes", "depth", "bytes_per_second", "requests_per_second",
                               "mean_ns", "p50_ns", "p99_ns"}) {
      CAPTURE(row["what"], figure);
      REQUIRE(row[figure] > 0);
    }
  }
  REQUIRE(has_disk);
  REQUIRE(has_pauses);
  REQUIRE(quota_parts == 3);
  REQUIRE(has_cpu);
}

TEST_CASE("a calibration to standard output is JSON alone") {
  const Cli cli;
  REQUIRE(cli.shell("mkdir scratch").exit_code == 0);
  const Outcome run = cli.run(kShort + "--buffered -q --out -");
  REQUIRE(run.exit_code == 0);
  REQUIRE(contains(Json::parse(run.out)["description"], "buffered I/O"));
}

TEST_CASE("what calibrate cannot work with gets a message, and exit code 2") {
  const Cli cli;
  REQUIRE(cli.shell("mkdir scratch; touch file").exit_code == 0);
  const std::vector<std::pair<std::string, std::string>> cases{
      {"calibrate", "give either --dir DIR"},
      {"calibrate --dir scratch --from file", "give either --dir DIR"},
      {"calibrate --dir scratch --family default", "--from"},
      {"calibrate --from none", "none: No such file or directory"},
      {"calibrate --from file", "file"},
      {"calibrate --dir none", "none: no such directory"},
      {"calibrate --dir file", "file: not a directory"},
      {"calibrate --dir /proc", "/proc: cannot create a directory in it"},
      {"calibrate --dir scratch --seconds 0", "--seconds"},
      {"calibrate --dir scratch --seconds soon", "--seconds"},
      {"calibrate --dir scratch --size 4KiB", "--size: 4KiB is out of range; expected 8 MiB to "},
      {"calibrate --dir scratch --size large", "--size"},
      {"calibrate --dir scratch --out none/d.json", "none/d.json"},
      {"calibrate --dir scratch --bufered", "did you mean '--buffered'"},
  };
  for (const auto& [arguments, message] : cases) {
    const Outcome run = cli.run(arguments);
    INFO(arguments << "\n" << run.err);
    REQUIRE(run.exit_code == 2);
    REQUIRE(contains(run.err, message));
  }
  REQUIRE(cli.shell("ls -A scratch").out.empty());
}

TEST_CASE("a disk that is too small for the scratch file is told, with exit code 3") {
  const Cli cli;
  REQUIRE(cli.shell("mkdir scratch").exit_code == 0);
  const Outcome large = cli.run("calibrate --dir scratch --size 1000TiB");
  INFO(large.err);
  REQUIRE(large.exit_code == 3);
  REQUIRE(contains(large.err, "needed"));
  REQUIRE(cli.shell("ls -A scratch").out.empty());
}

TEST_CASE("the machine of a store is a device for a simulation, and no file is overwritten") {
  const Cli cli;
  cli.write(
      "stats.txt",
      "Level    Files   Size     Score Read(GB)  Rn(GB) Rnp1(GB) Write(GB) Wnew(GB) Moved(GB) "
      "W-Amp Rd(MB/s) Wr(MB/s) Comp(sec) CompMergeCPU(sec) Comp(cnt) Avg(sec) KeyIn KeyDrop\n"
      "  L0      1/0  100.00 MB   0.2      0.0     0.0      0.0       0.1       0.1      0.0 "
      "  1.0    0.0    100.0      1.00              1.00         1    1.000   1000K      0\n"
      "  L1      4/0  900.00 MB   0.9      1.0     0.1      0.9       1.0       0.1      0.0 "
      "  9.0   200.0   200.0     5.00              5.00         1    5.000     10M      0\n"
      "Uptime(secs): 30.0 total, 30.0 interval\n"
      "Flush(GB): cumulative 0.100, interval 0.100\n");
  const Outcome run = cli.run("calibrate --from stats.txt --out theirs.json");
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  // "1000K" is from 1,000,000 to 1,001,000 entries, "10M" up to 11 million.
  REQUIRE(contains(run.out, "999 ns for each entry"));
  REQUIRE(contains(run.out, "476 ns for each entry"));
  const Outcome simulated = cli.run(
      "simulate -p rocksdb-leveled:buffer=64KiB,file_size=64KiB -w load:entries=20k --device "
      "./theirs.json --out r.json");
  INFO(simulated.err);
  REQUIRE(simulated.exit_code == 0);
  const Json result = Json::parse(cli.read("r.json"));
  // Each flush works 999 ns for each of its entries.
  REQUIRE(result["job_times"][0]["flush_ns"] >= 19'980'000);
  REQUIRE(result["job_times"][0]["flush_ns"] < 19'990'000);  // the device's share
  REQUIRE(cli.run("calibrate --from stats.txt --out stats.txt").exit_code == 2);
}

TEST_CASE("Ctrl-C ends a calibration with exit code 130, nothing stays and nothing is written") {
  const Cli cli;
  REQUIRE(cli.shell("mkdir scratch").exit_code == 0);
  const Outcome run =
      cli.shell("timeout --preserve-status -s INT 1 '" + std::string(LSMLAB_BINARY) +
                "' calibrate --dir scratch --size 8MiB --out device.json");
  INFO(run.err);
  REQUIRE(run.exit_code == 130);
  REQUIRE(contains(run.err, "stopped"));
  REQUIRE(cli.shell("ls -A scratch").out.empty());
  REQUIRE_FALSE(cli.exists("device.json"));
}

TEST_CASE("calibrate is among the verbs, and its help tells its options") {
  const Cli cli;
  REQUIRE(contains(cli.run("--help").out, "calibrate"));
  const Outcome help = cli.run("calibrate --help");
  REQUIRE(help.exit_code == 0);
  for (const char* option : {"--dir", "--out", "--seconds", "--size", "--buffered", "--quiet"}) {
    REQUIRE(contains(help.out, option));
  }
  REQUIRE(contains(help.out, "Examples:"));
}

}  // namespace
}  // namespace lsmlab::calibrate_verb_test
