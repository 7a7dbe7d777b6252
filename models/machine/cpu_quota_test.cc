#include "models/machine/cpu_quota.h"

#include <vector>

#include "testing/catch.h"

namespace lsmlab::cpu_quota_test {
namespace {

CpuModel limited(std::uint64_t cores, Decimal quota, Decimal device = {0, 1},
                 Decimal idle = {0, 1}) {
  CpuModel model;
  model.cores.count = cores;
  model.quota.cores = quota;
  model.quota.device = device;
  model.quota.idle = idle;
  return model;
}

// When the machine stops, and for how long, if cores work cores_tenths / 10 of a core's time and
// the device works device_tenths / 10 of the time.
std::vector<CpuQuota::Look> stops_of(const CpuModel& model, std::uint64_t cores_tenths,
                                     std::uint64_t device_tenths, unsigned periods) {
  CpuQuota quota(model);
  std::vector<CpuQuota::Look> stops;
  std::uint64_t ran_ns = 0;
  for (std::uint64_t now_ns = 0; now_ns < periods * model.quota.period_ns;) {
    const CpuQuota::Look look =
        quota.look(now_ns, ran_ns * cores_tenths / 10, ran_ns * device_tenths / 10);
    REQUIRE(look.next_ns > now_ns);
    if (look.stop_ns > 0) {
      stops.push_back({now_ns, look.stop_ns});
      REQUIRE(look.next_ns == now_ns + look.stop_ns);
    } else {
      ran_ns += look.next_ns - now_ns;
    }
    now_ns = look.next_ns;
  }
  return stops;
}

void require_stops_at(const std::vector<CpuQuota::Look>& stops, unsigned periods,
                      std::uint64_t at_ns) {
  constexpr std::uint64_t kPeriodNs = 100'000'000;
  // A stop may be early by a remainder too short for another look, and late by less than a
  // nanosecond for each look.
  constexpr std::uint64_t kBefore = 20'000;
  constexpr std::uint64_t kAfter = 100;
  REQUIRE(stops.size() == periods);
  for (std::size_t i = 0; i < stops.size(); ++i) {
    CAPTURE(i, stops[i].next_ns);
    const std::uint64_t in_period_ns = stops[i].next_ns - i * kPeriodNs;
    REQUIRE(in_period_ns <= at_ns + kAfter);
    REQUIRE(in_period_ns + kBefore >= at_ns);
    REQUIRE(stops[i].stop_ns == kPeriodNs - in_period_ns);
  }
}

TEST_CASE("a machine without a limit of processor time is never stopped") {
  REQUIRE_FALSE(CpuQuota(CpuModel()).is_limited());
  REQUIRE(CpuQuota(limited(2, {1, 2})).is_limited());
}

TEST_CASE("in each period cores stop when they have used up what there is") {
  require_stops_at(stops_of(limited(2, {1, 1}), 20, 0, 5), 5, 50'000'000);
  require_stops_at(stops_of(limited(2, {3, 2}), 20, 0, 5), 5, 75'000'000);
  require_stops_at(stops_of(limited(8, {1, 4}), 8, 0, 5), 5, 31'250'000);
}

TEST_CASE("what is not used up is not kept for the next period, and stops nobody") {
  REQUIRE(stops_of(limited(2, {2, 1}), 20, 0, 20).empty());
  REQUIRE(stops_of(limited(2, {1, 1}), 10, 0, 20).empty());
  REQUIRE(stops_of(limited(4, {1, 1}), 3, 10, 20).empty());
}

TEST_CASE("what the host does for the device counts, and so does a core that waits for it") {
  // In each nanosecond two cores use 2 ns, and the device 1 ns or 0.5 ns.
  require_stops_at(stops_of(limited(2, {2, 1}, {1, 1}), 20, 10, 3), 3, 66'666'667);
  require_stops_at(stops_of(limited(2, {2, 1}, {1, 2}), 20, 10, 3), 3, 80'000'000);
  // One core is idle: half of its time counts while the device works, which is always or half of
  // the time.
  require_stops_at(stops_of(limited(2, {2, 1}, {1, 1}, {1, 2}), 10, 10, 3), 3, 80'000'000);
  REQUIRE(stops_of(limited(2, {2, 1}, {1, 1}, {1, 2}), 10, 5, 20).empty());
  require_stops_at(stops_of(limited(2, {7, 5}, {1, 1}, {1, 2}), 10, 5, 3), 3, 80'000'000);
}

TEST_CASE("the least of a limit still lets something happen in every period") {
  CpuModel model = limited(4'096, {1, 100});
  model.quota.period_ns = 1'000'000;
  const std::vector<CpuQuota::Look> stops = stops_of(model, 40'960, 0, 50);
  REQUIRE(stops.size() == 50);
  for (std::size_t i = 0; i < stops.size(); ++i) {
    REQUIRE(stops[i].next_ns > i * model.quota.period_ns);
  }
}

}  // namespace
}  // namespace lsmlab::cpu_quota_test
