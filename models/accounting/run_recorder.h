// What a run over keys records, simulated or real: operations, sorted runs after each flush, the
// curves, and at the end the result.
//
// Not thread safe: in a store with threads the caller holds the lock of tree and ledger.
#pragma once

#include <cstdint>
#include <vector>

#include "models/accounting/run_result.h"
#include "models/accounting/series.h"
#include "models/accounting/store_ledger.h"
#include "models/base/error.h"
#include "models/base/operation_kind.h"
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
  /// Key and value bytes of what a reader of every key would find, the memtable left out.
  /// O(entries). Errors: what is read fails.
  [[nodiscard]] virtual Result<std::uint64_t> live_bytes() = 0;
};

class RunRecorder {
 public:
  /// Whether space is counted on the way, which reads everything, or only at the end: where time
  /// is measured, that would be in it.
  enum class SpaceCounts { kAtDoublings, kAtEnd };

  /// REQUIRES: the store, and its ledger at its place, outlive the recorder; nothing was flushed.
  RunRecorder(MeteredStore& store, SpaceCounts space)
      : store_(store), ledger_(store.ledger()), space_(space) {}

  /// Before an operation is done.
  void count(OperationKind kind) {
    ++operations_;
    ++*counters_[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] std::uint64_t operations() const { return operations_; }

  /// After an operation, and after a final flush: takes in the flushes since. Where there were
  /// several, they count as if each had left the tree as it is now. Errors: live_bytes()'s.
  [[nodiscard]] Result<void> observe() {
    if (ledger_.totals().flushes == flushes_) [[likely]]
      return success();
    return observe_flushes();
  }

  /// Counts, figures and curves of the run; what names it is left to the caller. Once. Errors:
  /// live_bytes()'s.
  [[nodiscard]] Result<RunResult> result();

 private:
  [[nodiscard]] Result<void> observe_flushes();
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
  std::uint64_t flushes_ = 0;
  SortedRunCounts runs_;
  std::vector<std::uint64_t> sorted_merges_;  // bytes of the merges that merge_sizes() has seen
  OpenEndedSamples samples_;
  Series series_;
};

/// The policy's names and options, the store's among them.
void describe_policy(const ConfiguredPolicy& policy, RunResult& result);

}  // namespace lsmlab
