#include "engine/calibration/solve/merge_costs.h"

#include "testing/catch.h"

namespace lsmlab::engine::merge_costs_test {
namespace {

CpuRow row_of(double nanoseconds, double kib) {
  CpuRow row;
  row.nanoseconds = row.wall_ns = nanoseconds;
  row.kib = kib;
  return row;
}

// An entry of a merge: 65 + 540 a KiB, and for each doubling of its runs 20 + 30 a KiB.
CpuRow merged(double kib, double doublings) {
  return row_of(65 + 540 * kib + doublings * (20 + 30 * kib), kib);
}

TEST_CASE("merges of few and many runs give back what entries, bytes and doublings cost") {
  WorkCosts costs;
  derive_merge_costs({merged(0.043, 2), merged(0.043, 4), merged(1.05, 2), merged(1.05, 4)}, costs);
  REQUIRE(costs.merge_entry_ns == 65);
  REQUIRE(costs.merge_kib_ns == 540);
  REQUIRE(costs.merge_doubling_entry_ns == 20);
  REQUIRE(costs.merge_doubling_kib_ns == 30);
}

TEST_CASE("merges of many runs that are faster than those of few cost nothing more") {
  WorkCosts costs;
  derive_merge_costs({merged(0.043, 2), merged(0.043, 1), merged(1.05, 2), merged(1.05, 1)}, costs);
  REQUIRE(costs.merge_doubling_entry_ns == 0);
  REQUIRE(costs.merge_doubling_kib_ns == 0);
  REQUIRE(costs.merge_entry_ns == 65 + 2 * 20);
  REQUIRE(costs.merge_kib_ns == 540 + 2 * 30);
}

TEST_CASE("a flush's costs are without what busy cores took") {
  WorkCosts costs;
  const BusyCoresRows busy{row_of(800, 1), row_of(1'000, 1)};  // a quarter more
  derive_flush_costs({row_of((160 + 0.137 * 480) * 1.25, 0.137), row_of((160 + 480) * 1.25, 1)},
                     busy, costs);
  REQUIRE(costs.flush_entry_ns == 160);
  REQUIRE(costs.flush_kib_ns == 480);
}

}  // namespace
}  // namespace lsmlab::engine::merge_costs_test
