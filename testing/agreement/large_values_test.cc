// Values as large as a memtable or a file, and versions of a key that fill several blocks.
#include "testing/catch.h"
#include "testing/spec_runs.h"

namespace lsmlab::large_values_test {
namespace {

RunSpec spec_of(const std::string& policy, const std::string& workload) {
  return {parse_spec(policy).value(), parse_spec(workload).value()};
}

double written_bytes(const RunSpec& spec) {
  const Totals totals = testing::simulated(spec).totals;
  return static_cast<double>(totals.flush_bytes_written + totals.merge_bytes_written);
}

TEST_CASE("A slice of a file is measured alike where versions of its last key fill blocks") {
  const std::string workload =
      "load:records=2000,entries=8000,value_bytes=1000,update_fraction=100%,"
      "update_distribution=zipfian";
  for (const std::string name : {"ldc", "dcompaction"}) {
    const RunSpec spec = spec_of(name + ":buffer=64KiB", workload);
    const std::vector<std::string> simulated = testing::plans_of(spec, false);
    INFO(name);
    REQUIRE(simulated.size() > 200);
    REQUIRE(simulated == testing::plans_of(spec, true));
  }
}

TEST_CASE("Values that fill a memtable alone write at resolution range what their keys write") {
  for (const std::string name : {"lo+1", "leveldb", "rocksdb-leveled", "pebble", "tier", "ldc"}) {
    RunSpec spec = spec_of(name + ":buffer=64KiB", "load:entries=400,value_bytes=1MB");
    spec.resolution = Resolution::kKey;
    const double exact = written_bytes(spec);
    spec.resolution = Resolution::kRange;
    const double near = written_bytes(spec);
    INFO(name << ": " << near << " for " << exact);
    REQUIRE(near > 0.7 * exact);
    REQUIRE(near < 1.3 * exact);
  }
}

TEST_CASE("With a clock, a value that fills a memtable alone waits beside an empty one") {
  for (const std::string name : {"rocksdb-leveled", "rocksdb-universal"}) {
    for (const Resolution resolution : {Resolution::kKey, Resolution::kRange}) {
      RunSpec spec = spec_of(name + ":buffer=64KiB", "load:entries=100,value_bytes=66KB");
      spec.resolution = resolution;
      spec.device = Spec{"nvme", {}};
      const RunResult result = testing::simulated(spec);
      REQUIRE(result.keys->operations.puts == 100);
      REQUIRE(result.totals.flushes > 0);
    }
  }
}

}  // namespace
}  // namespace lsmlab::large_values_test
