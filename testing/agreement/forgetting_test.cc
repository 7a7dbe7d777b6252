// How long deletes take until they are gone: resolution range, which knows cohorts of tombstones,
// against resolution key, which knows each.
#include <cmath>

#include "models/accounting/run_result.h"
#include "testing/catch.h"
#include "validate/catalog/catalog.h"
#include "validate/catalog/run_spec.h"
#include "validate/runs/batch.h"

namespace lsmlab::forgetting_test {
namespace {

DeleteFigures deletes_of(const std::string& policy, Resolution resolution, bool has_clock) {
  RunSpec spec;
  spec.policy = parse_spec(policy).value();
  spec.workload = parse_spec("load:entries=600k,update_fraction=20%,delete_fraction=10%").value();
  spec.resolution = resolution;
  if (has_clock) spec.device = parse_spec("nvme").value();
  const auto run = resolve(spec);
  REQUIRE(run.has_value());
  const auto results = run_simulations({&run.value(), 1}, {});
  REQUIRE(results.has_value());
  const auto& deletes = results.value().front().keys.value().deletes;
  REQUIRE(deletes.has_value());
  return *deletes;
}

void require_near(double range, double key, double tolerance) {
  INFO(range << " at resolution range, " << key << " at resolution key");
  REQUIRE(std::abs(range - key) <= tolerance * key);
}

// Zones mix ages that lie apart, so the mean is nearer than the median, and that than the tail.
// Policies that choose files make other merges at the two resolutions, too.
void require_alike(const DeleteTimes& range, const DeleteTimes& key, double p99_tolerance = 0.15) {
  require_near(range.mean, key.mean, 0.05);
  require_near(static_cast<double>(range.p50), static_cast<double>(key.p50), 0.1);
  require_near(static_cast<double>(range.p99), static_cast<double>(key.p99), p99_tolerance);
}

}  // namespace

TEST_CASE("deletes are gone after nearly the same times at resolutions key and range") {
  for (const char* policy :
       {"rocksdb-leveled:buffer=256KiB,file_size=256KiB", "lo+1:buffer=256KiB,file_size=256KiB",
        "delete-aware:buffer=256KiB,file_size=256KiB,size_trigger=kept",
        "tiered:buffer=256KiB,size_ratio=4", "ldc:buffer=256KiB"}) {
    INFO(policy);
    const DeleteFigures key = deletes_of(policy, Resolution::kKey, false);
    const DeleteFigures range = deletes_of(policy, Resolution::kRange, false);
    require_near(static_cast<double>(range.flushed), static_cast<double>(key.flushed), 0.001);
    require_near(static_cast<double>(range.gone), static_cast<double>(key.gone), 0.02);
    require_alike(range.gone_after, key.gone_after);
    REQUIRE_FALSE(range.gone_after_ns.has_value());
  }
}

TEST_CASE("gc_grace keeps deletes for nearly the same times at resolutions key and range") {
  const std::string grace = ",gc_grace=150k";
  const std::string single = grace + ",tombstone_threshold=5%,tombstone_compaction_interval=50k";
  for (const std::string& policy :
       {"tiered:buffer=256KiB,size_ratio=4" + grace, "cassandra-stcs:buffer=256KiB" + grace,
        "cassandra-lcs:buffer=256KiB,sstable_size=256KiB" + grace,
        "scylla-lcs:buffer=256KiB,sstable_size=256KiB" + single,
        "tiered:buffer=256KiB,size_ratio=4,unchecked_tombstone_compaction=true" + single}) {
    INFO(policy);
    const DeleteFigures key = deletes_of(policy, Resolution::kKey, false);
    const DeleteFigures range = deletes_of(policy, Resolution::kRange, false);
    REQUIRE(key.gone > 1'000);
    require_near(static_cast<double>(range.gone), static_cast<double>(key.gone), 0.05);
    // Leveling drops most tombstones soon after gc_grace, and those that wait longer are few.
    require_alike(range.gone_after, key.gone_after, 0.25);
    REQUIRE(key.gone_after.p50 >= 150'000);
  }
}

TEST_CASE("with a device the ages of deletes are known in nanoseconds at both resolutions") {
  const char* const policy = "rocksdb-leveled:buffer=256KiB,file_size=256KiB";
  const DeleteFigures key = deletes_of(policy, Resolution::kKey, true);
  const DeleteFigures range = deletes_of(policy, Resolution::kRange, true);
  REQUIRE(key.gone_after_ns.has_value());
  REQUIRE(range.gone_after_ns.has_value());
  require_alike(range.gone_after, key.gone_after);
  require_alike(*range.gone_after_ns, *key.gone_after_ns);
}

}  // namespace lsmlab::forgetting_test
