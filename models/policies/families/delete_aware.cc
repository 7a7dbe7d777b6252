// Delete-Aware RocksDB: RocksDB's leveled compaction with a trigger that counts tombstones (the
// delete-aware thesis, Section 3.1.1), which can follow the workload (Section 3.1.3).
// The thesis does not say whether the trigger by size stays; both forms can be chosen.
#include <algorithm>

#include "models/policies/rocksdb/leveled.h"
#include "models/theory/delete_aware_adaptation.h"
#include "models/theory/delete_aware_costs.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

enum class SizeTrigger { kReplaced, kKept };

struct DeleteAwareOptions {
  RocksdbLeveledOptions leveled;
  Decimal del_ratio_base{1, 1};
  SizeTrigger size_trigger = SizeTrigger::kReplaced;
  std::uint64_t trigger_after = 0;
  std::uint64_t adapt_flushes = 0;
  StoreOptions store;

  void declare(OptionTable& table) {
    table.decimal("del_ratio_base", del_ratio_base, "0", "1000000",
                  "limit of level 1's deletion rate, which is the data of its tombstones (their "
                  "number times the mean size of an entry) divided by the size of a memtable; each "
                  "deeper level's limit is size_ratio times smaller; more: fewer merges. 0: "
                  "rocksdb-leveled");
    table.choice<SizeTrigger>("size_trigger", size_trigger,
                              {{"replaced", SizeTrigger::kReplaced}, {"kept", SizeTrigger::kKept}},
                              "replaced: levels from 1 on merge by their deletion rate only; kept: "
                              "by the larger of the scores by deletion rate and by size");
    table.count("trigger_after", trigger_after, {0, std::uint64_t{1} << 62}, "operations",
                "until then levels merge by their sizes, as in a store that is loaded before the "
                "trigger is set");
    table.count("adapt_flushes", adapt_flushes, {0, 1'000'000}, "flushes",
                "after so many flushes the policy measures the mix of operations, and sets "
                "del_ratio_base, and with pre_remove=blocks also the split of memory between "
                "filters and kept ranges, to the cheapest of a grid; fewer: it follows the "
                "workload sooner, but from fewer operations. 0: never");
    leveled.declare(table);
  }
  [[nodiscard]] std::vector<std::string> validate() const { return leveled.validate(); }
  void resolve(const StoreOptions& of_store) {
    store = of_store;
    leveled.resolve(store);
    if (del_ratio_base.numerator() == 0 && adapt_flushes == 0) return;
    leveled.deletes =
        RocksdbDeleteTrigger{del_ratio_base.as_double(), store.buffer.value(),
                             size_trigger == SizeTrigger::kKept, Instant(trigger_after)};
  }
};

