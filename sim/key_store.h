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

#include "models/plan_log.h"
#include "models/registry.h"
#include "models/result.h"
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

/// Tombstones in files.
struct TombstoneSummary {
  std::uint64_t count = 0;
  std::optional<Instant> oldest;  // as files have it: inherited through merges
};

class KeyStore {
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

  [[nodiscard]] const TreeView& tree() const { return tree_; }
  [[nodiscard]] const Totals& totals() const { return totals_; }
  [[nodiscard]] const ReadFigures& reads() const { return reader_.figures(); }
  [[nodiscard]] const TransientSpace& transient() const { return transient_; }
  /// Bytes read and written by each merge, in order.
  [[nodiscard]] const std::vector<std::uint64_t>& merge_bytes() const { return merge_bytes_; }
  /// Files of the tree and frozen ones.
  [[nodiscard]] std::uint64_t file_bytes() const { return file_bytes_; }
  /// Key and value bytes of what a reader of every key would find, the memtable left out.
  /// O(entries).
  [[nodiscard]] std::uint64_t live_bytes();
  /// Sorted runs that a lookup may have to visit: those of the levels, and where slices hang on
  /// files, the most on any one file of each run.
  [[nodiscard]] std::uint64_t sorted_runs() const;
  [[nodiscard]] std::vector<StoredEntry> contents(FileId id) const;
  [[nodiscard]] std::vector<LevelSummary> level_summaries() const;
  [[nodiscard]] TombstoneSummary tombstones() const;
  /// Whole frozen files, parts that were merged already included.
  [[nodiscard]] LevelSummary frozen_summary() const;

 private:
  // What a merge takes, summed up.
  struct Inputs {
    std::vector<MergeInput> streams;
    FlushSpan flushes;
    std::optional<Instant> oldest_tombstone;
    std::uint64_t read_bytes = 0;
    std::uint64_t entries = 0;  // those of slices included
    std::uint64_t slice_entries = 0;
    std::uint64_t tombstones = 0;
    void include(const File& file);
    void include(FlushSpan span);
  };

  [[nodiscard]] bool should_stop() const {
    return stop_ != nullptr && stop_->load(std::memory_order_relaxed);
  }
  void execute(const Plan& plan);
  void execute_flush(const FlushPlan& plan, const SstableFormat& format, TreeEdit& edit);
  void execute_merge(const MergePlan& plan, const SstableFormat& format, TreeEdit& edit);
  void execute_move(const MovePlan& plan, TreeEdit& edit);
  void execute_link(const LinkPlan& plan, TreeEdit& edit);
  [[nodiscard]] Inputs gather(const MergePlan& plan);
  void add_slices(const File& file, Inputs& inputs);
  /// Returns how many tombstones the rule let go.
  [[nodiscard]] std::uint64_t pour(EntryStream& stream, TombstoneRule rule, bool has_tombstones,
                                   OutputBuilder& builder);
  /// Gives a built file its name and the rest of its description, and keeps its entries.
  [[nodiscard]] File adopt(BuiltFile built, const SstableFormat& format, FlushSpan flushes,
                           std::optional<Instant> oldest_tombstone);
  void apply(const Plan& plan, const TreeEdit& edit);
  void drop_contents(FileId id);
  /// Of what a plan writes. REQUIRES: nothing of it was applied.
  [[nodiscard]] SstableFormat format_of(const Plan& plan) const;
  [[nodiscard]] EntryList& list_of(FileId id);

  const Policy& policy_;
  const StoreOptions store_;
  const PlanLogSink& log_;
  StoreObserver* observer_;
  SizeClasses classes_;
  ChunkPool pool_;
  StoredFiles lists_;
  TreeState tree_;
  KeyMemtable memtable_;
  TableReader tables_{lists_, classes_, store_.block_cache};
  KeyReader reader_{tree_, memtable_, tables_};
  std::span<const Entry> sorted_memtable_;  // while a flush is pending
  const std::atomic<bool>* stop_ = nullptr;
  std::uint64_t writes_ = 0;
  Traffic traffic_;  // since the last flush
  std::uint64_t plans_ = 0;
  std::uint64_t file_bytes_ = 0;
  Totals totals_;
  TransientSpace transient_;
  std::vector<std::uint64_t> merge_bytes_;
};

}  // namespace lsmlab
