#include "engine/calibration/solve/put_costs.h"

#include "testing/catch.h"

namespace lsmlab::engine::put_costs_test {
namespace {

CpuRow row_of(CpuWork work, double nanoseconds, double kib = 0) {
  CpuRow row;
  row.work = work;
  row.nanoseconds = nanoseconds;
  row.kib = kib;
  return row;
}

// 120 + 80 a KiB of a client, 400 + 300 a KiB of a put, 900 + 200 a KiB of its log.
PutRows rows_of_known_costs() {
  constexpr double kPut = 400 + 300 * 0.125 + 200 * (0.125 + 28.0 / 1024);
  PutRows rows;
  rows.client_small = row_of(CpuWork::kClientSmall, 120 + 80.0 / 64, 1.0 / 64);
  rows.client_large = row_of(CpuWork::kClientLarge, 120 + 80, 1);
  rows.put = row_of(CpuWork::kPut, kPut, 0.125);
  rows.put_wide = row_of(CpuWork::kPutWide, 400 + 300 + 200 * (1 + 28.0 / 1024), 1);
  rows.put_ungathered = row_of(CpuWork::kPutUngathered, kPut + 900, 0.125);
  rows.slow_put = row_of(CpuWork::kSlowPutBeside, 1);
  rows.cold_put = row_of(CpuWork::kPutCold, 800);
  rows.log_write = row_of(CpuWork::kLogWrite, 900 + 64 * 200, 64);
  rows.log_beside = row_of(CpuWork::kLogBeside, 900 + 64 * 150, 64);
  rows.file = row_of(CpuWork::kFile, 25'000);
  rows.sleep = row_of(CpuWork::kSleep, 95'000);
  return rows;
}

TEST_CASE("rows of known costs give back those of clients, puts and the log") {
  PutRows rows = rows_of_known_costs();
  rows.cold_put.slow_ns = 350;
  WorkCosts costs;
  derive_put_costs(rows, costs);
  REQUIRE(costs.client_ns == 120);
  REQUIRE(costs.client_kib_ns == 80);
  REQUIRE(costs.put_ns == 400);
  REQUIRE(costs.put_kib_ns == 300);
  REQUIRE(costs.log_write_ns == 900);
  REQUIRE(costs.log_kib_ns == 200);  // alone it took longer than beside merges
  REQUIRE(costs.file_ns == 25'000);
  REQUIRE(costs.sleep_ns == 95'000);
  REQUIRE(costs.cold_ns == 350);
}

TEST_CASE("slow puts leave the mean of a put as it was, and the log costs what it does beside") {
  PutRows rows = rows_of_known_costs();
  rows.slow_put.nanoseconds = 5'000;
  rows.log_beside.nanoseconds = 900 + 64 * 330;
  WorkCosts costs;
  derive_put_costs(rows, costs);
  REQUIRE(costs.slow_put_ns == 5'000);
  REQUIRE(costs.put_ns == 400 - 5'000 / kPutsPerSlowOne);
  REQUIRE(costs.log_kib_ns == 330);
}

}  // namespace
}  // namespace lsmlab::engine::put_costs_test
