// Tiers of similar size, and the tier that is merged: by hand, and beside loops that follow the
// systems' own steps in floating-point numbers.
#include "models/policies/cassandra/size_tiers.h"

#include <algorithm>
#include <map>
#include <random>

#include "testing/catch.h"

namespace lsmlab::size_tiers_test {
namespace {

using Sizes = std::vector<std::uint64_t>;
using Tiers = std::vector<Sizes>;

constexpr std::uint64_t kMebibyte = 1 << 20;

SizeTierOptions options_of(std::uint64_t min_sstable_size) {
  SizeTierOptions options;
  options.min_sstable_size = Bytes(min_sstable_size);
  return options;
}

SizeTier given(const Sizes& sizes) {
  SizeTier tier;
  for (const std::uint64_t bytes : sizes) tier.push_back({bytes, tier.size()});
  return tier;
}

Sizes sizes_of(const SizeTier& tier) {
  Sizes sizes;
  for (const SizedSstable& one : tier) sizes.push_back(one.bytes);
  return sizes;
}

Tiers sizes_of(const std::vector<SizeTier>& tiers) {
  Tiers sizes;
  for (const SizeTier& tier : tiers) sizes.push_back(sizes_of(tier));
  return sizes;
}

TEST_CASE("An SSTable joins a tier within half and one and a half times its average") {
  const SizeTierOptions options = options_of(0);
  const auto cassandra = [&](const Sizes& sizes) {
    return sizes_of(cassandra_tiers(given(sizes), options));
  };
  const auto scylla = [&](const Sizes& sizes) {
    return sizes_of(scylla_tiers(given(sizes), options, true));
  };
  REQUIRE(cassandra({}).empty());
  REQUIRE(cassandra({15, 10, 10}) == Tiers{{10, 10}, {15}});  // 15 is not below 1.5 * 10
  REQUIRE(cassandra({14, 10, 10}) == Tiers{{10, 10, 14}});
  // The average of 10 and 11 is 10 in Cassandra and 10.5 in ScyllaDB.
  REQUIRE(cassandra({10, 11, 15}) == Tiers{{10, 11}, {15}});
  REQUIRE(scylla({10, 11, 15}) == Tiers{{10, 11, 15}});
  // The average runs away from the smallest, which ScyllaDB does not allow: with 260 half of it is
  // 95, and with 280 it would be 100.6.
  const Sizes rising{100, 140, 170, 200, 220, 240, 260, 280, 295};
  REQUIRE(cassandra(rising) == Tiers{rising});
  REQUIRE(scylla(rising) == Tiers{{100, 140, 170, 200, 220, 240, 260}, {280, 295}});
}

TEST_CASE("SSTables below min_sstable_size are of one tier") {
  const SizeTierOptions options;
  const Sizes small{1, 40 * kMebibyte, 1000, 49 * kMebibyte};
  REQUIRE(cassandra_tiers(given(small), options).size() == 1);
  REQUIRE(scylla_tiers(given(small), options, true).size() == 1);
  REQUIRE(scylla_tiers(given(small), options, false).size() == 3);
  // 50 MiB is not small, and too large for the average of 1 byte.
  REQUIRE(cassandra_tiers(given({1, 50 * kMebibyte}), options).size() == 2);
  // A large one joins small ones of a large average.
  REQUIRE(
      cassandra_tiers(given({48 * kMebibyte, 49 * kMebibyte, 60 * kMebibyte}), options).size() ==
      1);
}

TEST_CASE("Cassandra merges the tier of the largest SSTables, with reads that of the most") {
  SizeTierOptions options = options_of(0);
  options.min_threshold = 2;
  options.max_threshold = 4;
  const auto choice = [&](const Sizes& sizes, bool is_read) {
    return sizes_of(cassandra_choice(cassandra_tiers(given(sizes), options), options, is_read));
  };
  REQUIRE(choice({10, 20, 40}, false).empty());
  REQUIRE(choice({10, 10, 10, 100, 100, 1000}, false) == Sizes{100, 100});
  REQUIRE(choice({10, 10, 10, 100, 100, 1000}, true) == Sizes{10, 10, 10});
  REQUIRE(choice({10, 10, 100, 100}, true) == Sizes{100, 100});  // equally hot
  // Beyond max_threshold the smallest are merged, and more are not hotter.
  REQUIRE(choice({14, 13, 12, 11, 10}, false) == Sizes{10, 11, 12, 13});
  REQUIRE(choice({10, 10, 10, 10, 10, 100, 100, 100, 100}, true) == Sizes{100, 100, 100, 100});
}

TEST_CASE("ScyllaDB merges the tier of the most SSTables, of equals the smallest") {
  SizeTierOptions options = options_of(0);
  options.max_threshold = 4;
  const auto choice = [&](const Sizes& sizes, std::uint64_t min_threshold) {
    return sizes_of(
        scylla_choice(scylla_tiers(given(sizes), options, true), options, min_threshold));
  };
  REQUIRE(choice({10, 10, 10, 100, 100}, 4).empty());
  REQUIRE(choice({10, 10, 10, 100, 100}, 2) == Sizes{10, 10, 10});
  REQUIRE(choice({10, 10, 100, 100}, 2) == Sizes{10, 10});
  REQUIRE(choice({10, 10, 10, 100, 100, 100, 100}, 2) == Sizes{100, 100, 100, 100});
  REQUIRE(choice({14, 13, 12, 11, 10}, 4) == Sizes{10, 11, 12, 13});
}

TEST_CASE("Of equal sizes the oldest are merged") {
  SizeTierOptions options = options_of(0);
  options.min_threshold = options.max_threshold = 2;
  for (const SizeTier& tier :
       {cassandra_choice(cassandra_tiers(given({10, 10, 10}), options), options, false),
        scylla_choice(scylla_tiers(given({10, 10, 10}), options, true), options, 2)}) {
    REQUIRE(tier.size() == 2);
    REQUIRE(tier[0].position == 0);
    REQUIRE(tier[1].position == 1);
  }
}

// getBuckets: any tier may fit, whichever comes first in a map by the average's hash.
Tiers cassandra_loop(Sizes sizes, std::uint64_t small, bool from_above) {
  std::sort(sizes.begin(), sizes.end());
  std::map<std::uint64_t, Sizes> tiers;
  for (const std::uint64_t size : sizes) {
    std::vector<std::uint64_t> fitting;
    for (const auto& [average, tier] : tiers) {
      const auto mean = static_cast<double>(average);
      const auto bytes = static_cast<double>(size);
      if ((bytes > mean * 0.5 && bytes < mean * 1.5) || (size < small && average < small)) {
        fitting.push_back(average);
      }
    }
    if (fitting.empty()) {
      tiers[size] = {size};
      continue;
    }
    const std::uint64_t old = from_above ? fitting.back() : fitting.front();
    Sizes tier = tiers[old];
    tiers.erase(old);
    const std::uint64_t average = (tier.size() * old + size) / (tier.size() + 1);
    tier.push_back(size);
    REQUIRE(!tiers.contains(average));
    tiers[average] = tier;
  }
  Tiers result;
  for (const auto& [average, tier] : tiers) result.push_back(tier);
  return result;
}

Tiers scylla_loop(Sizes sizes, std::uint64_t small) {
  std::sort(sizes.begin(), sizes.end());
  Tiers tiers;
  std::vector<long double> averages;
  for (const std::uint64_t size : sizes) {
    bool joins = false;
    if (!tiers.empty()) {
      const long double average = averages.back();
      joins = (size > average * 0.5L && size < average * 1.5L) || (size < small && average < small);
      const auto count = static_cast<long double>(tiers.back().size());
      const long double grown = (count * average + size) / (count + 1);
      joins = joins && (size < small || tiers.back().front() > grown * 0.5L);
      if (joins) averages.back() = grown;
    }
    if (!joins) {
      tiers.emplace_back();
      averages.push_back(static_cast<long double>(size));
    }
    tiers.back().push_back(size);
  }
  return tiers;
}

TEST_CASE("Tiers are those of the systems' own steps") {
  std::mt19937_64 random(11);
  int several = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    CAPTURE(trial);
    // So large that no two sides of a comparison are equal by chance.
    Sizes sizes(1 + random() % 60);
    const std::uint64_t spread = 1 + random() % 30;
    for (std::uint64_t& size : sizes) {
      const std::uint64_t most = std::uint64_t{1} << (20 + random() % spread);
      size = 1 + random() % most;
    }
    const std::uint64_t small = random() % 2 == 0 ? 0 : std::uint64_t{1} << (10 + random() % 40);
    const SizeTierOptions options = options_of(small);
    const Tiers tiers = sizes_of(cassandra_tiers(given(sizes), options));
    REQUIRE(tiers == cassandra_loop(sizes, small, false));
    REQUIRE(tiers == cassandra_loop(sizes, small, true));
    REQUIRE(sizes_of(scylla_tiers(given(sizes), options, true)) == scylla_loop(sizes, small));
    REQUIRE(sizes_of(scylla_tiers(given(sizes), options, false)) == scylla_loop(sizes, 0));
    several += tiers.size() > 2 ? 1 : 0;
  }
  REQUIRE(several > 1000);
}

}  // namespace
}  // namespace lsmlab::size_tiers_test
