// RocksDB's FIFO compaction as of 7.8.3 (db/compaction/compaction_picker_fifo.cc), for caches and
// logs: flushes stay in level 0, and the oldest files go with all their data. The first of these
// rules that applies makes a plan:
//
//  1. Age: with a ttl, the oldest files go up to the first one whose oldest ancestor is at most
//     that old. If more than max_table_files_size would be left even so, rule 2 applies instead.
//  2. Size: if all files hold more than max_table_files_size, the oldest go until the rest fits.
//  3. Count: with allow_compaction, when there are l0_trigger files, the newest ones merge into one
//     file of level 0, as long as the bytes per removed file fall. They must be l0_trigger at
//     least, and hold less than 1.1 memtables per removed file, so that no file grows large and
//     keeps old data alive.
//
// A plan is made only when level 0 holds max_table_files_size (with the surcharge for tombstones of
// models/policies/rocksdb/levels.h), has a file past the ttl or, with allow_compaction, l0_trigger
// files. While files of level 0 are busy, nothing goes, and the newest file must be idle for a
// merge. Ages count operations, not seconds. RocksDB's ttl is never unset with this style: 30 days
// by default, here none. Files below level 0, which a store of another policy may have left, go
// first: from the deepest level, the smallest keys first. Not modelled: temperatures
// (age_for_warm).
//
// A merge drops a tombstone only if it takes all files (IsBottommostLevel).
#include <algorithm>
#include <limits>

#include "models/policies/files_of_runs.h"
#include "models/policies/policy.h"
#include "models/policies/rocksdb/levels.h"
#include "models/policies/rocksdb/stalls.h"
#include "models/policies/unlimited_runs.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

struct RocksdbFifoOptions {
  Bytes max_table_files_size{std::uint64_t{1} << 30};
  std::optional<std::uint64_t> ttl;  // operations
  bool allow_compaction = false;
  std::uint64_t l0_trigger = 4;
  Bytes max_compaction_bytes{std::uint64_t{1600} << 20};
  bool disable_auto_compactions = false;
  Bytes memtable;  // the store's

  void declare(OptionTable& table) {
    table.bytes("max_table_files_size", max_table_files_size, {1, std::uint64_t{1} << 62},
                "the oldest files are dropped, with all their data, while all files hold more than "
                "this; more: data lives longer and takes more space");
    table.optional_count("ttl", ttl, {1, std::uint64_t{1} << 62}, "operations",
                         "RocksDB's ttl, which counts seconds: a file that may hold data first "
                         "written more than this many operations ago is dropped; lower: data lives "
                         "less long; default: none");
    table.flag("allow_compaction", allow_compaction,
               "merges small files of level 0, so that a read visits fewer; data is written again");
    table.count("l0_trigger", l0_trigger, {1, 1024}, "files",
                "with allow_compaction: smallest number of files in a merge; more: fewer rewrites, "
                "but more files for a read to visit");
    table.bytes("max_compaction_bytes", max_compaction_bytes, {1, std::uint64_t{1} << 62},
                "with allow_compaction: largest input of a merge; RocksDB's default is 25 * "
                "target_file_size_base, which is 64 MiB by default");
    declare_disable_auto_compactions(table, disable_auto_compactions);
  }
  [[nodiscard]] std::vector<std::string> validate() const { return {}; }
  void resolve(const StoreOptions& store) { memtable = store.buffer; }
};

class RocksdbFifo final : public Policy {
 public:
  explicit RocksdbFifo(const RocksdbFifoOptions& options) : options_(options) {}

