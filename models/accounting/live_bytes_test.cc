#include "models/accounting/live_bytes.h"

#include <map>
#include <random>

#include "testing/catch.h"

namespace lsmlab::live_bytes_test {
namespace {

TEST_CASE("live bytes of few keys are exact, whatever is written and removed") {
  const std::uint64_t seed = 11;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  LiveBytes live;
  std::map<std::uint64_t, std::uint64_t> expected;
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t key = random() % 3000;
    if (random() % 3 == 0) {
      live.remove(key);
      expected.erase(key);
    } else {
      const std::uint64_t bytes = random() % 500;
      live.put(key, bytes, 0);
      expected[key] = bytes;
    }
  }
  Uint128 sum = 0;
  for (const auto& [key, bytes] : expected) sum += bytes;
  REQUIRE(live.bytes() == sum);
}

TEST_CASE("live bytes of many keys are near, in order or not, and after most are removed") {
  constexpr std::uint64_t kKeys = 2'000'000;
  for (const std::uint64_t step : {std::uint64_t{1}, std::uint64_t{0x9e3779b97f4a7c15}}) {
    INFO("step " << step);
    LiveBytes live;
    for (std::uint64_t i = 0; i < kKeys; ++i) live.put(i * step, 128, 0);
    for (std::uint64_t i = 0; i < kKeys; i += 3) live.put(i * step, 64, 0);
    const double expected = kKeys / 3.0 * 64 + kKeys * 2 / 3.0 * 128;
    REQUIRE(static_cast<double>(live.bytes()) == Approx(expected).epsilon(0.02));
    for (std::uint64_t i = 0; i < kKeys / 2; ++i) live.remove(i * step);
    REQUIRE(static_cast<double>(live.bytes()) == Approx(expected / 2).epsilon(0.03));
  }
}

TEST_CASE("live bytes lose the keys whose newest write was in a dropped file") {
  LiveBytes live;
  live.put(1, 10, 1);
  live.put(2, 20, 2);
  live.put(3, 30, 3);
  live.put(1, 100, 4);  // a newer version of key 1 is elsewhere
  live.put(5, 50, 5);
  live.drop({1, 3}, {1, 2});
  REQUIRE(live.bytes() == 180);
  live.drop({1, 3}, {1, 2});
  REQUIRE(live.bytes() == 180);
  live.put(2, 7, 6);
  REQUIRE(live.bytes() == 187);
  live.drop({4, 6}, {0, 9});
  REQUIRE(live.bytes() == 30);
}

}  // namespace
}  // namespace lsmlab::live_bytes_test
