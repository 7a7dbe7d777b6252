// Counts and byte sums of a store's plans, simulated or real, as docs/results.md defines them.
// To add a figure: a member here, and in totals.cc a line that counts it and a row of the table.
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

/// Bytes that plans carried into and out of one level. A merge belongs to the lowest-numbered level
/// that it takes files from. A merge that takes only a memtable belongs to its target level. A
/// slice counts in the level of the file that it is linked to.
struct LevelTraffic {
  Uint128 bytes_in = 0;         // written or moved into the level
  Uint128 bytes_read = 0;       // its merges read them from its own files
  Uint128 bytes_read_next = 0;  // its merges read them from files of deeper levels
  Uint128 bytes_written = 0;    // its merges wrote them, to any level
  Uint128 bytes_moved = 0;      // in files that moves took out of it
  LevelTraffic& operator+=(const LevelTraffic& other);
  friend bool operator==(const LevelTraffic&, const LevelTraffic&) = default;
};

/// What flushes, merges and moves brought into one level. RocksDB attributes its figures so.
struct OutputTraffic {
  std::uint64_t jobs = 0;         // flushes and merges
  Uint128 bytes_read_others = 0;  // merges read them from files of other levels
  Uint128 bytes_read_own = 0;     // merges read them from files of this level
  Uint128 bytes_written = 0;
  Uint128 bytes_moved_in = 0;
  Uint128 entries_read = 0;     // by merges, entries of a memtable included
  Uint128 entries_dropped = 0;  // by merges
  OutputTraffic& operator+=(const OutputTraffic& other);
  OutputTraffic& operator-=(const OutputTraffic& other);
  friend bool operator==(const OutputTraffic&, const OutputTraffic&) = default;
};

/// Plans of one reason, and their bytes.
struct ReasonTraffic {
  std::uint64_t plans = 0;
  Uint128 bytes_read = 0;     // by merges
  Uint128 bytes_written = 0;  // by flushes and merges
  Uint128 bytes_moved = 0;
  ReasonTraffic& operator+=(const ReasonTraffic& other);
  friend bool operator==(const ReasonTraffic&, const ReasonTraffic&) = default;
};

struct Totals {
  std::uint64_t flushes = 0;
  std::uint64_t merges = 0;
  std::uint64_t moves = 0;
  std::uint64_t links = 0;
  std::uint64_t drops = 0;
  std::uint64_t refers = 0;
  std::uint64_t trims = 0;
  Uint128 bytes_dropped = 0;  // of the files that drops removed
  Uint128 user_bytes = 0;     // keys and values accepted; at resolution `flush` the flush sizes
  Uint128 bytes_flushed = 0;  // sizes of all flushes as SSTables, even of those that a merge took
  Uint128 flush_bytes_written = 0;  // by flushes that made an SSTable of their own
  Uint128 merge_bytes_written = 0;
  Uint128 merge_bytes_read = 0;  // from SSTables; a memtable is not read from disk
  Uint128 wal_bytes_written = 0;
  Uint128 manifest_bytes_written = 0;
  std::uint64_t entries_dropped = 0;
  std::uint64_t tombstones_dropped = 0;
  std::vector<LevelTraffic> by_level;          // up to the deepest level that a plan reached
  std::vector<OutputTraffic> by_output_level;  // the same
  std::map<PlanReason, ReasonTraffic> by_reason;

  /// Counts a plan that is done and about to be applied to `before`. `sums` are those of a merge;
  /// they may be null for another plan. O(inputs and outputs).
  void count(const TreeView& before, const Plan& plan, const TreeEdit& edit, const PlanSums* sums);
  /// The level's element of `by_level`, made where it is missing.
  [[nodiscard]] LevelTraffic& level_traffic(std::uint32_t level);
  /// The same of `by_output_level`.
  [[nodiscard]] OutputTraffic& output_traffic(std::uint32_t level);

  friend bool operator==(const Totals&, const Totals&) = default;
};

}  // namespace lsmlab
