// The window of a cache against an LRU cache that sees every use.
#include "sim/ranges/cache_window.h"

#include <cmath>
#include <vector>

#include "models/base/random.h"
#include "models/execution/block_cache.h"
#include "testing/catch.h"

namespace lsmlab::cache_window_test {
namespace {

constexpr std::uint64_t kBlockBytes = 4096;

// Reads of one block each: `popular` blocks have half of all uses, `others` have the rest.
struct TwoKinds {
  std::uint64_t popular = 0;
  std::uint64_t others = 0;
  [[nodiscard]] std::uint64_t draw(SplitMix64& random) const {
    const bool is_popular = random.below(2) == 0;
    return is_popular ? random.below(popular) : popular + random.below(others);
  }
  [[nodiscard]] double rate(std::uint64_t block) const {
    return 0.5 / static_cast<double>(block < popular ? popular : others);
  }
};

double lru_hits(const TwoKinds& kinds, std::uint64_t capacity, std::uint64_t reads) {
  BlockCache cache(Bytes(capacity * kBlockBytes));
  SplitMix64 random(1);
  std::uint64_t hits = 0;
  for (std::uint64_t i = 0; i < reads; ++i) {
    hits += cache.access(FileId(1), kinds.draw(random), kBlockBytes);
  }
  return static_cast<double>(hits) / static_cast<double>(reads);
}

// Samples one read of `weight`.
double window_hits(const TwoKinds& kinds, std::uint64_t capacity, std::uint64_t reads,
                   std::uint64_t weight) {
  CacheWindow cache(Bytes(capacity * kBlockBytes));
  SplitMix64 random(2);
  double hits = 0;
  for (std::uint64_t i = 0; i < reads / weight; ++i) {
    cache.pass(weight);
    const double age = static_cast<double>(cache.reads());
    const CacheWindow::Block block{kinds.rate(kinds.draw(random)), age, kBlockBytes};
    hits += cache.chance_of(block);
    cache.note(block, 1);
  }
  return hits * static_cast<double>(weight) / static_cast<double>(reads);
}

TEST_CASE("the window gives the hit rate of an LRU cache, whatever part of the reads it sees") {
  const TwoKinds kinds{500, 20'000};
  constexpr std::uint64_t kReads = 400'000;
  for (const std::uint64_t capacity : {100u, 1'000u, 5'000u, 15'000u, 30'000u}) {
    const double expected = lru_hits(kinds, capacity, kReads);
    for (const std::uint64_t weight : {1u, 10u, 100u}) {
      INFO("capacity " << capacity << " blocks, one read of " << weight << ": LRU " << expected);
      const double found = window_hits(kinds, capacity, kReads, weight);
      INFO("window " << found);
      // The window is estimated from 1,024 uses, so it is exact to some percent. A hundredth of
      // the reads are 4,000: their hit rate has a deviation of 0.008.
      REQUIRE(std::abs(found - expected) < (weight == 100 ? 0.025 : 0.01));
    }
  }
}

TEST_CASE(
    "a cache holds nothing of blocks that are larger than it, of new files and of a restart") {
  CacheWindow cache(Bytes(10 * kBlockBytes));
  REQUIRE(!cache.can_hold(10 * kBlockBytes + 1));
  REQUIRE(cache.chance_of({1, 100, 10 * kBlockBytes + 1}) == 0);
  for (int i = 0; i < 1000; ++i) {
    cache.pass(1);
    cache.note({0.01, static_cast<double>(cache.reads()), kBlockBytes}, 1);
  }
  REQUIRE(cache.chance_of({0.01, 1000, kBlockBytes}) > 0.05);
  REQUIRE(cache.chance_of({0.01, 0, kBlockBytes}) == 0);
  cache.restart();
  REQUIRE(cache.chance_of({0.01, 1000, kBlockBytes}) == 0);
}

}  // namespace
}  // namespace lsmlab::cache_window_test
