// SILK (Balmau et al., USENIX ATC 2019): the leveled compaction of RocksDB 5.7, and a scheduler of
// merges. The plans are those of rocksdb-leveled with the same options; the scheduler
// (models/execution/merge_scheduler.h) changes when they run, where there is time. `plus`: SILK+
// (Balmau et al., ACM TOCS 2020), which also keeps requests of different kinds apart.
#include "models/policies/rocksdb/leveled.h"

namespace lsmlab {
namespace {

struct SilkOptions {
  MergeScheduling scheduling;
  RocksdbLeveledOptions leveled;

  SilkOptions() {
    leveled.priority = RocksdbPriority::kByCompensatedSize;
    leveled.version = RocksdbVersion::k6_12;
  }
  void declare(OptionTable& table) {
    scheduling.declare(table);
    leveled.declare(table);
  }
  [[nodiscard]] std::vector<std::string> validate() const {
    std::vector<std::string> faults = scheduling.validate();
    for (std::string& fault : leveled.validate()) faults.push_back(std::move(fault));
    return faults;
  }
  void resolve(const StoreOptions& store) { leveled.resolve(store); }
};

class Silk final : public RocksdbLeveled {
 public:
  explicit Silk(const SilkOptions& options)
      : RocksdbLeveled(options.leveled), scheduling_(options.scheduling) {}
  [[nodiscard]] std::optional<MergeScheduling> merge_scheduling() const override {
    return scheduling_;
  }

 private:
  MergeScheduling scheduling_;
};

std::vector<RuleFidelity> silk_fidelity() {
  const char* const kFlush = "db/db_impl_compaction_flush.cc, SILK@35385f1";
  const char* const kBench = "LongPeakTest in tools/db_bench_tool.cc, SILK@35385f1";
  const char* const kPaper = "USENIX ATC 2019, abstract; db/db_impl_compaction_flush.cc";
  return {
      {"which files merge, and how", Fidelity::kSimplified,
       "db/compaction_picker.cc, db/version_set.cc, SILK@35385f1 (RocksDB 5.7)",
       "the rules of rocksdb-leveled with version=6.12, the oldest that it has"},
      {"up to 4 files of level 0 wait while a sketch of their keys says that a merge would remove "
       "less than 40 % of them (TRIAD)",
       Fidelity::kNotModelled, "db/compaction_picker.cc, SILK@35385f1",
       "files have no such sketch; where few keys repeat, l0_trigger=5 does the same"},
      {"bandwidth of merges: what clients leave of 200 MB/s, at least 10 MB/s, measured every 10 "
       "ms, changed by 10 MB/s or more",
       Fidelity::kExact, kBench},
      {"what the bandwidth limits", Fidelity::kSimplified, kBench,
       "the source limits what flushes and all merges write; here flushes and merges of level 0 "
       "go first and never wait, and deeper merges get the rest"},
      {"the load of clients", Fidelity::kSimplified, kBench,
       "bytes put, and bytes of blocks that lookups and scans read from the device; the source's "
       "benchmark multiplies all operations with the size of a value"},
      {"deeper merges do not begin while clients transfer more than 150 MB/s", Fidelity::kExact,
       kBench},
      {"merges that run at that moment", Fidelity::kSimplified, kPaper,
       "they stop before their next request and go on after the peak, as in the abstract; the "
       "source lets them end first. They also go on while level 0 waits for their files"},
      {"merging goes on after a peak", Fidelity::kSimplified, kFlush,
       "the source counts each pause twice and each resumption once, so that after its first peak "
       "only merges in the flush pool run"},
      {"level 0 merges in the flush pool from 4 files on, beside merges that run and while these "
       "are paused",
       Fidelity::kSimplified, kFlush,
       "one thread, from l0_trigger files on; the source's job there takes what scores highest, "
       "which may be a deeper merge"},
      {"flush before level 0 before deeper merges", Fidelity::kExact, kPaper},
      {"SILK+: requests are separated by size and by the way that they take", Fidelity::kSimplified,
       "ACM TOCS 2020 (doi 10.1145/3380905), abstract; no source is public",
       "plus=true: of the open clients of a simulation, an eighth is always there for each of "
       "small puts, large puts, lookups and scans; closed clients and replays wait for their own "
       "operations only"},
  };
}

}  // namespace

PolicyFamily silk_family() {
  PolicyFamily family = make_family<SilkOptions, Silk>(
      "silk",
      "RocksDB's leveled compaction with a scheduler: merges get the bandwidth that clients leave, "
      "and level 0 goes first; it changes time, not bytes",
      "Balmau et al., SILK, USENIX ATC 2019; theoanab/SILK-USENIXATC2019@35385f1");
  add_rocksdb_leveled_stalls(family);
  family.settle_store = settle_rocksdb_arena;
  family.fidelity = silk_fidelity();
  return family;
}

}  // namespace lsmlab
