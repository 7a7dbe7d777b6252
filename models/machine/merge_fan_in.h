// How much a merge has to choose between its sources: the entropy of their shares of the entries,
// in bits. It is log2 of their number where the sources are alike, and near 0 where one source
// holds nearly all. A merge's heap, like every way to merge by comparisons, compares about so many
// times for an entry.
#pragma once

#include <cstdint>
#include <span>

namespace lsmlab {

inline constexpr unsigned kSourceEntropyPlaces = 16;  // after the binary point

/// The entropy in units of 2^-kSourceEntropyPlaces bits, rounded; the same on every machine. Zero
/// for one source. The keys of all sources are taken to be spread alike.
[[nodiscard]] std::uint64_t source_entropy(std::span<const std::uint64_t> source_entries);

}  // namespace lsmlab
