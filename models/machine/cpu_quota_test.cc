#include "models/machine/cpu_quota.h"

#include <vector>

#include "testing/catch.h"

namespace lsmlab {
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

// Where the machine stops for how long while so many tenths of a core work, and the device for so
// many tenths of the time.
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
  // What is too little to be looked for, and less than a nanosecond of each look.
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
  // Two cores and the device: 2 and 1 in each nanosecond.
  require_stops_at(stops_of(limited(2, {2, 1}, {1, 1}), 20, 10, 3), 3, 66'666'667);
  require_stops_at(stops_of(limited(2, {2, 1}, {1, 2}), 20, 10, 3), 3, 80'000'000);
  // One idles: half of it counts as well, or half of that where the device works by half.
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
}  // namespace lsmlab
