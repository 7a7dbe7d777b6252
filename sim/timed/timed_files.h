// The memtables and files of a store with a clock, as TimedStore and its clients use them. Two
// implementations: KeyFiles hold keys, RangeFiles know densities. They decide what plans write and
// what reads cost. When anything happens is up to TimedStore.
//
// One memtable takes writes. Full memtables wait, oldest first. Not thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "models/accounting/run_recorder.h"
#include "models/execution/plan_job.h"
#include "models/policies/policy.h"
#include "models/tree/tree.h"
#include "traces/workloads/operation.h"

namespace lsmlab {

/// The value bytes of a put; 0 of a delete.
[[nodiscard]] inline std::uint32_t written_value_bytes(const Operation& write) {
  return write.kind == OperationKind::kPut ? write.value_bytes : 0;
}

class TimedFiles {
 public:
  TimedFiles() = default;
  TimedFiles(const TimedFiles&) = delete;
  TimedFiles& operator=(const TimedFiles&) = delete;
  virtual ~TimedFiles() = default;

  /// Whether the memtable would be full after this put or delete if its key were new.
  [[nodiscard]] virtual bool fills_memtable(const Operation& write) const = 0;
  /// Puts or deletes a key. Returns whether the memtable is now full. Errors: the run has more
  /// writes or more pairs of sizes than it may hold.
  [[nodiscard]] virtual Result<bool> write(const Operation& write) = 0;
  /// So many further puts of the workload surely do not fill the memtable. 0 if puts may differ.
  [[nodiscard]] virtual std::uint64_t room_for_puts() const { return 0; }
  /// Does a put of the workload several times. REQUIRES: puts <= room_for_puts().
  virtual void put_more(const Operation& /*put*/, std::uint64_t /*puts*/) {}
  [[nodiscard]] virtual bool is_memtable_empty() const = 0;
  /// What the memtable was charged for its writes, entries replaced since included.
  [[nodiscard]] virtual std::uint64_t memtable_bytes() const = 0;
  /// The memtable begins to wait at `now_ns`, and another one takes writes. `traffic`: since the
  /// last rotation. Returns false if the memtable had nothing to flush: it is empty then. REQUIRES:
  /// it had writes.
  [[nodiscard]] virtual bool rotate(const Traffic& traffic, std::uint64_t now_ns) = 0;
  /// The oldest waiting memtable becomes the tree's pending flush; if the policy's flushes take all
  /// (Policy::flush_takes_all_waiting()), so do the others with it. Returns how many it takes.
  /// REQUIRES: one is waiting, none is pending.
  [[nodiscard]] virtual std::size_t begin_flush() = 0;
  /// The flushes that wait, the pending one included.
  [[nodiscard]] virtual std::size_t waiting_flushes() const = 0;
  /// The pending flush that one of them would make; 0: the oldest one.
  [[nodiscard]] virtual PendingFlush flush_of(std::size_t waiting) const = 0;
  /// Drops what the pending flush took, which is now in files.
  virtual void drop_memtables() = 0;

  struct Lookup {
    LookupFigures figures;  // of this lookup alone
    // The file that is charged with a seek, as in walk_lookup().
    std::optional<FileLocation> searched_in_vain;
  };
  [[nodiscard]] virtual Lookup get(const Operation& lookup) = 0;
  /// Returns what this scan cost.
  [[nodiscard]] virtual ScanFigures scan(const Operation& scan) = 0;

  /// Counts the cached blocks of copies, if the policy is about to look at them.
  virtual void look_at_copies() = 0;
  /// Computes what the plan writes. REQUIRES: its inputs are reserved.
  [[nodiscard]] virtual std::unique_ptr<PlanJob> start(const Plan& plan) = 0;
  /// Applies at `now_ns` a plan that start() returned. `ran_beside_others`: the plan ran
  /// concurrently with others, so the tree may have changed since start().
  virtual PlanOutcome finish(std::unique_ptr<PlanJob> job, bool ran_beside_others,
                             std::uint64_t now_ns) = 0;

  [[nodiscard]] virtual TreeState& state() = 0;
  [[nodiscard]] virtual const Policy& policy() const = 0;
  [[nodiscard]] virtual Bytes block_size() const = 0;
  [[nodiscard]] virtual MeteredStore& metered() = 0;
};

}  // namespace lsmlab
