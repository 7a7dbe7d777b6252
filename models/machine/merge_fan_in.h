// How many comparisons a merge needs for an entry: about the entropy, in bits, of its sources'
// shares of the entries. It is log2 of their number if the sources are equal, and near 0 if one
// source holds nearly all entries. This is true of a heap and of every other merge by comparisons.
#pragma once

#include <cstdint>
#include <span>

namespace lsmlab {

inline constexpr unsigned kSourceEntropyPlaces = 16;  // after the binary point

/// The entropy in units of 2^-kSourceEntropyPlaces bits, rounded; the same on every machine. Zero
/// for one source. Assumes that the keys of all sources have the same distribution.
[[nodiscard]] std::uint64_t source_entropy(std::span<const std::uint64_t> source_entries);

}  // namespace lsmlab
