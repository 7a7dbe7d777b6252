#include "models/machine/trim_effect.h"

#include "testing/catch.h"
#include "testing/plain_device.h"

namespace lsmlab::trim_effect_test {
namespace {

TEST_CASE("trims hold the channel for so many files and bytes, and nothing shares it meanwhile") {
  DeviceModel model;
  model.trims = {500, 1'000'000};
  const TrimEffect effect(model);
  DeviceState state(1);
  REQUIRE(effect.trim(state, 100, 150, 3 << 20) == 150 + 500 + 3'000'000);
  REQUIRE(state.unshared_until_ns == state.channel_free_ns);
  const std::uint64_t before_ns = state.channel_free_ns;
  REQUIRE(effect.trim(state, before_ns, before_ns, 1) == before_ns + 501);  // rounded up
  REQUIRE(state.figures.waited_ns == 50);
  DeviceAccount account;
  effect.account(state.figures, account);
  REQUIRE(account.held_least_ns == 2 * 500 + 3'000'000);
  REQUIRE(account.rounded == 2);
  REQUIRE(state.figures.transfer_ns == account.held_least_ns + 1);
}

}  // namespace
}  // namespace lsmlab::trim_effect_test