  [[nodiscard]] bool flush_takes_all_waiting() const override { return true; }
  [[nodiscard]] PolicyNeeds needs() const override {
    return options_.ttl ? PolicyNeeds::kKeys : PolicyNeeds::kSizes;
  }
  [[nodiscard]] std::vector<std::string> options_that_need_keys() const override {
    return options_.ttl ? std::vector<std::string>{"ttl"} : std::vector<std::string>{};
  }
  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    if (tree.pending_flush()) {
      return Plan{PlanReason::kMemtableFull, FlushPlan{{0, std::nullopt}}, {}};
    }
    if (options_.disable_auto_compactions) return std::nullopt;
    return pick_due(tree);
  }
  // CompactRange does what FIFO wants anyway. Level 0 has no next level.
  [[nodiscard]] bool compacts(ManualScope /*scope*/) const override { return true; }
  [[nodiscard]] std::optional<Plan> pick_manual(const TreeView& tree,
                                                const ManualCompaction& manual) const override {
    return flushes_first(manual.scope) ? pick_due(tree) : std::nullopt;
  }
  // RecalculateWriteStallConditions asks for it before it counts files.
  [[nodiscard]] std::uint64_t stalling_runs(const TreeView& tree) const override {
    return options_.disable_auto_compactions ? 0 : Policy::stalling_runs(tree);
  }

 private:
  [[nodiscard]] std::optional<Plan> pick_due(const TreeView& tree) const {
    if (tree.levels().empty() || !is_due(tree)) return std::nullopt;
    if (std::optional<Plan> plan = drop_expired(tree)) return plan;
    std::uint64_t bytes = 0;
    for (const Level& level : tree.levels()) bytes += level.sums.bytes;
    const bool is_too_large = bytes > options_.max_table_files_size.value();
    if (deepest_level(tree).value_or(0) == 0 && !is_too_large) return merge_newest(tree);
    if (level0(tree).sums.busy_files > 0) return std::nullopt;
    return drop_to_fit(tree, bytes);
  }

  // REQUIRES: the tree has a level.
  [[nodiscard]] static const Level& level0(const TreeView& tree) { return tree.levels().front(); }

  // Files of level 0 from the newest on, or from the oldest on, as long as `takes(file)` is true.
  // Looks at no others, because there may be very many.
  template <class Takes>
  [[nodiscard]] static std::vector<FileOfRun> newest(const TreeView& tree, const Takes& takes) {
    std::vector<FileOfRun> files;
    for (const SortedRun& run : level0(tree).runs) {
      for (const File& file : run.files) {
        if (!takes(file)) return files;
        files.push_back({0, &run, &file});
      }
    }
    return files;
  }
  template <class Takes>
  [[nodiscard]] static std::vector<FileOfRun> oldest(const TreeView& tree, const Takes& takes) {
    std::vector<FileOfRun> files;
    const std::vector<SortedRun>& runs = level0(tree).runs;
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
      for (std::size_t i = run->files.size(); i-- > 0;) {
        const File& file = run->files[i];
        if (!takes(file)) return files;
        files.push_back({0, &*run, &file});
      }
    }
    return files;
  }
  [[nodiscard]] static DropPlan drop_of(std::vector<FileOfRun> oldest_first) {
    std::reverse(oldest_first.begin(), oldest_first.end());
    return DropPlan{inputs_of(oldest_first)};
  }

  // Whether RocksDB asks the picker at all (ComputeCompactionScore): level 0 alone decides.
  [[nodiscard]] bool is_due(const TreeView& tree) const {
    const FileSums& sums = level0(tree).sums;
    const std::uint64_t idle_bytes = RocksdbCompensation(tree).idle_bytes(sums);
    return idle_bytes >= options_.max_table_files_size.value() ||
           (options_.allow_compaction && sums.files - sums.busy_files >= options_.l0_trigger) ||
           has_expired(tree);
  }
  // Of the idle files. An older file has older data, so that the oldest idle one decides.
  [[nodiscard]] bool has_expired(const TreeView& tree) const {
    if (!options_.ttl) return false;
    const File* idle = nullptr;
    const auto is_busy = [&](const File& file) {
      if (!file.busy) idle = &file;
      return file.busy;
    };
    static_cast<void>(oldest(tree, is_busy));
    return idle != nullptr && is_expired(tree, *idle);
  }

  // REQUIRES: there is a ttl.
  [[nodiscard]] bool is_expired(const TreeView& tree, const File& file) const {
    const std::uint64_t now = tree.now().value();
    return file.oldest_ancestor.value() < now - std::min(now, *options_.ttl);
  }

  // PickTTLCompaction.
  [[nodiscard]] std::optional<Plan> drop_expired(const TreeView& tree) const {
    if (!options_.ttl || level0(tree).sums.busy_files > 0) return std::nullopt;
    std::uint64_t left_bytes = level0(tree).sums.bytes;
    std::vector<FileOfRun> expired =
        oldest(tree, [&](const File& file) { return is_expired(tree, file); });
    for (const FileOfRun& one : expired) left_bytes -= one.file->bytes.value();
    const bool is_enough = left_bytes <= options_.max_table_files_size.value();
    if (expired.empty() || !is_enough) return std::nullopt;
    return Plan{PlanReason::kTimeToLive, drop_of(std::move(expired)), {}};
  }

  // PickSizeCompaction, where something must go.
  [[nodiscard]] std::optional<Plan> drop_to_fit(const TreeView& tree, std::uint64_t bytes) const {
    const std::uint64_t limit = options_.max_table_files_size.value();
    if (const std::uint32_t deepest = deepest_level(tree).value_or(0); deepest > 0) {
      const SortedRun& run = tree.levels()[deepest].runs.back();
      if (run.busy()) return std::nullopt;
      PlanInput input{deepest, run.id, {}};
      for (const File& file : run.files) {
        input.files.push_back(file.id);
        bytes -= file.bytes.value();
        if (bytes <= limit) break;
      }
      return Plan{PlanReason::kTotalSize, DropPlan{{std::move(input)}}, {}};
    }
    std::vector<FileOfRun> going = oldest(tree, [&](const File& file) {
      if (bytes <= limit) return false;
      bytes -= file.bytes.value();
      return true;
    });
    return Plan{PlanReason::kTotalSize, drop_of(std::move(going)), {}};
  }

  // FindIntraL0Compaction.
  [[nodiscard]] std::optional<Plan> merge_newest(const TreeView& tree) const {
    if (!options_.allow_compaction) return std::nullopt;
    std::uint64_t bytes = 0;
    std::uint64_t removed = 0;  // files, without the output
    std::uint64_t bytes_by_file = std::numeric_limits<std::uint64_t>::max();
    const std::vector<FileOfRun> files = newest(tree, [&](const File& file) {
      if (file.busy) return false;
      bytes += file.bytes.value();
      if (removed > 0) {
        const bool grows = bytes / removed > bytes_by_file;
        if (grows || bytes > options_.max_compaction_bytes.value()) return false;
        bytes_by_file = bytes / removed;
      }
      ++removed;
      return true;
    });
    const auto memtable = static_cast<std::uint64_t>(
        static_cast<double>(options_.memtable.value()) * 1.1);  // as RocksDB rounds it
    if (files.size() < options_.l0_trigger || bytes_by_file >= memtable) return std::nullopt;
    MergePlan merge;
    merge.inputs = inputs_of(files);
    merge.target = {0, std::nullopt};
    merge.cut.measure = CutMeasure::kStoredBlocks;  // a file of level 0 is not cut
    merge.drops_tombstones = files.size() == level0(tree).sums.files;
    return Plan{PlanReason::kLevel0Only, std::move(merge), {}};
  }

  RocksdbFifoOptions options_;
};

