#include "engine/calibration/solve/trims.h"

#include "testing/catch.h"

namespace lsmlab::engine::trims_test {
namespace {

CpuRow removal(CpuWork work, double kib, double wait_ns) {
  CpuRow row;
  row.work = work;
  row.nanoseconds = 10'000;
  row.kib = kib;
  row.wall_ns = 10'000 + wait_ns;
  return row;
}

TEST_CASE("removals of two sizes give a file's trim and that of its bytes") {
  TrimModel trims;
  derive_trims({removal(CpuWork::kRemoveSmall, 256, 1'500'000 + 1'200'000 / 4),
                removal(CpuWork::kRemoveLarge, 8 * 1024, 1'500'000 + 1'200'000 * 8)},
               trims);
  REQUIRE(trims.file_ns == 1'500'000);
  REQUIRE(trims.mib_ns == 1'200'000);
}

TEST_CASE("a large file that is removed within 0.1 ms is not trimmed") {
  TrimModel trims;
  derive_trims({removal(CpuWork::kRemoveSmall, 256, 20'000),
                removal(CpuWork::kRemoveLarge, 8 * 1024, 99'000)},
               trims);
  REQUIRE_FALSE(trims.is_given());
}

TEST_CASE("where large files are removed as fast as small ones, bytes cost nothing") {
  TrimModel trims;
  derive_trims({removal(CpuWork::kRemoveSmall, 256, 400'000),
                removal(CpuWork::kRemoveLarge, 8 * 1024, 300'000)},
               trims);
  REQUIRE(trims.file_ns == 400'000);
  REQUIRE(trims.mib_ns == 0);
}

}  // namespace
}  // namespace lsmlab::engine::trims_test
