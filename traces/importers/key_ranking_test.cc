#include "traces/importers/key_ranking.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <set>
#include <tuple>

#include "testing/catch.h"
#include "testing/traces/trace_testing.h"

namespace lsmlab::key_ranking_test {
namespace {

using testing::Scratch;

// Keys from short alphabets with common beginnings: equal prefixes, equal keys, and bytes above
// 127.
std::vector<std::string> random_keys(std::uint32_t seed, std::size_t count) {
  boost::random::mt19937_64 random(seed);
  std::vector<std::string> keys(count);
  for (std::string& key : keys) {
    if (random() % 2 == 0) key = "a common beginning ";
    const std::uint64_t bytes = random() % 5;
    for (std::uint64_t i = 0; i < bytes; ++i) key += static_cast<char>(random() % 4 * 80);
  }
  return keys;
}

std::size_t files_in(const std::string& path) {
  const std::filesystem::directory_iterator files(path);
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

}  // namespace

TEST_CASE("an external sort orders as a sort in memory does", "[traces][key_ranking]") {
  for (const std::size_t count :
       {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{100'000}}) {
    INFO("seed 1, " << count << " keys");
    const Scratch scratch;
    const auto keys = random_keys(1, count);
    ExternalSort sort(scratch.path(), kSortMemoryBytesMin);
    std::vector<std::pair<std::string, std::uint64_t>> expected;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      REQUIRE(sort.add(keys[i], i).has_value());
      expected.emplace_back(keys[i], i);
    }
    // 256 KiB hold about 2,500 of these keys, so 100,000 keys need more runs than one merge may
    // read.
    REQUIRE((count < 100'000 || sort.runs_made() > 20));
    REQUIRE(files_in(scratch.path()) == 0);
    std::sort(expected.begin(), expected.end());
    const std::size_t first_runs = sort.runs_made();
    REQUIRE(sort.sort().has_value());
    REQUIRE((count < 100'000 || sort.runs_made() > first_runs + 1));
    for (const auto& [key, number] : expected) {
      const auto entry = sort.next();
      REQUIRE(entry.value()->key == key);
      REQUIRE(entry.value()->number == number);
    }
    REQUIRE_FALSE(sort.next().value().has_value());
    REQUIRE(files_in(scratch.path()) == 0);
  }
}

TEST_CASE("ids keep the order of keys and spread over all numbers", "[traces][key_ranking]") {
  for (const std::uint32_t seed : {2U, 3U}) {
    INFO("seed " << seed);
    const Scratch scratch;
    const auto keys = random_keys(seed, 50'000);
    KeyRanking ranking(scratch.path(), 2 * kSortMemoryBytesMin);
    for (const std::string& key : keys) REQUIRE(ranking.add(key, KeyRole::kKey).has_value());
    REQUIRE(ranking.rank().has_value());
    std::vector<std::pair<std::string, std::uint64_t>> ranked;
    for (const std::string& key : keys) ranked.emplace_back(key, ranking.next().value());
    std::sort(ranked.begin(), ranked.end());
    for (std::size_t i = 1; i < ranked.size(); ++i) {
      if (ranked[i].first == ranked[i - 1].first) {
        REQUIRE(ranked[i].second == ranked[i - 1].second);
      } else {
        REQUIRE(ranked[i].second > ranked[i - 1].second + 1);
      }
    }
    const std::set<std::string> distinct(keys.begin(), keys.end());
    REQUIRE(ranking.distinct_keys() == distinct.size());
    const std::uint64_t share = ~std::uint64_t{0} / distinct.size();
    REQUIRE(ranked.front().second <= share);
    REQUIRE(ranked.back().second >= ~std::uint64_t{0} - share);
  }
}

TEST_CASE("a bound takes a place in the order but is no key", "[traces][key_ranking]") {
  const Scratch scratch;
  KeyRanking ranking(scratch.path(), 2 * kSortMemoryBytesMin);
  REQUIRE(ranking.add("b", KeyRole::kBound).has_value());
  REQUIRE(ranking.add("a", KeyRole::kKey).has_value());
  REQUIRE(ranking.add("c", KeyRole::kBound).has_value());
  REQUIRE(ranking.add("c", KeyRole::kKey).has_value());
  REQUIRE(ranking.rank().has_value());
  REQUIRE(ranking.distinct_keys() == 2);
  REQUIRE(ranking.next().value() == 0x8000000000000000);
  REQUIRE(ranking.next().value() == 0x2aaaaaaaaaaaaaaa);
  REQUIRE(ranking.next().value() == 0xd555555555555555);
  REQUIRE(ranking.next().value() == 0xd555555555555555);
}

// What two keys share, from the texts themselves.
std::uint64_t same_of(const std::string& a, const std::string& b) {
  std::uint64_t same = 0;
  while (same < a.size() && same < b.size() && a[same] == b[same]) ++same;
  return same;
}

TEST_CASE("a ranking tells what keys share that are 1, 2, 4, ... places apart",
          "[traces][key_ranking]") {
  for (const std::size_t count : {1U, 2U, 3U, 64U, 1000U, 4097U}) {
    for (const std::uint64_t order_bytes : {0U, 3U}) {
      INFO("seed 5, " << count << " keys, " << order_bytes << " bytes of order");
      const Scratch scratch;
      KeyRanking ranking(scratch.path(), 2 * kSortMemoryBytesMin);
      const std::vector<std::string> keys = random_keys(5, count);
      for (const std::string& key : keys) REQUIRE(ranking.add(key, KeyRole::kKey).has_value());
      REQUIRE(ranking.rank(order_bytes).has_value());
      const std::set<std::string> distinct(keys.begin(), keys.end());
      const std::vector<std::string> sorted(distinct.begin(), distinct.end());
      std::vector<std::uint32_t> expected;
      for (std::size_t apart = 1; apart < sorted.size(); apart *= 2) {
        std::uint64_t sum = 0;
        std::uint64_t pairs = 0;
        for (std::size_t i = 0; i + apart < sorted.size(); i += apart, ++pairs) {
          // Neighbours may share less than the bytes of order, but not than their own.
          std::uint64_t least = ~std::uint64_t{0};
          for (std::size_t k = i; k < i + apart; ++k) {
            const std::uint64_t same = same_of(sorted[k], sorted[k + 1]);
            least = std::min(least, same > order_bytes ? same - order_bytes : 0);
          }
          sum += least;
        }
        expected.push_back(static_cast<std::uint32_t>((sum * 32 + pairs / 2) / pairs));
      }
      REQUIRE(ranking.recorded() == RecordedKeys{sorted.size(), expected});
    }
  }
}

TEST_CASE("a set flag ends a ranking", "[traces][key_ranking]") {
  const Scratch scratch;
  std::atomic<bool> stop{false};
  KeyRanking ranking(scratch.path(), 2 * kSortMemoryBytesMin, &stop);
  for (const std::string& key : random_keys(4, 10'000)) {
    REQUIRE(ranking.add(key, KeyRole::kKey).has_value());
  }
  stop = true;
  REQUIRE_FALSE(ranking.rank().has_value());
}

}  // namespace lsmlab::key_ranking_test
