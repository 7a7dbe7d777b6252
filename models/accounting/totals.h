// Counts and byte sums of a store's plans, simulated or real, as docs/results.md defines them.
// Their table of figures stands beside their code: a new one is a member, a line that counts it,
// and a row.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "models/base/units.h"
#include "models/tree/plan.h"

namespace lsmlab {

class TreeView;
struct PlanSums;
struct TreeEdit;

/// What plans moved from and to one level. A merge belongs to the lowest-numbered level that it
/// takes files from, or to its target where it takes a memtable only; slices count where they hang.
struct LevelTraffic {
  Uint128 bytes_in = 0;         // written or moved into the level
  Uint128 bytes_read = 0;       // by its merges, from its own files
  Uint128 bytes_read_next = 0;  // by its merges, from files of deeper levels
  Uint128 bytes_written = 0;    // by its merges, to any level
  Uint128 bytes_moved = 0;      // by moves that took its files
  friend bool operator==(const LevelTraffic&, const LevelTraffic&) = default;
};

/// What the plans of one reason did.
struct ReasonTraffic {
  std::uint64_t plans = 0;
  Uint128 bytes_read = 0;     // by merges
  Uint128 bytes_written = 0;  // by flushes and merges
  Uint128 bytes_moved = 0;
  friend bool operator==(const ReasonTraffic&, const ReasonTraffic&) = default;
};

struct Totals {
  std::uint64_t flushes = 0;
  std::uint64_t merges = 0;
  std::uint64_t moves = 0;
  std::uint64_t links = 0;
  Uint128 user_bytes = 0;     // keys and values accepted; at flush resolution the flush sizes
  Uint128 bytes_flushed = 0;  // what every flush takes, or would take on its own, as an SSTable
  Uint128 flush_bytes_written = 0;  // by flushes that were written as SSTables of their own
  Uint128 merge_bytes_written = 0;
  Uint128 merge_bytes_read = 0;  // of SSTables: a memtable that a merge takes is not on disk
  Uint128 wal_bytes_written = 0;
  Uint128 manifest_bytes_written = 0;
  std::uint64_t entries_dropped = 0;
  std::uint64_t tombstones_dropped = 0;
  std::vector<LevelTraffic> by_level;  // of a store with keys, as far as plans went
  std::map<PlanReason, ReasonTraffic> by_reason;

  /// Counts a plan that is done and about to be applied to `before`. `sums` are those of a merge;
  /// they may be null for another plan. O(inputs and outputs).
  void count(const TreeView& before, const Plan& plan, const TreeEdit& edit, const PlanSums* sums);

  friend bool operator==(const Totals&, const Totals&) = default;
};

}  // namespace lsmlab
