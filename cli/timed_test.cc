// Simulations with a clock as their users meet them.
#include <nlohmann/json.hpp>

#include "testing/cli.h"

namespace lsmlab::timed_verb_test {
namespace {

using Json = nlohmann::ordered_json;
using lsmlab::testing::Cli;
using lsmlab::testing::contains;
using lsmlab::testing::Outcome;

const std::string kRun =
    "simulate -p 'udc:buffer=64KiB,file_size=64KiB' -p 'ldc:buffer=64KiB,file_size=64KiB' "
    "-w ycsb-a:records=5k,operations=20k ";

TEST_CASE("a simulation with a device tells throughput, latencies, stalls and the device's work") {
  const Cli cli;
  const Outcome run =
      cli.run(kRun +
              "--device sata-ssd:write_bandwidth=5MB,flash_capacity=64MiB,flash_block_pages=16 "
              "--clients closed:clients=4 --merge-threads 2 --out a.json");
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  REQUIRE(contains(run.out, "put P99"));
  const Json results = Json::parse(cli.read("a.json"));
  REQUIRE(results.size() == 2);
  for (const Json& result : results) {
    REQUIRE(result["mode"] == "timed");
    REQUIRE(result["device"]["name"] == "sata-ssd");
    REQUIRE(result["device"]["parameters"]["write_bandwidth"] == 5'000'000);
    REQUIRE(result["clients"]["clients"] == 4);
    REQUIRE(result["clients"]["merge_threads"] == 2);
    REQUIRE(result["throughput"]["operations_per_second"] > 0);
    REQUIRE(result["latency"]["get"]["p99_ns"] >= result["latency"]["get"]["p50_ns"]);
    REQUIRE(result["stalls"].size() == 7);
    const Json& time = result["time"];
    REQUIRE(time["device"]["busy_ns"] <= time["simulated_ns"]);
    const Json& series = time["series"];
    REQUIRE(series["time_ns"].size() == series["backlog_bytes"].size());
    REQUIRE(series["time_ns"].size() == series["merge_debt_bytes"].size());
    REQUIRE(series["merge_debt_bytes"].back() == 0);
    REQUIRE(time["series"]["time_ns"].back() == time["simulated_ns"]);
    REQUIRE(result["flash"]["write_amplification"] >= 1);
  }
  const Outcome page = cli.run("report a.json -o page.html");
  INFO(page.err);
  REQUIRE(page.exit_code == 0);
  REQUIRE(contains(cli.read("page.html"), "<h3>Over time</h3>"));
  REQUIRE(contains(cli.read("page.html"), "operations per second"));
  REQUIRE(contains(cli.read("page.html"), "Latency by percentile: put"));
}

TEST_CASE("who met a limit of processor time is told for how long the machine stood still") {
  const Cli cli;
  const std::string load = "simulate -p none:buffer=1GiB -w load:entries=200k --device nvme:";
  const Outcome limited = cli.run(load + "cpu_cores=1,cpu_quota=0.5");
  INFO(limited.err);
  REQUIRE(limited.exit_code == 0);
  REQUIRE(contains(limited.out, "none: the machine paused for "));
  const Outcome free = cli.run(load + "cpu_cores=1");
  REQUIRE(free.exit_code == 0);
  REQUIRE_FALSE(contains(free.out, "machine paused"));
}

TEST_CASE("options of a clock are refused without a device, and wrong ones are explained") {
  const Cli cli;
  const struct {
    const char* options;
    const char* message;
  } cases[] = {
      {"--clients closed:clients=2", "--clients: needs --device"},
      {"--merge-threads 2", "--merge-threads: needs --device"},
      {"--sync batch", "--sync: needs --device"},
      {"--sync-files", "--sync-files: needs --device"},
      {"--device nvm", "did you mean 'nvme'"},
      {"--device nvme:paralelism=3", "parallelism"},
      {"--device no/such.json", "no/such.json"},
      {"--device nvme --clients closd", "did you mean 'closed'"},
      {"--device nvme --clients poisson:rate=0", "rate"},
      {"--device nvme --clients closed:rate=5", "rate"},
      {"-p silk:plus=true --device nvme --clients poisson:clients=3",
       "must be at least 4; it is 3"},
      {"--device nvme --sync 1MiB", "a simulation expects never or batch"},
      {"--device nvme:flash_capacity=1MiB", "flash_over_provisioning=0.07 of flash_capacity="},
      {"--device nvme:flash_capacity=1MiB", " makes 1 block; "},
      {"--device nvme --stalls level0_stop=2", "--stalls: unknown parameter"},
      {"--device nvme --stalls level0_stop_runs=2", "--stalls: "},
      {"--device nvme:flash_capacity=300KiB,flash_page=512,flash_block_pages=4", "full"},
  };
  for (const auto& [options, message] : cases) {
    const Outcome outcome = cli.run(kRun + options);
    INFO(options << ": " << outcome.err);
    REQUIRE(outcome.exit_code == 2);
    REQUIRE(contains(outcome.err, message));
  }
  const Outcome flushes = cli.run("simulate -p binomial:k=4 -w flushes:count=9 --device nvme");
  REQUIRE(flushes.exit_code == 2);
  REQUIRE(contains(flushes.err, "needs a workload of operations"));
}

TEST_CASE("devices are listed and shown, and a file of one is read") {
  const Cli cli;
  const Outcome list = cli.run("devices");
  REQUIRE(list.exit_code == 0);
  for (const char* name : {"nvme", "sata-ssd", "hdd", "cloud-volume", "ldc-paper",
                           "design-space-paper", "merge-policies-paper", "poisson"}) {
    REQUIRE(contains(list.out, name));
    REQUIRE(cli.run(std::string("devices show ") + name).exit_code == 0);
  }
  REQUIRE(contains(cli.run("devices show hdd").out, "seek_ns=12500000"));
  REQUIRE(cli.run("devices show nvmee").exit_code == 2);
  REQUIRE(contains(cli.run("devices show poissn").err, "did you mean 'poisson'"));
  cli.write("mine.json", R"({"schema": "lsmlab.device/1", "description": "mine",
                             "parameters": {"read_bandwidth": "1GB"}, "measured": []})");
  REQUIRE(cli.run(kRun + "--device ./mine.json --out a.json").exit_code == 0);
  REQUIRE(Json::parse(cli.read("a.json"))[0]["device"]["parameters"]["read_bandwidth"] ==
          1'000'000'000);
  cli.write("mine.json", R"({"parameters": {"read_bandwith": 5}})");
  REQUIRE(contains(cli.run(kRun + "--device ./mine.json").err, "read_bandwidth"));
  cli.write("mine.json", R"({"parametres": {}})");
  REQUIRE(contains(cli.run(kRun + "--device ./mine.json").err, "did you mean 'parameters'"));
}

TEST_CASE("operations from a moment on are shown apart with --measure-from, on every side") {
  const Cli cli;
  const std::string policy = " -p lo+1:buffer=16KiB,file_size=16KiB -w load:entries=4k ";
  REQUIRE(cli.run("simulate" + policy + "--measure-from 75% -o s.json").exit_code == 0);
  REQUIRE(cli.run("replay" + policy + "--measure-from 3000 --dir db -o r.json").exit_code == 0);
  const auto simulated = nlohmann::json::parse(cli.read("s.json"));
  const auto measured = nlohmann::json::parse(cli.read("r.json"));
  REQUIRE(simulated["phases"] == measured["phases"]);
  REQUIRE(simulated["at_last_operation"] == measured["at_last_operation"]);
  REQUIRE(simulated["phases"][1]["name"] == "measured");
  REQUIRE(simulated["phases"][1]["operations"] == 1000);
  REQUIRE(simulated["disk"] == measured["disk"]);
  const Outcome table = cli.run("simulate -p lo+1 -w ycsb-a:records=2k,operations=2k");
  REQUIRE(contains(table.out, "up to here"));
  REQUIRE(contains(table.out, "counted without a clock"));
  const Outcome clock = cli.run("simulate -p lo+1 -w load:entries=2k --device nvme");
  REQUIRE(!contains(clock.out, "counted without a clock"));
  const Outcome late = cli.run("simulate" + policy + "--measure-from 4000");
  REQUIRE(late.exit_code == 2);
  REQUIRE(contains(late.err, "is not before the end of workload 'load'"));
  REQUIRE(cli.run("simulate -p constant:k=3 -w flushes:count=3 --measure-from 1").exit_code == 2);
}

}  // namespace
}  // namespace lsmlab::timed_verb_test
