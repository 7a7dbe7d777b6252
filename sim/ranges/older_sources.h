// Data outside a merge at resolution `range` that may be older than the merge's tombstones, for
// stores that ask filters (TombstoneRule::asks_filters()).
//
// A filter keeps a tombstone if its file holds the tombstone's key. That key was alive, so it has
// one oldest version among the older data: each part of the older data has it with the probability
// that the oldest version of a living key, picked among all of them in that part of the key space,
// lies there. Its updates are independent of that and of each other. A tombstone that met the
// oldest version of its key in an earlier merge, and no filter, went there; so those that are left
// may meet every part.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/ranges/range_sources.h"

namespace lsmlab {

class OlderSources {
 public:
  /// `lists`: as of TombstoneRule::older_parts(). REQUIRES: the contents outlive this.
  explicit OlderSources(std::vector<std::vector<SourcePart>> lists);
  /// Looks at [begin, end). REQUIRES: ranges rise from call to call and do not overlap.
  void look_at(std::uint64_t begin, std::uint64_t end);
  /// The keys of a class that have their oldest version in the range that was looked at and are
  /// not deleted there.
  [[nodiscard]] FixedCount keys(std::size_t c) const;
  /// The share of a class's keys of which no file has an update there, if so many keys may have
  /// one. REQUIRES: keys > 0.
  [[nodiscard]] std::uint64_t share_without_update(std::size_t c, FixedCount keys) const;

 private:
  struct Older {
    SourceCursor cursor;
    ClassList taken;  // in the range that was looked at
  };
  void take(Older& older, std::uint64_t end);

  std::vector<Older> sources_;
  ClassList scratch_;
};

}  // namespace lsmlab
