// Bytes by level and by reason add up to the totals, whatever a policy does.
#include "sim/keys/simulate_keys.h"
#include "testing/catch.h"
#include "testing/random_operations.h"
#include "testing/runs.h"

namespace lsmlab {
namespace {

Totals totals_of(const std::string& policy) {
  testing::RandomOperations source(7, 20'000);
  RunControl control;
  auto result = simulate_keys(default_setup(testing::policy_of(policy)), source, control);
  REQUIRE(result.has_value());
  return result.value().totals;
}

TEST_CASE("bytes by level and by reason add up to the totals") {
  for (const char* policy : {"leveled:buffer=4KiB", "leveldb:buffer=4KiB,file_size=4KiB",
                             "ldc:buffer=4KiB,file_size=4KiB", "rocksdb-universal:buffer=4KiB",
                             "binomial:buffer=4KiB", "tiered:buffer=4KiB"}) {
    INFO(policy);
    const Totals totals = totals_of(policy);
    REQUIRE(totals.merges > 0);
    LevelTraffic levels;
    for (const LevelTraffic& level : totals.by_level) {
      levels.bytes_in += level.bytes_in;
      levels.bytes_read += level.bytes_read + level.bytes_read_next;
      levels.bytes_written += level.bytes_written;
      levels.bytes_moved += level.bytes_moved;
    }
    REQUIRE(levels.bytes_read == totals.merge_bytes_read);
    REQUIRE(levels.bytes_written == totals.merge_bytes_written);
    ReasonTraffic reasons;
    for (const auto& [reason, traffic] : totals.by_reason) {
      reasons.plans += traffic.plans;
      reasons.bytes_read += traffic.bytes_read;
      reasons.bytes_written += traffic.bytes_written;
      reasons.bytes_moved += traffic.bytes_moved;
    }
    const Uint128 written = totals.flush_bytes_written + totals.merge_bytes_written;
    REQUIRE(reasons.bytes_read == totals.merge_bytes_read);
    REQUIRE(reasons.bytes_written == written);
    REQUIRE(reasons.bytes_moved == levels.bytes_moved);
    REQUIRE(levels.bytes_in == written + levels.bytes_moved);
    REQUIRE((totals.moves == 0) == (levels.bytes_moved == 0));
    // A flush of its own is a plan too.
    REQUIRE(reasons.plans >= totals.merges + totals.moves + totals.links);
    REQUIRE(reasons.plans <= totals.merges + totals.moves + totals.links + totals.flushes);
  }
}

}  // namespace
}  // namespace lsmlab
