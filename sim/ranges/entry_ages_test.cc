#include "sim/ranges/entry_ages.h"

#include <cmath>

#include "testing/catch.h"

namespace lsmlab::entry_ages_test {
namespace {

constexpr SequenceSpan kAll{1000, 1'001'000};

TEST_CASE("a part of entries has the smallest sequence number as often as its share says") {
  constexpr int kDraws = 4000;
  int with_first = 0;
  double inset = 0;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    const SequenceSpan part = draw_part(kAll, kWholeShare / 4, fixed_count(100), seed);
    REQUIRE(part.first >= kAll.first);
    REQUIRE(part.last <= kAll.last);
    with_first += part.first == kAll.first;
    inset += static_cast<double>(part.first - kAll.first);
  }
  REQUIRE(std::abs(with_first - kDraws / 4) < 120);  // four standard deviations
  // Otherwise the first of 100 random ones: a hundredth of the width.
  REQUIRE(std::abs(inset / (kDraws - with_first) / 10'000 - 1) < 0.1);
  int empty = 0;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    empty += is_none(draw_part(kAll, 1, fixed_count(1) / 2, seed));
  }
  // Half an entry: exp(-1/2) = 0.607 have none. The draw's logarithm is linear between powers of
  // two, which makes it 0.639.
  REQUIRE(std::abs(empty - kDraws * 0.639) < 125);
  REQUIRE(draw_part(kAll, kWholeShare, fixed_count(100), 1) == kAll);
}

TEST_CASE("of two parts one has the smallest sequence number, and one the largest") {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const auto [a, b] = split_span(kAll, kWholeShare / 3, fixed_count(50), seed);
    REQUIRE((a.first == kAll.first) != (b.first == kAll.first));
    REQUIRE((a.last == kAll.last) != (b.last == kAll.last));
    SequenceSpan both = a;
    widen_span(both, b);
    REQUIRE(both == kAll);
  }
  SequenceSpan span = kNoSequences;
  widen_span(span, kAll);
  REQUIRE(span == kAll);
}

}  // namespace
}  // namespace lsmlab::entry_ages_test
