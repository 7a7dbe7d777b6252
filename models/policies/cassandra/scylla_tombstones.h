// When ScyllaDB merges one SSTable by itself to drop its tombstones
// (compaction_strategy_impl::worth_dropping_tombstones, 2026.4.0-dev): it was written at least
// tombstone_compaction_interval ago, and at least tombstone_threshold of its entries are
// tombstones that gc_grace lets go, or unchecked_tombstone_compaction is true. Unlike Cassandra it
// does not look at the SSTables that overlap it.
#pragma once

#include "models/policies/droppable_tombstones.h"

namespace lsmlab {

/// REQUIRES: a threshold is given.
[[nodiscard]] inline bool has_scyllas_age(const DroppableTombstones& rule, Instant now,
                                          Instant written) {
  return Uint128{written.value()} + *rule.interval <= now.value();
}
[[nodiscard]] inline bool has_scyllas_ratio(const DroppableTombstones& rule, std::uint64_t entries,
                                            std::uint64_t tombstones) {
  return rule.is_unchecked || (entries > 0 && Uint128{tombstones} * rule.threshold->denominator() >=
                                                  Uint128{entries} * rule.threshold->numerator());
}

}  // namespace lsmlab
