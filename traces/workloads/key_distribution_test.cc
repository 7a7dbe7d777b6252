#include "traces/workloads/key_distribution.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "models/base/portable_math.h"
#include "testing/catch.h"
#include "traces/workloads/live_keys.h"

namespace lsmlab::key_distribution_test {
namespace {

constexpr std::uint64_t kCount = 100'000;
constexpr std::uint64_t kSeed = 7;

KeyLayout layout_of(const InsertKeys& keys, std::uint64_t count = kCount) {
  return KeyLayout(keys, {0, 0, count, kSeed});
}

std::vector<std::uint64_t> keys_of(const InsertKeys& keys, std::uint64_t count = kCount) {
  const KeyLayout layout = layout_of(keys, count);
  std::vector<std::uint64_t> drawn;
  for (std::uint64_t number = 0; number < count; ++number) drawn.push_back(layout.key(number));
  return drawn;
}

bool are_distinct(std::vector<std::uint64_t> keys) {
  std::sort(keys.begin(), keys.end());
  return std::adjacent_find(keys.begin(), keys.end()) == keys.end();
}

double share_below(const std::vector<std::uint64_t>& keys, double limit) {
  const auto below = std::count_if(keys.begin(), keys.end(), [&](std::uint64_t key) {
    return static_cast<double>(key) < limit * 0x1p64;
  });
  return static_cast<double>(below) / static_cast<double>(keys.size());
}

InsertKeys insert_keys(InsertKeyKind kind) {
  InsertKeys keys;
  keys.kind = kind;
  return keys;
}

}  // namespace

TEST_CASE("Keyed bijections of few bits reach every value once") {
  for (const unsigned bits : {1U, 2U, 3U, 7U, 12U, 16U}) {
    for (const std::uint64_t seed : {0U, 1U, 99U}) {
      const BitBijection bijection(bits, seed);
      std::vector<bool> is_reached(std::size_t{1} << bits, false);
      for (std::uint64_t x = 0; x < is_reached.size(); ++x) is_reached[bijection(x)] = true;
      REQUIRE(std::count(is_reached.begin(), is_reached.end(), true) ==
              static_cast<std::ptrdiff_t>(is_reached.size()));
    }
  }
}

TEST_CASE("Inserted keys differ and are even, whatever their distribution") {
  for (const auto kind :
       {InsertKeyKind::kUniform, InsertKeyKind::kNormal, InsertKeyKind::kPrefixZipf,
        InsertKeyKind::kSequential, InsertKeyKind::kNearSorted}) {
    const auto keys = keys_of(insert_keys(kind));
    REQUIRE(are_distinct(keys));
    REQUIRE(std::all_of(keys.begin(), keys.end(), [](std::uint64_t key) { return key % 2 == 0; }));
  }
}

TEST_CASE("Uniform and normal inserts have their densities") {
  const auto uniform = keys_of(insert_keys(InsertKeyKind::kUniform));
  for (const double limit : {0.1, 0.25, 0.5, 0.9}) {
    REQUIRE(share_below(uniform, limit) == Approx(limit).margin(0.005));
  }
  InsertKeys keys = insert_keys(InsertKeyKind::kNormal);
  keys.standard_deviation = Decimal(1, 10);
  const auto normal = keys_of(keys);
  REQUIRE(share_below(normal, 0.5) == Approx(0.5).margin(0.005));
  REQUIRE(share_below(normal, 0.4) == Approx(0.1587).margin(0.005));
  REQUIRE(share_below(normal, 0.3) == Approx(0.0228).margin(0.002));
}

TEST_CASE("Prefixes of prefix-zipf inserts follow Zipf's law") {
  InsertKeys keys = insert_keys(InsertKeyKind::kPrefixZipf);
  keys.prefixes = 100;
  std::vector<double> counts(BucketTable::kBuckets, 0);
  for (const std::uint64_t key : keys_of(keys)) counts[key >> 48] += 1;
  std::sort(counts.rbegin(), counts.rend());
  const double harmonic = 5.18737751763962;  // sum of 1/r up to 100
  REQUIRE(counts[0] / kCount == Approx(1 / harmonic).epsilon(0.03));
  REQUIRE(counts[1] / kCount == Approx(1 / harmonic / 2).epsilon(0.04));
  REQUIRE(counts[9] / kCount == Approx(1 / harmonic / 10).epsilon(0.1));
  REQUIRE(counts[99] > 0);
  REQUIRE(counts[100] == 0);
}

TEST_CASE("Near-sorted inserts have K keys out of place, none farther than L") {
  InsertKeys keys = insert_keys(InsertKeyKind::kNearSorted);
  keys.displaced = Decimal(1, 5);
  keys.displacement_max = Decimal(3, 1000);
  const auto drawn = keys_of(keys);
  std::uint64_t displaced = 0;
  std::uint64_t farthest = 0;
  for (std::uint64_t n = 0; n < kCount; ++n) {
    const std::uint64_t position = drawn[n] >> 8;
    const std::uint64_t distance = position > n ? position - n : n - position;
    displaced += distance != 0 ? 1 : 0;
    farthest = std::max(farthest, distance);
  }
  REQUIRE(static_cast<double>(displaced) / kCount == Approx(0.2).margin(0.01));
  REQUIRE(farthest <= 300);
  REQUIRE(farthest > 250);
  keys.displaced = Decimal(0, 1);
  REQUIRE(keys_of(keys) == keys_of(insert_keys(InsertKeyKind::kSequential)));
  keys.displaced = Decimal(1, 1);
  REQUIRE(are_distinct(keys_of(keys, 1001)));
}

TEST_CASE("Zipfian ranks have exactly the law's probabilities") {
  for (const Decimal& exponent : {Decimal(1, 2), Decimal(99, 100), Decimal(1, 1), Decimal(5, 1)}) {
    constexpr std::uint64_t kRanks = 50;
    constexpr int kDraws = 400'000;
    ZipfSampler sampler(exponent);
    SplitMix64 generator(kSeed);
    std::vector<double> counts(kRanks + 1, 0);
    for (int draw = 0; draw < kDraws; ++draw) counts[sampler.draw(kRanks, generator)] += 1;
    double norm = 0;
    for (std::uint64_t r = 1; r <= kRanks; ++r) {
      norm += std::pow(static_cast<double>(r), -exponent.as_double());
    }
    for (std::uint64_t r = 1; r <= kRanks; ++r) {
      const double expected =
          kDraws * std::pow(static_cast<double>(r), -exponent.as_double()) / norm;
      REQUIRE(counts[r] == Approx(expected).margin(5 * std::sqrt(expected) + 3));
    }
  }
}

TEST_CASE("Zipfian ranks stay in range for one and for 2^40 keys") {
  for (const Decimal& exponent : {Decimal(1, 100), Decimal(1, 1), Decimal(10, 1)}) {
    ZipfSampler sampler(exponent);
    SplitMix64 generator(kSeed);
    for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{2}, kInsertsMax}) {
      for (int draw = 0; draw < 10'000; ++draw) {
        const std::uint64_t rank = sampler.draw(n, generator);
        REQUIRE((rank >= 1 && rank <= n));
      }
    }
  }
}

