// A simulated store at resolution `range`, in stepped mode, and the executor of its plans. It has
// the same tree, policies, cut rules, tombstone rule and size rules as the store at resolution
// `key`; only what a file holds is known by densities (sim/ranges/range_contents.h).
//
// Not thread safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/accounting/run_recorder.h"
#include "models/accounting/store_ledger.h"
#include "models/execution/plan_execution.h"
#include "models/execution/plan_log.h"
#include "models/policies/registry.h"
#include "models/tree/tree.h"
#include "sim/ranges/aging_classes.h"
#include "sim/ranges/range_contents.h"
#include "sim/ranges/range_merge.h"
#include "sim/ranges/range_outputs.h"
#include "sim/ranges/range_reader.h"
#include "sim/ranges/range_sizes.h"
#include "sim/ranges/range_tables.h"

namespace lsmlab {

/// A memtable that is to be flushed.
struct RangeMemtable {
  RangeContents contents;
  SequenceSpan sequences;
  std::optional<Instant> oldest_tombstone;
  Traffic traffic;  // since the last flush
};

class RangeStore final : public MeteredStore {
 public:
  /// `log` may be empty. `cells`: of a file. REQUIRES: the policy outlives the store.
  RangeStore(const ConfiguredPolicy& policy, const RangeSizes& sizes, std::size_t cells,
             std::uint64_t seed, const PlanLogSink& log);

  /// Keys follow each other at equal distances: no draws inside cells.
  void use_even_keys() { are_keys_even_ = true; }
  /// merge_classes() will be called. Entries then lie evenly in cells: a class of one memtable has
  /// so few in a piece that draws would hide whether a source holds all of them. REQUIRES: nothing
  /// was flushed yet.
  void use_aging_classes() { cells_.has_mixes = true; }
  /// Another thread may set `stop`. The store then leaves out the plans that the policy still
  /// wants.
  void stop_on(const std::atomic<bool>* stop) { stop_ = stop; }
  void advance_now(Instant now) { tree_.advance_now(now); }
  void count_writes(std::uint64_t puts, std::uint64_t deletes);
  /// Flushes a memtable and runs the policy's plans until it wants nothing more. A memtable of less
  /// than half an entry is dropped.
  void flush(RangeMemtable memtable);
  /// Popularity classes become fewer. REQUIRES: no memtable is being flushed.
  void merge_classes(const ClassMerges& merges);
  /// Reads follow. REQUIRES: called at most once, before the first flush.
  void open_reader();
  /// Looks a key up `weight` times. If the lookups bring a file to its limit of useless seeks, the
  /// policy's merge runs. REQUIRES: open_reader() was called.
  LookupFigures get(const ReadKey& key, std::uint64_t weight);
  [[nodiscard]] RangeReader& reader() { return *reader_; }

  [[nodiscard]] const TreeView& tree() const override { return tree_; }
  [[nodiscard]] const StoreLedger& ledger() const override { return ledger_; }
  [[nodiscard]] ReadFigures reads() const override {
    return reader_ ? reader_->figures() : ReadFigures();
  }
  [[nodiscard]] Result<std::uint64_t> live_bytes() override;

 private:
  struct Job {
    SstableFormat format;
    PlanSums sums;
    std::vector<RangeFile> files;
  };
  void settle();
  void execute(const Plan& plan);
  void write_flush(Job& job);
  void write_merge(const MergePlan& plan, Job& job);
  [[nodiscard]] TreeEdit make_edit(const Plan& plan, Job& job);
  [[nodiscard]] std::vector<SourceCursor> sources_of(const MergePlan& plan, PlanSums& sums) const;
  [[nodiscard]] SourcePart part_of_file(FileId id, const KeyRange& window) const;
  [[nodiscard]] KeyCounts keys_of(const MergePlan& plan) const;
  [[nodiscard]] const RangeContents& contents(FileId id) const;
  [[nodiscard]] EntryMix memtable_mix() const;

  /// Adds a file's counts to its run's, or takes them out.
  void count_in_run(FileId id, bool is_added);

  /// Stores what a written file holds.
  void keep(FileId id, RangeContents contents, const Job& job, const File& file);
  void forget(FileId id);

  const Policy& policy_;
  const StoreOptions store_;
  const RangeSizes sizes_;
  CellRule cells_;
  const std::uint64_t seed_;
  StoreLedger ledger_;
  TreeState tree_;
  std::unordered_map<std::uint64_t, RangeContents>
      contents_;  // never iterated in an order that matters
  std::map<RunId, ClassList> run_classes_;
  ClassList classes_;  // of all files and of the parts of frozen files that no merge has taken
  KeyCounts owed_;     // see merge_ranges()
  std::optional<RangeMemtable> flushing_;
  std::optional<RangeTables> tables_;  // with reads only
  std::optional<RangeReader> reader_;
  bool are_keys_even_ = false;
  const std::atomic<bool>* stop_ = nullptr;
};

}  // namespace lsmlab
