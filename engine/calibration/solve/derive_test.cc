// All costs of a processor together, from a table that a known model made.
#include "engine/calibration/solve/derive.h"

#include <utility>
#include <vector>

#include "testing/catch.h"

namespace lsmlab::engine::derive_test {
namespace {

CpuRow cpu_row(CpuWork work, double nanoseconds, double entries, double tables, double blocks,
               double kib) {
  return {work, nanoseconds, 0, entries, tables, blocks, kib};
}

// What the processor of the next test takes.
std::vector<CpuRow> processor_rows() {
  const double put_ns = 410 + 300.0 / 8;
  std::vector<CpuRow> rows{
      cpu_row(CpuWork::kClientSmall, 120 + 80.0 / 64, 0, 0, 0, 1.0 / 64),
      cpu_row(CpuWork::kClientLarge, 120 + 80, 0, 0, 0, 1),
      cpu_row(CpuWork::kPut, put_ns + 200 * (1.0 / 8 + 28.0 / 1024), 0, 0, 0, 1.0 / 8),
      cpu_row(CpuWork::kPutWide, 410 + 300 * 1.016 + 200 * (1.016 + 28.0 / 1024), 0, 0, 0, 1.016),
      cpu_row(CpuWork::kLogWrite, 900 + 64 * 200, 0, 0, 0, 64),
      cpu_row(CpuWork::kFile, 25'000, 0, 0, 0, 0),
      cpu_row(CpuWork::kSleep, 95'000, 0, 0, 0, 0),
      cpu_row(CpuWork::kGetBetween, 230 + 2.5 * 45 + 1.02 * (780 + 9'000), 0, 2.5, 1.02, 0),
      cpu_row(CpuWork::kPutCold, 800, 0, 0, 0, 0),
      cpu_row(CpuWork::kSlowPutBeside, 500, 0, 0, 0, 0),
      cpu_row(CpuWork::kLogBeside, 900 + 64 * 330, 0, 0, 0, 64),
      cpu_row(CpuWork::kPutUngathered, put_ns + 200 * (1.0 / 8 + 28.0 / 1024) + 900, 0, 0, 0,
              1.0 / 8),
      cpu_row(CpuWork::kGetMemtable, 230, 0, 0, 0, 0),
      cpu_row(CpuWork::kGetAbsent, 230 + 4 * 45 + 0.03 * 780, 0, 4, 0.03, 0),
      cpu_row(CpuWork::kGetPresent, 230 + 2.5 * 45 + 1.02 * 780, 0, 2.5, 1.02, 0),
      cpu_row(CpuWork::kGetPresentOne, 230 + 45 + 780, 0, 1, 1, 0),
      cpu_row(CpuWork::kShortScan, 900 + 10 * 75 + 4 * (45 + 780) + 0.3 * 250, 10, 4, 4.3, 0),
      cpu_row(CpuWork::kLongScan, 900 + 100 * 75 + 4 * (45 + 780) + 3.5 * 250, 100, 4, 7.5, 0),
      cpu_row(CpuWork::kWideScan, 900 + 100 * 75 + 4 * (45 + 780) + 26 * 250, 100, 4, 30, 0),
      cpu_row(CpuWork::kFlush, (160 + 0.137 * 480) * 1.25, 1, 0, 0, 0.137),
      cpu_row(CpuWork::kFlushWide, (160 + 1.05 * 480) * 1.25, 1, 0, 0, 1.05),
      cpu_row(CpuWork::kMergeSmall, 105 + 0.043 * 600, 1, 0, 0, 0.043),
      cpu_row(CpuWork::kMergeLarge, 105 + 1.05 * 600, 1, 0, 0, 1.05),
      cpu_row(CpuWork::kMergeSmallMany, 145 + 0.043 * 660, 1, 0, 0, 0.043),
      cpu_row(CpuWork::kMergeLargeMany, 145 + 1.05 * 660, 1, 0, 0, 1.05),
      cpu_row(CpuWork::kMergeBeside, (105 + 1.05 * 600) * 1.25, 1, 0, 0, 1.05),
      cpu_row(CpuWork::kMergeStore, (105 + 1.05 * 600) * 1.375, 1, 0, 0, 1.05),
      cpu_row(CpuWork::kPutBeside,
              (put_ns + 330 * (1.0 / 8 + 28.0 / 1024) + 120 + 80 * 112.0 / 1024) * 1.375, 0, 0, 0,
              1.0 / 8)};
  for (CpuRow& row : rows) row.wall_ns = row.nanoseconds;
  rows.back().others_busy = 0.5;
  for (CpuRow& row : rows) {
    if (row.work == CpuWork::kPutCold) row.slow_ns = 350;
  }
  return rows;
}

TEST_CASE("times that a processor model makes give the model back") {
  CpuModel model;
  model.costs.client_ns = 120;
  model.costs.client_kib_ns = 80;
  model.costs.put_ns = 410;
  model.costs.put_kib_ns = 300;
  model.costs.get_ns = 230;
  model.costs.table_ns = 45;
  model.costs.block_ns = 780;
  model.costs.scan_ns = 900;
  model.costs.scan_entry_ns = 75;
  model.costs.scan_block_ns = 250;
  model.costs.flush_entry_ns = 160;
  model.costs.flush_kib_ns = 480;
  model.costs.merge_entry_ns = 65;
  model.costs.merge_kib_ns = 540;
  model.costs.merge_doubling_entry_ns = 20;
  model.costs.merge_doubling_kib_ns = 30;
  const CpuModel found = derive_cpu(processor_rows(), CpuModel());
  REQUIRE(found.costs.client_ns == model.costs.client_ns);
  REQUIRE(found.costs.client_kib_ns == model.costs.client_kib_ns);
  REQUIRE(found.costs.put_ns == model.costs.put_ns - 500 / kPutsPerSlowOne);
  REQUIRE(found.costs.slow_put_ns == 500);
  REQUIRE(found.costs.log_kib_ns == 330);
  REQUIRE(found.costs.cold_ns == 350);
  REQUIRE(found.costs.sleep_ns == 95'000);
  REQUIRE(found.costs.log_write_ns == 900);
  REQUIRE(found.costs.file_ns == 25'000);
  REQUIRE(found.costs.read_ns == 9'000);
  REQUIRE(found.costs.put_kib_ns == model.costs.put_kib_ns);
  REQUIRE(found.costs.get_ns == model.costs.get_ns);
  REQUIRE(found.costs.table_ns == model.costs.table_ns);
  REQUIRE(found.costs.block_ns == model.costs.block_ns);
  REQUIRE(found.costs.scan_ns == model.costs.scan_ns);
  REQUIRE(found.costs.scan_entry_ns == model.costs.scan_entry_ns);
  REQUIRE(found.costs.scan_block_ns == model.costs.scan_block_ns);
  REQUIRE(found.costs.flush_entry_ns == model.costs.flush_entry_ns);
  REQUIRE(found.costs.flush_kib_ns == model.costs.flush_kib_ns);
  REQUIRE(found.costs.merge_entry_ns == model.costs.merge_entry_ns);
  REQUIRE(found.costs.merge_kib_ns == model.costs.merge_kib_ns);
  REQUIRE(found.costs.merge_doubling_entry_ns == model.costs.merge_doubling_entry_ns);
  REQUIRE(found.costs.merge_doubling_kib_ns == model.costs.merge_doubling_kib_ns);
  REQUIRE(found.cores.busy_slowdown.as_double() == 0.75);
  REQUIRE(found.cores.merge_busy_slowdown.as_double() == 0.375);
  REQUIRE(found.cores.count == CpuModel().cores.count);
}

TEST_CASE("merges of few runs take what was measured, whatever many runs took") {
  for (const auto& [small, large] :
       {std::pair(40.0, 20.0), std::pair(10.0, 200.0), std::pair(-9.0, -80.0)}) {
    std::vector<CpuRow> rows = processor_rows();
    double few = 0;
    double kib = 0;
    for (CpuRow& row : rows) {
      if (row.work == CpuWork::kMergeLarge) {
        few = row.nanoseconds;
        kib = row.kib;
      }
    }
    for (CpuRow& row : rows) {
      if (row.work == CpuWork::kMergeSmallMany) row.nanoseconds = 105 + 0.043 * 600 + 2 * small;
      if (row.work == CpuWork::kMergeLargeMany) row.nanoseconds = few + 2 * large;
    }
    const CpuModel cpu = derive_cpu(rows, CpuModel());
    CAPTURE(small, large);
    const auto modelled =
        static_cast<double>(cpu.costs.merge_entry_ns + 2 * cpu.costs.merge_doubling_entry_ns) +
        kib * static_cast<double>(cpu.costs.merge_kib_ns + 2 * cpu.costs.merge_doubling_kib_ns);
    REQUIRE(modelled == Approx(few).margin(3));
  }
}

}  // namespace
}  // namespace lsmlab::engine::derive_test
