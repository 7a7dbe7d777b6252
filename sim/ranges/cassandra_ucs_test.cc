// Write amplification of cassandra-ucs against the closed forms of its design.
#include <string>

#include "sim/ranges/simulate_ranges.h"
#include "testing/runs.h"

namespace lsmlab::cassandra_ucs_range_test {
namespace {

// SSTable bytes written over bytes flushed, after flushes of one size with unique keys.
double write_flushed(const std::string& scaling, std::uint64_t flushes) {
  RunControl control;
  const FlushWorkload workload = testing::flushes_of("size=1MiB,count=" + std::to_string(flushes));
  const RunSetup setup = default_setup(testing::policy_of(
      "cassandra-ucs:flush_size_override=1MiB,base_shard_count=1,target_sstable_size=1TiB,"
      "scaling_parameters=" +
      scaling));
  const auto run = simulate_ranges(setup, workload, control);
  REQUIRE(run.has_value());
  const Totals& totals = run.value().totals;
  return static_cast<double>(totals.flush_bytes_written + totals.merge_bytes_written) /
         static_cast<double>(totals.flush_bytes_written);
}

// Without shards and with unique keys, n = f^L flushes reach level L whole. Tiered: each level
// writes everything once. Leveled: f arrivals at a level make merges of 2, 3, ..., f times an
// arrival, hence (f + 1) / 2 - 1 / f times the data. (UnifiedCompactionStrategy.md gives the orders
// of both: L, and (f - 1) L.)
TEST_CASE("cassandra-ucs writes what the closed forms of tiered and leveled merges say") {
  const auto near = [](double expected) { return Approx(expected).epsilon(0.002); };
  REQUIRE(write_flushed("T4", 64) == near(1 + 3));
  REQUIRE(write_flushed("T4", 1024) == near(1 + 5));
  REQUIRE(write_flushed("N", 64) == near(1 + 6));
  REQUIRE(write_flushed("T10", 100) == near(1 + 2));
  REQUIRE(write_flushed("L4", 64) == near(1 + 3 * 2.25));
  REQUIRE(write_flushed("L10", 100) == near(1 + 2 * 5.4));
  REQUIRE(write_flushed("L10", 1000) == near(1 + 3 * 5.4));
  REQUIRE(write_flushed("T4:L10", 40) == near(1 + 1 + 5.4));
}

}  // namespace
}  // namespace lsmlab::cassandra_ucs_range_test
