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

RunResult result_of(const RunSpec& spec) {
  const auto run = resolve(spec);
  REQUIRE(run.has_value());
  auto results = run_simulations({&run.value(), 1}, {});
  REQUIRE(results.has_value());
  return std::move(results.value().front());
}

// Means over seeds: policies that choose files make other merges with each.
DeleteFigures deletes_of(const std::string& policy, Resolution resolution, bool has_clock,
                         std::uint64_t seeds = 1) {
  RunSpec spec;
  spec.policy = parse_spec(policy).value();
  spec.workload = parse_spec("load:entries=600k,update_fraction=20%,delete_fraction=10%").value();
  spec.resolution = resolution;
  if (has_clock) spec.device = parse_spec("nvme").value();
  DeleteFigures sum;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    spec.options.seed = seed;
    const RunResult result = result_of(spec);
    const auto& deletes = result.keys.value().deletes;
    REQUIRE(deletes.has_value());
    sum.flushed += deletes->flushed;
    sum.gone += deletes->gone;
    sum.gone_after.mean += deletes->gone_after.mean / static_cast<double>(seeds);
    sum.gone_after.p50 += deletes->gone_after.p50 / seeds;
    sum.gone_after.p99 += deletes->gone_after.p99 / seeds;
    sum.gone_after_ns = deletes->gone_after_ns;
  }
  return sum;
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
    const DeleteFigures key = deletes_of(policy, Resolution::kKey, false, 6);
    const DeleteFigures range = deletes_of(policy, Resolution::kRange, false, 6);
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

TEST_CASE("a threshold that is the share of deletes decides alike at resolutions key and range") {
  // With the mean share of tombstones in every memtable tsd wrote 80 % more at resolution range.
  constexpr std::uint64_t kSeeds = 4;
  double writes[2] = {0, 0};
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    for (const Resolution resolution : {Resolution::kKey, Resolution::kRange}) {
      RunSpec spec;
      spec.policy = parse_spec("tsd:buffer=64KiB,file_size=64KiB").value();
      spec.workload =
          parse_spec("load:entries=300k,update_fraction=40%,delete_fraction=10%").value();
      spec.resolution = resolution;
      spec.options.seed = seed;
      const Totals totals = result_of(spec).totals;
      writes[resolution == Resolution::kRange ? 1 : 0] +=
          static_cast<double>(totals.flush_bytes_written + totals.merge_bytes_written);
    }
  }
  require_near(writes[1], writes[0], 0.1);
}

}  // namespace lsmlab::forgetting_test
