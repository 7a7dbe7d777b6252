// The ledger of a store, simulated or real: bytes and plans counted as docs/results.md defines
// them, and the plan log. Not thread safe: the owner of the tree locks both together.
#pragma once

#include <cstdint>
#include <vector>

#include "models/accounting/run_result.h"
#include "models/execution/plan_execution.h"
#include "models/execution/plan_log.h"
#include "models/tree/tree.h"

namespace lsmlab {

class StoreLedger {
 public:
  /// `log` may be empty.
  explicit StoreLedger(PlanLogSink log) : log_(std::move(log)) {}

  /// A put or delete was accepted.
  void add_write(std::uint32_t key_bytes, std::uint32_t value_bytes) {
    totals_.user_bytes += std::uint64_t{key_bytes} + value_bytes;
  }
  void begin_flush(const PendingFlush& flush);
  /// A plan is done and about to be applied to `before`: every file that it wrote is on disk beside
  /// those that it takes. `sums` are those of a merge; they may be null for another plan.
  void record(const TreeView& before, const Plan& plan, const TreeEdit& edit, const PlanSums* sums);

  /// Totals so far, as a store counts them for itself.
  void set_user_bytes(Uint128 bytes) { totals_.user_bytes = bytes; }
  /// The same, as the file layer counts them.
  void set_wal_bytes_written(Uint128 bytes) { totals_.wal_bytes_written = bytes; }
  void set_manifest_bytes_written(Uint128 bytes) { totals_.manifest_bytes_written = bytes; }
  /// For a store that opens what another process left.
  void restore_file_bytes(const TreeView& tree);

  [[nodiscard]] const Totals& totals() const { return totals_; }
  [[nodiscard]] const TransientSpace& transient() const { return transient_; }
  /// Bytes read and written by each merge, in order.
  [[nodiscard]] const std::vector<std::uint64_t>& merge_bytes() const { return merge_bytes_; }
  /// Files of the tree and frozen ones.
  [[nodiscard]] std::uint64_t file_bytes() const { return file_bytes_; }
  /// Plans recorded so far: the sequence number of the last one.
  [[nodiscard]] std::uint64_t plans() const { return plans_; }

 private:
  PlanLogSink log_;
  Totals totals_;
  TransientSpace transient_;
  std::vector<std::uint64_t> merge_bytes_;
  std::uint64_t file_bytes_ = 0;
  std::uint64_t plans_ = 0;
};

}  // namespace lsmlab
