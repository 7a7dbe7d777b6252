#include "models/execution/block_cache.h"

#include <list>
#include <random>
#include <set>

#include "testing/catch.h"

namespace lsmlab::block_cache_test {
namespace {

TEST_CASE("the cache drops what a naive list drops") {
  const std::uint64_t seed = 3;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  struct Held {
    std::uint64_t file;
    std::uint64_t block;
    std::uint64_t bytes;
  };
  std::list<Held> naive;  // most recently used first
  const std::uint64_t capacity = 1000;
  BlockCache cache{Bytes(capacity)};
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t file = random() % 4;
    const std::uint64_t block = random() % 10;
    const std::uint64_t bytes = 30 + (file * 13 + block * 29) % 90;
    bool is_hit = false;
    for (auto held = naive.begin(); held != naive.end(); ++held) {
      if (held->file != file || held->block != block) continue;
      naive.erase(held);
      is_hit = true;
      break;
    }
    naive.push_front({file, block, bytes});
    std::uint64_t sum = 0;
    for (auto held = naive.begin(); held != naive.end();) {
      sum += held->bytes;
      held = sum > capacity ? naive.erase(held) : std::next(held);
    }
    REQUIRE(cache.access(FileId(file), block, bytes) == is_hit);
    REQUIRE(cache.count() == naive.size());
    REQUIRE(cache.held_bytes() <= capacity);
  }
}

TEST_CASE("a block larger than the cache is not kept and drops nothing") {
  BlockCache cache{Bytes(100)};
  REQUIRE_FALSE(cache.access(FileId(1), 0, 60));
  REQUIRE_FALSE(cache.access(FileId(1), 1, 101));
  REQUIRE_FALSE(cache.access(FileId(1), 1, 101));
  REQUIRE(cache.access(FileId(1), 0, 60));
  BlockCache none{Bytes(0)};
  REQUIRE_FALSE(none.access(FileId(1), 0, 1));
  REQUIRE_FALSE(none.access(FileId(1), 0, 1));
}

}  // namespace
}  // namespace lsmlab::block_cache_test
