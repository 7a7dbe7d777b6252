#include "validate/catalog/experiment.h"

#include <fstream>

#include "engine/foreign/foreign_store.h"
#include "testing/catch.h"
#include "testing/engine/scratch_directory.h"

namespace lsmlab::experiment_test {
namespace {

Result<Experiment> parse(const std::string& text) {
  const engine::testing::ScratchDirectory scratch;
  const std::string path = scratch.path() + "/mine.json";
  std::ofstream(path) << text;
  return read_experiment(path);
}

std::string error_of(const std::string& text) {
  const auto experiment = parse(text);
  return experiment ? std::string() : experiment.error().message;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Both are optional libraries, which scripts/test does not install.
bool has_both_foreign_stores() {
  return !engine::rocksdb_version().empty() && !engine::leveldb_version().empty();
}

TEST_CASE("every bundled experiment can be read") {
  const std::vector<ExperimentInfo> presets = experiment_presets();
  REQUIRE(presets.size() >= 2);
  for (const ExperimentInfo& info : presets) {
    INFO(info.name);
    const auto experiment = read_experiment(info.name);
    INFO((experiment ? std::string() : experiment.error().message));
    REQUIRE(!info.description.empty());
    if (info.name == "rocksdb" && !has_both_foreign_stores()) {
      REQUIRE(contains(experiment.error().message, "built without"));
      continue;
    }
    REQUIRE(experiment.has_value());
    REQUIRE(experiment.value().cell_count() > 0);
  }
}

TEST_CASE("policies and workloads of a group are crossed, lists of values written out") {
  const Experiment experiment = parse(R"({"description": "d", "groups": [
        {"name": "g", "source": "engine", "policies": ["binomial:k=3|4", "tier"],
         "workloads": ["load:entries=1k|2k"], "runs": 2, "seed": 9,
         "bounds": {"write_error": "1%", "r_squared": 0.99, "same_logs": true}},
        {"mode": "threaded", "policies": ["tier"], "workloads": ["load:entries=1k"]}]})")
                                    .value();
  REQUIRE(experiment.name == "mine");
  REQUIRE(experiment.cell_count() == 7);
  const ExperimentGroup& group = experiment.groups[0];
  REQUIRE(group.cells.size() == 6);
  REQUIRE(group.cells[1].spec.policy.parameters[0].second == "4");
  REQUIRE(group.cells[0].runs == 2);
  REQUIRE(group.cells[0].spec.options.seed == 9);
  REQUIRE(group.bounds.write_error == 0.01);
  REQUIRE(group.bounds.r_squared == 0.99);
  REQUIRE(group.bounds.has_same_logs);
  REQUIRE(experiment.groups[1].cells[0].group == "group 2");
  REQUIRE(!experiment.groups[1].cells[0].spec.options.is_stepped);
}

TEST_CASE("a group of another store has its table format, or says that the build lacks it") {
  const auto experiment = parse(R"({"groups": [{"source": "rocksdb", "mode": "threaded",
        "policies": ["rocksdb-leveled"], "workloads": ["load:entries=1k"]}]})");
  if (engine::rocksdb_version().empty()) {
    REQUIRE(contains(experiment.error().message, "built without RocksDB"));
    return;
  }
  REQUIRE(experiment.value().groups[0].cells[0].spec.policy.parameters.back() ==
          std::pair<std::string, std::string>("table_format", "rocksdb"));
}

TEST_CASE("what is wrong with an experiment is named") {
  REQUIRE(contains(read_experiment("quikc").error().message, "quick"));
  REQUIRE(contains(read_experiment("no/such.json").error().message, "no/such.json"));
  REQUIRE(contains(error_of("{"), "not JSON"));
  REQUIRE(contains(error_of(R"({"groups": []})"), "\"groups\""));
  REQUIRE(contains(error_of(R"({"group": [{}]})"), "groups"));
  const auto with = [](const std::string& members) {
    return R"({"groups": [{"policies": ["tier"], "workloads": ["load:entries=1k"], )" + members +
           "}]}";
  };
  REQUIRE(contains(error_of(with(R"("source": "rocksbd")")), "rocksdb"));
  REQUIRE(contains(error_of(with(R"("mode": "steped")")), "stepped"));
  REQUIRE(contains(error_of(with(R"("runs": 0)")), "\"runs\""));
  REQUIRE(contains(error_of(with(R"("bounds": {"write_error": "much"})")), "write_error"));
  REQUIRE(contains(error_of(with(R"("bounds": {"error": 1})")), "unknown member"));
  REQUIRE(contains(error_of(with(R"("bounds": {"same_logs": 1})")), "same_logs"));
  REQUIRE(
      contains(error_of(R"({"groups": [{"policies": ["teir"], "workloads": ["load"]}]})"), "tier"));
  REQUIRE(
      contains(error_of(R"({"groups": [{"policies": ["tier"], "workloads": ["laod"]}]})"), "load"));
  REQUIRE(contains(error_of(R"({"groups": [{"policies": "tier", "workloads": ["load"]}]})"),
                   "\"policies\""));
  REQUIRE(contains(error_of(with(R"("name": 3)")), "group 1"));
  REQUIRE(contains(error_of(with(R"("merge_threads": 2)")), "need a \"device\""));
  REQUIRE(contains(error_of(with(R"("direct_io": true)")), "need a \"device\""));
  REQUIRE(contains(error_of(with(R"("bounds": {"right_order": true})")), "need a \"device\""));
  REQUIRE(contains(error_of(with(R"("device": "nvme")")), "threaded"));
  REQUIRE(contains(error_of(with(R"("device": "nvm", "mode": "threaded")")), "nvme"));
}

TEST_CASE("cells with a clock have a device, and what their stores run with") {
  const auto experiment =
      parse(R"({"groups": [{"policies": ["tier"], "workloads": ["load:entries=1k"],
    "mode": "threaded", "device": "nvme:parallelism=3", "merge_threads": 2, "direct_io": true,
    "bounds": {"throughput_error": "15%", "put_p99_factor": 2, "right_order": true}}]})");
  REQUIRE(experiment.has_value());
  const ExperimentGroup& group = experiment.value().groups.front();
  REQUIRE(group.bounds.throughput_error == 0.15);
  REQUIRE(group.bounds.put_p99_factor == 2.0);
  REQUIRE(group.bounds.has_right_order);
  const ExperimentCell& cell = group.cells.front();
  REQUIRE(cell.device->name == "nvme");
  REQUIRE(cell.spec.options.merge_threads == 2);
  REQUIRE(cell.spec.options.direct_io);
  REQUIRE(!cell.spec.device);
  REQUIRE(cell.simulated->device->label == "nvme parallelism=3");
  REQUIRE(!cell.measured->device);
  REQUIRE(!cell.spec.options.is_stepped);
}

}  // namespace
}  // namespace lsmlab::experiment_test
