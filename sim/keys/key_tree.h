// The files of a simulated store that is exact about keys, and what plans do to them: the executor
// at resolution `key`. A plan is carried out in two steps, start() and finish(), between which a
// store with a clock lets the time pass that it takes; what it writes follows from its inputs,
// which nobody changes meanwhile.
//
// Not thread safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "models/accounting/run_recorder.h"
#include "models/accounting/store_ledger.h"
#include "models/execution/plan_execution.h"
#include "models/execution/plan_log.h"
#include "models/execution/store_observer.h"
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

/// A plan that was started: what it will change.
struct KeyJob {
  Plan plan;
  PlanSums sums;            // of a flush or a merge
  std::vector<File> files;  // that it wrote, by key
};

class KeyTree final : public MeteredStore {
 public:
  /// Whether a plan's inputs can be read until it is finished: in a store with a clock. Otherwise a
  /// merge lets go of them as it passes, which saves memory.
  enum class Inputs { kLetGo, kKept };

  /// `log` may be empty, `observer` null. The policy and the memtables (newest first) must outlive
  /// the tree.
  KeyTree(const ConfiguredPolicy& policy, Inputs inputs, const PlanLogSink& log,
          StoreObserver* observer, const std::vector<KeyMemtable*>& memtables);

  /// The entry that a put or delete (its value is of 0 bytes) adds to a memtable, numbered and
  /// counted. Errors: more writes or different sizes than a run may hold.
  [[nodiscard]] Result<Entry> accept(std::uint64_t key, std::uint32_t key_bytes,
                                     std::uint32_t value_bytes, bool is_tombstone);
  /// Of the next write that is accepted.
  [[nodiscard]] std::uint64_t next_sequence() const { return writes_ + 1; }
  [[nodiscard]] const SizeClass& size_of(const Entry& entry) const {
    return classes_[entry.size_class()];
  }
  /// A full memtable waits to be taken by a plan. REQUIRES: none does; it stays as it is until the
  /// plan is finished.
  void begin_flush(KeyMemtable& memtable, const Traffic& traffic);
  /// What flushing it takes. REQUIRES: it is sorted.
  [[nodiscard]] PendingFlush flush_of(const KeyMemtable& memtable, const Traffic& traffic) const;

  /// Works out what the plan writes. REQUIRES: its inputs are reserved.
  [[nodiscard]] KeyJob start(const Plan& plan);
  /// What a finished plan changed on disk.
  struct Outcome {
    bool takes_memtable = false;  // the one that waited is now in files
    std::vector<std::pair<FileId, Bytes>> added;
    std::vector<std::pair<FileId, Bytes>> removed;
  };
  /// Applies what was started. `ran_beside_others`: the tree may have changed since.
  Outcome finish(KeyJob job, bool ran_beside_others);

  [[nodiscard]] const Policy& policy() const { return policy_; }
  [[nodiscard]] const StoreOptions& store() const { return store_; }
  [[nodiscard]] TreeState& state() { return tree_; }
  [[nodiscard]] const TreeState& state() const { return tree_; }
  [[nodiscard]] KeyReader& reader() { return reader_; }
  /// Told of what happens; may be null.
  [[nodiscard]] StoreObserver* observer() const { return observer_; }

  [[nodiscard]] const TreeView& tree() const override { return tree_; }
  [[nodiscard]] const StoreLedger& ledger() const override { return ledger_; }
  [[nodiscard]] ReadFigures reads() const override { return reader_.figures(); }
  [[nodiscard]] Result<std::uint64_t> live_bytes() override;
  /// Entries of a file in the tree, or frozen, by key; none where there is no such file.
  [[nodiscard]] std::vector<StoredEntry> contents(FileId id) const;

 private:
  void write_flush(const SstableFormat& format, KeyJob& job);
  void write_merge(const MergePlan& plan, const SstableFormat& format, KeyJob& job);
  [[nodiscard]] TreeEdit make_edit(KeyJob& job);
  /// What a merge reads; counts the entries of slices.
  [[nodiscard]] std::vector<MergeInput> streams_of(const MergePlan& plan, PlanSums& sums);
  void add_slices(const File& file, std::vector<MergeInput>& streams, PlanSums& sums);
  /// Returns how many tombstones the rule let go.
  [[nodiscard]] std::uint64_t pour(EntryStream& stream, TombstoneRule rule, bool has_tombstones,
                                   OutputBuilder& builder);
  /// Names a built file and keeps its entries.
  [[nodiscard]] File adopt(BuiltFile built, const SstableFormat& format);
  void apply(const KeyJob& job, const TreeEdit& edit, Outcome& outcome);
  void drop_contents(FileId id);
  /// Of what a plan writes. REQUIRES: nothing of it was applied.
  [[nodiscard]] SstableFormat format_of(const Plan& plan) const;
  [[nodiscard]] EntryList& list_of(FileId id);

  const Policy& policy_;
  const StoreOptions store_;
  const Inputs inputs_;
  StoreObserver* observer_;
  StoreLedger ledger_;
  SizeClasses classes_;
  ChunkPool pool_;
  StoredFiles lists_;
  TreeState tree_;
  TableReader tables_{lists_, classes_, store_.block_cache};
  KeyReader reader_;
  const KeyMemtable* flushing_ = nullptr;    // while a flush is pending
  std::span<const Entry> flushing_entries_;  // of it, by key
  std::uint64_t writes_ = 0;
};

}  // namespace lsmlab
