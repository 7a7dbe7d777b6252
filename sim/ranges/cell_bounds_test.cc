#include "sim/ranges/cell_bounds.h"

#include <cmath>

#include "testing/catch.h"

namespace lsmlab::cell_bounds_test {
namespace {

double share_below(const RangeContents& contents, std::uint64_t key) {
  return static_cast<double>(contents.shares_below(key).entries) / static_cast<double>(kWholeShare);
}

// 100 updates anywhere, a gap, and 900 inserts behind it.
TEST_CASE("cell bounds: cells end where density changes") {
  const std::uint64_t gap = 1'000'000;
  const ClassCounts counts{fixed_count(1'000), fixed_count(900), fixed_count(10)};
  const RangeContents contents = contents_of_parts(
      {{0, gap, 100, 0, 10}, {2 * gap, 2 * gap + 1'000, 900, 900, 0}}, counts, 16);
  REQUIRE(contents.cells() <= 16);
  REQUIRE(contents.classes == ClassList{counts});
  REQUIRE(contents.keys.smallest < gap / 50);
  REQUIRE(contents.keys.largest >= 2 * gap + 998);
  REQUIRE(std::abs(share_below(contents, gap / 2) - 0.05) < 0.002);
  REQUIRE(std::abs(share_below(contents, gap) - 0.1) < 1e-6);
  REQUIRE(std::abs(share_below(contents, 2 * gap) - 0.1) < 1e-6);
  REQUIRE(std::abs(share_below(contents, 2 * gap + 500) - 0.55) < 0.002);
  REQUIRE(contents.shares_below(2 * gap).oldest == 0);
  REQUIRE(contents.shares_below(2 * gap).tombstones >= kWholeShare - 2);
}

TEST_CASE("cell bounds: evenly lying entries need one cell") {
  const ClassCounts counts{fixed_count(500), fixed_count(500), 0};
  const RangeContents contents =
      contents_of_parts({{0, 500, 250, 250, 0}, {500, 1'000, 250, 250, 0}}, counts, 16);
  REQUIRE(contents.cells() == 1);
}

TEST_CASE("cell bounds: with few cells the largest bends are kept") {
  std::vector<CountedKey> keys;
  // Densities 1, 1.1, 10, 10.5.
  std::uint64_t below = 0;
  std::uint64_t key = 0;
  for (const std::uint64_t entries : {0U, 100U, 110U, 1000U, 1050U}) {
    below += entries;
    keys.push_back({key, {fixed_count(below), 0, 0}});
    key += 1'000;
  }
  RangeContents contents;
  contents.keys = {0, 3'999};
  contents.classes.push_back(keys.back().below);
  fill_unequal_cells(keys, 2, contents);
  REQUIRE(contents.cell_keys == std::vector<std::uint64_t>{2'000});
}

}  // namespace
}  // namespace lsmlab::cell_bounds_test
