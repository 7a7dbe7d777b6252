// Experiments as their users meet them.
#include <nlohmann/json.hpp>

#include "testing/cli.h"

namespace lsmlab::validate_verb_test {
namespace {

using Json = nlohmann::ordered_json;
using lsmlab::testing::Cli;
using lsmlab::testing::contains;
using lsmlab::testing::Outcome;

const std::string kExperiment = R"({"description": "two cells", "groups": [{
  "policies": ["lo+1:buffer=64KiB,file_size=64KiB", "tiered:size_ratio=4,buffer=64KiB"],
  "workloads": ["load:entries=20k"], "bounds": {"same_logs": true, "write_error": "BOUND"}}]})";

std::string experiment_with(const std::string& bound) {
  std::string text = kExperiment;
  return text.replace(text.find("BOUND"), 5, bound);
}

TEST_CASE("an experiment ends with a table, a validation, and a page") {
  const Cli cli;
  cli.write("mine.json", experiment_with("1%"));
  const Outcome run = cli.run("validate mine.json --out val");
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  REQUIRE(contains(run.out, "tiered size_ratio=4"));
  REQUIRE(contains(run.out, "R^2"));
  const Json validation = Json::parse(cli.read("val/validation.json"));
  REQUIRE(validation["experiment"] == "mine");
  REQUIRE(validation["cells"].size() == 2);
  REQUIRE(cli.run("report val -o page.html").exit_code == 0);
  REQUIRE(contains(cli.read("page.html"), "<svg"));
  // The kept runs are there, and give the same figures again.
  REQUIRE(cli.run("validate mine.json --out val").exit_code == 0);
  REQUIRE(Json::parse(cli.read("val/validation.json")) == validation);
}

TEST_CASE("a broken bound is named, with exit code 1") {
  const Cli cli;
  cli.write("mine.json", experiment_with("-1%"));
  const Outcome run = cli.run("validate mine.json --out val");
  REQUIRE(run.exit_code == 2);  // -1 % is not a valid bound
  cli.write("mine.json", R"({"groups": [{"policies": ["tier:buffer=64KiB"],
    "workloads": ["load:entries=20k"], "bounds": {"r_squared": 0.5}}]})");
  const Outcome broken = cli.run("validate mine.json --out val");
  REQUIRE(broken.exit_code == 1);
  REQUIRE(contains(broken.out, "broken bound: group 'group 1'"));  // one cell has no line
}

TEST_CASE("an experiment with a clock compares throughput and latencies") {
  const Cli cli;
  cli.write("timed.json", R"({"groups": [{"mode": "threaded", "device": "nvme", "merge_threads": 2,
    "policies": ["tier:buffer=64KiB", "lo+1:buffer=64KiB,file_size=64KiB"],
    "workloads": ["ycsb-a:records=5k,operations=5k"], "bounds": {"throughput_error": "100000%"}}]})");
  const Outcome run = cli.run("validate timed.json --out val");
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  REQUIRE(contains(run.out, "op/s sim."));
  const Json validation = Json::parse(cli.read("val/validation.json"));
  for (const Json& cell : validation["cells"]) {
    REQUIRE(cell["mode"] == "threaded");
    for (const char* side : {"simulated", "measured"}) {
      REQUIRE(cell["time"][side]["operations_per_second"] > 0);
      REQUIRE(cell["time"][side]["put_p99_ns"] > 0);
      REQUIRE(cell["time"][side]["get_p99_ns"] > 0);
    }
  }
  REQUIRE(cli.run("report val -o page.html").exit_code == 0);
  cli.write("timed.json", R"({"groups": [{"mode": "threaded", "device": "nvme",
    "policies": ["tier:buffer=64KiB"], "workloads": ["load:entries=20k"],
    "bounds": {"throughput_error": 0.0000001}}]})");
  const Outcome broken = cli.run("validate timed.json --out val");
  REQUIRE(broken.exit_code == 1);
  REQUIRE(contains(broken.out, "throughput differs by"));
}

