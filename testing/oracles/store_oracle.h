// A slow, literal model of a store. It follows a stepped run, simulated or real, and checks every
// plan, edit and read against the headers in models/ and docs/sstable.md. It keeps its own state:
// the newest version of every key, the memtable, and the content of every file, which it merges
// itself. It takes from the executor only what the rules leave open: which droppable tombstones
// were dropped, and where RocksDB's dynamic rule cuts.
//
// fault() keeps the first violation, with the plan's number and reason; later checks are skipped.
// Threading: one thread. Shares no code with output_cut.cc, tombstone_rule.cc, sstable_size.cc and
// tree.cc.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/execution/store_observer.h"
#include "models/sizes/deletion_mark.h"
#include "models/sizes/store_options.h"
#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab::testing {

struct StoreOracleOptions {
  StoreOptions store;
  /// False for policies that merge runs that are not adjacent in age (Accumulo's). What lookups
  /// visit first need not be the newest then, and reads are checked by sequence numbers only.
  bool keeps_age_order = true;
  /// Which files must be marked; nothing: none.
  std::optional<DeletionMark> mark = {};
  /// Writes that must follow a delete before its tombstone may go; files then know when their
  /// tombstones were written.
  std::uint64_t gc_grace = 0;
  /// Flushes write every version in the memtable, those of one key newest first.
  bool flush_keeps_overwritten = false;
  /// True if memtables are flushed exactly when they are full, except the last one. False if the
  /// run flushes by another rule.
  bool flushes_full_memtables = true;
  /// Number of keys to look up after each edit, in turn; finish() looks up all. More is slower.
  std::size_t keys_read = 200;
};

/// Totals of a run, as the result JSON defines them.
struct StoreTotals {
  std::uint64_t flushes = 0;  // memtables flushed, including eager merges
  std::uint64_t merges = 0;
  std::uint64_t moves = 0;
  std::uint64_t links = 0;
  std::uint64_t drops = 0;
  std::uint64_t refers = 0;
  std::uint64_t trims = 0;
  std::uint64_t bytes_dropped = 0;
  std::uint64_t flush_bytes_written = 0;  // bytes of files that flush plans added
  std::uint64_t merge_bytes_written = 0;
  std::uint64_t merge_bytes_read = 0;  // files and their slices; a memtable is not read
  std::uint64_t entries_dropped = 0;  // inputs of merges that are in no output, tombstones included
  std::uint64_t tombstones_dropped = 0;  // newest of their key, and dropped
};

class StoreOracle : public StoreObserver {
 public:
  explicit StoreOracle(StoreOracleOptions options);

  void on_write(const StoredEntry& entry, Instant now) override;
  void on_plan(const TreeView& tree, const Plan& plan) override;
  void on_edit(const TreeView& tree, const Plan& plan, const TreeEdit& edit,
               const Contents& contents) override;
  /// Call at the end of the run: checks its totals, and every key once more.
  void finish(const TreeView& tree, const StoreTotals& reported);

  /// The first violation; empty if there is none.
  [[nodiscard]] const std::string& fault() const { return fault_; }
  /// The oracle's own totals.
  [[nodiscard]] const StoreTotals& totals() const { return totals_; }

 private:
  struct Violation {
    std::string message;
  };
  struct KnownFile {
    File file;                         // as expected; last_access and seeks as at its writing
    std::vector<StoredEntry> entries;  // by key, then the newest first
  };
  struct Write {
    StoredEntry entry;
    Instant when;
  };
  struct Standing {
    std::uint32_t level = 0;
    const SortedRun* run = nullptr;
    std::size_t run_index = 0;
    std::size_t index = 0;  // index of the file in the run
  };
  using Places = std::map<FileId, Standing>;
  // All inputs of a merge or flush.
  struct Gathered {
    std::map<std::uint64_t, std::vector<StoredEntry>> versions;  // by key, in no order
    std::set<FileId> files;
    std::uint64_t entries = 0;
    std::uint64_t bytes = 0;
    std::vector<FlushSpan> flushes;
    std::optional<Instant> oldest_tombstone;
    std::vector<std::pair<KeyRange, Instant>> ancestors;  // by input
  };
  using Outputs = std::vector<std::vector<StoredEntry>>;

