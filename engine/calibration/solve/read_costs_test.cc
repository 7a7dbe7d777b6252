#include "engine/calibration/solve/read_costs.h"

#include "testing/catch.h"

namespace lsmlab::engine::read_costs_test {
namespace {

// 230 a lookup, 45 an SSTable, 780 a block, 9,000 more from the disk.
CpuRow lookup(double tables, double blocks, double disk_blocks = 0) {
  CpuRow row;
  row.nanoseconds = 230 + 45 * tables + 780 * blocks + 9'000 * disk_blocks;
  row.tables = tables;
  row.blocks = blocks;
  return row;
}

// 900 a scan, 75 an entry; of four runs, whose first blocks cost what a lookup's do, and 250 a
// further block.
CpuRow scan(double entries, double blocks) {
  CpuRow row;
  row.nanoseconds = 900 + 75 * entries + 4 * (45 + 780) + 250 * (blocks - 4);
  row.entries = entries;
  row.tables = 4;
  row.blocks = blocks;
  return row;
}

TEST_CASE("lookups and scans of known costs give them back") {
  WorkCosts costs;
  const LookupCosts lookups = derive_lookup_costs(
      {lookup(0, 0), lookup(4, 0.03), lookup(2.5, 1.02), lookup(1, 1), lookup(2.5, 1.02, 1.02)},
      costs);
  REQUIRE(costs.get_ns == 230);
  REQUIRE(costs.table_ns == 45);
  REQUIRE(costs.block_ns == 780);
  REQUIRE(costs.read_ns == 9'000);
  derive_scan_costs({scan(10, 4.3), scan(100, 7.5), scan(100, 30)}, lookups, costs);
  REQUIRE(costs.scan_ns == 900);
  REQUIRE(costs.scan_entry_ns == 75);
  REQUIRE(costs.scan_block_ns == 250);
}

}  // namespace
}  // namespace lsmlab::engine::read_costs_test
