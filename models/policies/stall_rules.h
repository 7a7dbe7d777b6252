// When writers wait and when they are slowed: the limits that a family declares for its system, and
// that --stalls changes. models/execution/write_stall.h applies them.
//
// The rules on level 0 apply to policies whose level 0 holds many runs. A stack-based policy bounds
// its runs itself (Policy::stalling_runs()).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/options.h"
#include "models/base/units.h"

namespace lsmlab {

/// The defaults are those of lsmlab's engine.
struct StallRules {
  std::uint64_t full_memtables_max = 2;  // writers wait when this many are full and not yet written
  std::uint64_t level0_slowdown_runs = 20;  // writers are slowed when level 0 has this many runs
  std::uint64_t level0_stop_runs = 36;      // writers wait when level 0 has this many runs
  // true: level 0 stops only writers whose memtable is full (LevelDB)
  bool stops_only_when_full = false;
  Bytes pending_slowdown_bytes;  // the same limits for Policy::pending_bytes(); 0: no limit
  Bytes pending_stop_bytes;
  Bytes slowdown_bytes_per_second{16 << 20};  // write rate of slowed writers
  // True: the rate follows pending_bytes() and never exceeds the one given; writes wait for credits
  // of one millisecond (RocksDB's write controller).
  bool adapts_rate = false;
  // True: a write that fills the memtable waits until no flush or merge runs and the policy wants
  // none, so that the tree keeps its shape at any client speed (compaction-design-space, Sec. 4.1).
  bool merges_first = false;
  // True: one merge runs at a time until level 0 or pending_bytes() come near their limits
  // (RocksDB). Otherwise all merge threads are always used.
  bool one_merge_until_behind = false;
  // If not 0, each slowed write takes this much longer, and no rate applies (LevelDB: a
  // millisecond).
  std::uint64_t slowdown_ns_per_write = 0;

  void declare(OptionTable& table);
  /// Returns every fault.
  [[nodiscard]] std::vector<std::string> validate() const;
};

}  // namespace lsmlab