  template <class... Arguments>
  static void require(bool holds, fmt::format_string<Arguments...> words,
                      Arguments&&... arguments) {
    if (!holds) throw Violation{fmt::format(words, std::forward<Arguments>(arguments)...)};
  }
  // Runs the checks unless one has failed before, and keeps the first failure's message.
  void guard(const std::function<void()>& checks);

  // store_oracle_plan.cc: what a plan may ask for.
  void check_plan(const Plan& plan) const;
  void check_memtable(const Plan& plan) const;
  void check_input(const PlanInput& input, std::set<FileId>& listed) const;
  void check_order(const std::vector<PlanInput>& inputs) const;
  void check_target(const Plan& plan, const OutputTarget& target) const;
  void check_link(const LinkPlan& link) const;
  void check_newest_slices(const MergePlan& plan) const;

  // store_oracle_merge.cc: flushes and merges. A flush is a merge of only the memtable that drops
  // nothing and cuts nothing.
  void follow_merge(const MergePlan& plan, bool is_flush, const TreeEdit& edit,
                    const Contents& contents);
  [[nodiscard]] Gathered gather(const MergePlan& plan) const;
  void replace_slices(const MergePlan& plan, const TreeEdit& edit, const std::vector<File>& files);
  void gather_file(const KnownFile& known, const KeyRange& keys, Gathered& gathered) const;
  [[nodiscard]] Outputs read_outputs(const std::vector<File>& files, bool has_versions,
                                     const Contents& contents) const;
  static void check_flushed(const Gathered& inputs, const std::vector<StoredEntry>& kept);
  void check_kept(const MergePlan& plan, const Gathered& inputs,
                  const std::vector<StoredEntry>& kept) const;
  [[nodiscard]] bool is_young(const StoredEntry& tombstone) const;
  void check_missing(const MergePlan& plan, const Gathered& inputs,
                     const StoredEntry& newest) const;
  // Keys that may have older versions outside a merge, of tombstones from a sequence number on.
  struct MaybeOlder {
    KeyRange keys;
    std::uint64_t first_sequence = 0;
  };
  [[nodiscard]] std::vector<MaybeOlder> maybe_older(const MergePlan& plan,
                                                    const Gathered& inputs) const;
  [[nodiscard]] std::vector<MaybeOlder> older_data_of(const KnownFile& known) const;
  [[nodiscard]] bool asks_filters() const;
  /// The smallest range that holds all keys of the inputs.
  [[nodiscard]] KeyRange keys_of(const MergePlan& plan) const;
  void check_cuts(const MergePlan& plan, const Outputs& outputs,
                  const std::vector<StoredEntry>& kept) const;
  [[nodiscard]] File expected_file(const File& reported, const Gathered& inputs,
                                   const std::vector<StoredEntry>& entries) const;
  void count_merge(const MergePlan& plan, bool is_flush, const Gathered& inputs,
                   const std::vector<File>& files, std::uint64_t entries_kept);

  // store_oracle_edit.cc: moves, links, and the places of files after an edit.
  void follow_move(const MovePlan& plan, const TreeEdit& edit);
  void follow_link(const LinkPlan& plan, const TreeEdit& edit);
  void follow_drop(const DropPlan& plan, const TreeEdit& edit);
  void follow_refer(const ReferPlan& plan, const TreeEdit& edit);
  [[nodiscard]] File expected_virtual(const ReferPlan& plan, const KeyRange& window) const;
  /// A key may have lost its newest version.
  void bury(std::uint64_t key);
  void check_slice(const KnownFile& frozen, const TreeEdit::Linked& linked) const;
  void check_placed(const TreeView& tree, const TreeEdit& edit, const OutputTarget& target) const;
  void check_cursors(const TreeView& tree, const Plan& plan, const TreeEdit& edit) const;
  static void check_file(const File& actual, const File& expected);

