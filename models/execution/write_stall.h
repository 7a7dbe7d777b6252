// Decides when a store makes writers wait or slows them: too many full memtables, too many runs in
// level 0, too many bytes that merges have still to move, or merges that go first. The engine
// applies these rules in threaded mode, the simulator in timed mode. models/policies/stall_rules.h
// has the rules themselves.
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

/// The policy's rules (PolicyFamily::stalls), changed where parameters say so. Errors: unknown
/// parameters, values out of range, that do not go together, or that the policy has no use for.
[[nodiscard]] Result<StallRules> stall_rules_of(const ConfiguredPolicy& policy,
                                                const Parameters& changed);
/// "level0_stop_runs=2,level0_slowdown_runs=2"; empty: nothing is changed. Errors: unknown
/// parameters, values out of range.
[[nodiscard]] Result<Parameters> parse_stall_changes(std::string_view text);
/// In the order of the table, for results.
[[nodiscard]] ResolvedOptions stall_options(StallRules rules);

enum class StallReason {
  kFullMemtables,
  kMergesFirst,
  kLevel0Slowdown,
  kLevel0Stop,
  kPendingSlowdown,
  kPendingStop,
  kMemtableSlowdown,  // nearly too many full memtables, where more than two may be full (RocksDB)
};
inline constexpr std::array<StallReason, 7> kStallReasons{
    StallReason::kFullMemtables,   StallReason::kMergesFirst,     StallReason::kLevel0Slowdown,
    StallReason::kLevel0Stop,      StallReason::kPendingSlowdown, StallReason::kPendingStop,
    StallReason::kMemtableSlowdown};
/// "full memtables", "level 0 stop", "pending merges slowdown".
[[nodiscard]] std::string_view stall_reason_name(StallReason reason);

/// What the rules look at.
struct StoreLoad {
  std::uint64_t full_memtables = 0;
  std::uint64_t level0_runs = 0;    // Policy::stalling_runs()
  std::uint64_t pending_bytes = 0;  // Policy::pending_bytes()
  bool has_work = false;            // something runs, or is wanted
};

/// Why a write must wait, if it must. `fills_memtable`: the memtable would be full after it.
[[nodiscard]] inline std::optional<StallReason> stop_reason(const StallRules& rules,
                                                            bool fills_memtable,
                                                            const StoreLoad& load) {
  if (fills_memtable && load.full_memtables >= rules.full_memtables_max) {
    return StallReason::kFullMemtables;
  }
  if (rules.merges_first && fills_memtable && load.has_work) return StallReason::kMergesFirst;
  if (rules.stops_only_when_full && !fills_memtable) return std::nullopt;
  if (load.level0_runs >= rules.level0_stop_runs) return StallReason::kLevel0Stop;
  const std::uint64_t stop_bytes = rules.pending_stop_bytes.value();
  if (stop_bytes > 0 && load.pending_bytes >= stop_bytes) return StallReason::kPendingStop;
  return std::nullopt;
}

/// Whether writes are slowed, and how long each is held up. Not thread safe.
class WriteController {
 public:
  explicit WriteController(const StallRules& rules)
      : rules_(rules), bytes_per_second_(rules.slowdown_bytes_per_second.value()) {}

  /// A memtable has become full and another one is written to. An edit was applied. Both are when
  /// RocksDB looks again (RecalculateWriteStallConditions).
  void on_memtable_full(const StoreLoad& load);
  void on_edit(const StoreLoad& load) { look(load); }
  /// A write begins to wait for full memtables. RocksDB has that when the memtable becomes full,
  /// and then looks no second time. Until fewer are full edits do not change the rate.
  void on_full_memtables();

  /// What slows writes, if anything.
  [[nodiscard]] std::optional<StallReason> slowdown() const { return reason_; }
  /// Nanoseconds for which a write of so many bytes is held up from now on; 0 where nothing slows
  /// it. Without adapts_rate bytes are gathered until a millisecond is due: a real sleep that is
  /// shorter takes longer than asked for.
  [[nodiscard]] std::uint64_t wait_ns(std::uint64_t now_ns, std::uint64_t bytes);
  /// After so long a write that is held up looks whether it still has to be; nothing where it does
  /// not.
  [[nodiscard]] std::optional<std::uint64_t> look_again_ns() const;
  [[nodiscard]] std::uint64_t bytes_per_second() const { return bytes_per_second_; }

 private:
  void look(const StoreLoad& load);
  void adapt_rate(const StoreLoad& load);
  [[nodiscard]] std::optional<StallReason> slowdown_of(const StoreLoad& load) const;
  [[nodiscard]] bool is_near_stop(const StoreLoad& load) const;
  [[nodiscard]] std::uint64_t wait_for_credit_ns(std::uint64_t now_ns, std::uint64_t bytes);

  const StallRules rules_;
  std::optional<StallReason> reason_;
  std::uint64_t bytes_per_second_;
  std::uint64_t last_pending_bytes_ = 0;
  bool has_looked_ = false;  // for the memtable that is going to be full
  bool is_stopped_by_memtables_ = false;
  std::uint64_t owed_bytes_ = 0;
  // RocksDB's credits, in its microseconds.
  std::uint64_t credit_bytes_ = 0;
  std::uint64_t next_refill_us_ = 0;
};

}  // namespace lsmlab
