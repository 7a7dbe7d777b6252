#include "sim/ranges/cell_draws.h"

#include <cmath>

#include "models/base/random.h"
#include "testing/catch.h"

namespace lsmlab::cell_draws_test {
namespace {

constexpr double kWhole = 0x1p32;
constexpr std::uint64_t kHalf = std::uint64_t{1} << 31;

struct Moments {
  double mean = 0;
  double variance = 0;
};

template <class Draw>
Moments moments_of(const Draw& draw) {
  constexpr int kDraws = 20'000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double value = draw(derive_seed(7, static_cast<std::uint64_t>(i)));
    sum += value;
    squares += value * value;
  }
  const double mean = sum / kDraws;
  return {mean, squares / kDraws - mean * mean};
}

TEST_CASE("half of a cell has as many entries and tombstones as a draw of each gives", "[range]") {
  constexpr double kEntries = 2'000;
  for (const double tombstones : {40.0, 200.0, 1'900.0}) {
    CAPTURE(tombstones);
    const Moments entries = moments_of([&](std::uint64_t seed) {
      const CellDraws::Shares half = CellDraws(seed, kEntries, tombstones).below(kHalf);
      return static_cast<double>(half.entries) / kWhole * kEntries;
    });
    REQUIRE(std::abs(entries.mean - kEntries / 2) < 1);
    REQUIRE(std::abs(entries.variance / (kEntries / 4) - 1) < 0.05);
    // A coin for each tombstone.
    const Moments deleted = moments_of([&](std::uint64_t seed) {
      const CellDraws::Shares half = CellDraws(seed, kEntries, tombstones).below(kHalf);
      return static_cast<double>(half.tombstones) / kWhole * tombstones;
    });
    REQUIRE(std::abs(deleted.mean - tombstones / 2) < 0.01 * tombstones);
    REQUIRE(std::abs(deleted.variance / (tombstones / 4) - 1) < 0.05);
    // And another coin for each other entry.
    const Moments others = moments_of([&](std::uint64_t seed) {
      const CellDraws::Shares half = CellDraws(seed, kEntries, tombstones).below(kHalf);
      return (static_cast<double>(half.entries) * kEntries -
              static_cast<double>(half.tombstones) * tombstones) /
             kWhole;
    });
    REQUIRE(std::abs(others.variance / ((kEntries - tombstones) / 4) - 1) < 0.05);
  }
}

TEST_CASE("entries lie where they do without tombstones, and no part has more of these",
          "[range]") {
  for (std::uint64_t seed = 1; seed < 200; ++seed) {
    CAPTURE(seed);
    const double entries = 10 + static_cast<double>(seed);
    const double tombstones = entries * static_cast<double>(seed % 11) / 10;
    CellDraws draws(seed, entries, std::min(entries, tombstones));
    CellDraws plain(seed, entries);
    double last_entries = 0;
    double last_tombstones = 0;
    constexpr std::uint64_t kPlaces = 256;
    for (std::uint64_t i = 1; i < kPlaces; ++i) {
      const std::uint64_t place = (i << 32) / kPlaces;
      const CellDraws::Shares below = draws.below(place);
      REQUIRE(below.entries == plain.below(place).entries);
      const double here = static_cast<double>(below.entries) / kWhole * entries;
      const double deleted =
          static_cast<double>(below.tombstones) / kWhole * std::min(entries, tombstones);
      REQUIRE(deleted >= last_tombstones);
      REQUIRE(deleted - last_tombstones <= here - last_entries + 1e-3);
      last_entries = here;
      last_tombstones = deleted;
    }
  }
}

TEST_CASE("a cell of tombstones only has them where its entries are", "[range]") {
  CellDraws draws(5, 300, 300);
  for (std::uint64_t i = 1; i < 64; ++i) {
    const CellDraws::Shares below = draws.below(i << 26);
    REQUIRE(std::abs(static_cast<double>(below.entries) - static_cast<double>(below.tombstones)) <
            1e-6 * kWhole);
  }
}

}  // namespace
}  // namespace lsmlab::cell_draws_test
