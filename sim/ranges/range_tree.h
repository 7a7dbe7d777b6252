// The files of a simulated store at resolution `range`, and the executor of its plans. It has the
// same tree, policies, cut rules, tombstone rule and size rules as the files at resolution `key`;
// only what a file holds is known by densities (sim/ranges/range_contents.h).
//
// A plan is executed in two steps, start() and finish(), as at resolution `key`
// (sim/keys/key_tree.h).
//
// Not thread safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/accounting/run_recorder.h"
#include "models/accounting/store_ledger.h"
#include "models/execution/plan_job.h"
#include "models/execution/plan_log.h"
#include "models/execution/starting_tree.h"
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
  std::optional<Instant> first_write;
  Traffic traffic;  // since the last flush

  /// Its entries, in whole numbers.
  [[nodiscard]] EntryMix mix() const;
};

/// A started plan.
struct RangeJob final : PlanJob {
  SstableFormat format;
  std::vector<RangeContents> contents;  // of `files`
  ClassList read;                       // of a merge: what its sources in files hold
};

class RangeTree final : public MeteredStore {
 public:
  /// `log` may be empty. `cells`: of a file. REQUIRES: the policy outlives the tree.
  RangeTree(const ConfiguredPolicy& policy, const RangeSizes& sizes, std::size_t cells,
            std::uint64_t seed, const PlanLogSink& log);

  /// Keys follow each other at equal distances: no draws inside cells.
  void use_even_keys() {
    are_keys_even_ = true;
    cells_.are_keys_at_random = false;
  }
  /// Keys are inserted in order, and other operations write them too. All entries are of one class,
  /// and cells have unequal widths. REQUIRES: called before the first flush; the keys outlive the
  /// tree and know those of the last memtable.
  void use_placed_keys(const PlacedKeys& keys) {
    placed_ = &keys;
    cells_.are_unequal = true;
    cells_.are_keys_at_random = false;
  }
  /// merge_classes() will be called. Entries then lie evenly in cells: a class of one memtable has
  /// so few in a piece that draws would hide whether a source holds all of them. REQUIRES: nothing
  /// was flushed yet.
  void use_aging_classes() {
    cells_.has_mixes = true;
    cells_.are_keys_at_random = false;
  }
  /// Popularity classes become fewer. REQUIRES: no memtable is being flushed, no plan is running.
  void merge_classes(const ClassMerges& merges);
  /// Reads follow. REQUIRES: called at most once, before the first flush.
  void open_reader();
  /// Puts files into the tree that hold the records of the population's memtable.
  /// REQUIRES: check_start() found no fault; called at most once, before the first flush.
  void place(const StartingTree& start, const ClassList& records);
  /// The sequence number of the next write.
  [[nodiscard]] std::uint64_t next_sequence() const { return placed_entries_ + 1; }
  /// Counts writes that the store accepted.
  void count_writes(std::uint64_t puts, std::uint64_t deletes);
  /// Sets the bytes of writes to those of all writes so far. For a store that counts single writes:
  /// a mean size need not be whole.
  void set_writes(std::uint64_t puts, std::uint64_t deletes);

  /// Joins a memtable with the one before it, for a flush that takes both. Returns false, and joins
  /// nothing, if the densities of their keys do not add up to those of one memtable: keys are
  /// nearly in order, or in order with other writes. REQUIRES: no flush is pending.
  [[nodiscard]] bool join(const RangeMemtable& newer, RangeMemtable& memtable) const;
  /// A memtable begins to wait for a plan that takes it. REQUIRES: none is waiting; the memtable
  /// has an entry, and does not change until the plan is finished.
  /// `full_ns`: when it was full; with a clock.
  void begin_flush(const RangeMemtable& memtable,
                   std::optional<std::uint64_t> full_ns = std::nullopt);
  /// Sets the time, in a store with a clock.
  void set_clock(std::uint64_t now_ns) { ledger_.set_clock(now_ns); }
  /// The pending flush that a memtable would make. REQUIRES: the memtable has an entry.
  [[nodiscard]] PendingFlush flush_of(const RangeMemtable& memtable) const;

  /// Computes what the plan writes. REQUIRES: its inputs are reserved.
  [[nodiscard]] RangeJob start(const Plan& plan);
  /// Applies a started plan. `ran_beside_others`: the plan ran concurrently with others, so the
  /// tree may have changed since start().
  PlanOutcome finish(RangeJob job, bool ran_beside_others);

  [[nodiscard]] const Policy& policy() const { return policy_; }
  [[nodiscard]] const StoreOptions& store() const { return store_; }
  [[nodiscard]] TreeState& state() { return tree_; }
  [[nodiscard]] const TreeState& state() const { return tree_; }
  /// REQUIRES: open_reader() was called.
  [[nodiscard]] RangeReader& reader() { return *reader_; }

