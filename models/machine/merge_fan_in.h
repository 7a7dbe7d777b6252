// How much a merge has to choose between its sources: the entropy of their entries' shares, which
// is log2 of their number where they are alike. A merge's heap, like every way to merge by
// comparisons, asks for about so many bits an entry: where one source runs ahead, hardly any.
#pragma once

#include <cstdint>
#include <span>

namespace lsmlab {

inline constexpr unsigned kMergeDoublingBits = 16;

/// In units of 2^-kMergeDoublingBits, rounded; the same on every machine. Zero of one source.
/// Keys of all sources are taken to be spread alike.
[[nodiscard]] std::uint64_t merge_doublings(std::span<const std::uint64_t> source_entries);

}  // namespace lsmlab
