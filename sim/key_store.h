// A simulated store that is exact about keys: the executor at resolution `key`. In stepped mode a
// full memtable is flushed at once, and everything that the policy then wants is done before the
// next write.
//
//   write -> memtable; full -> flush: begin_flush, then pick / reserve / execute / apply until the
//   policy wants nothing more.
//
// Not thread safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "models/plan_execution.h"
#include "models/plan_log.h"
#include "models/registry.h"
#include "models/run_recorder.h"
#include "models/store_ledger.h"
#include "models/store_observer.h"
#include "models/tree.h"
#include "sim/entry.h"
#include "sim/entry_list.h"
#include "sim/key_memtable.h"
#include "sim/key_reader.h"
#include "sim/merge_inputs.h"
#include "sim/output_builder.h"
#include "sim/table_reader.h"

namespace lsmlab {

class KeyStore final : public MeteredStore {
 public:
  /// `log` may be empty, `observer` null. The policy must outlive the store.
  KeyStore(const ConfiguredPolicy& policy, const PlanLogSink& log, StoreObserver* observer);

  /// Set from outside: what the policy still wants is left undone.
  void stop_on(const std::atomic<bool>* stop) { stop_ = stop; }
  /// Operations so far: what the tree's clock shows.
  void advance_now(Instant now) { tree_.advance_now(now); }
  /// Puts or deletes a key (a delete's value is of 0 bytes); flushes a memtable that is then full.
  /// Errors: more writes or different sizes than a run may hold.
  [[nodiscard]] Result<void> write(std::uint64_t key, std::uint32_t key_bytes,
                                   std::uint32_t value_bytes, bool is_tombstone);
  /// The newest version of a key; nothing where it is absent or deleted. A file that the policy
  /// wants merged after so many needless seeks is merged.
  [[nodiscard]] std::optional<Entry> get(std::uint64_t key);
  /// As KeyReader::scan().
  void scan(const ScanRange& range, const KeyReader::Visit& visit);
  /// Flushes the memtable, full or not; nothing to do where it is empty.
  void flush();
  /// Does what the policy wants until it wants nothing.
  void settle();

  [[nodiscard]] const TreeView& tree() const override { return tree_; }
  [[nodiscard]] const StoreLedger& ledger() const override { return ledger_; }
  [[nodiscard]] ReadFigures reads() const override { return reader_.figures(); }
  [[nodiscard]] Result<std::uint64_t> live_bytes() override;
  [[nodiscard]] const Totals& totals() const { return ledger_.totals(); }
  [[nodiscard]] std::vector<StoredEntry> contents(FileId id) const;

 private:
  [[nodiscard]] bool should_stop() const {
    return stop_ != nullptr && stop_->load(std::memory_order_relaxed);
  }
  void execute(const Plan& plan);
  [[nodiscard]] PlanSums execute_flush(const FlushPlan& plan, const SstableFormat& format,
                                       TreeEdit& edit);
  [[nodiscard]] PlanSums execute_merge(const MergePlan& plan, const SstableFormat& format,
                                       TreeEdit& edit);
  void execute_link(const LinkPlan& plan, TreeEdit& edit);
  /// What a merge reads; counts the entries of slices.
  [[nodiscard]] std::vector<MergeInput> streams_of(const MergePlan& plan, PlanSums& sums);
  void add_slices(const File& file, std::vector<MergeInput>& streams, PlanSums& sums);
  /// Returns how many tombstones the rule let go.
  [[nodiscard]] std::uint64_t pour(EntryStream& stream, TombstoneRule rule, bool has_tombstones,
                                   OutputBuilder& builder);
  /// Gives a built file its name and the rest of its description, and keeps its entries.
  [[nodiscard]] File adopt(BuiltFile built, const SstableFormat& format, const PlanSums& sums);
  void apply(const Plan& plan, const TreeEdit& edit, const PlanSums& sums);
  void drop_contents(FileId id);
  /// Of what a plan writes. REQUIRES: nothing of it was applied.
  [[nodiscard]] SstableFormat format_of(const Plan& plan) const;
  [[nodiscard]] EntryList& list_of(FileId id);

  const Policy& policy_;
  const StoreOptions store_;
  StoreObserver* observer_;
  StoreLedger ledger_;
  SizeClasses classes_;
  ChunkPool pool_;
  StoredFiles lists_;
  TreeState tree_;
  KeyMemtable memtable_;
  TableReader tables_{lists_, classes_, store_.block_cache};
  KeyReader reader_{tree_, memtable_, tables_, policy_.keeps_age_order()};
  std::span<const Entry> sorted_memtable_;  // while a flush is pending
  const std::atomic<bool>* stop_ = nullptr;
  std::uint64_t writes_ = 0;
  Traffic traffic_;  // since the last flush
};

}  // namespace lsmlab