  [[nodiscard]] const TreeView& tree() const override { return tree_; }
  [[nodiscard]] const StoreLedger& ledger() const override { return ledger_; }
  [[nodiscard]] ReadFigures reads() const override {
    return reader_ ? reader_->figures() : ReadFigures();
  }
  [[nodiscard]] Result<std::uint64_t> live_bytes() override;
  /// Key and value bytes of the live keys in files; O(classes).
  [[nodiscard]] std::uint64_t live_file_bytes() const;

 private:
  /// The entries that a flush of the memtable writes.
  [[nodiscard]] EntryMix flushed(const RangeMemtable& memtable) const;
  /// What a file of the starting tree holds. `oldest`: the share of oldest versions among its
  /// entries.
  [[nodiscard]] RangeFile file_of(const StartingFile& given, const SstableFormat& format,
                                  const ClassList& records, std::uint64_t oldest);
  void write_flush(RangeJob& job);
  void write_merge(const MergePlan& plan, RangeJob& job);
  /// Names a written file.
  void adopt(RangeFile written, RangeJob& job);
  [[nodiscard]] TreeEdit make_edit(RangeJob& job);
  void apply(const RangeJob& job, const TreeEdit& edit, PlanOutcome& outcome);
  [[nodiscard]] std::vector<SourceCursor> sources_of(const MergePlan& plan, PlanSums& sums) const;
  [[nodiscard]] SourcePart part_of_file(FileId id, const KeyRange& window) const;
  [[nodiscard]] KeyCounts keys_of(const MergePlan& plan) const;
  /// As TombstoneRule::older_parts(), within the keys of the sources.
  [[nodiscard]] std::vector<std::vector<SourcePart>> older_parts_of(
      const TombstoneRule& rule, const std::vector<SourceCursor>& sources) const;
  [[nodiscard]] const RangeContents& contents(FileId id) const;

  void sum_dropped(const DropPlan& plan, RangeJob& job) const;
  /// Entries of files that stay lose their older versions with the files that a drop removes.
  /// O(files * classes). REQUIRES: the files are in the tree.
  void let_older_go(const DropPlan& plan);
  /// A flush writes some of the keys again that drops removed: they have no older version.
  void renew_lost(ClassList& written);
  /// Takes over what the plan adds to the store and takes from it.
  void count_classes(const RangeJob& job);
  /// Adds a file's counts to its run's, or takes them out.
  void count_in_run(FileId id, bool is_added);
  /// Virtual files that stay and from which the edit takes slices.
  [[nodiscard]] static std::vector<FileId> resliced_files(const TreeEdit& edit);
  /// Adds what virtual files got by links. REQUIRES: the edit is applied.
  void count_linked(const TreeEdit& edit);
  /// What slices hold of frozen files.
  [[nodiscard]] ClassList classes_of(const std::vector<Slice>& slices) const;
  [[nodiscard]] const ClassList& file_classes(FileId id) const;
  /// RangeContents::overwritten; 0 for a virtual file.
  [[nodiscard]] std::uint64_t overwritten_in(FileId id) const {
    const auto found = contents_.find(id.value());
    return found != contents_.end() ? found->second.overwritten : 0;
  }
  /// The file, in the tree or frozen.
  [[nodiscard]] const File& described(FileId id) const;
  [[nodiscard]] static EntryMix mix_of(const File& file, const RangeContents& contents);
  /// The bytes of the data blocks that may have entries in the range.
  [[nodiscard]] Bytes bytes_in(FileId id, const KeyRange& keys) const;

  /// Stores what a written file holds.
  void keep(const File& file, RangeContents contents, const SstableFormat& format);
  void forget(FileId id);

  const Policy& policy_;
  const StoreOptions store_;
  const RangeSizes sizes_;
  CellRule cells_;
  const std::uint64_t seed_;
  StoreLedger ledger_;
  TreeState tree_;
  // never iterated in an order that matters
  std::unordered_map<std::uint64_t, RangeContents> contents_;
  std::unordered_map<std::uint64_t, ClassList> virtual_classes_;  // of virtual files
  std::map<RunId, ClassList> run_classes_;
  ClassList classes_;  // of all files and of the parts of frozen files that no merge has taken
  std::vector<FixedCount>
      lost_;        // keys of each class that drops removed, and no write brought back
  KeyCounts owed_;  // see merge_ranges()
  std::vector<CohortList> flushing_deletes_;  // of the pending flush, as in RangeContents
  DeleteGrace grace_;
  const RangeMemtable* flushing_ = nullptr;  // the pending flush's; null if none is pending
  std::optional<RangeTables> tables_;        // with reads only
  std::optional<RangeReader> reader_;
  bool are_keys_even_ = false;
  const PlacedKeys* placed_ = nullptr;
  std::uint64_t placed_entries_ = 0;  // of the starting tree
};

}  // namespace lsmlab
