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

#include "models/policies/policy.h"
#include "models/policies/rocksdb/levels.h"
#include "models/policies/rocksdb/stalls.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

struct RocksdbFifoOptions {
  Bytes max_table_files_size{std::uint64_t{1} << 30};
  std::optional<std::uint64_t> ttl;  // operations
  bool allow_compaction = false;
  std::uint64_t l0_trigger = 4;
  Bytes max_compaction_bytes{std::uint64_t{1600} << 20};
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
  }
  [[nodiscard]] std::vector<std::string> validate() const { return {}; }
  void resolve(const StoreOptions& store) { memtable = store.buffer; }
};

class RocksdbFifo final : public Policy {
 public:
  explicit RocksdbFifo(const RocksdbFifoOptions& options) : options_(options) {}

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
    const FileList files = level0_files(tree);
    if (!is_due(tree, files)) return std::nullopt;
    if (std::optional<Plan> plan = drop_expired(tree, files)) return plan;
    const std::uint64_t bytes = bytes_of(tree);
    const bool is_too_large = bytes > options_.max_table_files_size.value();
    if (deepest_with_data(tree) == 0 && !is_too_large) return merge_newest(tree, files);
    if (any_busy(files)) return std::nullopt;
    return drop_to_fit(tree, files, bytes);
  }

 private:
  [[nodiscard]] static std::uint32_t deepest_with_data(const TreeView& tree) {
    auto level = static_cast<std::uint32_t>(tree.levels().size());
    while (level > 0 && tree.levels()[level - 1].runs.empty()) --level;
    return level > 0 ? level - 1 : 0;
  }
  [[nodiscard]] static std::uint64_t bytes_of(const TreeView& tree) {
    std::uint64_t bytes = 0;
    for (const Level& level : tree.levels()) {
      for (const SortedRun& run : level.runs) bytes += run.bytes().value();
    }
    return bytes;
  }
  /// Of these files of level 0, newest first.
  [[nodiscard]] static std::vector<PlanInput> inputs_of(const TreeView& tree,
                                                        const FileList& files) {
    std::vector<PlanInput> inputs;
    auto file = files.begin();
    for (const SortedRun& run : tree.levels().front().runs) {
      PlanInput input{0, run.id, {}};
      for (const File& one : run.files) {
        if (file == files.end() || (*file)->id != one.id) continue;
        input.files.push_back(one.id);
        ++file;
      }
      if (!input.files.empty()) inputs.push_back(std::move(input));
    }
    return inputs;
  }

  // Whether RocksDB asks the picker at all (ComputeCompactionScore): level 0 alone decides.
  [[nodiscard]] bool is_due(const TreeView& tree, const FileList& files) const {
    const RocksdbCompensation compensation(tree);
    std::uint64_t idle_files = 0;
    Uint128 idle_bytes = 0;
    bool has_expired = false;
    for (const File* file : files) {
      if (file->busy) continue;
      ++idle_files;
      idle_bytes += compensation.bytes(*file);
      has_expired = has_expired || (options_.ttl && is_expired(tree, *file));
    }
    return idle_bytes >= options_.max_table_files_size.value() || has_expired ||
           (options_.allow_compaction && idle_files >= options_.l0_trigger);
  }

  // REQUIRES: there is a ttl.
  [[nodiscard]] bool is_expired(const TreeView& tree, const File& file) const {
    const std::uint64_t now = tree.now().value();
    return file.oldest_ancestor.value() < now - std::min(now, *options_.ttl);
  }

  // PickTTLCompaction.
  [[nodiscard]] std::optional<Plan> drop_expired(const TreeView& tree,
                                                 const FileList& files) const {
    if (!options_.ttl || any_busy(files)) return std::nullopt;
    std::uint64_t left_bytes = sum_of_bytes(files);
    auto first = files.end();
    while (first != files.begin() && is_expired(tree, **(first - 1))) {
      --first;
      left_bytes -= (*first)->bytes.value();
    }
    const bool is_enough = left_bytes <= options_.max_table_files_size.value();
    if (first == files.end() || !is_enough) return std::nullopt;
    return Plan{PlanReason::kTimeToLive, DropPlan{inputs_of(tree, {first, files.end()})}, {}};
  }

  // PickSizeCompaction, where something must go.
  [[nodiscard]] std::optional<Plan> drop_to_fit(const TreeView& tree, const FileList& files,
                                                std::uint64_t bytes) const {
    const std::uint64_t limit = options_.max_table_files_size.value();
    DropPlan drop;
    if (const std::uint32_t deepest = deepest_with_data(tree); deepest > 0) {
      const SortedRun& run = tree.levels()[deepest].runs.back();
      if (run.busy()) return std::nullopt;
      PlanInput input{deepest, run.id, {}};
      for (const File& file : run.files) {
        input.files.push_back(file.id);
        bytes -= file.bytes.value();
        if (bytes <= limit) break;
      }
      drop.inputs.push_back(std::move(input));
    } else {
      auto first = files.end();
      while (bytes > limit) bytes -= (*--first)->bytes.value();
      drop.inputs = inputs_of(tree, {first, files.end()});
    }
    return Plan{PlanReason::kTotalSize, std::move(drop), {}};
  }

  // FindIntraL0Compaction.
  [[nodiscard]] std::optional<Plan> merge_newest(const TreeView& tree,
                                                 const FileList& files) const {
    if (!options_.allow_compaction || files.empty() || files.front()->busy) return std::nullopt;
    std::uint64_t bytes = files.front()->bytes.value();
    std::uint64_t bytes_by_file = std::numeric_limits<std::uint64_t>::max();
    std::size_t count = 1;
    for (; count < files.size(); ++count) {
      bytes += files[count]->bytes.value();
      if (files[count]->busy || bytes / count > bytes_by_file ||
          bytes > options_.max_compaction_bytes.value()) {
        break;
      }
      bytes_by_file = bytes / count;
    }
    const auto memtable = static_cast<std::uint64_t>(
        static_cast<double>(options_.memtable.value()) * 1.1);  // as RocksDB rounds it
    if (count < options_.l0_trigger || bytes_by_file >= memtable) return std::nullopt;
    MergePlan merge;
    merge.inputs =
        inputs_of(tree, {files.begin(), files.begin() + static_cast<std::ptrdiff_t>(count)});
    merge.target = {0, std::nullopt};
    merge.cut.measure = CutMeasure::kStoredBlocks;  // a file of level 0 is not cut
    merge.drops_tombstones = count == files.size();
    return Plan{PlanReason::kLevel0Only, std::move(merge), {}};
  }

  RocksdbFifoOptions options_;
};

}  // namespace

PolicyFamily rocksdb_fifo_family() {
  PolicyFamily family = make_family<RocksdbFifoOptions, RocksdbFifo>(
      "rocksdb-fifo",
      "RocksDB's FIFO compaction: drops the oldest files when there is too much data or it is too "
      "old",
      "RocksDB 7.8.3, db/compaction/compaction_picker_fifo.cc");
  family.stalls = rocksdb_stalls();
  // RocksDB sets both to the largest number with this style.
  family.stalls.level0_slowdown_runs = family.stalls.level0_stop_runs = 1'000'000;
  family.foreign = ForeignCompaction::kRocksdbFifo;
  return family;
}

}  // namespace lsmlab