std::vector<RuleFidelity> rocksdb_fifo_fidelity() {
  const char* const kPicker = "db/compaction/compaction_picker_fifo.cc, RocksDB 7.8.3";
  return {
      {"drops by size, oldest first", Fidelity::kExact, kPicker},
      {"drops by ttl", Fidelity::kSimplified, kPicker, "ages count operations, not seconds"},
      {"merges of small files (allow_compaction)", Fidelity::kExact, kPicker},
      rocksdb_flush_fidelity(),
      rocksdb_arena_fidelity(),
      {"temperatures (age_for_warm)", Fidelity::kNotModelled, kPicker,
       "a store has one kind of drive"},
  };
}

}  // namespace

PolicyFamily rocksdb_fifo_family() {
  PolicyFamily family = make_family<RocksdbFifoOptions, RocksdbFifo>(
      "rocksdb-fifo",
      "RocksDB's FIFO compaction: drops the oldest files when there is too much data or it is too "
      "old",
      "RocksDB 7.8.3, db/compaction/compaction_picker_fifo.cc");
  family.stalls = rocksdb_stalls();
  // RocksDB sets both to the largest number with this style.
  lift_run_limits(family.stalls);
  family.foreign = ForeignCompaction::kRocksdbFifo;
  family.fidelity = rocksdb_fifo_fidelity();
  return family;
}

}  // namespace lsmlab
