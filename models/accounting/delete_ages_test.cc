#include "models/accounting/delete_ages.h"

#include <array>

#include "testing/catch.h"

namespace lsmlab::delete_ages_test {

TEST_CASE("ages of deletes count operations from the delete to the drop") {
  DeleteAges ages;
  REQUIRE(!ages.figures(0));
  ages.on_flush({.lookups = 0, .writes = 10}, Entries(0));
  REQUIRE(!ages.figures(0));
  // Three operations for each write: writes 11 to 20 are operations 13 to 40.
  ages.on_flush({.lookups = 20, .writes = 10}, Entries(4));
  ages.on_flush({.lookups = 0, .writes = 5}, Entries(1));
  ages.on_dropped(std::array<std::uint64_t, 2>{11, 20}, Instant(40));
  ages.on_dropped(std::array<std::uint64_t, 1>{23}, Instant(100));
  const auto figures = ages.figures(1);
  REQUIRE(figures);
  REQUIRE(figures->flushed == 5);
  REQUIRE(figures->gone == 3);
  REQUIRE(figures->present == 1);
  REQUIRE(figures->superseded == 1);
  // 40 - 13, 40 - 40, 100 - 43
  REQUIRE(figures->gone_after_mean == Approx(28.0));
  REQUIRE(figures->gone_after_p50 == 27);
  REQUIRE(figures->gone_after_p99 == 57);
  REQUIRE(figures->gone_after_max == 57);
}

TEST_CASE("ages of deletes are unknown where a store only counts dropped tombstones") {
  DeleteAges ages;
  ages.on_flush({.lookups = 0, .writes = 10}, Entries(1));
  REQUIRE(ages.figures(1));
  ages.on_unknown();
  REQUIRE(!ages.figures(0));
}

TEST_CASE("deletes of a frozen file that counts as a whole are not superseded") {
  DeleteAges ages;
  ages.on_flush({.lookups = 0, .writes = 10}, Entries(2));
  ages.on_dropped(std::array<std::uint64_t, 1>{3}, Instant(10));
  REQUIRE(ages.figures(2)->superseded == 0);
}

}  // namespace lsmlab::delete_ages_test