// Sets the trigger's options anew with every so many flushes.
class AdaptingDeleteAware final : public RocksdbLeveled {
 public:
  explicit AdaptingDeleteAware(const DeleteAwareOptions& options)
      : RocksdbLeveled(options.leveled), options_(options) {}

  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    std::optional<Plan> plan = RocksdbLeveled::pick(tree);
    if (plan && takes_memtable(*plan)) plan->adaptation = adaptation(tree);
    return plan;
  }

 private:
  [[nodiscard]] std::optional<Adaptation> adaptation(const TreeView& tree) const {
    const std::uint64_t flush = tree.flush_count() + 1;
    // A store that is loaded first is measured from then on.
    const bool is_load_over = options_.trigger_after > 0 && !tree.tuning();
    if (is_load_over && tree.now() < Instant(options_.trigger_after)) return std::nullopt;
    const std::uint64_t last = tree.tuning() ? tree.tuning()->flush : 0;
    if (!is_load_over && flush - last < options_.adapt_flushes) return std::nullopt;
    Traffic measured = tree.measured();
    measured.add(tree.pending_flush()->traffic);
    const std::optional<AdaptedStore> store = store_of(tree);
    if (!store || measured.lookups + measured.writes == 0) return std::nullopt;
    Adaptation found = is_load_over ? unchanged_options(*store, measured, options_of(tree))
                                    : cheapest_options(*store, measured, options_of(tree));
    found.tuning.flush = flush;
    if (!options_.store.keeps_ranges()) found.tuning.range_bytes = options_.store.range_bytes;
    return found;
  }

  [[nodiscard]] AdaptedOptions options_of(const TreeView& tree) const {
    AdaptedOptions now{options_.del_ratio_base.as_double(), 0};
    if (options_.store.keeps_ranges()) {
      now.range_bytes = static_cast<double>(options_.store.range_bytes.value());
    }
    if (!tree.tuning()) return now;
    now.del_ratio_base = static_cast<double>(tree.tuning()->del_ratio_base_millionths) / 1e6;
    if (options_.store.keeps_ranges()) {
      now.range_bytes = static_cast<double>(tree.tuning()->range_bytes.value());
    }
    return now;
  }

  // Nothing if the tree has no entries.
  [[nodiscard]] std::optional<AdaptedStore> store_of(const TreeView& tree) const {
    RunSums all;
    std::uint32_t deepest = 1;
    for (std::uint32_t level = 0; level < tree.levels().size(); ++level) {
      for (const SortedRun& run : tree.levels()[level].runs) {
        all.add(run.files.sums());
        deepest = std::max(deepest, level);
      }
    }
    if (all.entries == 0 || all.key_bytes + all.value_bytes == 0) return std::nullopt;
    AdaptedStore store;
    store.size_ratio = static_cast<double>(options_.leveled.level.size_ratio);
    store.memtable_bytes = static_cast<double>(options_.store.buffer.value());
    store.block_bytes = static_cast<double>(options_.store.block_size.value());
    store.level0_runs = static_cast<double>(options_.leveled.level.l0_trigger);
    const std::vector<LevelCapacity> capacities = level_capacities(tree);
    for (std::size_t level = 1; level + 1 < capacities.size(); ++level) {
      store.level_bytes.push_back(static_cast<double>(capacities[level].bytes));
    }
    store.deepest_used = deepest;
    store.keeps_size_trigger = options_.size_trigger == SizeTrigger::kKept;
    store.entries = static_cast<double>(all.entries);
    store.tombstones = static_cast<double>(all.tombstones);
    store.entry_bytes = static_cast<double>(all.key_bytes + all.value_bytes) / store.entries;
    store.filter_bits = options_.store.bits_per_key.as_double();
    if (options_.store.keeps_ranges()) {
      store.range_bytes = static_cast<double>(options_.store.range_bytes.value());
    }
    return store;
  }

  DeleteAwareOptions options_;
};

std::vector<RuleFidelity> delete_aware_fidelity() {
  const std::string thesis = "the delete-aware thesis, Section ";
  return {
      {"a level merges when its deletion rate exceeds its limit", Fidelity::kSimplified,
       thesis + "3.1.1",
       "Equation 1 cannot be read in the text; here the rate is the number of deletes times the "
       "mean size of an entry, divided by the size of a memtable"},
      {"limits of levels: del_ratio_base, divided by the multiplier at each level",
       Fidelity::kExact, thesis + "3.1.1"},
      {"whether levels still merge by their sizes", Fidelity::kSimplified, thesis + "3.1.1",
       "the thesis does not say; size_trigger has both"},
      {"pre-remove: deletes go where no kept range below holds their key", Fidelity::kExact,
       thesis + "3.1.2"},
      {"runtime adaptation: measure X flushes, then take the cheapest options",
       Fidelity::kSimplified, thesis + "3.1.3",
       "adapt_flushes; the grid, and how costs follow from the sizes of levels, are this project's "
       "(docs/deletes.md)"},
      {"which files merge, and how", Fidelity::kExact,
       "RocksDB 7.8.3; the rows of rocksdb-leveled say what is simplified"},
  };
}

}  // namespace

PolicyFamily delete_aware_family() {
  PolicyFamily family = make_family<DeleteAwareOptions>(
      "delete-aware",
      "Delete-Aware RocksDB: rocksdb-leveled, where a level merges when its tombstones are many",
      "the delete-aware thesis, Section 3.1.1 and 3.1.3, on RocksDB 7.8.3's rules",
      [](const DeleteAwareOptions& options) -> std::shared_ptr<const Policy> {
        if (options.adapt_flushes > 0) return std::make_shared<const AdaptingDeleteAware>(options);
        return std::make_shared<const RocksdbLeveled>(options.leveled);
      });
  add_rocksdb_leveled_stalls(family);
  family.settle_store = settle_rocksdb_arena;
  family.cost_model = delete_aware_leveled_model;
  family.fidelity = delete_aware_fidelity();
  return family;
}

}  // namespace lsmlab
