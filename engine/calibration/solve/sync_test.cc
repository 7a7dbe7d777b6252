#include "engine/calibration/solve/sync.h"

#include <vector>

#include "testing/catch.h"

namespace lsmlab::engine::sync_test {
namespace {

TEST_CASE("a sync takes the median of small appends, and at least a nanosecond") {
  std::vector<DiskRow> table{{DiskWork::kSync, 256 << 10}, {DiskWork::kSync, 4 << 10}};
  table[0].p50_ns = 900'000;
  table[1].p50_ns = 300'000;
  table[1].mean_ns = 500'000;
  SyncModel sync;
  derive_sync(sync_rows(table), sync);
  REQUIRE(sync.latency_ns == 300'000);
  table[1].p50_ns = 0;
  derive_sync(sync_rows(table), sync);
  REQUIRE(sync.latency_ns == 1);
}

}  // namespace
}  // namespace lsmlab::engine::sync_test
