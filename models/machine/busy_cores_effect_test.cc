#include "models/machine/busy_cores_effect.h"

#include "testing/catch.h"
#include "testing/plain_device.h"

namespace lsmlab::busy_cores_effect_test {
namespace {

TEST_CASE("busy cores lengthen the latency by a share of the whole request") {
  BusyCoresEffect effect{DeviceModel()};
  DeviceState state(1);
  const auto served = [&](std::uint64_t slowdown) {
    const ServedRequest request{DeviceRequest::kRead, 1, 0, false, slowdown};
    Service service{request};
    service.transfer_ns = 1'000;
    service.latency_ns = 3'000;
    effect.serve(state, service);
    REQUIRE(service.transfer_ns == 1'000);
    return service.latency_ns;
  };
  REQUIRE(served(0) == 3'000);
  REQUIRE(served(scaled_slowdown({1, 2})) == 5'000);
  REQUIRE(served(scaled_slowdown({1, 4})) == 4'000);
  DeviceAccount account;
  effect.account(state.figures, account);
  REQUIRE(account.latency_ns == 2'000 + 1'000);
  REQUIRE(account.held_most_ns == 0);
}

}  // namespace
}  // namespace lsmlab::busy_cores_effect_test
