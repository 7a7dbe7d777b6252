#include "models/tree/kept_ranges.h"

#include <random>

#include "testing/catch.h"

namespace lsmlab::kept_ranges_test {
namespace {

TEST_CASE("kept ranges join blocks until they cover enough data") {
  KeptRangesBuilder builder(Bytes(100));
  builder.add_block({1, 3}, 60);
  builder.add_block({5, 9}, 40);
  builder.add_block({9, 9}, 200);
  builder.add_block({12, 20}, 10);
  REQUIRE(*builder.finish() == KeptRanges{{1, 9}, {9, 9}, {12, 20}});
}

TEST_CASE("an answer about a key holds up to where it says") {
  const std::uint64_t seed = 20261127;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 200; ++round) {
    KeptRangesBuilder builder(Bytes(1 + random() % 3));
    std::vector<bool> is_block(64, false);
    for (std::uint64_t key = 0; key < 60; key += random() % 6) {
      const std::uint64_t last = key + random() % 4;
      for (std::uint64_t held = key; held <= last; ++held) is_block[held] = true;
      builder.add_block({key, last}, 1 + random() % 2);
      key = last + 1;
    }
    const auto ranges = builder.finish();
    for (std::uint64_t key = 0; key < 64; ++key) {
      const KeptRangeAnswer answer = find_kept_range(*ranges, key, 63);
      // Joined ranges also hold keys between their blocks.
      if (is_block[key]) REQUIRE(answer.holds);
      bool is_held = false;
      for (const KeyRange& range : *ranges) {
        is_held = is_held || (range.smallest <= key && key <= range.largest);
      }
      REQUIRE(answer.holds == is_held);
      REQUIRE(answer.until >= key);
      for (std::uint64_t other = key; other <= answer.until; ++other) {
        REQUIRE(find_kept_range(*ranges, other, 63).holds == answer.holds);
      }
    }
  }
}

}  // namespace
}  // namespace lsmlab::kept_ranges_test
