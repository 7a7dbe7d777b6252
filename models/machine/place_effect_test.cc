#include "models/machine/place_effect.h"

#include "testing/catch.h"
#include "testing/plain_device.h"

namespace lsmlab::place_effect_test {
namespace {

TEST_CASE("a request starts when it arrives or when a place is free, never before") {
  PlaceEffect effect(testing::plain_device(0, 2));
  DeviceState state(2);
  const ServedRequest request;
  const auto start_of = [&](std::uint64_t now_ns, std::uint64_t length_ns) {
    Service service{request, now_ns};
    effect.serve(state, service);
    service.done_ns = service.start_ns + length_ns;
    effect.hold(state, service);
    state.figures.last_done_ns = std::max(state.figures.last_done_ns, service.done_ns);
    return service.start_ns;
  };
  REQUIRE(start_of(100, 50) == 100);
  REQUIRE(start_of(110, 100) == 110);
  REQUIRE(start_of(120, 60) == 150);  // the first place
  REQUIRE(start_of(120, 10) == 210);  // both places become free then
  REQUIRE(start_of(500, 1) == 500);
  // Until 501, the two places are held for 221 ns together.
  DeviceAccount account;
  effect.account(state.figures, account);
  REQUIRE(state.figures.last_done_ns == 501);
  REQUIRE(account.held_most_ns == 0);
}

}  // namespace
}  // namespace lsmlab::place_effect_test
