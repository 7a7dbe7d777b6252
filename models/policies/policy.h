// A merge policy only decides: pick() is a pure function of the tree. What a policy must remember
// (cursors, flush counts) is part of the tree, so the engine's recovery needs no policy code.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/base/manual_compaction.h"
#include "models/base/options.h"
#include "models/policies/cost_model.h"
#include "models/policies/fidelity.h"
#include "models/policies/merge_parts.h"
#include "models/policies/merge_scheduling.h"
#include "models/policies/stall_rules.h"
#include "models/sizes/deletion_mark.h"
#include "models/sizes/store_options.h"
#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

class StackPolicy;

/// What a policy must know about files.
enum class PolicyNeeds {
  kSizes,  // sizes and ages of whole sorted runs: resolution flush is enough
  kKeys,   // single files, their key ranges or what they hold: resolution key or range
};

class Policy {
 public:
  Policy() = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;
  virtual ~Policy() = default;

  /// The next plan; nothing if the policy wants no change of the tree. While a flush is pending,
  /// the policy first returns a plan that takes the memtable (Flush, or an eager Merge). Pure: no
  /// clock, I/O, randomness or hidden state; equal trees give equal plans.
  [[nodiscard]] virtual std::optional<Plan> pick(const TreeView& tree) const = 0;

  /// The orderings of files that pick() reads from the tree (TreeView::order()): whoever asks the
  /// policy has its tree keep them (TreeState::keep()).
  [[nodiscard]] virtual std::vector<FileOrdering> orderings() const { return {}; }

  /// Whether some of its merges leave copies of their inputs (MergePlan::copies_max).
  [[nodiscard]] virtual bool keeps_copies() const { return false; }
  /// Whether pick() is about to look at which blocks of copies the block cache holds
  /// (FrozenFile::blocks): the executor then counts them (TreeState::note_blocks()) before it asks,
  /// as models/execution/block_cache.h says.
  [[nodiscard]] virtual bool looks_at_copies(const TreeView& tree) const {
    static_cast<void>(tree);
    return false;
  }

  /// Needless seeks after which a file is to be merged (LevelDB); the executor then asks again.
  /// Nothing where the policy does not look at them.
  [[nodiscard]] virtual std::optional<std::uint64_t> seeks_max(const File& file) const {
    static_cast<void>(file);
    return std::nullopt;
  }

  /// Which of the SSTables that a store with this policy writes are marked (File::marked); nothing
  /// if none are.
  [[nodiscard]] virtual std::optional<DeletionMark> deletion_mark() const { return std::nullopt; }

  /// How many writes must follow a delete before a merge may drop its tombstone (Cassandra's
  /// gc_grace_seconds). If it is above 0, files know when their tombstones were written
  /// (File::deletion_times).
  [[nodiscard]] virtual std::uint64_t gc_grace() const { return 0; }

  /// True if the policy bounds its sorted runs itself, as a stack-based policy does: stall rules do
  /// not count them.
  [[nodiscard]] virtual bool bounds_runs() const { return as_stack_policy() != nullptr; }

  /// The number of sorted runs that the stall rules compare with their limits
  /// (models/execution/write_stall.h): the runs of level 0, or 0 if the policy bounds its runs.
  [[nodiscard]] virtual std::uint64_t stalling_runs(const TreeView& tree) const;

  /// The number of level 0's sorted runs that makes the policy's system merge them; nothing where
  /// it has no such number.
  [[nodiscard]] virtual std::optional<std::uint64_t> merge_trigger_runs() const {
    return std::nullopt;
  }

  /// The bytes that merges still have to read and write, as the policy's system estimates them; 0
  /// if it makes no estimate.
  [[nodiscard]] virtual std::uint64_t pending_bytes(const TreeView& tree) const {
    static_cast<void>(tree);
    return 0;
  }

  /// How many pending_bytes() make the policy's system run several merges at a time, where that
  /// depends on the tree; 0 if it does not.
  [[nodiscard]] virtual std::uint64_t behind_bytes(const TreeView& tree) const {
    static_cast<void>(tree);
    return 0;
  }

  /// How many threads the policy's system lets one merge have, whether merge threads are idle or
  /// not.
  [[nodiscard]] virtual std::uint64_t merge_parts_max() const { return 1; }

