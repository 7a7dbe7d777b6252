#include "sim/ranges/entry_ages.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "models/base/random.h"

namespace lsmlab {
namespace {

// How far inside a span of this width the first of so many entries lies; nothing if there is none:
// a count below 1 is a probability.
std::optional<std::uint64_t> draw_inset(std::uint64_t width, FixedCount entries,
                                        std::uint64_t random) {
  // -log2 of a number that is uniform in (0, 1], times ln 2: an exponential draw. The logarithm is
  // linear between powers of two, at most 0.09 off.
  const std::uint64_t bits = mix_bits(random) | 1;
  const int zeros = std::countl_zero(bits);
  const double fraction = static_cast<double>((bits << zeros) << 1) * 0x1p-64;
  const double drawn = (zeros + 1 - fraction) * 0.6931471805599453 * kCountUnits /
                       static_cast<double>(std::max<FixedCount>(entries, 1));
  if (drawn >= 1) return std::nullopt;
  return static_cast<std::uint64_t>(static_cast<double>(width) * drawn);
}

bool is_hit(std::uint64_t random, std::uint64_t share) { return (random >> 32) < share; }

// The part of `all` that so many entries span, of which one is the smallest, or the largest, of
// all.
SequenceSpan drawn_span(const SequenceSpan& all, FixedCount entries, bool has_first, bool has_last,
                        const std::uint64_t (&randoms)[2]) {
  const std::uint64_t width = all.last - all.first;
  const auto inset = [&](bool is_end, std::uint64_t random) -> std::optional<std::uint64_t> {
    return is_end ? std::uint64_t{0} : draw_inset(width, entries, random);
  };
  const std::optional<std::uint64_t> from_first = inset(has_first, randoms[0]);
  const std::optional<std::uint64_t> from_last = inset(has_last, randoms[1]);
  if (!from_first && !has_last) return kNoSequences;
  const std::uint64_t first = all.first + from_first.value_or(width);
  // A single entry is both.
  const std::uint64_t last = all.last - std::min(from_last.value_or(width), all.last - first);
  return {first, last};
}

}  // namespace

void widen_span(SequenceSpan& span, const SequenceSpan& other) {
  span.first = std::min(span.first, other.first);
  span.last = std::max(span.last, other.last);
}

SequenceSpan draw_part(const SequenceSpan& all, std::uint64_t share, FixedCount entries,
                       std::uint64_t seed) {
  if (share >= kWholeShare || is_none(all)) return all;
  const std::uint64_t randoms[2] = {derive_seed(seed, 0), derive_seed(seed, 1)};
  return drawn_span(all, entries, is_hit(randoms[0], share), is_hit(randoms[1], share), randoms);
}

std::pair<SequenceSpan, SequenceSpan> split_span(const SequenceSpan& all, std::uint64_t share,
                                                 FixedCount entries, std::uint64_t seed) {
  if (is_none(all)) return {all, all};
  const std::uint64_t randoms[2] = {derive_seed(seed, 0), derive_seed(seed, 1)};
  const bool has_first = is_hit(randoms[0], share);
  const bool has_last = is_hit(randoms[1], share);
  const FixedCount part = part_of(entries, share);
  return {drawn_span(all, part, has_first, has_last, randoms),
          drawn_span(all, entries - part, !has_first, !has_last, randoms)};
}

}  // namespace lsmlab
