#include "models/machine/contention_effect.h"

#include "testing/catch.h"
#include "testing/plain_device.h"

namespace lsmlab::contention_effect_test {
namespace {

TEST_CASE("a request beside others takes so much longer for each of them, one alone nothing") {
  DeviceModel model;
  model.contention.busy_latency_ns = 10;
  model.contention.other_size_latency_ns = 100;
  model.contention.request_ns = 900;
  ContentionEffect effect(model);
  DeviceState state(3);
  const ServedRequest request;
  const auto served = [&](std::uint64_t start_ns) {
    Service service{request, start_ns};
    service.start_ns = start_ns;
    service.transfer_ns = 200;
    effect.serve(state, service);
    return std::pair(service.transfer_ns, service.latency_ns);
  };
  REQUIRE(served(0) == std::pair<std::uint64_t, std::uint64_t>(200, 0));
  state.places = {
      {5'000, true}, {6'000, false}, {0, false}};  // the request's own place is the last
  state.figures.last_done_ns = 6'000;
  REQUIRE(served(1'000) == std::pair<std::uint64_t, std::uint64_t>(300, 2 * 10 + 100));
  REQUIRE(served(5'500) == std::pair<std::uint64_t, std::uint64_t>(450, 10));
  REQUIRE(served(6'000) == std::pair<std::uint64_t, std::uint64_t>(200, 0));
  DeviceAccount account;
  effect.account(state.figures, account);
  REQUIRE(account.latency_ns == 3 * 10 + 100);
  REQUIRE(account.held_least_ns == 100 + 250);
  REQUIRE(account.held_most_ns == 100 + 250);
}

}  // namespace
}  // namespace lsmlab::contention_effect_test
