// What a LOG tells of the speed of its writers.
#include "validate/stores/logged_clock.h"

#include "testing/catch.h"

namespace lsmlab::logged_clock_test {
namespace {

// A flush of 1000 entries every 2 ms, and every 20 ms while writers are slowed.
stores::Store store_with(std::uint64_t free_flushes, std::uint64_t stalled_flushes) {
  stores::Store store;
  store.logs.emplace_back();
  stores::InfoLog& log = store.logs.front().log;
  std::uint64_t micros = 1'000'000;
  for (std::uint64_t i = 0; i < free_flushes + stalled_flushes; ++i) {
    const bool is_stalled = i >= free_flushes;
    micros += is_stalled ? 20'000 : 2'000;
    stores::LoggedFlush flush;
    flush.family = "default";
    flush.micros = micros;
    flush.memtable_entries = 1000;
    flush.is_finished = true;
    log.flushes.push_back(flush);
    if (is_stalled) log.stalls.push_back({"default", micros - 10'000});
  }
  return store;
}

TEST_CASE("a write takes what it took between flushes without stalls") {
  const LoggedWrites writes = logged_writes(store_with(11, 10), "default");
  REQUIRE(writes.stalled_share == Approx(200.0 / 220));
  REQUIRE(writes.write_ns == 2000);
  REQUIRE(logged_writes(store_with(11, 0), "default").stalled_share == 0);
  REQUIRE_FALSE(logged_writes(stores::Store(), "default").write_ns);
}

TEST_CASE("writers that were stalled much wait for the store, and others come at their rate") {
  stores::FamilyFigures figures;
  figures.name = "default";
  figures.source = stores::HistorySource::kLog;
  figures.flush_speed = figures.merge_speed = {1000, 1000};
  const auto clock = logged_clock(store_with(11, 10), figures);
  REQUIRE(clock->write_ns == 2000);
  REQUIRE(clock->device.ends_with(",cpu_put_ns=2000"));
  REQUIRE_FALSE(logged_clock(store_with(100, 1), figures)->write_ns);
}

}  // namespace
}  // namespace lsmlab::logged_clock_test
