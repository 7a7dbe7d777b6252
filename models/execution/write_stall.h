// Decides when a store stalls or slows writers: too many full memtables, too many runs in level 0,
// too many bytes that merges still have to write, or merges that have priority. The engine applies
// these rules in threaded mode, the simulator in timed mode. models/policies/stall_rules.h defines
// the rules themselves.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/error.h"
#include "models/base/options.h"
#include "models/base/spec.h"
#include "models/policies/registry.h"
#include "models/policies/stall_rules.h"

namespace lsmlab {

/// The stall rules of the policy's family (PolicyFamily::stalls), with the given changes. Errors:
/// parameters that are unknown or out of range, that cannot be combined, or that have no effect for
/// the policy. "defaults=rocksdb" begins with that system's rules, as far as they have an effect.
[[nodiscard]] Result<StallRules> stall_rules_of(const ConfiguredPolicy& policy,
                                                const Parameters& changed);
/// Parses "level0_stop_runs=2,level0_slowdown_runs=2". An empty text changes nothing. The first
/// word may be rocksdb-defaults or leveldb-defaults: the rules of that system. Errors: parameters
/// that are unknown or out of range.
[[nodiscard]] Result<Parameters> parse_stall_changes(std::string_view text);
/// Whether the changes begin with the rules of a system, which replace all others.
[[nodiscard]] bool begin_with_system(const Parameters& stalls);
/// The rules as options for a result, in the order of the option table.
[[nodiscard]] ResolvedOptions stall_options(StallRules rules);

enum class StallReason {
  kFullMemtables,
  kMergesFirst,
  kLevel0Slowdown,
  kLevel0Stop,
  kPendingSlowdown,
  kPendingStop,
  kMemtableSlowdown,  // full_memtables_max are full, and that is more than two (RocksDB)
};
inline constexpr std::array<StallReason, 7> kStallReasons{
    StallReason::kFullMemtables,   StallReason::kMergesFirst,     StallReason::kLevel0Slowdown,
    StallReason::kLevel0Stop,      StallReason::kPendingSlowdown, StallReason::kPendingStop,
    StallReason::kMemtableSlowdown};
/// The name in results, such as "full memtables", "level 0 stop" or "pending merges slowdown".
[[nodiscard]] std::string_view stall_reason_name(StallReason reason);

/// The state of a store that the rules read.
struct StoreLoad {
  std::uint64_t full_memtables = 0;
  std::uint64_t level0_runs = 0;     // Policy::stalling_runs()
  std::uint64_t pending_bytes = 0;   // Policy::pending_bytes()
  bool has_work = false;             // a flush or merge runs, or the policy wants one
  bool is_memtable_awaited = false;  // writers wait until fewer memtables are full
  std::uint64_t behind_bytes = 0;    // Policy::behind_bytes()
};

/// Why a write must wait; nothing if it need not. `fills_memtable`: the memtable would be full
/// after the write.
[[nodiscard]] inline std::optional<StallReason> stop_reason(const StallRules& rules,
                                                            bool fills_memtable,
                                                            const StoreLoad& load) {
  // Where a memtable is replaced before its writers wait, one more is full meanwhile.
  if (load.full_memtables + (fills_memtable ? 1 : 0) > rules.full_memtables_max) {
    return StallReason::kFullMemtables;
  }
  if (rules.merges_first && fills_memtable && load.has_work) return StallReason::kMergesFirst;
  if (rules.stops_only_when_full && !fills_memtable) return std::nullopt;
  if (load.level0_runs >= rules.level0_stop_runs) return StallReason::kLevel0Stop;
  const std::uint64_t stop_bytes = rules.pending_stop_bytes.value();
  if (stop_bytes > 0 && load.pending_bytes >= stop_bytes) return StallReason::kPendingStop;
  return std::nullopt;
}

/// How many of `threads` may merge at a time. `merge_trigger_runs`: Policy::merge_trigger_runs().
/// Source: RocksDB 7.8.3, DBImpl::GetBGJobLimits; when it speeds up,
/// ColumnFamilyData::RecalculateWriteStallConditions.
[[nodiscard]] std::uint64_t merges_at_a_time(const StallRules& rules, const StoreLoad& load,
                                             std::optional<std::uint64_t> merge_trigger_runs,
                                             std::uint64_t threads);

/// Decides whether writes are slowed, and how long each one waits. Not thread safe.
class WriteController {
 public:
  explicit WriteController(const StallRules& rules)
      : rules_(rules), bytes_per_second_(rules.slowdown_bytes_per_second.value()) {}

  /// Call when a memtable has become full and writers use another one, and when an edit was
  /// applied. At these moments RocksDB checks its conditions again
  /// (RecalculateWriteStallConditions).
  void on_memtable_full(const StoreLoad& load);
  void on_edit(const StoreLoad& load) { look(load); }
  /// A write begins to wait because `stopped_from` or more memtables are full, or will be once its
  /// own is. RocksDB notices this when the memtable becomes full, and then does not check a second
  /// time. Edits do not change the rate until fewer memtables are full.
  void on_full_memtables(std::uint64_t stopped_from);

  /// Why writes are slowed; nothing if they are not.
  [[nodiscard]] std::optional<StallReason> slowdown() const { return reason_; }
  /// Returns how long a write of `bytes` must wait from now on, in nanoseconds; 0 if nothing slows
  /// it. Without adapts_rate, the controller collects bytes until a wait of one millisecond is due:
  /// a shorter real sleep takes longer than asked for.
  [[nodiscard]] std::uint64_t wait_ns(std::uint64_t now_ns, std::uint64_t bytes);
  /// How many such writes, one after another, wait_ns() would let pass without a wait from now on.
  /// REQUIRES: writes are slowed.
  [[nodiscard]] std::uint64_t writes_without_wait(std::uint64_t bytes) const;
  /// So many writes passed without a wait, as if wait_ns() had been called for each. REQUIRES:
  /// writes <= writes_without_wait(bytes).
  void pass(std::uint64_t writes, std::uint64_t bytes);
  /// After how many nanoseconds a waiting write checks whether it must wait any longer; nothing if
  /// it never checks.
  [[nodiscard]] std::optional<std::uint64_t> look_again_ns() const;
  [[nodiscard]] std::uint64_t bytes_per_second() const { return bytes_per_second_; }

 private:
  void look(const StoreLoad& load);
  void adapt_rate(const StoreLoad& load);
  [[nodiscard]] std::optional<StallReason> slowdown_of(const StoreLoad& load) const;
  [[nodiscard]] bool is_near_stop(const StoreLoad& load) const;
  // Writers whose rate is fixed wait at least for so long.
  static constexpr std::uint64_t kLeastWaitNs = 1'000'000;
  [[nodiscard]] std::uint64_t wait_for_credit_ns(std::uint64_t now_ns, std::uint64_t bytes);

  const StallRules rules_;
  std::optional<StallReason> reason_;
  std::uint64_t bytes_per_second_;
  std::uint64_t last_pending_bytes_ = 0;
  bool has_looked_ = false;         // has checked for the memtable that is about to become full
  std::uint64_t stopped_from_ = 0;  // of on_full_memtables(), until fewer are full; 0: not stopped
  std::uint64_t owed_bytes_ = 0;
  // RocksDB's credits; its clock counts microseconds.
  std::uint64_t credit_bytes_ = 0;
  std::uint64_t next_refill_us_ = 0;
};

}  // namespace lsmlab
