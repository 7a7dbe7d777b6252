#include "engine/sstable/key_window.h"

#include <algorithm>
#include <random>
#include <vector>

#include "testing/catch.h"

namespace lsmlab::engine::key_window_test {
namespace {

TEST_CASE("windows rise with keys, with and without a prefix") {
  const std::uint64_t seed = 20261121;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  for (const char* prefix : {"", "user", "\x7f"}) {
    const KeyWindow window{std::string(prefix)};
    std::vector<std::string> keys{"", "u", "user", "user\xff", "usera", "zebra"};
    for (int i = 0; i < 2000; ++i) {
      std::string key = random() % 2 == 0 ? std::string(prefix) : std::string();
      for (std::uint64_t n = random() % 12; n > 0; --n) {
        key.push_back(static_cast<char>(random() % 3 * 120));
      }
      keys.push_back(std::move(key));
    }
    std::sort(keys.begin(), keys.end());
    bool rises = true;
    for (std::size_t i = 1; i < keys.size(); ++i) {
      rises = rises && window.of(keys[i - 1]) <= window.of(keys[i]);
    }
    REQUIRE(rises);
  }
}

TEST_CASE("a window is the eight bytes behind the prefix, the first one highest") {
  REQUIRE(KeyWindow().of("") == 0);
  REQUIRE(KeyWindow().of("\x01") == std::uint64_t{1} << 56);
  REQUIRE(KeyWindow().of("12345678 and more") == 0x3132333435363738);
  REQUIRE(KeyWindow("ab").of("ab12345678") == 0x3132333435363738);
  REQUIRE(KeyWindow("ab").of("aa") == 0);
  REQUIRE(KeyWindow("ab").of("a") == 0);
  REQUIRE(KeyWindow("ab").of("ac") == ~std::uint64_t{0});
}

}  // namespace
}  // namespace lsmlab::engine::key_window_test
