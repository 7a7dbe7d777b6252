#include "models/machine/background_effect.h"

#include "testing/catch.h"
#include "testing/plain_device.h"

namespace lsmlab::background_effect_test {
namespace {

TEST_CASE("background requests are never early, and no more bytes go out than the limit gives") {
  DeviceModel model;
  model.queue.background_bandwidth = Bytes(3'000'000);
  BackgroundEffect effect(model);
  std::uint64_t bytes = 0;
  std::uint64_t now_ns = 0;
  for (std::uint64_t i = 0; i < 100; ++i, now_ns += 250'000) {
    const std::uint64_t slot_ns = effect.slot(now_ns, 1'000, i % 2 == 0);
    REQUIRE(slot_ns >= now_ns);
    // Under the limit a request takes 333,334 ns. All earlier requests have had their time.
    REQUIRE(Uint128{slot_ns} * 3'000'000 >= Uint128{bytes} * kModelNsPerSecond);
    bytes += 1'000;
  }
  DeviceAccount account;
  effect.account({}, account);
  REQUIRE(account.held_most_ns == 0);
}

TEST_CASE("without a limit background requests are issued at once") {
  BackgroundEffect effect{DeviceModel()};
  REQUIRE(effect.slot(7, 1 << 30, true) == 7);
  REQUIRE(effect.slot(7, 1 << 30, false) == 7);
}

TEST_CASE("a limit on what background work writes does not count what it reads") {
  DeviceModel model;
  model.queue.background_write_bandwidth = Bytes(1'000'000);
  BackgroundEffect effect(model);
  REQUIRE(effect.slot(5, 1'000, true) == 5);
  REQUIRE(effect.slot(5, 9'000'000, false) == 5);
  REQUIRE(effect.slot(5, 1'000, true) == 1'000'005);
  REQUIRE(effect.slot(5, 9'000'000, false) == 5);
  REQUIRE(effect.slot(3'000'000, 1'000, true) == 3'000'000);
  model.queue.background_bandwidth = Bytes(4'000'000);
  BackgroundEffect both(model);
  REQUIRE(both.slot(0, 1'000, true) == 0);
  REQUIRE(both.slot(0, 1'000, false) == 250'000);
  REQUIRE(both.slot(0, 1'000, true) == 1'000'000);  // the limit on writes is the narrower one
  DeviceAccount account;
  both.account({}, account);
}

}  // namespace
}  // namespace lsmlab::background_effect_test
