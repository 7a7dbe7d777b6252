// Which tombstones a merge drops: those whose key cannot have older data outside the merge's
// inputs, and which the policy's gc_grace leaves. One rule for simulator and engine. It uses the
// key ranges of files, as LevelDB (Compaction::IsBaseLevelForKey) and RocksDB do, and, if the
// store's options say so, the ranges of their blocks that are kept (the delete-aware thesis,
// Section 3.1.2) or their filters, as Cassandra (CompactionController.getPurgeEvaluator) and
// ScyllaDB (get_max_purgeable_timestamp in compaction/compaction.cc) do. Filters are asked by the
// caller: a filter here passes the keys that its file holds and no others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "models/execution/lookup_path.h"
#include "models/execution/plan_execution.h"
#include "models/sizes/store_options.h"
#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

/// Keeps copies of the runs that may hold older data, and looks at their files only where the
/// merge asks: it costs O(runs + inputs), and O(log files) for each file that the merge passes.
/// The tree may change meanwhile.
class TombstoneRule {
 public:
  /// `tree` is the tree for which the policy made the plan. `gc_grace`: Policy::gc_grace().
  TombstoneRule(const TreeView& tree, const MergePlan& plan,
                PreRemove pre_remove = PreRemove::kFiles, std::uint64_t gc_grace = 0);

  /// True if the merge drops a tombstone of this key and sequence number. `bool passes(FileId)`:
  /// whether a file's filter passes the key, true without a filter; it is called only with
  /// PreRemove::kFilters, of files and frozen files that held the key's range when the plan was
  /// made. REQUIRES: keys do not fall from call to call.
  template <class Passes>
  [[nodiscard]] bool drops(std::uint64_t key, std::uint64_t sequence, Passes&& passes) {
    if (!is_ripe(sequence)) return false;
    if (drops(key)) return true;
    if (!asks_filters()) return false;
    return std::none_of(older_.begin(), older_.end(), [&](const OlderRun& run) {
      return run.may_hold && is_passed(run, key, sequence, passes);
    });
  }
  /// The same without asking filters.
  [[nodiscard]] bool drops(std::uint64_t key, std::uint64_t sequence) {
    return is_ripe(sequence) && drops(key);
  }
  /// The same of a tombstone that is old enough.
  [[nodiscard]] bool drops(std::uint64_t key);
  /// Whether filters decide where key ranges do not.
  [[nodiscard]] bool asks_filters() const { return asks_filters_ && drops_tombstones_; }
  /// Whether a tombstone is old enough to be dropped.
  [[nodiscard]] bool is_ripe(std::uint64_t sequence) const {
    return !ripe_until_ || sequence <= *ripe_until_;
  }
  /// The newest sequence number of such a tombstone; nothing if all are old enough.
  [[nodiscard]] const std::optional<std::uint64_t>& ripe_until() const { return ripe_until_; }
  /// True if the merge drops every tombstone.
  [[nodiscard]] bool drops_all() const {
    return drops_tombstones_ && older_.empty() && !ripe_until_;
  }
  /// True if the merge keeps every tombstone.
  [[nodiscard]] bool drops_none() const { return !drops_tombstones_; }
  /// A file or frozen file, and those of its keys that may be older data.
  struct OlderPart {
    FileId file;
    KeyRange keys;
  };
  /// What may hold older data within the keys, in lists of parts that lie by key and do not
  /// overlap. O(runs * log files + result).
  [[nodiscard]] std::vector<std::vector<OlderPart>> older_parts(const KeyRange& keys) const;
  /// What kept ranges did so far.
  [[nodiscard]] const KeptRangeTests& tests() const { return tests_; }

 private:
  // A run that may hold older data. The answer about a key counts up to `known_until`.
  struct OlderRun {
    RunFiles files;
    bool may_hold = false;
    bool is_in_file = false;  // by the key ranges of files alone
    bool is_known = false;
    std::uint64_t known_until = 0;
    std::size_t file = 0;  // the file that the answer is about
  };
  void add_runs(const TreeView& tree, const MergePlan& plan);
  void add(const SortedRun& run);
  void look_up(std::uint64_t key, OlderRun& run) const;
  // A file whose writes are all newer than the tombstone does not keep it.
  template <class Passes>
  [[nodiscard]] static bool is_passed(const OlderRun& run, std::uint64_t key,
                                      std::uint64_t sequence, Passes& passes) {
    const File& file = run.files[run.file];
    if (!file.is_virtual && holds(file.keys, key) && file.sequences.first <= sequence &&
        passes(file.id)) {
      return true;
    }
    return std::any_of(file.slices.begin(), file.slices.end(), [&](const Slice& slice) {
      return holds(slice.keys, key) && passes(slice.frozen_file);
    });
  }

  bool drops_tombstones_;
  bool is_off_;
  bool tests_ranges_;
  bool asks_filters_;
  std::optional<std::uint64_t> ripe_until_;
  KeptRangeTests tests_;
  std::vector<OlderRun> older_;
  std::unordered_set<std::uint64_t> inputs_;  // ids of files; only looked up, never iterated
};

}  // namespace lsmlab
