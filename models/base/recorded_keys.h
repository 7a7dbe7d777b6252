// What is kept of the texts of recorded keys: how much they share.
#pragma once

#include <cstdint>
#include <vector>

namespace lsmlab {

/// Keys whose ids are their places in the order of all keys, spread evenly over all 64-bit numbers
/// (traces/importers/key_ranking.h).
struct RecordedKeys {
  std::uint64_t count = 0;
  /// [i]: how many leading bytes two keys share that are 2^i places apart, in 32nds of a byte: the
  /// mean over pairs. Empty: not known.
  std::vector<std::uint32_t> shared_32nds = {};

  friend bool operator==(const RecordedKeys&, const RecordedKeys&) = default;
};

}  // namespace lsmlab
