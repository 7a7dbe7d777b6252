#include "models/machine/latency_effect.h"

#include "testing/catch.h"
#include "testing/plain_device.h"

namespace lsmlab::latency_effect_test {
namespace {

TEST_CASE("latencies add up to those of the requests of each kind, and their seeks") {
  DeviceModel model = testing::plain_device(10'000, 1);
  model.latency.write_ns = 7'000;
  model.contention.seek_ns = 100;
  LatencyEffect effect(model);
  DeviceState state(1);
  const auto latency_of = [&](const ServedRequest& request) {
    Service service{request};
    effect.serve(state, service);
    return service.latency_ns;
  };
  REQUIRE(latency_of({DeviceRequest::kRead, 1, 5, false}) == 10'100);
  REQUIRE(latency_of({DeviceRequest::kRead, 1, 5, true}) == 5'000);
  REQUIRE(latency_of({DeviceRequest::kWrite, 1, 6, true}) == 5'100);  // another stream
  REQUIRE(latency_of({DeviceRequest::kWrite, 1, 6, false}) == 7'100);
  DeviceFigures figures;
  figures.read_requests = figures.write_requests = 2;
  DeviceAccount account;
  effect.account(figures, account);
  REQUIRE(account.latency_ns == 10'100 + 5'000 + 5'100 + 7'100);
  REQUIRE(account.held_most_ns == 0);
}

}  // namespace
}  // namespace lsmlab::latency_effect_test
