#include "sim/ranges/delete_cohorts.h"

#include <bit>
#include <cstdint>

#include "testing/catch.h"

namespace lsmlab::delete_cohorts_test {

bool is_in(std::uint64_t flush, const FlushSpan& block) {
  return block.first <= flush && flush <= block.last;
}

TEST_CASE("blocks of flushes are disjoint, old for their width, and only grow", "[range]") {
  for (std::uint64_t flushes = 1; flushes < 600; ++flushes) {
    std::uint64_t next = cohort_block(1, flushes).first;
    std::uint64_t blocks = 0;
    while (next <= flushes) {
      const FlushSpan block = cohort_block(next, flushes);
      REQUIRE(block.first == next);
      REQUIRE(cohort_block(block.last, flushes) == block);
      const std::uint64_t width = block.last - block.first + 1;
      if (width > 1) REQUIRE(flushes - block.last >= kAgeWidths * width);
      const FlushSpan later = cohort_block(next, flushes + 1);
      REQUIRE(is_in(block.first, later));
      REQUIRE(is_in(block.last, later));
      next = block.last + 1;
      ++blocks;
    }
    REQUIRE(blocks <=
            2 * kAgeWidths + kAgeWidths * static_cast<std::uint64_t>(std::bit_width(flushes)));
  }
}

TEST_CASE("tombstones from several files keep their number and their cohorts", "[range]") {
  const FixedCount one = fixed_count(1);
  const CohortList young{{{99, 99}, 3 * one}, {{100, 100}, one}};
  const CohortList old{{{2, 2}, 7}, {{3, 3}, 14}};
  TombstoneOrigins origins;
  origins.add({0, &young, 300 * one});
  origins.add({1, &old, 10 * one});
  origins.add({0, &young, 100 * one});
  origins.add({1, &old, 20 * one});
  CohortList cohorts = origins.take();
  merge_cohorts(cohorts, 100);
  REQUIRE(cohorts ==
          CohortList{{{0, 15}, 30 * one}, {{99, 99}, 300 * one}, {{100, 100}, 100 * one}});
  REQUIRE(origins.take().empty());
}

TEST_CASE("a file has whole tombstones, and no small part of an old one", "[range]") {
  const FixedCount one = fixed_count(1);
  CohortList cohorts{{{3, 3}, one / 4}, {{90, 90}, one / 2}, {{100, 100}, 2 * one}};
  merge_cohorts(cohorts, 100);
  REQUIRE(cohorts == CohortList{{{90, 91}, one}, {{100, 100}, 2 * one}});
  CohortList few{{{3, 3}, one / 4}};
  merge_cohorts(few, 100);
  REQUIRE(few.front().count == one / 4);
}

}  // namespace lsmlab::delete_cohorts_test
