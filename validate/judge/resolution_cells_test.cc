#include "validate/judge/resolution_cells.h"

#include <cmath>

#include "testing/cli.h"
#include "testing/experiment_place.h"
#include "validate/report/validation/validation_page.h"

namespace lsmlab::resolution_cells_test {
namespace {

using Json = nlohmann::ordered_json;
using testing::contains;
using testing::experiment_of_group;

const std::string kResolutions = R"("source": "simulator", "resolution": "range", "runs": 3,
    "policies": ["leveldb:buffer=64KiB,file_size=64KiB", "tiered:size_ratio=4,buffer=64KiB"],
    "workloads": ["load:entries=100k"])";

TEST_CASE("two resolutions of a run: means over seeds, their difference, and its error") {
  testing::ExperimentPlace place;
  const auto validation =
      run_validation(experiment_of_group(kResolutions).value(), place.options).value();
  REQUIRE(place.results() == 2 * 2 * 3);
  const Json& cells = validation.json["resolutions"];
  REQUIRE(cells.size() == 2);
  for (const Json& cell : cells) {
    REQUIRE(cell["seeds"] == 3);
    REQUIRE(cell["cells"] == 16);
    for (const Json& figure : cell["figures"]) {
      const double range = figure["range"];
      const double key = figure["key"];
      REQUIRE(key > 0);
      REQUIRE(std::abs(figure["difference"].get<double>() - (range - key) / key) < 1e-12);
    }
  }
  // Files of 64 KiB: single seeds differ by percents.
  const Json& leveled = cells[0]["figures"]["write"];
  REQUIRE(leveled["key_scatter"] > 0.001);
  REQUIRE(leveled["standard_error"] > 0.001);
  REQUIRE(std::abs(leveled["difference"].get<double>()) < 0.03);
  // Only sizes of runs count, which no seed changes.
  const Json& tiered = cells[1]["figures"]["write"];
  REQUIRE(tiered["key_scatter"] == 0.0);
  REQUIRE(tiered["difference"] == 0.0);
  const std::string text = validation_text(validation.json);
  REQUIRE(contains(text, "tiered:size_ratio=4,buffer=64KiB"));
  REQUIRE(contains(make_validation_report(validation.json, "page").value(), "Resolution range"));
}

TEST_CASE("resolution range is within the bounds of its quick experiment") {
  testing::ExperimentPlace place;
  const auto validation =
      run_validation(read_experiment("range-quick").value(), place.options).value();
  INFO(validation_text(validation.json));
  REQUIRE(validation.broken_bounds.empty());
  REQUIRE(validation.json["resolutions"].size() == 10);
}

TEST_CASE("bounds on the differences of two resolutions are told if they break") {
  testing::ExperimentPlace place;
  Experiment experiment = experiment_of_group(kResolutions + R"(, "bounds": {"write_error": "5%",
    "merges_error": "10%", "live_bytes_error": "1%", "space_transient_error": "10%"})")
                              .value();
  REQUIRE(run_validation(experiment, place.options).value().broken_bounds.empty());
  experiment.groups[0].bounds.live_bytes_error = -1;
  const auto broken = run_validation(experiment, place.options).value().broken_bounds;
  REQUIRE(broken.size() == 2);
  REQUIRE(contains(broken[0], "live bytes differs by"));
}

TEST_CASE("with a device a group of resolution range is simulated there alone") {
  testing::ExperimentPlace place;
  const auto experiment = experiment_of_group(R"("source": "simulator", "resolution": "range",
    "device": "nvme", "policies": ["tier:buffer=64KiB", "lo+1:buffer=64KiB,file_size=64KiB"],
    "workloads": ["load:entries=50k"])");
  REQUIRE(experiment.has_value());
  for (const ExperimentCell& cell : experiment.value().groups[0].cells) {
    REQUIRE(cell.pairs.empty());
    REQUIRE(cell.simulated->spec.resolution == Resolution::kRange);
  }
  const auto validation = run_validation(experiment.value(), place.options);
  REQUIRE(validation.has_value());
  REQUIRE(validation.value().json["simulations"].size() == 2);
}

TEST_CASE("what a group of two resolutions has not is refused") {
  const auto error = [](const std::string& members) {
    return experiment_of_group(R"("policies": ["tier"], "workloads": ["load:entries=1k"], )" +
                               members)
        .error()
        .message;
  };
  REQUIRE(contains(error(R"("resolution": "range")"), "needs \"source\": \"simulator\""));
  const std::string simulator = R"("source": "simulator", )";
  REQUIRE(contains(error(simulator + R"("resolution": "key")"), "expected 'range'"));
  REQUIRE(contains(error(simulator + R"("resolution": "range", "bounds": {"r_squared": 1})"),
                   "measured stores"));
  REQUIRE(contains(error(simulator + R"("resolution": "range", "mode": "stepped")"),
                   "no measured stores"));
  REQUIRE(contains(error(simulator + R"("resolution": "range", "device": "nvme",
                                        "bounds": {"write_error": "1%"})"),
                   "measures none"));
  REQUIRE(contains(error(R"("bounds": {"merges_error": "1%"})"), "\"resolution\": \"range\""));
}

}  // namespace
}  // namespace lsmlab::resolution_cells_test
