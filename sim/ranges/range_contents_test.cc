#include "sim/ranges/range_contents.h"

#include <cmath>
#include <vector>

#include "models/base/random.h"
#include "testing/catch.h"

namespace lsmlab::range_contents_test {
namespace {

RangeContents one_cell(std::uint64_t entries, std::uint64_t seed) {
  RangeContents contents;
  contents.keys = {1'000, 1'000 + (1U << 30)};
  contents.classes.push_back({fixed_count(entries), fixed_count(entries), 0});
  contents.seed = seed;
  return contents;
}

TEST_CASE("range contents: cells without draws hold what lies evenly in them") {
  RangeContents contents = one_cell(1'000, 0);
  contents.seed.reset();
  contents.entries_below = {1U << 30};  // a quarter in the first of two cells
  const std::uint64_t middle = contents.cell_begin(1);
  REQUIRE(contents.shares_below(contents.keys.smallest).entries == 0);
  REQUIRE(contents.shares_below(middle).entries == kWholeShare / 4);
  const std::uint64_t quarter = contents.keys.smallest + (middle - contents.keys.smallest) / 2;
  REQUIRE(contents.shares_below(quarter).entries == kWholeShare / 8);
  REQUIRE(contents.shares_below(contents.keys.largest + 1).entries == kWholeShare);
}

TEST_CASE("range contents: parts between shares add up to the whole") {
  const std::uint64_t seed = 20261126;
  INFO("seed " << seed);
  SplitMix64 random(seed);
  const RangeContents contents = one_cell(12'345, seed);
  const ClassCounts& whole = contents.classes[0];
  KindShares before;
  ClassCounts sum;
  std::uint64_t key = contents.keys.smallest;
  while (key <= contents.keys.largest) {
    key += 1 + random.below(50'000'000);
    const KindShares shares = contents.shares_below(key);
    REQUIRE(shares.entries >= before.entries);
    sum.add(part_between(whole, before, shares));
    before = shares;
  }
  REQUIRE(sum == whole);
}

// Entries that choose a half at random lie in it n/2 times, with a variance of n/4.
TEST_CASE("range contents: draws inside a cell have the mean and the variance of fair coins") {
  constexpr std::uint64_t kEntries = 400;
  constexpr std::uint64_t kFiles = 4'000;
  for (const std::uint64_t parts : {std::uint64_t{2}, std::uint64_t{8}}) {
    double sum = 0;
    double squares = 0;
    for (std::uint64_t file = 0; file < kFiles; ++file) {
      const RangeContents contents = one_cell(kEntries, derive_seed(7, file));
      const std::uint64_t key =
          contents.keys.smallest + (contents.keys.largest - contents.keys.smallest) / parts;
      const double count =
          static_cast<double>(contents.shares_below(key).entries) * 0x1p-32 * kEntries;
      sum += count;
      squares += count * count;
    }
    const double mean = sum / kFiles;
    const double share = 1 / static_cast<double>(parts);
    REQUIRE(std::abs(mean - kEntries * share) < 0.5);
    const double variance = squares / kFiles - mean * mean;
    REQUIRE(std::abs(variance / (kEntries * share * (1 - share)) - 1) < 0.08);
  }
}

TEST_CASE("range contents: shares are exact quotients to 2^-32") {
  REQUIRE(share_of(0, 0) == kWholeShare);
  REQUIRE(share_of(1, 3) == kWholeShare / 3);
  REQUIRE(share_of(std::uint64_t{1} << 62, std::uint64_t{1} << 63) == kWholeShare / 2);
  REQUIRE(share_of(7, 7) == kWholeShare);
}

}  // namespace
}  // namespace lsmlab::range_contents_test
