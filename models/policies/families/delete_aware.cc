// Delete-Aware RocksDB: RocksDB's leveled compaction with a trigger that counts tombstones (the
// delete-aware thesis, Section 3.1.1).
// The thesis does not say whether the trigger by size stays; both forms can be chosen.
#include "models/policies/rocksdb/leveled.h"
#include "models/theory/delete_aware_costs.h"

namespace lsmlab {
namespace {

enum class SizeTrigger { kReplaced, kKept };

struct DeleteAwareOptions {
  RocksdbLeveledOptions leveled;
  Decimal del_ratio_base{1, 1};
  SizeTrigger size_trigger = SizeTrigger::kReplaced;
  std::uint64_t trigger_after = 0;

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
    leveled.declare(table);
  }
  [[nodiscard]] std::vector<std::string> validate() const { return leveled.validate(); }
  void resolve(const StoreOptions& store) {
    leveled.resolve(store);
    if (del_ratio_base.numerator() == 0) return;
    leveled.deletes =
        RocksdbDeleteTrigger{del_ratio_base.as_double(), store.buffer.value(),
                             size_trigger == SizeTrigger::kKept, Instant(trigger_after)};
  }
};

}  // namespace

PolicyFamily delete_aware_family() {
  PolicyFamily family = make_family<DeleteAwareOptions>(
      "delete-aware",
      "Delete-Aware RocksDB: rocksdb-leveled, where a level merges when its tombstones are many",
      "the delete-aware thesis, Section 3.1.1, on RocksDB 7.8.3's rules",
      [](const DeleteAwareOptions& options) {
        return std::shared_ptr<const Policy>(
            std::make_shared<const RocksdbLeveled>(options.leveled));
      });
  add_rocksdb_leveled_stalls(family);
  family.cost_model = delete_aware_leveled_model;
  return family;
}

}  // namespace lsmlab