TEST_CASE("a calibrated group is simulated on the mean of all measurements around its runs") {
  const Cli cli;
  cli.write("mine.json", R"({"groups": [{"name": "here", "mode": "threaded",
    "device": "calibrated", "calibrate_seconds": 1, "bounds": {"throughput_error": "100000%"},
    "policies": ["tier:buffer=64KiB", "lo+1:buffer=64KiB"], "workloads": ["load:entries=20k"]}]})");
  const Outcome run = cli.run("validate mine.json --out val");
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  REQUIRE(
      contains(run.out, "(largest value compared with smallest):\n  here, tier:buffer=64KiB: "));
  REQUIRE(contains(run.out, " by less than 10 %\n"));
  const Json validation = Json::parse(cli.read("val/validation.json"));
  std::vector<Json> measured;
  for (const Json& cell : validation["calibrations"]) {
    REQUIRE(cell["parameters"].size() == 2);
    for (const Json& parameters : cell["parameters"]) measured.push_back(parameters);
  }
  REQUIRE(measured.size() == 4);
  REQUIRE(measured[1] == measured[2]);  // measured once, between the runs of two policies
  double put_ns = 0;
  double transfer = 0;  // a mean bandwidth is that of the mean transfer time
  for (const Json& parameters : measured) {
    put_ns += parameters["cpu_put_ns"].get<double>() / 4;
    transfer += 1 / parameters["write_bandwidth"].get<double>() / 4;
  }
  const Json mean = Json::parse(cli.read("val/devices/group-1.json"))["parameters"];
  REQUIRE(std::abs(mean["cpu_put_ns"].get<double>() - put_ns) <= 0.5);
  REQUIRE(std::abs(mean["write_bandwidth"].get<double>() - 1 / transfer) <= 1);
  REQUIRE(cli.run("simulate -p lo+1:buffer=64KiB -w load:entries=20k "
                  "--device val/devices/group-1.json --out one.json")
              .exit_code == 0);
  REQUIRE(validation["cells"][1]["time"]["simulated"]["operations_per_second"] ==
          Json::parse(cli.read("one.json"))["throughput"]["operations_per_second"]);
  // Validation measures nothing again.
  const auto firsts = [&] { return cli.shell("cat val/devices/*.0.json").out; };
  const std::string kept = firsts();
  REQUIRE(cli.run("validate mine.json --out val").exit_code == 0);
  REQUIRE(firsts() == kept);
  // If a file is missing, validation measures all again, because the disk may have changed.
  REQUIRE(cli.shell("rm val/devices/*.1.json").exit_code == 0);
  REQUIRE(cli.run("validate mine.json --out val").exit_code == 0);
  REQUIRE(firsts() != kept);
  cli.write("mine.json", R"({"groups": [{"mode": "threaded", "device": "nvme",
    "calibrate_seconds": 1, "policies": ["tier"], "workloads": ["load:entries=20k"]}]})");
  const Outcome wrong = cli.run("validate mine.json --out val");
  REQUIRE(wrong.exit_code == 2);
  REQUIRE(contains(wrong.err, "calibrate_seconds"));
}

TEST_CASE("without a name experiments are listed, and a wrong one gets the nearest") {
  const Cli cli;
  const Outcome list = cli.run("validate");
  REQUIRE(list.exit_code == 0);
  REQUIRE(contains(list.out, "merge-policies"));
  const Outcome wrong = cli.run("validate quikc");
  REQUIRE(wrong.exit_code == 2);
  REQUIRE(contains(wrong.err, "did you mean 'quick'"));
}

TEST_CASE("a damaged validation is refused, not shown") {
  const Cli cli;
  REQUIRE(cli.shell("mkdir val").exit_code == 0);
  for (const std::string text :
       {"{}", "not JSON", R"({"schema": "lsmlab.validation/1"})",
        R"({"schema": "lsmlab.validation/1", "cells": [{}], "fits": [], "merge_times": [],
            "broken_bounds": [], "run": {}})",
        R"({"schema": "lsmlab.validation/1", "cells": [3], "fits": [3], "merge_times": [3],
            "broken_bounds": [3], "run": {}})"}) {
    cli.write("val/validation.json", text);
    const Outcome run = cli.run("report val -o page.html");
    INFO(text << "\n" << run.err);
    REQUIRE(run.exit_code == 2);
    REQUIRE_FALSE(cli.exists("page.html"));
  }
}

TEST_CASE("Ctrl-C ends an experiment, which then goes on where it was") {
  const Cli cli;
  cli.write("mine.json", R"({"groups": [{"policies": ["lo+1:buffer=64KiB,file_size=64KiB"],
    "workloads": ["load:entries=10k", "load:entries=100M"]}]})");
  const Outcome run = cli.shell(std::string("timeout --preserve-status -s INT 3 '") +
                                LSMLAB_BINARY + "' validate mine.json --out val");
  INFO(run.err);
  REQUIRE(run.exit_code == 130);
  REQUIRE(contains(run.err, "continues where it was"));
  REQUIRE_FALSE(cli.exists("val/validation.json"));
  REQUIRE(cli.shell("ls val/runs/*.json").exit_code == 0);
}

}  // namespace
}  // namespace lsmlab::validate_verb_test