  /// How threads divide a merge of this policy that begins now, while so many merge threads are
  /// idle. Pure, as pick(). REQUIRES: the merge's inputs are in the tree.
  [[nodiscard]] virtual MergeParts merge_parts(const TreeView& tree, const MergePlan& merge,
                                               std::uint64_t idle_threads) const {
    static_cast<void>(tree);
    static_cast<void>(merge);
    static_cast<void>(idle_threads);
    return {};
  }

  /// How the policy's system schedules merges by the load of its clients; nothing if it does not.
  [[nodiscard]] virtual std::optional<MergeScheduling> merge_scheduling() const {
    return std::nullopt;
  }

  /// Whether several plans may have one target level at a time if no key lies between the inputs of
  /// two of them (models/execution/plan_schedule.h). Then pick() wants no plan whose keys overlap
  /// those of a running one with the same target level; it knows the running ones by their busy
  /// files. Otherwise one plan runs for each target level.
  [[nodiscard]] virtual bool shares_target_levels() const { return false; }

  /// The next plan with files of level 0, whatever deeper levels want; nothing if there is none, or
  /// if the policy's system does not prefer level 0. Pure, as pick().
  [[nodiscard]] virtual std::optional<Plan> pick_level0(const TreeView& tree) const {
    static_cast<void>(tree);
    return std::nullopt;
  }

  /// Whether the policy knows how its system does such a manual compaction (pick_manual()).
  [[nodiscard]] virtual bool compacts(ManualScope scope) const {
    static_cast<void>(scope);
    return false;
  }
  /// The next plan of a manual compaction of all keys. Nothing if it is done, or if running plans
  /// are in the way. Pure, as pick(); it takes no pending flush.
  [[nodiscard]] virtual std::optional<Plan> pick_manual(const TreeView& tree,
                                                        const ManualCompaction& manual) const {
    static_cast<void>(tree);
    static_cast<void>(manual);
    return std::nullopt;
  }

  /// What the policy lets each level hold, by level; empty if it gives its levels no capacities.
  [[nodiscard]] virtual std::vector<LevelCapacity> level_capacities(const TreeView& tree) const {
    static_cast<void>(tree);
    return {};
  }

  /// Whether a flush writes every version that the memtable has of a key, as LevelDB's does
  /// (db/builder.cc): the first merge of the file drops the overwritten ones. False: it writes the
  /// newest version only. Stores ask flush_keeps_overwritten() below.
  [[nodiscard]] virtual bool flush_keeps_overwritten() const { return false; }

  /// Whether a flush takes all memtables that wait for one, and writes the newest version of each
  /// key in them, as RocksDB's does (MemTableList::PickMemtablesToFlush). False: it takes the
  /// oldest one. Matters where clients do not wait for flushes.
  [[nodiscard]] virtual bool flush_takes_all_waiting() const { return false; }

  /// Whether the outputs of `plan` are compressed by the codecs of the store. False: they are
  /// uncompressed. Pure, as pick(). REQUIRES: the plan's inputs are in the tree, and nothing of the
  /// plan is applied.
  [[nodiscard]] virtual bool compresses(const TreeView& tree, const Plan& plan) const {
    static_cast<void>(tree);
    static_cast<void>(plan);
    return true;
  }

  /// True if merges take only runs that are adjacent in age. Then, of the runs that a lookup
  /// visits, an earlier one has the newer versions. If false, a lookup must ask every run.
  [[nodiscard]] virtual bool keeps_age_order() const { return true; }

  [[nodiscard]] virtual PolicyNeeds needs() const { return PolicyNeeds::kSizes; }
  /// The options because of which it needs keys, such as "granularity=file"; none if it needs no
  /// keys, or needs them with any options.
  [[nodiscard]] virtual std::vector<std::string> options_that_need_keys() const { return {}; }
  /// The largest number of sorted runs after a flush; nothing if unbounded.
  [[nodiscard]] virtual std::optional<std::uint64_t> depth_max() const { return std::nullopt; }
  /// The policy as a rule over a stack of sizes; null if it is no such rule.
  [[nodiscard]] virtual const StackPolicy* as_stack_policy() const { return nullptr; }
};

/// The format of every SSTable that `plan` writes (models/sizes/filter_split.h). REQUIRES: as
/// there.
[[nodiscard]] SstableFormat output_format(const Policy& policy, const StoreOptions& store,
                                          const TreeView& tree, const Plan& plan, Entries memtable);

