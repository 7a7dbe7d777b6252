// When a store with background work holds writers up: full memtables that were not written yet, and
// too many runs in level 0. The engine obeys these rules in threaded mode, the simulator in timed.
//
// The rules on level 0 hold for policies that have a level 0 of many runs; a stack-based policy
// bounds its runs itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "models/error.h"
#include "models/options.h"
#include "models/spec.h"
#include "models/units.h"

namespace lsmlab {

struct StallRules {
  std::uint64_t full_memtables_max = 2;       // with so many full and not yet written, writers wait
  std::uint64_t level0_slowdown_runs = 20;    // from so many runs in level 0 on, writers are slowed
  std::uint64_t level0_stop_runs = 36;        // with so many, they wait
  bool stops_only_when_full = false;          // but only once the memtable is full (LevelDB)
  Bytes slowdown_bytes_per_second{16 << 20};  // what writers are slowed down to
  // Where not 0, a slowed write takes so much longer, and no rate is kept (LevelDB: a millisecond).
  std::uint64_t slowdown_ns_per_write = 0;

  void declare(OptionTable& table);
};

/// The rules of a policy's system: LevelDB 1.23's (db/db_impl.cc, MakeRoomForWrite) for `leveldb`,
/// `udc` and `ldc`; RocksDB's defaults for `rocksdb-*`, with the rate that its write controller
/// begins with; the engine's own for all others.
[[nodiscard]] StallRules stall_rules_of(std::string_view policy_family);
/// The same, changed where parameters say so. Errors: unknown parameters, values out of range.
[[nodiscard]] Result<StallRules> stall_rules_of(std::string_view policy_family,
                                                const Parameters& changed);
/// "level0_stop_runs=2,level0_slowdown_runs=2"; empty: nothing is changed. Errors: as above.
[[nodiscard]] Result<Parameters> parse_stall_changes(std::string_view text);
/// In the order of the table, for results.
[[nodiscard]] ResolvedOptions stall_options(StallRules rules);

enum class StallReason { kFullMemtables, kLevel0Stop, kLevel0Slowdown };
/// "full memtables", "level 0 stop", "level 0 slowdown".
[[nodiscard]] std::string_view stall_reason_name(StallReason reason);

/// Why a write must wait, if it must. `fills_memtable`: the memtable would be full after it.
[[nodiscard]] inline std::optional<StallReason> stop_reason(const StallRules& rules,
                                                            bool fills_memtable,
                                                            std::uint64_t waiting_memtables,
                                                            std::uint64_t level0_runs) {
  if (fills_memtable && waiting_memtables >= rules.full_memtables_max) {
    return StallReason::kFullMemtables;
  }
  if (level0_runs >= rules.level0_stop_runs && (fills_memtable || !rules.stops_only_when_full)) {
    return StallReason::kLevel0Stop;
  }
  return std::nullopt;
}

/// How long slowed writes are held up.
class WriteSlowdown {
 public:
  explicit WriteSlowdown(const StallRules& rules) : rules_(rules) {}
  /// Nanoseconds to wait for a write of so many bytes. At a rate, they are gathered until a
  /// millisecond is due: a real sleep that is shorter takes longer than asked for.
  [[nodiscard]] std::uint64_t wait_ns(std::uint64_t bytes);

 private:
  StallRules rules_;
  std::uint64_t owed_bytes_ = 0;
};

}  // namespace lsmlab
