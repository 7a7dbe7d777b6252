// A profile of a trace behaves like the trace: write amplification of the profile at resolutions
// key and range, compared with the trace itself at resolution key.
#include <fmt/format.h>

#include <cmath>
#include <fstream>

#include "models/accounting/run_result.h"
#include "testing/catch.h"
#include "testing/experiment_place.h"
#include "traces/files/trace_file.h"
#include "traces/files/trace_profile.h"
#include "validate/catalog/catalog.h"
#include "validate/catalog/operation_workload_text.h"
#include "validate/catalog/run_spec.h"
#include "validate/runs/batch.h"

namespace lsmlab::profile_test {
namespace {

struct Case {
  const char* name;
  const char* phases;
};

// Each has 200,000 operations.
constexpr Case kCases[] = {
    {"uniform", R"([{"operations": "100k", "mix": {"insert": 1}},
                    {"operations": "100k", "mix": {"update": 1}}])"},
    {"zipfian", R"([{"operations": "100k", "mix": {"insert": 1}},
                    {"operations": "100k", "mix": {"update": 1}, "update_keys": "zipfian"}])"},
    {"latest", R"([{"operations": "50k", "mix": {"insert": 1}},
                   {"operations": "150k", "mix": {"insert": 1, "update": 2},
                    "update_keys": "latest"}])"},
    {"sequential", R"([{"operations": "100k", "mix": {"insert": 1}, "insert_keys": "sequential"},
                       {"operations": "100k", "mix": {"update": 1}, "update_keys": "zipfian"}])"},
    {"mixed", R"([{"operations": "200k",
                   "mix": {"insert": 4, "update": 4, "delete": 1, "get_present": 1},
                   "update_keys": {"distribution": "zipfian", "zipf_exponent": 0.8},
                   "value_bytes": {"distribution": "uniform", "min": 50, "max": 400}}])"}};

class Place {
 public:
  explicit Place(const Case& one) {
    std::ofstream(path("workload.json")) << fmt::format("{{\"phases\": {}}}", one.phases);
    const auto workload = operation_workload_of_spec({path("workload.json"), {}});
    REQUIRE(workload.has_value());
    std::vector<Operation> operations(workload.value().operation_count());
    REQUIRE(workload.value().open(7)->fill(operations).value() == 200'000);
    auto writer = TraceWriter::create(path("w.trace"));
    REQUIRE(writer.has_value());
    REQUIRE(writer.value()->append(operations).has_value());
    REQUIRE(writer.value()->finish().has_value());
    TraceProfile profile;
    profile.add(operations);
    std::ofstream(path("profile.json"))
        << operation_workload_text(profile.workload().value(), {one.name, {}, {}});
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return scratch_.path() + "/" + name;
  }

 private:
  engine::testing::ScratchDirectory scratch_;
};

Result<double> write_amplification(const std::string& policy, const std::string& workload,
                                   Resolution resolution) {
  RunSpec spec;
  spec.policy = parse_spec(policy + ":buffer=64KiB,file_size=64KiB").value();
  spec.workload = parse_spec(workload).value();
  spec.resolution = resolution;
  const ResolvedRun run = BOOST_OUTCOME_TRYX(resolve(spec));
  const auto results = BOOST_OUTCOME_TRYX(run_simulations({&run, 1}, {}));
  const RunResult& result = results.front();
  return amplification_of(result.totals, result.runs, result.transient, 1).write;
}

}  // namespace

TEST_CASE("profiles of drawn traces write as much as the traces, at resolutions key and range") {
  for (const Case& one : kCases) {
    const Place place(one);
    const std::string profile = fmt::format("profile:file={}", place.path("profile.json"));
    for (const char* policy : {"leveldb", "lo+1", "rocksdb-leveled", "tier"}) {
      const auto exact = write_amplification(policy, place.path("w.trace"), Resolution::kKey);
      REQUIRE(exact.has_value());
      for (const Resolution resolution : {Resolution::kKey, Resolution::kRange}) {
        const auto found = write_amplification(policy, profile, resolution);
        const bool is_range = resolution == Resolution::kRange;
        INFO(fmt::format("{} {} at {}: {}", one.name, policy, is_range ? "range" : "key",
                         found ? fmt::format("{:.3f}, trace {:.3f}", found.value(), exact.value())
                               : found.error().message));
        REQUIRE(found.has_value());
        const double bound = is_range ? 0.05 : 0.03;
        REQUIRE(std::abs(found.value() / exact.value() - 1) < bound);
      }
    }
  }
}

}  // namespace lsmlab::profile_test
