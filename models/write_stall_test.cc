#include "models/write_stall.h"

#include "models/merge_time_samples.h"
#include "testing/catch.h"

namespace lsmlab {
namespace {

TEST_CASE("full memtables stop the write that fills another one, runs in level 0 every write") {
  const StallRules rules;
  REQUIRE(!stop_reason(rules, false, 5, 0));
  REQUIRE(!stop_reason(rules, true, 1, 35));
  REQUIRE(stop_reason(rules, true, 2, 0) == StallReason::kFullMemtables);
  REQUIRE(stop_reason(rules, false, 0, 36) == StallReason::kLevel0Stop);
  REQUIRE(stop_reason(rules, true, 2, 36) == StallReason::kFullMemtables);
}

TEST_CASE("LevelDB stops writes for its level 0 only where the memtable is full") {
  const StallRules rules = stall_rules_of("leveldb");
  REQUIRE(!stop_reason(rules, false, 1, 12));
  REQUIRE(!stop_reason(rules, true, 0, 11));
  REQUIRE(stop_reason(rules, true, 0, 12) == StallReason::kLevel0Stop);
  REQUIRE(stop_reason(rules, true, 1, 0) == StallReason::kFullMemtables);
}

TEST_CASE("a slowed write waits for its bytes at the rate, a millisecond or more at a time") {
  StallRules rules;
  rules.slowdown_bytes_per_second = Bytes(1'000'000);
  WriteSlowdown slowdown(rules);
  REQUIRE(slowdown.wait_ns(400) == 0);
  REQUIRE(slowdown.wait_ns(599) == 0);
  REQUIRE(slowdown.wait_ns(101) == 1'100'000);
  REQUIRE(slowdown.wait_ns(2'000) == 2'000'000);
  REQUIRE(WriteSlowdown(stall_rules_of("udc")).wait_ns(1) == 1'000'000);
}

TEST_CASE("times of very many merges are thinned out evenly") {
  MergeTimeSamples samples;
  for (std::uint64_t i = 0; i < 100'000; ++i) samples.add({i, 0, 0});
  const std::vector<MergeTime>& times = samples.times();
  REQUIRE(times.size() > 4'096);
  REQUIRE(times.size() < 8'192);
  const std::uint64_t distance = times[1].bytes_read;
  for (std::size_t i = 0; i < times.size(); ++i) REQUIRE(times[i].bytes_read == i * distance);
  REQUIRE(times.back().bytes_read + distance >= 100'000);
}

}  // namespace
}  // namespace lsmlab
