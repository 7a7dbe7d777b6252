// The ledger of a store, simulated or real. It counts bytes and plans as docs/results.md defines
// them, and writes the plan log. Not thread safe: one lock protects the tree and its ledger.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/accounting/delete_ages.h"
#include "models/accounting/run_result.h"
#include "models/execution/plan_execution.h"
#include "models/execution/plan_log.h"
#include "models/sizes/wal_record.h"
#include "models/tree/tree.h"

namespace lsmlab {

/// What a file that a drop removed may have held.
struct DroppedData {
  SequenceSpan sequences;
  KeyRange keys;
};

class StoreLedger {
 public:
  /// An empty `log` means that no plans are logged. `wal`: what writes add to the write-ahead log
  /// of a simulated store; a real one sets it (set_wal_bytes_written()).
  explicit StoreLedger(PlanLogSink log, const WalSize& wal = {})
      : log_(std::move(log)), wal_(wal) {}

  /// Counts a put or delete (without a value) that the store accepted, operation `now`.
  void add_write(std::uint32_t key_bytes, std::optional<std::uint32_t> value_bytes, Instant now) {
    totals_.user_bytes += std::uint64_t{key_bytes} + value_bytes.value_or(0);
    totals_.wal_bytes_written += wal_.write_bytes(key_bytes, value_bytes, now.value());
  }
  /// The same for `count` writes of one size.
  void add_writes(std::uint64_t count, std::uint64_t key_bytes,
                  std::optional<std::uint64_t> value_bytes, Instant now) {
    totals_.user_bytes += Uint128{count} * (key_bytes + value_bytes.value_or(0));
    totals_.wal_bytes_written +=
        Uint128{count} * wal_.write_bytes(key_bytes, value_bytes, now.value());
  }
  /// Keys and values of all keys that are live now, for the peak of space.
  void set_live_bytes(Uint128 bytes) { live_bytes_ = bytes; }
  /// `full_ns`: when the memtable was full; with a clock.
  void begin_flush(const PendingFlush& flush, std::optional<std::uint64_t> full_ns = std::nullopt);
  /// Sets the time of the next plan to record, in a store with a clock.
  void set_clock(std::uint64_t now_ns) { now_ns_ = now_ns; }
  /// Counts and logs a plan that is done and about to be applied to `before`. At this moment its
  /// outputs and its inputs are all on disk. `sums` belong to a merge or a drop; they may be null
  /// for another plan.
  void record(const TreeView& before, const Plan& plan, const TreeEdit& edit, const PlanSums* sums);

  /// Sets a total to the store's own count.
  void set_user_bytes(Uint128 bytes) { totals_.user_bytes = bytes; }
  /// Set totals to the file layer's counts.
  void set_wal_bytes_written(Uint128 bytes) { totals_.wal_bytes_written = bytes; }
  void set_manifest_bytes_written(Uint128 bytes) { totals_.manifest_bytes_written = bytes; }
  /// Sets file_bytes() to the size of the tree, for a store that opens existing files.
  void restore_file_bytes(const TreeView& tree);

  [[nodiscard]] const Totals& totals() const { return totals_; }
  [[nodiscard]] const WalSize& wal() const { return wal_; }
  [[nodiscard]] const DeleteAges& deletes() const { return deletes_; }
  [[nodiscard]] const KeptRangeTests& range_tests() const { return range_tests_; }
  [[nodiscard]] const TransientSpace& transient() const { return transient_; }
  [[nodiscard]] const DiskPeaks& disk() const { return disk_; }
  [[nodiscard]] Uint128 live_bytes() const { return live_bytes_; }
  /// Bytes read and written by each merge, in order.
  [[nodiscard]] const std::vector<std::uint64_t>& merge_bytes() const { return merge_bytes_; }
  /// The files that drops removed, in order.
  [[nodiscard]] const std::vector<DroppedData>& dropped() const { return dropped_; }
  /// Bytes of the tree's files, frozen files included.
  [[nodiscard]] std::uint64_t file_bytes() const { return file_bytes_; }
  /// The number of plans so far, which is the sequence number of the last one.
  [[nodiscard]] std::uint64_t plans() const { return plans_; }

 private:
  void count_dropped(const PlanSums& sums, Instant now);

  PlanLogSink log_;
  WalSize wal_;
  Totals totals_;
  TransientSpace transient_;
  DiskPeaks disk_;
  Uint128 live_bytes_ = 0;
  DeleteAges deletes_;
  std::optional<std::uint64_t> now_ns_;  // nothing without a clock
  KeptRangeTests range_tests_;
  std::vector<std::uint64_t> merge_bytes_;
  std::vector<DroppedData> dropped_;
  std::uint64_t file_bytes_ = 0;
  std::uint64_t plans_ = 0;
};

}  // namespace lsmlab
