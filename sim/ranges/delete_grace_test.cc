#include "sim/ranges/delete_grace.h"

#include "testing/catch.h"

namespace lsmlab::delete_grace_test {
namespace {

constexpr std::uint64_t kWritesOfFlush = 100;

// Flush f has the writes 100 * (f - 1) + 1 to 100 * f.
DeleteGrace grace_after(std::uint64_t writes, std::uint64_t flushes) {
  DeleteGrace grace(writes);
  for (std::uint64_t flush = 1; flush <= flushes; ++flush) {
    grace.add_flush({kWritesOfFlush * (flush - 1) + 1, kWritesOfFlush * flush});
  }
  return grace;
}

bool is_in(const FlushSpan& inner, const FlushSpan& outer) {
  return outer.first <= inner.first && inner.last <= outer.last;
}

TEST_CASE("cohorts stay narrow until gc_grace lets them go, and only grow", "[range]") {
  constexpr std::uint64_t kFlushes = 400;
  for (const std::uint64_t writes : {1ULL, 700ULL, 6400ULL, 20000ULL, 90000ULL}) {
    CAPTURE(writes);
    const DeleteGrace grace = grace_after(writes, kFlushes);
    for (std::uint64_t flushes = 1; flushes < kFlushes; ++flushes) {
      const std::uint64_t newest = flushes * kWritesOfFlush;
      for (std::uint64_t flush = 1; flush <= flushes; ++flush) {
        const FlushSpan block = grace.block(flush, flushes, newest);
        REQUIRE(is_in({flush, flush}, block));
        REQUIRE(is_in(block, cohort_block(flush, flushes)));
        REQUIRE(is_in(block, grace.block(flush, flushes + 1, newest + kWritesOfFlush)));
        const std::uint64_t width = block.last - block.first + 1;
        const bool is_young = block.last * kWritesOfFlush > ripe_until(newest, writes);
        if (width == 1 || !is_young) continue;
        REQUIRE((width - 1) * kWritesOfFlush <= writes / kGraceWidths);
      }
    }
  }
}

TEST_CASE("a mix of cohorts is divided at the age of gc_grace", "[range]") {
  const FixedCount one = fixed_count(1);
  const DeleteGrace grace = grace_after(1'000, 40);
  const CohortList mix{{{1, 1}, one}, {{30, 30}, one}, {{31, 31}, 2 * one}, {{40, 40}, 4 * one}};
  RipeSplits splits(grace, 4'000);
  const RipeSplits::Split& split = splits.of(mix);
  // The middle of flush 30 is write 2950, and that of flush 31 is 3050; 3000 is the last to go.
  REQUIRE(split.ripe == CohortList{{{1, 1}, one}, {{30, 30}, one}});
  REQUIRE(split.young == CohortList{{{31, 31}, 2 * one}, {{40, 40}, 4 * one}});
  REQUIRE(split.ripe_share == kWholeShare / 4);
  REQUIRE(&splits.of(mix) == &split);
  const CohortList none;
  REQUIRE(splits.of(none).ripe_share == 0);
}

TEST_CASE("a file's deletion times have all its tombstones, spread over their flushes", "[range]") {
  const FixedCount one = fixed_count(1);
  const DeleteGrace grace = grace_after(1'000, 40);
  const std::vector<CohortList> zones{{{{0, 3}, 16 * one}, {{20, 20}, one / 2}},
                                      {{{20, 20}, one / 2}, {{40, 40}, 8 * one}}};
  const auto times = grace.times(zones);
  REQUIRE(times != nullptr);
  REQUIRE(times->tombstones() == 25);
  REQUIRE(times->until(300) == 16);
  REQUIRE(times->until(150) == 8);
  REQUIRE(times->until(1'900) == 16);
  REQUIRE(times->until(2'000) == 17);
  REQUIRE(times->until(3'900) == 17);
  REQUIRE(times->until(3'950) == 21);
  REQUIRE(grace.times({}) == nullptr);
}

}  // namespace
}  // namespace lsmlab::delete_grace_test
