#include "traces/workloads/key_classes.h"

#include <cmath>

#include "testing/catch.h"
#include "traces/workloads/live_keys.h"

namespace lsmlab::key_classes_test {
namespace {

const std::vector<KeyClass> kClasses{{1, 300'000'000}, {9, 300'000'000}, {90, 400'000'000}};

// How often each rank below `live` is drawn.
std::vector<double> draws(const std::vector<KeyClass>& classes, std::uint64_t live, int count) {
  const KeyClassSums sums(classes);
  SplitMix64 random(5);
  std::vector<double> drawn(live);
  for (int i = 0; i < count; ++i) ++drawn[sums.draw(live, random)];
  return drawn;
}

}  // namespace

TEST_CASE("classes of keys: ranks are drawn by the weights, a part of a class has a part of it") {
  constexpr int kDraws = 200'000;
  const KeyClassSums sums(kClasses);
  for (const std::uint64_t live : {1U, 4U, 10U, 55U, 100U, 1'000U}) {
    const std::vector<double> drawn = draws(kClasses, live, kDraws);
    const auto all = static_cast<double>(live);
    for (std::uint64_t rank = 0; rank < live; ++rank) {
      const auto first = static_cast<double>(rank);
      const double expected = kDraws * sums.share(first, first + 1, all);
      INFO("rank " << rank << " of " << live);
      REQUIRE(std::abs(drawn[rank] - expected) < 5 * std::sqrt(expected) + 1);
    }
    REQUIRE(sums.share(0, all, all) == 1);
  }
  REQUIRE(std::abs(sums.share(0, 1, 100) - 0.3) < 1e-12);
  REQUIRE(std::abs(sums.share(0, 1, 55) - 0.3 / 0.8) < 1e-12);
}

TEST_CASE("classes of keys without accesses are not drawn, unless there are no others") {
  const std::vector<KeyClass> classes{{10, 0}, {10, 1'000'000'000}, {10, 0}};
  const std::vector<double> drawn = draws(classes, 30, 30'000);
  for (std::size_t rank = 0; rank < 30; ++rank) {
    REQUIRE((drawn[rank] > 0) == (rank >= 10 && rank < 20));
  }
  for (const double count : draws(classes, 5, 10'000)) REQUIRE(count > 1'500);
  REQUIRE(KeyClassSums(classes).share(0, 1, 5) == 0.2);
}

TEST_CASE("classes of shares have all keys, and those without a key join a neighbour") {
  const std::vector<KeyClass> shares{{1'000, 5}, {499'999'000, 10}, {500'000'000, 15}};
  REQUIRE(key_classes_of_shares(shares, 1'000'000'000) == shares);
  REQUIRE(key_classes_of_shares(shares, 10) == std::vector<KeyClass>{{5, 15}, {5, 15}});
  REQUIRE(key_classes_of_shares(shares, 1) == std::vector<KeyClass>{{1, 30}});
  REQUIRE(key_classes_of_shares({{500'000'000, 1}, {500'000'000, 2}}, 1).size() == 1);
}

TEST_CASE("faults of classes are named") {
  const auto fault = [](const std::vector<KeyClass>& classes) {
    std::vector<std::string> faults;
    validate_key_classes("k", classes, faults);
    return faults.empty() ? "" : faults.front();
  };
  REQUIRE(fault(kClasses).empty());
  REQUIRE(fault({}) == "k: 0 classes; expected 1 to 1024");
  REQUIRE(fault(std::vector<KeyClass>(1'025, {1, 1})).find("1025 classes") != std::string::npos);
  REQUIRE(fault({{1, 5}, {0, 5}}) == "k[1]: no keys");
  REQUIRE(fault({{1, 0}}) == "k: no class has accesses");
  REQUIRE(fault({{~std::uint64_t{0}, 1}}) == "k: more than 2^40 keys");
  REQUIRE(fault({{1, ~std::uint64_t{0}}}) == "k: the shares of accesses are above 1");
}

TEST_CASE("the rank of a live key is how many live ones are older") {
  LiveKeys keys;
  constexpr std::uint64_t kKeys = 3'000;
  for (std::uint64_t i = 0; i < kKeys; ++i) keys.append();
  for (std::uint64_t i = 0; i < kKeys; i += 3) keys.remove(i);
  for (std::uint64_t rank = 0; rank < keys.count(); ++rank) {
    REQUIRE(keys.rank(keys.at(rank)) == rank);
  }
}

}  // namespace lsmlab::key_classes_test
