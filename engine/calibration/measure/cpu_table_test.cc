#include "engine/calibration/measure/cpu_table.h"

#include <algorithm>

#include "testing/catch.h"

namespace lsmlab::engine::cpu_table_test {
namespace {

Sample taking(double nanoseconds, double wall_ns = 0) {
  Sample sample;
  sample.nanoseconds = nanoseconds;
  sample.wall_ns = wall_ns;
  return sample;
}

CpuRow row_of(const CpuTable& table, CpuWork work) {
  const std::vector<CpuRow> rows = table.rows();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const CpuRow& row) { return row.work == work; });
  REQUIRE(found != rows.end());
  return *found;
}

TEST_CASE("a calibration's puts and flushes are means, merges medians of their rounds") {
  CpuTable table;
  for (const double round : {80, 100, 150, 270}) {
    for (const CpuWork work :
         {CpuWork::kPut, CpuWork::kPutWide, CpuWork::kClientSmall, CpuWork::kClientLarge,
          CpuWork::kFlush, CpuWork::kFlushWide, CpuWork::kMergeLarge}) {
      table.note(work, taking(round, 2 * round));
    }
  }
  for (const CpuWork work : {CpuWork::kPut, CpuWork::kPutWide, CpuWork::kClientSmall,
                             CpuWork::kClientLarge, CpuWork::kFlush, CpuWork::kFlushWide}) {
    REQUIRE(row_of(table, work).nanoseconds == 150);
  }
  REQUIRE(row_of(table, CpuWork::kMergeLarge).nanoseconds == 125);
  REQUIRE(row_of(table, CpuWork::kMergeLarge).wall_ns == 250);
  REQUIRE(row_of(table, CpuWork::kMergeLarge).spread == 190.0 / 125);
}

TEST_CASE("what is measured in turn with another work follows that one's figure, drift or not") {
  CpuTable table;
  // The machine is twice as slow in the second turn. The concurrent put takes a quarter longer in
  // each turn.
  for (const double alone : {100, 200, 120}) {
    table.note(CpuWork::kPut, taking(alone));
    table.note_ratio(CpuWork::kPutBeside, taking(1.25 * alone), taking(alone));
    table.note(CpuWork::kMergeLarge, taking(alone, 10 * alone));
    Sample beside = taking(1.5 * alone, 20 * alone);
    beside.core_wait_ns = 3 * alone;
    beside.one_core = alone / 200;
    table.note_ratio(CpuWork::kMergeGets, beside, taking(alone, 10 * alone));
  }
  REQUIRE(row_of(table, CpuWork::kPutBeside).nanoseconds == 140 * 1.25);
  REQUIRE(row_of(table, CpuWork::kPutBeside).spread == 0);
  REQUIRE(row_of(table, CpuWork::kMergeGets).nanoseconds == 120 * 1.5);
  REQUIRE(row_of(table, CpuWork::kMergeGets).wall_ns == 1200 * 2);
  REQUIRE(row_of(table, CpuWork::kMergeGets).core_wait_ns == Approx(120 * 3));
  REQUIRE(row_of(table, CpuWork::kMergeGets).one_core == 0.6);
}

}  // namespace
}  // namespace lsmlab::engine::cpu_table_test
