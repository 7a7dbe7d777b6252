#include "models/machine/pause_effect.h"

#include "testing/catch.h"
#include "testing/plain_device.h"

namespace lsmlab::pause_effect_test {
namespace {

TEST_CASE("a pause only delays, until its end, and is the channel's time") {
  DeviceModel model = testing::plain_device(0, 1);
  model.pauses.length_ns = 1'000;
  model.pauses.share = Decimal{1, 5};
  PauseEffect effect(model);
  DeviceState state(1);
  const ServedRequest write{DeviceRequest::kWrite, 1};
  std::uint64_t delayed = 0;
  for (std::uint64_t now_ns = 0; now_ns < 50'000; now_ns += 10) {
    Service service{write, now_ns};
    service.start_ns = state.last_arrival_ns = now_ns;
    effect.serve(state, service);
    // The device pauses in the last microsecond of every five.
    const bool is_paused = now_ns % 5'000 >= 4'000;
    REQUIRE(service.channel_ns == (is_paused ? (now_ns / 5'000 + 1) * 5'000 : now_ns));
    delayed += service.channel_ns - now_ns;
  }
  REQUIRE(state.figures.paused_ns == delayed);
  DeviceAccount account;
  effect.account(state.figures, account);
  REQUIRE(account.held_least_ns == delayed);
  REQUIRE(account.held_most_ns == delayed);
}

}  // namespace
}  // namespace lsmlab::pause_effect_test
