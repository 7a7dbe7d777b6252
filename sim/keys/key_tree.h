// The files of a simulated store that is exact about keys, and the executor of plans at resolution
// `key`. A plan runs in two steps, start() and finish(). A store with a clock lets the plan's time
// pass between them. The output depends only on the inputs, which nobody changes meanwhile.
//
// Not thread safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "models/accounting/live_bytes.h"
#include "models/accounting/run_recorder.h"
#include "models/accounting/store_ledger.h"
#include "models/execution/plan_job.h"
#include "models/execution/plan_log.h"
#include "models/execution/store_observer.h"
#include "models/execution/tombstone_rule.h"
#include "models/policies/registry.h"
#include "models/tree/tree.h"
#include "sim/keys/entry.h"
#include "sim/keys/entry_list.h"
#include "sim/keys/key_memtable.h"
#include "sim/keys/key_reader.h"
#include "sim/keys/merge_streams.h"
#include "sim/keys/output_builder.h"
#include "sim/keys/table_reader.h"

namespace lsmlab {

/// A put that stands in a file before the run begins.
struct StartingRecord {
  std::uint64_t key = 0;
  std::uint32_t value_bytes = 0;
  std::uint16_t key_bytes = 0;
};

/// A started plan.
struct KeyJob final : PlanJob {};

class KeyTree final : public MeteredStore {
 public:
  /// Whether a plan's inputs can be read until it is finished. A store with a clock needs that
  /// (kKept). Otherwise a merge releases inputs as it passes them, which saves memory (kLetGo).
  enum class Inputs { kLetGo, kKept };

  /// `log` may be empty, `observer` may be null. REQUIRES: the policy and the memtables (newest
  /// first) outlive the tree.
  KeyTree(const ConfiguredPolicy& policy, Inputs inputs, const PlanLogSink& log,
          StoreObserver* observer, const std::vector<KeyMemtable*>& memtables);

  /// Puts a sorted run into the tree, above those of its level. It counts as data, not as written.
  /// `files`: their records, by key. REQUIRES: nothing was accepted yet; no file is empty. Errors:
  /// as for accept().
  [[nodiscard]] Result<void> place(std::uint32_t level, const SstableFormat& format,
                                   const std::vector<std::vector<StartingRecord>>& files);
  /// Numbers and counts a put or delete (the value of a delete has 0 bytes), and returns the entry
  /// for the memtable. Errors: the run has more writes or more pairs of sizes than it may hold.
  [[nodiscard]] Result<Entry> accept(std::uint64_t key, std::uint32_t key_bytes,
                                     std::uint32_t value_bytes, bool is_tombstone);
  /// The sequence number of the next accepted write.
  [[nodiscard]] std::uint64_t next_sequence() const { return writes_ + 1; }
  [[nodiscard]] const SizeClasses& sizes() const { return classes_; }
  [[nodiscard]] const SizeClass& size_of(const Entry& entry) const {
    return classes_[entry.size_class()];
  }
  /// A full memtable begins to wait for a plan that takes it. REQUIRES: none is waiting; the
  /// memtable does not change until the plan is finished.
  /// `full_ns`: when it was full; with a clock.
  void begin_flush(KeyMemtable& memtable, const Traffic& traffic,
                   std::optional<std::uint64_t> full_ns = std::nullopt);
  /// Sets the time, in a store with a clock.
  void set_clock(std::uint64_t now_ns) { ledger_.set_clock(now_ns); }
  /// The pending flush that a memtable would make. REQUIRES: the memtable is sorted.
  [[nodiscard]] PendingFlush flush_of(const KeyMemtable& memtable, const Traffic& traffic) const;

  /// Computes what the plan writes. REQUIRES: its inputs are reserved.
  [[nodiscard]] KeyJob start(const Plan& plan);
  /// Applies a started plan. `ran_beside_others`: the plan ran concurrently with others, so the
  /// tree may have changed since start().
  PlanOutcome finish(KeyJob job, bool ran_beside_others);