/// Whether a flush may write several versions of a key. A memtable that replaces entries has one.
[[nodiscard]] bool flush_keeps_overwritten(const Policy& policy, const StoreOptions& store);

enum class ForeignCompaction { kLeveldb, kRocksdbLeveled, kRocksdbUniversal, kRocksdbFifo };

/// A kind of policy, with all that depends on its name, for the registry.
struct PolicyFamily {
  std::string name;
  std::string summary;              // one line for `lsmlab policies`
  std::string source;               // section of a paper, or the system that it follows
  std::vector<OptionInfo> options;  // with defaults
  /// Errors: parameters that are unknown, out of range, or cannot be combined.
  std::function<Result<std::shared_ptr<const Policy>>(const Parameters&, const StoreOptions&,
                                                      ResolvedOptions&)>
      create;

  /// When writers are stalled or slowed: the rules of the policy's system, or the engine's own
  /// rules if it comes from no system.
  StallRules stalls = {};
  /// True if Policy::pending_bytes() returns an estimate.
  bool estimates_pending_bytes = false;
  /// The options with which sizes suffice, for listings; empty if options make no difference.
  std::string sizes_suffice_with = {};
  /// The options that only say how a run is cut into files. They have no effect where a run is one
  /// file (resolution flush).
  std::vector<std::string> file_options = {};
  /// The store's option pre_remove where none is given.
  PreRemove pre_remove = PreRemove::kFiles;
  /// The store's option memtable where none is given.
  MemtableKind memtable = MemtableKind::kVersions;
  /// Sets the store's options that were not given and depend on the family's own. Null if none
  /// does.
  std::function<void(const ResolvedOptions&, StoreOptions&)> settle_store = {};
  /// Null if no paper gives a cost model.
  CostModel cost_model = nullptr;
  /// The compaction style of another store that follows the same rules, so that the store can run
  /// this policy.
  std::optional<ForeignCompaction> foreign = {};
  /// The rules of the policy's system or paper, by importance.
  std::vector<RuleFidelity> fidelity = {};
  /// True for the model of a paper, or of several systems: comparisons of systems leave it out.
  bool is_idealised = false;
};

/// Builds a family from an options struct and a policy. The struct has `void declare(OptionTable&)`
/// and `std::vector<std::string> validate() const`, which returns every fault. If defaults depend
/// on other options, it also has `void resolve()` or `void resolve(const StoreOptions&)`. If texts
/// are lists, it also has `std::vector<std::string> list_faults() const`: the faults of validate()
/// that do not depend on other options, which are reported even if another option cannot be read.
/// The policy is constructible from the struct, or `make` makes one.
template <class Options>
PolicyFamily make_family(std::string name, std::string summary, std::string source,
                         std::function<std::shared_ptr<const Policy>(const Options&)> make) {
  PolicyFamily family;
  family.name = std::move(name);
  family.summary = std::move(summary);
  family.source = std::move(source);
  Options defaults;
  OptionTable table;
  defaults.declare(table);
  family.options = table.describe();
  family.create = [make](const Parameters& parameters, const StoreOptions& store,
                         ResolvedOptions& resolved) -> Result<std::shared_ptr<const Policy>> {
    Options options;
    OptionTable given;
    options.declare(given);
    if (Result<void> assigned = given.assign(parameters); !assigned) {
      Error error = std::move(assigned).error();
      if constexpr (requires { options.list_faults(); }) {
        for (std::string& fault : options.list_faults()) {
          error = with_more(std::move(error), input_error(std::move(fault)));
        }
      }
      return error;
    }
    std::string faults;
    for (const std::string& fault : options.validate()) {
      faults += (faults.empty() ? "" : "; ") + fault;
    }
    if (!faults.empty()) return input_error(std::move(faults));
    if constexpr (requires { options.resolve(); }) options.resolve();
    if constexpr (requires { options.resolve(store); }) options.resolve(store);
    resolved = given.values();
    return make(options);
  };
  return family;
}

template <class Options, class PolicyType>
PolicyFamily make_family(std::string name, std::string summary, std::string source) {
  return make_family<Options>(
      std::move(name), std::move(summary), std::move(source), [](const Options& options) {
        return std::shared_ptr<const Policy>(std::make_shared<const PolicyType>(options));
      });
}

}  // namespace lsmlab
