// Records a run at resolution `key`, simulated or real: its operations, the sorted runs after each
// flush, and the curves. At the end it makes the result.
//
// Not thread safe: in a store with threads, the caller holds the lock of tree and ledger.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "models/accounting/run_result.h"
#include "models/accounting/series.h"
#include "models/accounting/store_ledger.h"
#include "models/base/error.h"
#include "models/base/operation_kind.h"
#include "models/base/part_mark.h"
#include "models/policies/registry.h"
#include "models/tree/tree.h"

namespace lsmlab {

/// A store as a recorder sees it.
class MeteredStore {
 public:
  MeteredStore() = default;
  MeteredStore(const MeteredStore&) = delete;
  MeteredStore& operator=(const MeteredStore&) = delete;
  virtual ~MeteredStore() = default;

  [[nodiscard]] virtual const TreeView& tree() const = 0;
  [[nodiscard]] virtual const StoreLedger& ledger() const = 0;
  [[nodiscard]] virtual ReadFigures reads() const = 0;
  /// Key and value bytes of all live entries in files, without the memtable. O(entries). Errors: a
  /// file cannot be read.
  [[nodiscard]] virtual Result<std::uint64_t> live_bytes() = 0;
  /// Tells the store's ledger the key and value bytes of all live keys. A simulated store knows
  /// them itself. Any thread may call it.
  virtual void note_live_bytes(std::uint64_t /*bytes*/) {}
};

class RunRecorder {
 public:
  /// When the recorder counts space, which reads the whole store. A run that measures time counts
  /// it at the end only; otherwise the measured time would include the reading.
  enum class SpaceCounts { kAtDoublings, kAtEnd };

  /// REQUIRES: the store outlives the recorder, its ledger keeps its address, and the store has not
  /// flushed yet.
  RunRecorder(MeteredStore& store, SpaceCounts space)
      : store_(store), ledger_(store.ledger()), space_(space) {}

  /// Tells where the run's parts end. REQUIRES: called before the first operation; no end is below
  /// the one before it.
  void set_parts(std::vector<PartMark> parts);
  /// Tells the time since the begin of the run, for the durations of parts.
  void set_clock(std::function<std::uint64_t()> now_ns) { now_ns_ = std::move(now_ns); }

  /// Tells how many clients send the operations of parts that name none.
  void set_clients(std::uint64_t clients) { clients_ = clients; }

  /// Counts an operation. It ends the parts before it that ask for nothing; others are the
  /// caller's to end. REQUIRES: called before the operation runs.
  void count(OperationKind kind) { count(kind, 1); }
  void count(OperationKind kind, std::uint64_t operations) {
    if (operations == 0) return;  // the present part may not be over
    if (operations_ >= part_end_) [[unlikely]]
      end_parts_that_ask_nothing();
    operations_ += operations;
    *counters_[static_cast<std::size_t>(kind)] += operations;
  }
  [[nodiscard]] std::uint64_t operations() const { return operations_; }
  /// The operations that the present part still has; very many in the last one. A part ends late if
  /// count() is told of more at a time.
  [[nodiscard]] std::uint64_t operations_to_part_end() const {
    return operations_ < part_end_ ? part_end_ - operations_ : 0;
  }
  /// Whether the next operation begins another part. count() then reads the store's sums.
  [[nodiscard]] bool is_at_part_end() const { return operations_ >= part_end_; }
  /// What the store is asked for before that part ends. Parts without operations ask, too: what
  /// the store then does is theirs. REQUIRES: is_at_part_end().
  [[nodiscard]] PartEnd asked_at_part_end() const { return marks_[parts_.size()].then; }
  void end_part();
  /// The last operation is done; a final flush and the merges that are still due may follow.
  /// `job_times`: of the jobs that ended until then, with a clock.
  void end_operations(std::vector<JobTimes> job_times = {});

  /// Takes in the flushes since the last call. REQUIRES: called after each operation and after a
  /// final flush. Several flushes since then count as if each had left the tree in its present
  /// state. Errors: those of live_bytes().
  [[nodiscard]] Result<void> observe() {
    if (ledger_.totals().flushes == flushes_) [[likely]]
      return success();
    return observe_flushes();
  }

  /// Counts, figures and curves of the run. The caller adds the names of policy and workload.
  /// REQUIRES: called once. Errors: those of live_bytes().
  [[nodiscard]] Result<RunResult> result();

 private:
  void end_parts_that_ask_nothing();
  [[nodiscard]] Result<void> observe_flushes();
  [[nodiscard]] PartFigures sums() const;
  void add_kept_ranges(DeleteFigures& deletes) const;
  [[nodiscard]] Result<SeriesPoint> point(bool counts_space);
  [[nodiscard]] Result<KeyRunFigures> key_figures(bool counts_space);
  [[nodiscard]] MergeSizes merge_sizes();

  MeteredStore& store_;
  const StoreLedger& ledger_;
  const SpaceCounts space_;
  OperationCounts counts_;
  std::uint64_t* const counters_[kOperationKinds] = {&counts_.puts, &counts_.deletes, &counts_.gets,
                                                     &counts_.scans};
  std::uint64_t operations_ = 0;
  static constexpr std::uint64_t kNoEnd = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t part_end_ = kNoEnd;  // in operations
  std::vector<PartMark> marks_;
  std::optional<std::uint64_t> clients_;  // on a simulated machine
  std::vector<PartFigures> parts_;
  PartFigures at_part_begin_;
  std::optional<LastOperation> at_last_operation_;
  std::function<std::uint64_t()> now_ns_;  // empty without a clock
  std::uint64_t flushes_ = 0;
  SortedRunCounts runs_;
  std::vector<std::uint64_t> sorted_merges_;  // bytes of the merges that merge_sizes() knows
  OpenEndedSamples samples_;
  Series series_;
};

/// Copies the policy's names and options into the result, options of the store included.
void describe_policy(const ConfiguredPolicy& policy, RunResult& result);

}  // namespace lsmlab
