// Experiments with a clock: only simulated, and compared with threaded runs of the engine.
#include <fstream>

#include "testing/catch.h"
#include "testing/experiment_place.h"
#include "validate/judge/judge.h"
#include "validate/judge/simulated_cells.h"
#include "validate/report/validation/validation_page.h"

namespace lsmlab::timed_validation_test {
namespace {

using Json = nlohmann::ordered_json;

using testing::experiment_of_group;
using Place = testing::ExperimentPlace;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("a group of the simulator's is simulated only, and held against its first policy") {
  const auto experiment = experiment_of_group(R"("source": "simulator", "device": "nvme",
    "clients": "closed:clients=4",
    "policies": ["udc:buffer=64KiB,file_size=64KiB", "ldc:buffer=64KiB,file_size=64KiB"],
    "workloads": ["ldc-rwb:operations=20k,value_bytes=100"])");
  INFO((experiment ? std::string() : experiment.error().message));
  REQUIRE(experiment.has_value());
  Place place;
  const auto validation = run_validation(experiment.value(), place.options);
  REQUIRE(validation.has_value());
  const Json& json = validation.value().json;
  REQUIRE(json["cells"].empty());
  REQUIRE(json["fits"].empty());
  REQUIRE(json["simulations"].size() == 2);
  const Json& udc = json["simulations"][0];
  const Json& ldc = json["simulations"][1];
  REQUIRE(udc["clients"]["clients"] == 4);
  REQUIRE(udc["throughput"]["operations_per_second"] > 0);
  REQUIRE(ldc["merge_bytes"] < udc["merge_bytes"]);
  const auto rows = simulated_rows(json);
  REQUIRE(rows.size() == 3);
  for (const auto& row : rows) REQUIRE(row.size() == rows.front().size());
  REQUIRE(rows[1][5] == "1.000");  // merged bytes of the first policy, divided by themselves
  REQUIRE(std::stod(rows[2][5]) ==
          Approx(ldc["merge_bytes"].get<double>() / udc["merge_bytes"].get<double>()).margin(5e-4));
  REQUIRE(has(validation_text(json), "simulated only"));
  const auto page = make_validation_report(json, "page");
  REQUIRE(page.has_value());
  REQUIRE(has(page.value(), "Simulated only"));
  // The results are kept, so nothing runs again.
  std::size_t done_at_first = 0;
  place.options.on_progress = [&](const ValidationProgress& progress) {
    if (done_at_first == 0) done_at_first = progress.runs_done;
  };
  REQUIRE(run_validation(experiment.value(), place.options).value().is_complete);
  REQUIRE(done_at_first == 2);
}

TEST_CASE("what has no meaning without a store, or with one, is refused by name") {
  const std::string specs = R"("policies": ["tier"], "workloads": ["load:entries=1k"], )";
  const auto error = [&](const std::string& members) {
    const auto experiment = experiment_of_group(specs + members);
    REQUIRE_FALSE(experiment.has_value());
    return experiment.error().message;
  };
  REQUIRE(has(error(R"("source": "simulator", "bounds": {})"), "\"bounds\""));
  REQUIRE(has(error(R"("source": "simulator", "runs": 2)"), "\"runs\""));
  REQUIRE(has(error(R"("source": "simulator", "clients": "closed")"), "\"device\""));
  REQUIRE(has(error(R"("source": "simulator", "device": "nvme", "clients": "clsed")"), "closed"));
  REQUIRE(has(error(R"("mode": "threaded", "device": "nvme", "clients": "closed")"), "simulator"));
  REQUIRE(has(error(R"("source": "simulator", "device": "calibrated")"), "unknown device"));
  REQUIRE(experiment_of_group(specs + R"("mode": "threaded", "device": "calibrated")").has_value());
}

TEST_CASE("a threaded run beside its simulation: throughput, latencies, merges, and their lines") {
  // The simulated disk is nothing like this machine's: it makes merges far too slow.
  const auto experiment = experiment_of_group(R"("mode": "threaded", "device": "hdd",
    "policies": ["lo+1:buffer=64KiB,file_size=64KiB", "tiered:size_ratio=3,buffer=64KiB"],
    "workloads": ["load:entries=20k,value_bytes=16|2000"], "bounds": {"merge_time_r_squared": 0.1})");
  REQUIRE(experiment.has_value());
  Place place;
  const auto validation = run_validation(experiment.value(), place.options);
  REQUIRE(validation.has_value());
  const Json& json = validation.value().json;
  REQUIRE(json["simulations"].empty());
  for (const Json& cell : json["cells"]) {
    for (const char* side : {"simulated", "measured"}) {
      REQUIRE(cell["time"][side]["operations_per_second"] > 0);
      REQUIRE(cell["time"][side]["merge_bytes_per_second"] > 0);
    }
  }
  bool has_rate = false;
  bool has_merges = false;
  for (const Json& fit : json["fits"]) {
    has_rate = has_rate || fit["figure"] == "operations_per_second";
    if (fit["figure"] != "merge seconds") continue;
    has_merges = has_merges || fit["points"] > 20;
    const double ceiling = fit["ceiling_r_squared"];
    REQUIRE(ceiling <= 1);
    REQUIRE(ceiling >= fit["prediction_r_squared"]);
  }
  REQUIRE(has_rate);
  REQUIRE(has_merges);
  REQUIRE(validation.value().broken_bounds.size() == 1);
  REQUIRE(has(validation.value().broken_bounds.front(), "simulated times of merges"));
  REQUIRE(has(validation_text(json), "merge seconds"));
  REQUIRE(has(make_validation_report(json, "page").value(), "Throughput and latency"));
}

}  // namespace
}  // namespace lsmlab::timed_validation_test
