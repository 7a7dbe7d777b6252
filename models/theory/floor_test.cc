#include "testing/catch.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "models/base/binomial_numbers.h"
#include "models/theory/floor.h"

namespace lsmlab::floor_test {
namespace {

// Tries every eager stable schedule: at each flush, it merges the flush with the j newest SSTables,
// for every j that keeps at most k. This is the definition itself (Problem 1 of the paper); it uses
// neither the tree nor the dynamic program.
std::uint64_t least_by_enumeration(const std::vector<std::uint64_t>& flushes, std::size_t next,
                                   std::vector<std::uint64_t> stack, std::size_t k) {
  if (next == flushes.size()) return 0;
  std::optional<std::uint64_t> least;
  std::uint64_t output = flushes[next];
  for (std::size_t merged = 0;; ++merged) {
    if (stack.size() + 1 <= k) {
      std::vector<std::uint64_t> after = stack;
      after.push_back(output);
      const std::uint64_t cost = output + least_by_enumeration(flushes, next + 1, after, k);
      if (!least || cost < *least) least = cost;
    }
    if (stack.empty()) return *least;
    output += stack.back();
    stack.pop_back();
  }
}

// cost_s(a, b) by trying every r, without the use of monotonicity.
class CubicProgram {
 public:
  explicit CubicProgram(const std::vector<std::uint64_t>& flushes) : flushes_(flushes) {}
  std::uint64_t cost(std::size_t a, std::size_t end, std::size_t s) {
    if (a >= end) return 0;
    const auto key = std::tuple(a, end, s);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    std::optional<std::uint64_t> least;
    std::uint64_t bytes = 0;
    for (std::size_t r = a; r < end; ++r) {
      bytes += flushes_[r];
      if (s == 1 && r + 1 < end) continue;
      const std::uint64_t total = cost(a, r, s) + bytes + (s > 1 ? cost(r + 1, end, s - 1) : 0);
      if (!least || total < *least) least = total;
    }
    return known_[key] = *least;
  }

 private:
  const std::vector<std::uint64_t>& flushes_;
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, std::uint64_t> known_;
};

std::vector<std::uint64_t> random_flushes(std::mt19937_64& generator, std::size_t count) {
  // Sizes that stress the bounds of the search: nearly equal, heavy-tailed, and mostly tiny with
  // spikes.
  std::vector<std::uint64_t> flushes(count);
  const std::uint64_t shape = generator() % 3;
  for (std::uint64_t& flush : flushes) {
    const std::uint64_t draw = generator();
    flush = shape == 0   ? 100 + draw % 10
            : shape == 1 ? 1 + (draw >> (40 + draw % 24))
                         : (draw % 8 == 0 ? 1000 + draw % 1000 : 1);
  }
  return flushes;
}

TEST_CASE("the dynamic program finds the best of all schedules of up to 8 flushes") {
  const std::uint64_t seed = 20261120;
  INFO("seed " << seed);
  std::mt19937_64 generator(seed);
  for (int round = 0; round < 60; ++round) {
    const std::vector<std::uint64_t> flushes = random_flushes(generator, 1 + generator() % 8);
    for (std::size_t k = 1; k <= 5; ++k) {
      INFO("round " << round << " k " << k);
      REQUIRE(optimal_bytes_written(flushes, k) ==
              Uint128{least_by_enumeration(flushes, 0, {}, k)});
    }
  }
}

TEST_CASE("bounding the search loses nothing against trying every split") {
  const std::uint64_t seed = 7;
  INFO("seed " << seed);
  std::mt19937_64 generator(seed);
  for (int round = 0; round < 150; ++round) {
    const std::vector<std::uint64_t> flushes = random_flushes(generator, 1 + generator() % 45);
    CubicProgram every_split(flushes);
    for (std::size_t k = 1; k <= 6; ++k) {
      INFO("round " << round << " k " << k << " n " << flushes.size());
      REQUIRE(optimal_bytes_written(flushes, k) == Uint128{every_split.cost(0, flushes.size(), k)});
    }
  }
}

TEST_CASE("the closed form for uniform flushes equals the dynamic program") {
  for (std::uint64_t k = 1; k <= 8; ++k) {
    for (const std::size_t n : {1u, 2u, 3u, 4u, 5u, 9u, 16u, 33u, 70u, 126u, 251u}) {
      INFO("k " << k << " n " << n);
      const std::vector<std::uint64_t> flushes(n, 3);
      REQUIRE(optimal_bytes_written(flushes, k) == uniform_floor(n, k) * 3);
    }
  }
}

TEST_CASE("the closed form at C(m+k,k)-1 flushes is the sum over full layers") {
  // Layer d holds C(d+k, k-1) flushes that are written d+1 times.
  for (std::uint64_t k = 2; k <= 10; ++k) {
    Uint128 written = 0;
    for (std::uint64_t m = 1; m <= 12; ++m) {
      written += binomial_coefficient(m - 1 + k, k - 1) * m;
      const auto n = static_cast<std::uint64_t>(binomial_coefficient(m + k, k)) - 1;
      REQUIRE(uniform_floor(n, k) == written);
    }
  }
}

TEST_CASE("the program declines what it cannot hold") {
  REQUIRE(optimal_bytes_written(std::vector<std::uint64_t>(kFloorFlushesMax + 1, 1), 4) ==
          std::nullopt);
  const std::vector<std::uint64_t> huge(4, std::uint64_t{1} << 60);
  REQUIRE(optimal_bytes_written(huge, 2) == std::nullopt);
  REQUIRE(optimal_bytes_written(std::vector<std::uint64_t>(5000, 1), 200) == std::nullopt);
  REQUIRE(optimal_bytes_written(std::vector<std::uint64_t>(50, 1), 4, [] { return true; }) ==
          std::nullopt);
  REQUIRE(optimal_bytes_written({}, 2) == Uint128{0});
}

TEST_CASE("with room for every flush nothing is written twice") {
  const std::vector<std::uint64_t> many(100'000, 7);
  REQUIRE(optimal_bytes_written(many, 100'000) == Uint128{700'000});
}

TEST_CASE("the paper's bound has the constants of its equation 1") {
  // k = 1: c_1 = 2, so n / 2. k = 2: c_2 = 3 / sqrt 2.
  REQUIRE(worst_case_bound(1000, 1) == Approx(500.0));
  REQUIRE(worst_case_bound(10000, 2) == Approx(2 * 100 * std::sqrt(2.0) / 3));
  // The floor of uniform flushes converges to it.
  const double n = 1e9;
  const double floor = static_cast<double>(uniform_floor(1'000'000'000, 4)) / n;
  REQUIRE(floor == Approx(worst_case_bound(1'000'000'000, 4)).epsilon(0.03));
}

}  // namespace
}  // namespace lsmlab::floor_test
