// The sequence numbers of entries that are not known one by one: the smallest and the largest of a
// part of them, drawn at random. Policies choose files by these two.
#pragma once

#include <cstdint>
#include <utility>

#include "models/base/units.h"
#include "sim/ranges/range_contents.h"

namespace lsmlab {

/// No entries: widen_span() takes the other one.
inline constexpr SequenceSpan kNoSequences{~std::uint64_t{0}, 0};
[[nodiscard]] constexpr bool is_none(const SequenceSpan& span) { return span.first > span.last; }
void widen_span(SequenceSpan& span, const SequenceSpan& other);

/// Entries that are `share` of those with sequence numbers in `all`, `entries` in number. With the
/// probability of the share they hold the smallest of all; otherwise theirs is the smallest of so
/// many draws. The same for the largest. kNoSequences if there is no entry: a count below 1 is a
/// probability. `seed`: of the draws.
[[nodiscard]] SequenceSpan draw_part(const SequenceSpan& all, std::uint64_t share,
                                     FixedCount entries, std::uint64_t seed);
/// Two parts that are all: `share` of `entries`, and the others. The smallest is in one of them.
[[nodiscard]] std::pair<SequenceSpan, SequenceSpan> split_span(const SequenceSpan& all,
                                                               std::uint64_t share,
                                                               FixedCount entries,
                                                               std::uint64_t seed);

}  // namespace lsmlab
