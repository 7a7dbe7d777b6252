#include "models/machine/sharing_effect.h"

#include "testing/catch.h"
#include "testing/plain_device.h"

namespace lsmlab::sharing_effect_test {
namespace {

TEST_CASE("turns are given and taken to the nanosecond, and only a slowdown holds the channel") {
  for (const Decimal slowdown : {Decimal{0, 1}, Decimal{1, 2}}) {
    DeviceModel model;
    model.contention.sharing_slowdown = slowdown;
    SharingEffect effect(model);
    DeviceState state(2);
    const auto serve = [&](std::size_t place, std::uint64_t stream, std::uint64_t start_ns) {
      const ServedRequest request{DeviceRequest::kRead, 8'000, stream, false, 0, true};
      Service service{request, start_ns, 0, true, start_ns, 8'000, 0};
      service.channel_ns = std::max(start_ns, state.channel_free_ns);
      effect.serve(state, service);
      state.places[place] = {service.done_ns, true};
      return service.done_ns;
    };
    REQUIRE(serve(0, 1, 0) == 8'000);
    const std::uint64_t slow_ns = slowdown.numerator() == 0 ? 0 : 1'000;
    // The requests alternate for 2,000 ns of each.
    REQUIRE(serve(1, 2, 6'000) == 16'000 + 2 * slow_ns);
    const std::uint64_t late_ns = effect.late_ns(1);
    REQUIRE(late_ns == 2'000 + 2 * slow_ns);
    REQUIRE(effect.late_ns(1) == 0);
    REQUIRE(state.places[0].free_ns == 8'000 + late_ns);
    REQUIRE(state.figures.shared_ns == 2 * slow_ns);
    DeviceAccount account;
    effect.account(state.figures, account);
    REQUIRE(account.held_least_ns == 2 * slow_ns);
    REQUIRE(account.held_most_ns == 2 * slow_ns);
  }
}

}  // namespace
}  // namespace lsmlab::sharing_effect_test