TEST_CASE("Pickers prefer what their names say") {
  const auto mean_of = [](AccessKeyKind kind) {
    AccessKeys keys;
    keys.kind = kind;
    KeyPicker picker(keys);
    SplitMix64 generator(kSeed);
    double sum = 0;
    for (int draw = 0; draw < 100'000; ++draw) {
      const std::uint64_t number = picker.draw(1000, generator);
      REQUIRE(number < 1000);
      sum += static_cast<double>(number);
    }
    return sum / 100'000;
  };
  REQUIRE(mean_of(AccessKeyKind::kUniform) == Approx(499.5).margin(5));
  REQUIRE(mean_of(AccessKeyKind::kNormal) == Approx(499.5).margin(5));
  REQUIRE(mean_of(AccessKeyKind::kSequential) == Approx(499.5));
  REQUIRE(mean_of(AccessKeyKind::kZipfian) < 200);
  REQUIRE(mean_of(AccessKeyKind::kLatest) > 800);
}

TEST_CASE("Live keys agree with a sorted set") {
  LiveKeys live;
  std::set<std::uint64_t> oracle;
  SplitMix64 generator(kSeed);
  std::uint64_t appended = 0;
  for (int step = 0; step < 30'000; ++step) {
    const bool grows = step < 20'000 ? generator.below(3) != 0 : generator.below(8) == 0;
    if (oracle.empty() || grows) {
      live.append();
      oracle.insert(appended++);
    } else {
      const std::uint64_t number = live.at(generator.below(live.count()));
      REQUIRE(oracle.erase(number) == 1);
      live.remove(number);
    }
    REQUIRE(live.count() == oracle.size());
    if (step % 1000 != 999) continue;
    std::uint64_t rank = 0;
    for (const std::uint64_t number : oracle) REQUIRE(live.at(rank++) == number);
  }
}

TEST_CASE("Portable logarithm and exponential are those of the C library, nearly") {
  for (double x = 1e-300; x < 1e300; x *= 7.3) {
    REQUIRE(std::abs(portable_log(x) - std::log(x)) <= 4e-16 * std::abs(std::log(x)) + 1e-16);
  }
  for (double x = -600; x < 600; x += 0.37) {
    REQUIRE(std::abs(portable_exp(x) / std::exp(x) - 1) < 1e-14);
    REQUIRE(portable_expm1(x) == Approx(std::expm1(x)).epsilon(1e-13));
  }
  for (double x = -0.99; x < 10; x += 0.013) {
    REQUIRE(portable_log1p(x) == Approx(std::log1p(x)).epsilon(1e-13).margin(1e-300));
  }
}

}  // namespace lsmlab::key_distribution_test
