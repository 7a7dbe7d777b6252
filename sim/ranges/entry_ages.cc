#include "sim/ranges/entry_ages.h"

#include <algorithm>
#include <bit>

#include "models/base/random.h"

namespace lsmlab {
namespace {

// How far inside a span of this width the first of so many entries lies.
std::uint64_t draw_inset(std::uint64_t width, FixedCount entries, std::uint64_t random) {
  // -log2 of a number that is uniform in (0, 1], times ln 2: an exponential draw.
  const std::uint64_t bits = mix_bits(random) | 1;
  const int zeros = std::countl_zero(bits);
  const double fraction = static_cast<double>((bits << zeros) << 1) * 0x1p-64;
  const double drawn = (zeros + 1 - fraction) * 0.6931471805599453 * kCountUnits /
                       static_cast<double>(std::max<FixedCount>(entries, 1));
  return static_cast<std::uint64_t>(static_cast<double>(width) * std::min(drawn, 1.0));
}

bool is_hit(std::uint64_t random, std::uint64_t share) { return (random >> 32) < share; }

SequenceSpan ordered(std::uint64_t first, std::uint64_t last) {
  return {std::min(first, last), std::max(first, last)};
}

}  // namespace

void widen_span(SequenceSpan& span, const SequenceSpan& other) {
  span.first = std::min(span.first, other.first);
  span.last = std::max(span.last, other.last);
}

SequenceSpan draw_part(const SequenceSpan& all, std::uint64_t share, FixedCount entries,
                       std::uint64_t seed) {
  if (share >= kWholeShare) return all;
  const std::uint64_t width = all.last - all.first;
  const std::uint64_t randoms[2] = {derive_seed(seed, 0), derive_seed(seed, 1)};
  const auto inset = [&](std::uint64_t random) {
    return is_hit(random, share) ? 0 : draw_inset(width, entries, random);
  };
  return ordered(all.first + inset(randoms[0]), all.last - inset(randoms[1]));
}

std::pair<SequenceSpan, SequenceSpan> split_span(const SequenceSpan& all, std::uint64_t share,
                                                 FixedCount entries, std::uint64_t seed) {
  const std::uint64_t width = all.last - all.first;
  const FixedCount parts[2] = {part_of(entries, share), entries - part_of(entries, share)};
  const std::uint64_t randoms[2] = {derive_seed(seed, 0), derive_seed(seed, 1)};
  SequenceSpan spans[2] = {all, all};
  const int without_first = is_hit(randoms[0], share) ? 1 : 0;
  spans[without_first].first += draw_inset(width, parts[without_first], randoms[0]);
  const int without_last = is_hit(randoms[1], share) ? 1 : 0;
  spans[without_last].last -= draw_inset(width, parts[without_last], randoms[1]);
  return {ordered(spans[0].first, spans[0].last), ordered(spans[1].first, spans[1].last)};
}

}  // namespace lsmlab