  // store_oracle_copies.cc: copies of merged files.
  [[nodiscard]] std::vector<Copy> expected_copies(const MergePlan& plan,
                                                  const KeyRange& keys) const;
  /// The inputs that stay.
  [[nodiscard]] std::set<FileId> expected_copied(const MergePlan& plan,
                                                 const std::vector<File>& outputs) const;
  void leave(const std::set<FileId>& inputs, const std::set<FileId>& copied);
  void follow_trim(const TrimPlan& plan, const TreeEdit& edit);

  // store_oracle_tuning.cc: options that are set at run time.
  void check_adaptation(const Plan& plan) const;
  void follow_adaptation(const Plan& plan, const TreeEdit& edit, const TreeView& tree);
  // of the kept ranges of files that are written now
  [[nodiscard]] std::uint64_t range_bytes() const;

  // store_oracle_tree.cc: invariants.
  [[nodiscard]] static Places places_of(const TreeView& tree);
  [[nodiscard]] static KeyRange responsible(const SortedRun& run, std::size_t index);
  void check_tree(const TreeView& tree) const;
  void check_run(const SortedRun& run) const;
  void check_slice_places(const SortedRun& run, std::size_t index) const;
  void check_frozen(const TreeView& tree) const;
  void check_conservation() const;
  [[nodiscard]] std::map<FileId, std::uint64_t> references() const;
  void check_reads(const TreeView& tree, std::size_t keys);
  void check_read(std::uint64_t key, const std::optional<StoredEntry>& found,
                  const char* way) const;
  [[nodiscard]] std::optional<StoredEntry> look_up(const TreeView& tree, std::uint64_t key) const;
  [[nodiscard]] std::optional<StoredEntry> newest_anywhere(std::uint64_t key) const;
  /// Versions of a key in files of the tree and in slices linked to them, without the `skipped`
  /// files and their slices.
  [[nodiscard]] std::vector<StoredEntry> versions_of(std::uint64_t key,
                                                     const std::set<FileId>& skipped) const;
  [[nodiscard]] static std::optional<StoredEntry> find_in(const std::vector<StoredEntry>& entries,
                                                          std::uint64_t key);
  void compare_totals(const StoreTotals& reported) const;

  StoreOracleOptions options_;
  SstableFormat format_;  // of files that are written now
  std::string fault_;
  std::string context_;  // describes the current plan
  std::uint64_t plans_ = 0;

  std::map<std::uint64_t, StoredEntry> live_;
  std::vector<std::uint64_t> keys_;  // every key ever written, by first write
  std::set<std::uint64_t> written_;  // the same keys
  std::size_t next_key_ = 0;         // index in keys_ of the next key to read
  std::map<std::uint64_t, Write> memtable_;
  std::vector<Write> overwritten_;  // in the memtable, if flushes keep them
  Instant memtable_begun_;          // when it got its first entry
  // Of all writes to it. Overwritten ones count unless the memtable replaces them.
  std::uint64_t memtable_bytes_ = 0;
  bool is_flushed_early_ = false;  // a memtable was flushed before it was full
  std::uint64_t writes_ = 0;
  std::uint64_t newest_filed_ = 0;  // the newest write that is in a file
  std::uint64_t deletes_ = 0;
  std::uint64_t writes_at_tuning_ = 0;
  std::uint64_t deletes_at_tuning_ = 0;
  std::optional<Tuning> tuning_;    // as set last
  std::uint64_t entries_gone_ = 0;  // entries overwritten in the memtable or dropped by merges
  Instant now_;

  std::map<FileId, KnownFile> standing_;
  std::map<FileId, KnownFile> frozen_;
  std::set<FileId> used_ids_;
  std::optional<TreeView> before_;  // the tree for which the current plan was made
  Places places_before_;
  StoreTotals totals_;
};

}  // namespace lsmlab::testing
