// Where keys that are inserted at random lie next to a given place. Drawn, not expected: if all
// memtables ended at the same keys, none would have an entry beyond the others, and policies that
// move files which overlap nothing would find none.
#pragma once

#include <cstdint>

#include "models/tree/plan.h"

namespace lsmlab {

/// From a place to the next of keys that are so far apart on average; a function of the seed.
[[nodiscard]] std::uint64_t drawn_gap(std::uint64_t mean_gap, std::uint64_t seed);

/// The first and the last of so many keys that lie at random over the whole key space; a function
/// of the seed.
[[nodiscard]] KeyRange keys_at_random(std::uint64_t entries, std::uint64_t seed);

}  // namespace lsmlab
