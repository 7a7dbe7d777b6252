// When writers wait, and when they are slowed: the numbers that a family declares for its system
// and that --stalls changes. models/execution/write_stall.h applies them.
//
// The rules on level 0 hold for policies that have a level 0 of many runs; a stack-based policy
// bounds its runs itself (Policy::stalling_runs()).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/options.h"
#include "models/base/units.h"

namespace lsmlab {

/// The defaults are the engine's own.
struct StallRules {
  std::uint64_t full_memtables_max = 2;     // with so many full and not yet written, writers wait
  std::uint64_t level0_slowdown_runs = 20;  // from so many runs in level 0 on, writers are slowed
  std::uint64_t level0_stop_runs = 36;      // with so many, they wait
  bool stops_only_when_full = false;        // but only once the memtable is full (LevelDB)
  Bytes pending_slowdown_bytes;             // the same by Policy::pending_bytes(); 0: no limit
  Bytes pending_stop_bytes;
  Bytes slowdown_bytes_per_second{16 << 20};  // what writers are slowed down to
  // The rate then follows pending_bytes(), never above the one given, and writes are held up by
  // credits of a millisecond (RocksDB's write controller).
  bool adapts_rate = false;
  // A write that fills the memtable waits until no flush or merge runs and the policy wants none:
  // the tree keeps its shape however fast clients are (compaction-design-space, Sec. 4.1).
  bool merges_first = false;
  // Where not 0, a slowed write takes so much longer, and no rate is kept (LevelDB: a millisecond).
  std::uint64_t slowdown_ns_per_write = 0;

  void declare(OptionTable& table);
  /// Every fault.
  [[nodiscard]] std::vector<std::string> validate() const;
};

}  // namespace lsmlab