  [[nodiscard]] const Policy& policy() const { return policy_; }
  [[nodiscard]] const StoreOptions& store() const { return store_; }
  [[nodiscard]] TreeState& state() { return tree_; }
  [[nodiscard]] const TreeState& state() const { return tree_; }
  [[nodiscard]] KeyReader& reader() { return reader_; }
  /// Counts the cached blocks of copies, if the policy is about to look at them.
  void look_at_copies();
  /// The observer of the run; may be null.
  [[nodiscard]] StoreObserver* observer() const { return observer_; }

  [[nodiscard]] const TreeView& tree() const override { return tree_; }
  [[nodiscard]] const StoreLedger& ledger() const override { return ledger_; }
  [[nodiscard]] ReadFigures reads() const override { return reader_.figures(); }
  [[nodiscard]] Result<std::uint64_t> live_bytes() override;
  /// The entries, by key, of a file in the tree or of a frozen file; empty if there is no such
  /// file.
  [[nodiscard]] std::vector<StoredEntry> contents(FileId id) const;

 private:
  [[nodiscard]] Result<Entry> number_write(std::uint64_t key, std::uint32_t key_bytes,
                                           std::uint32_t value_bytes, bool is_tombstone);
  void write_flush(const FlushPlan& plan, const SstableFormat& format, KeyJob& job);
  void write_merge(const MergePlan& plan, const SstableFormat& format, KeyJob& job);
  void sum_dropped(const DropPlan& plan, KeyJob& job);
  void refer_to(const ReferPlan& plan, TreeEdit& edit);
  [[nodiscard]] TreeEdit make_edit(KeyJob& job);
  /// The streams that a merge reads. Adds the entries of slices to `sums`.
  [[nodiscard]] std::vector<MergeInput> streams_of(const MergePlan& plan, PlanSums& sums);
  void add_slices(std::span<const Slice> slices, std::vector<MergeInput>& streams, PlanSums& sums);
  /// Appends a stream to the output, and returns the sequence numbers of the tombstones that the
  /// rule dropped. Without a rule it keeps all.
  [[nodiscard]] std::vector<std::uint64_t> pour(EntryStream& stream,
                                                std::optional<TombstoneRule>& rule,
                                                OutputBuilder& builder);
  /// Whether a file, in the tree or frozen, holds the key, true also if it has no filter.
  [[nodiscard]] bool passes(FileId id, std::uint64_t key) const;
  /// Names a built file and stores its entries.
  [[nodiscard]] File adopt(BuiltFile built, const SstableFormat& format);
  void apply(const KeyJob& job, const TreeEdit& edit, PlanOutcome& outcome);
  void drop_contents(FileId id);
  /// Data that drops removed since the last write is no longer live.
  void forget_dropped();
  /// The format of the SSTables that a plan writes. REQUIRES: no part of the plan is applied.
  [[nodiscard]] SstableFormat format_of(const Plan& plan) const;
  /// REQUIRES: the file is stored.
  [[nodiscard]] StoredFile& stored(FileId id) const;
  [[nodiscard]] EntryList& list_of(FileId id) { return stored(id).entries; }

  const Policy& policy_;
  const StoreOptions store_;
  const Inputs inputs_;
  StoreObserver* observer_;
  StoreLedger ledger_;
  LiveBytes live_;
  SizeClasses classes_;
  ChunkPool pool_;
  StoredFiles files_;
  TreeState tree_;
  TableReader tables_{files_, classes_, store_.block_cache};
  KeyReader reader_;
  // the memtable of the pending flush; null if none is pending
  const KeyMemtable* flushing_ = nullptr;
  std::span<const Entry> flushing_entries_;  // its entries, by key
  std::uint64_t writes_ = 0;
  std::size_t dropped_ = 0;  // files of StoreLedger::dropped() that forget_dropped() has seen
};

}  // namespace lsmlab
