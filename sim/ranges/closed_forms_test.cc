// Write amplification of systems' policies against closed forms, with flushes of one size and
// unique keys.
#include <algorithm>
#include <cmath>
#include <string>

#include "sim/ranges/simulate_ranges.h"
#include "testing/runs.h"

namespace lsmlab::closed_forms_test {
namespace {

// SSTable bytes written over bytes flushed. A flush is as large as the memtable that policies
// expect without a buffer.
double write_flushed(const std::string& policy, std::uint64_t flushes) {
  RunControl control;
  const FlushWorkload workload = testing::flushes_of("size=8MiB,count=" + std::to_string(flushes));
  const auto run = simulate_ranges(default_setup(testing::policy_of(policy)), workload, control);
  REQUIRE(run.has_value());
  const Totals& totals = run.value().totals;
  return static_cast<double>(totals.flush_bytes_written + totals.merge_bytes_written) /
         (static_cast<double>(flushes) * (8 << 20));  // an eager merge is no flush
}

// Without shards, n = f^L flushes reach level L whole. Tiered: each level writes everything once.
// Leveled: f arrivals at a level make merges of 2, 3, ..., f times an arrival, hence (f + 1) / 2 -
// 1 / f times the data. (UnifiedCompactionStrategy.md gives the orders of both: L, and (f - 1) L.)
TEST_CASE("cassandra-ucs writes what the closed forms of tiered and leveled merges say") {
  const auto written = [](const std::string& scaling, std::uint64_t flushes) {
    return write_flushed(
        "cassandra-ucs:flush_size_override=8MiB,base_shard_count=1,target_sstable_size=1TiB,"
        "scaling_parameters=" +
            scaling,
        flushes);
  };
  const auto near = [](double expected) { return Approx(expected).epsilon(0.002); };
  REQUIRE(written("T4", 64) == near(1 + 3));
  REQUIRE(written("T4", 1024) == near(1 + 5));
  REQUIRE(written("N", 64) == near(1 + 6));
  REQUIRE(written("T10", 100) == near(1 + 2));
  REQUIRE(written("L4", 64) == near(1 + 3 * 2.25));
  REQUIRE(written("L10", 100) == near(1 + 2 * 5.4));
  REQUIRE(written("L10", 1000) == near(1 + 3 * 5.4));
  // Level 1 ends at 3.1 * 10 flushes (level 0's leeway), which 8 arrivals of 4 flushes exceed.
  REQUIRE(written("T4:L10", 32) == near(1 + 1 + (2 + 3 + 4 + 5 + 6 + 7 + 8) / 8.0));
}

// Without guards, two flushes merge into a file of level 1, and three files of a level into one of
// the next: 2 * 3^k flushes have then been written once by each of levels 0 to k + 1.
TEST_CASE("pebblesdb writes everything once by level") {
  std::uint64_t flushes = 2;
  for (std::uint64_t k = 0; k <= 5; ++k, flushes *= 3) {
    INFO(flushes << " flushes");
    REQUIRE(write_flushed("pebblesdb:guard_bits=60,guard_bits_step=0,file_size=1TiB", flushes) ==
            Approx(static_cast<double>(k + 2)).epsilon(0.002));
  }
}

// Of parts of one file, 4 flushes roll, 3 rolls fill level 0, and 10 arrivals each further level.
// The k-th arrival at a part writes k of them; but for level 0 the first one only moves.
TEST_CASE("lsbm writes as leveling does") {
  const std::string policy =
      "lsbm:l0_size=88MiB,l0_compaction_trigger=28MiB,file_size=1TiB,size_ratio=10";
  REQUIRE(write_flushed(policy, 12) == Approx(1 + 2).epsilon(0.002));
  REQUIRE(write_flushed(policy, 120) == Approx(1 + 2 + 5.4).epsilon(0.002));
  REQUIRE(write_flushed(policy, 1200) == Approx(1 + 2 + 2 * 5.4).epsilon(0.002));
}

// Of one extent each, 4 layers merge with all of level 1, m = n / 4 times in n flushes: the k-th
// time writes 4 * k flushes.
TEST_CASE("x-engine rewrites level 1 whenever four layers merge into it") {
  const std::string policy =
      "x-engine:file_size=1TiB,level0_file_num_compaction_trigger=3,"
      "level0_layer_num_compaction_trigger=4";
  REQUIRE(write_flushed(policy, 40) == Approx(1 + 2 * 10 * 11 / 40.0).epsilon(0.002));
  REQUIRE(write_flushed(policy, 200) == Approx(1 + 2 * 50 * 51 / 200.0).epsilon(0.002));
}

// A level merges g arrivals whenever it has more than g: of a arrivals, (a - 1) / g merges, each of
// which writes g times what one arrival holds.
TEST_CASE("sifrdb writes a level's arrivals once, except for its newest") {
  for (const std::uint64_t growth : std::initializer_list<std::uint64_t>{2, 4, 10}) {
    for (const std::uint64_t flushes :
         std::initializer_list<std::uint64_t>{1, 10, 11, 12, 111, 112, 1000, 1111, 1112, 3000}) {
      INFO(growth << " trees, " << flushes << " flushes");
      double written = 0;
      std::uint64_t size = 1;
      for (std::uint64_t arrivals = flushes; arrivals > 0;) {
        written += static_cast<double>(arrivals * size);
        arrivals = (arrivals - 1) / growth;
        size *= growth;
      }
      for (const char* const adopt : {"true", "false"}) {
        const std::string policy = "sifrdb:file_size=1TiB,growth_factor=" + std::to_string(growth) +
                                   ",adopt_files=" + adopt;
        REQUIRE(write_flushed(policy, flushes) ==
                Approx(written / static_cast<double>(flushes)).epsilon(0.002));
      }
    }
  }
}

// r^L flushes have been written once by each tiered level, and (r + 1) / 2 times by the first
// leveled one; by deeper ones as often without the first of r arrivals, which moves.
TEST_CASE("slimdb writes what the closed forms of tiered and leveled levels say") {
  const auto written = [](const std::string& options, std::uint64_t flushes) {
    return write_flushed("slimdb:" + options, flushes);
  };
  const auto near = [](double expected) { return Approx(expected).epsilon(0.002); };
  REQUIRE(written("sub_levels=10,leveled_from=64", 1000) == near(1 + 3));
  REQUIRE(written("sub_levels=4,leveled_from=64", 1024) == near(1 + 5));
  REQUIRE(written("sub_levels=10,leveled_from=2", 1000) == near(1 + 1 + 5.5));
  REQUIRE(written("sub_levels=10,leveled_from=2", 10'000) == near(1 + 1 + 5.5 + 5.4));
  REQUIRE(written("sub_levels=4,leveled_from=1", 1024) == near(1 + 2.5 + 3 * 2.25));
}

// With R = sqrt(|C2|), in memtables, R / 1.05 of them make a C1: each byte is written half of
// R / 1.05 + 1 times on its way through C1, and C2 is written |C2| * 1.05 / R times for it. Over a
// load of N memtables, R is 2/3 sqrt(N) on average.
TEST_CASE("blsm writes what its rule in whole memtables gives, near the root of their number") {
  for (const std::uint64_t flushes :
       std::initializer_list<std::uint64_t>{1, 3, 4, 10, 100, 1000, 10'000}) {
    INFO(flushes << " flushes");
    double c1 = 0;
    double c2 = 0;
    double written = 0;
    for (std::uint64_t i = 0; i < flushes; ++i) {
      written += ++c1;
      if (1.05 * c1 <= std::max(3.0, std::sqrt(c2))) continue;
      written += c2 += c1;
      c1 = 0;
    }
    const double all = static_cast<double>(flushes);
    REQUIRE(write_flushed("blsm", flushes) == Approx(written / all).epsilon(0.002));
    if (flushes < 1000) continue;
    const double root = std::sqrt(all) * 2 / 3;
    REQUIRE(written / all == Approx((root / 1.05 + 1) / 2 + root * 1.05).epsilon(0.03));
  }
}

}  // namespace
}  // namespace lsmlab::closed_forms_test
