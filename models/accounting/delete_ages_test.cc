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
  ages.on_dropped(std::array<std::uint64_t, 2>{11, 20}, {40, {}});
  ages.on_dropped(std::array<std::uint64_t, 1>{23}, {100, {}});
  const auto figures = ages.figures(1);
  REQUIRE(figures);
  REQUIRE(figures->flushed == 5);
  REQUIRE(figures->gone == 3);
  REQUIRE(figures->present == 1);
  REQUIRE(figures->superseded == 1);
  // 40 - 13, 40 - 40, 100 - 43
  REQUIRE(figures->gone_after.mean == Approx(28.0));
  REQUIRE(figures->gone_after.p50 == 27);
  REQUIRE(figures->gone_after.p99 == 57);
  REQUIRE(figures->gone_after.max == 57);
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
  ages.on_dropped(std::array<std::uint64_t, 1>{3}, {10, {}});
  REQUIRE(ages.figures(2)->superseded == 0);
  REQUIRE(ages.figures(2)->present == 1);
  REQUIRE(ages.figures(0)->superseded == 1);
}

TEST_CASE("no percentile of parts of deletes is above the longest time") {
  DeleteAges ages;
  for (std::uint64_t i = 1; i <= 4; ++i) {
    ages.on_flush({.lookups = 0, .writes = 1000}, Entries(10), 10 * i);
  }
  // 19 deletes of the last flush, and three tenths of one of the first.
  ages.on_dropped(std::array<DeleteCohort, 2>{DeleteCohort{{4, 4}, 19 * kCohortUnits},
                                              DeleteCohort{{1, 1}, kCohortUnits * 3 / 10}},
                  {4'000, 100});
  const auto figures = ages.figures(0);
  REQUIRE(figures->gone_after.max <= 1'000);
  REQUIRE(figures->gone_after.p99 <= figures->gone_after.max);
  REQUIRE(figures->gone_after.p50 <= figures->gone_after.p99);
}

TEST_CASE("a delete whose tombstone is in a file and in its copy is present once") {
  DeleteAges ages;
  ages.on_flush({.lookups = 0, .writes = 10}, Entries(3));
  const auto figures = ages.figures(5);
  REQUIRE(figures->present == 3);
  REQUIRE(figures->superseded == 0);
}

TEST_CASE("with a clock ages of deletes are told in nanoseconds, too") {
  DeleteAges ages;
  ages.on_flush({.lookups = 0, .writes = 10}, Entries(1), 1'000);
  ages.on_flush({.lookups = 0, .writes = 10}, Entries(1), 5'000);
  // Write 5 came at 500 ns, write 15 at 3,000 ns.
  ages.on_dropped(std::array<std::uint64_t, 1>{5}, {20, 6'000});
  ages.on_dropped(std::array<std::uint64_t, 1>{15}, {20, 6'000});
  const auto figures = ages.figures(0);
  REQUIRE(figures->gone_after.max == 15);
  REQUIRE(figures->gone_after_ns);
  REQUIRE(figures->gone_after_ns->mean == Approx(4'250.0));
  REQUIRE(figures->gone_after_ns->max == 5'500);
}

TEST_CASE("deletes of a cohort are spread evenly over the time of its flushes") {
  DeleteAges ages;
  for (int i = 0; i < 3; ++i) ages.on_flush({.lookups = 0, .writes = 0}, Entries(0));
  for (std::uint64_t i = 1; i <= 4; ++i) {
    ages.on_flush({.lookups = 0, .writes = 800}, Entries(100), 10 * i);
  }
  // Flushes 5 to 7 took the operations from 800 to 3,200, from 10 to 40 ns.
  ages.on_dropped(CohortList{{{5, 7}, 160 * kCohortUnits}}, {4'000, 100});
  const auto figures = ages.figures(240);
  REQUIRE(figures->gone == 160);
  REQUIRE(figures->superseded == 0);
  REQUIRE(figures->gone_after.mean == Approx(2'000.0));
  // Points at 1/16, 3/16, ... of the time.
  REQUIRE(figures->gone_after.max == 4'000 - 800 - 150);
  REQUIRE(figures->gone_after_ns->mean == Approx(75.0).margin(1.0));
}

TEST_CASE("less than half a delete does not count as the longest wait") {
  DeleteAges ages;
  ages.on_flush({.lookups = 0, .writes = 100}, Entries(100));
  ages.on_flush({.lookups = 0, .writes = 100}, Entries(100));
  ages.on_dropped(CohortList{{{2, 2}, 50 * kCohortUnits}}, {200, {}});
  const std::uint64_t longest = ages.figures(0)->gone_after.max;
  ages.on_dropped(CohortList{{{1, 1}, kCohortUnits / 4}}, {10'000, {}});
  REQUIRE(ages.figures(0)->gone_after.max == longest);
  ages.on_dropped(CohortList{{{1, 1}, kCohortUnits / 2}}, {10'000, {}});
  REQUIRE(ages.figures(0)->gone_after.max > 9'000);
}

}  // namespace lsmlab::delete_ages_test
