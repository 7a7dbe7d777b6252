// Reads at resolution range against resolution key, which looks up every key and fetches every
// block.
#include <cmath>

#include "sim/keys/simulate_keys.h"
#include "sim/ranges/simulate_ranges.h"
#include "testing/runs.h"

namespace lsmlab::range_reads_test {
namespace {

OperationWorkload reads_workload(const std::string& text) {
  const Result<Spec> spec = parse_spec(text);
  REQUIRE(spec.has_value());
  Result<OperationWorkload> workload = make_operation_workload(spec.value());
  INFO(text << (workload ? "" : ": " + workload.error().message));
  REQUIRE(workload.has_value());
  return std::move(workload).value();
}

struct BothRuns {
  RunResult keys;
  RunResult ranges;
};

BothRuns run_both(const std::string& policy, const OperationWorkload& workload) {
  RunSetup setup = default_setup(testing::policy_of(policy));
  setup.options.seed = 1;
  RunControl control;
  const auto operations = workload.open(1);
  Result<RunResult> keys = simulate_keys(setup, *operations, control);
  Result<RunResult> ranges = simulate_ranges(setup, workload, control);
  INFO(policy << (ranges ? "" : ": " + ranges.error().message));
  REQUIRE(keys.has_value());
  REQUIRE(ranges.has_value());
  return {std::move(keys).value(), std::move(ranges).value()};
}

double per_read(std::uint64_t count, std::uint64_t reads) {
  return static_cast<double>(count) / static_cast<double>(std::max<std::uint64_t>(1, reads));
}

// Each figure is that of one read. A figure differs by the share, or by the deviation of a sum of
// independent draws.
void require_near(const std::string& name, std::uint64_t key, std::uint64_t range,
                  std::uint64_t reads, double share) {
  const double a = per_read(key, reads);
  const double b = per_read(range, reads);
  INFO(name << " of a read: key " << a << ", range " << b);
  const double deviation = std::sqrt(std::max(a, 1e-4) / static_cast<double>(reads));
  REQUIRE(std::abs(a - b) < share * a + 5 * deviation);
}

void require_near(const BlockReads& key, const BlockReads& range, std::uint64_t reads) {
  require_near("blocks fetched", key.blocks_fetched, range.blocks_fetched, reads, 0.02);
  // In these small stores every flush changes a large part of the files at once. The window of the
  // cache is that of the mean over such moments.
  constexpr double kHitRateNear = 0.035;
  const double hit_rates[2] = {1 - per_read(key.blocks_read, key.blocks_fetched),
                               1 - per_read(range.blocks_read, range.blocks_fetched)};
  INFO("hit rate: key " << hit_rates[0] << ", range " << hit_rates[1]);
  const double deviation =
      1 / std::sqrt(static_cast<double>(std::max<std::uint64_t>(1, key.blocks_fetched)));
  REQUIRE(std::abs(hit_rates[0] - hit_rates[1]) < kHitRateNear + 3 * deviation);
}

void require_near(const LookupFigures& key, const LookupFigures& range) {
  REQUIRE(key.count == range.count);
  if (key.count == 0) return;
  // A popular key is in the memtable from its first update on, which the mean over a part of the
  // memtable's writes shows a little later.
  require_near("memtable hits", key.memtable_hits, range.memtable_hits, key.count, 0.04);
  require_near("runs touched", key.runs_touched, range.runs_touched, key.count, 0.02);
  require_near("filter checks", key.filter_checks, range.filter_checks, key.count, 0.02);
  // A popular key is a false positive of a filter always or never.
  require_near("false positives", key.false_positives, range.false_positives, key.count, 0.2);
  require_near(key.blocks, range.blocks, key.count);
}

void require_near(const ScanFigures& key, const ScanFigures& range) {
  REQUIRE(key.count == range.count);
  if (key.count == 0) return;
  require_near("entries", key.entries, range.entries, key.count, 0.01);
  require_near("runs touched", key.runs_touched, range.runs_touched, key.count, 0.02);
  require_near(key.blocks, range.blocks, key.count);
}

TEST_CASE("resolution range: lookups and scans cost what they cost at resolution key") {
  const std::string ycsb = "records=300K,operations=300K,key_bytes=16,value_bytes=112";
  const std::string store = "buffer=512KiB,file_size=512KiB,block_cache=4MiB";
  struct Row {
    std::string policy;
    std::string workload;
  };
  for (const Row& row : {
           Row{"leveldb:" + store, "ycsb-a:" + ycsb},
           Row{"leveldb:" + store, "ycsb-c:" + ycsb},
           Row{"leveldb:" + store, "ycsb-d:" + ycsb},
           Row{"leveldb:" + store, "ycsb-e:" + ycsb},
           Row{"rocksdb-leveled:" + store, "ycsb-f:" + ycsb},
           Row{"tiered:size_ratio=4,buffer=512KiB,block_cache=4MiB", "ycsb-b:" + ycsb},
           Row{"tiered:size_ratio=4,buffer=512KiB,bits_per_key=0",
               "design-space-interleaved:entries=500K,empty_fraction=50%"},
           Row{"leveldb:" + store,
               "design-space-interleaved:entries=500K,lookups=200K,empty_fraction=30%,"
               "updates_per_insert=1,delete_fraction=10%"},
           Row{"ldc:" + store, "ldc-rwb:operations=600K,value_bytes=112"},
           Row{"ldc:" + store, "ldc-scn-rh:operations=300K,value_bytes=112"},
           Row{"leveldb:" + store,
               "design-space-queries:entries=300K,lookups=200K,scans=100,"
               "insert_distribution=sequential"},
       }) {
    INFO(row.policy << " on " << row.workload << ", seed 1");
    const BothRuns both = run_both(row.policy, reads_workload(row.workload));
    REQUIRE(both.keys.keys->operations == both.ranges.keys->operations);
    const ReadFigures& keys = *both.keys.keys->reads;
    const ReadFigures& ranges = *both.ranges.keys->reads;
    require_near(keys.gets_found, ranges.gets_found);
    require_near(keys.gets_absent, ranges.gets_absent);
    require_near(keys.scans, ranges.scans);
  }
}

TEST_CASE("resolution range: absent keys next to popular ones use the blocks of these") {
  const OperationWorkload load = reads_workload("load:entries=300K");
  OperationWorkload workload = load;
  Phase reads = load.phases.front();
  reads.actions = {};
  reads.actions[Action::kGetPresent] = 150'000;
  reads.actions[Action::kGetAbsent] = 150'000;
  reads.lookup_keys.kind = AccessKeyKind::kZipfian;
  reads.absent_keys = AbsentKeys::kNeighbour;
  workload.phases.push_back(reads);
  REQUIRE(workload.validate().empty());
  // Without filters, so that no popular key is a false positive by chance.
  const BothRuns both =
      run_both("tiered:size_ratio=4,buffer=512KiB,block_cache=4MiB,bits_per_key=0", workload);
  const ReadFigures& keys = *both.keys.keys->reads;
  const ReadFigures& ranges = *both.ranges.keys->reads;
  require_near(keys.gets_found.blocks, ranges.gets_found.blocks, 150'000);
  require_near(keys.gets_absent.blocks, ranges.gets_absent.blocks, 150'000);
}

// A class of keys is a part of the key space; the hottest keys are the first ones, and no file may
// begin behind them.
TEST_CASE("resolution range: reads of keys that were inserted in order and are updated") {
  OperationWorkload workload =
      reads_workload("load:entries=200K,insert_distribution=sequential,key_bytes=16");
  Phase mixed = workload.phases.front();
  mixed.actions = {};
  mixed.actions[Action::kInsert] = 20'000;
  mixed.actions[Action::kUpdate] = 40'000;
  mixed.actions[Action::kDelete] = 5'000;
  mixed.actions[Action::kGetPresent] = 100'000;
  mixed.actions[Action::kGetAbsent] = 20'000;
  mixed.lookup_keys.kind = AccessKeyKind::kZipfian;
  mixed.update_keys.kind = AccessKeyKind::kZipfian;
  workload.phases.push_back(mixed);
  REQUIRE(workload.validate().empty());
  for (const std::string policy : {"leveldb:buffer=512KiB,file_size=512KiB,block_cache=4MiB",
                                   "tiered:size_ratio=4,buffer=512KiB,block_cache=4MiB"}) {
    INFO(policy);
    const BothRuns both = run_both(policy, workload);
    const ReadFigures& keys = *both.keys.keys->reads;
    const ReadFigures& ranges = *both.ranges.keys->reads;
    require_near("memtable hits", keys.gets_found.memtable_hits, ranges.gets_found.memtable_hits,
                 100'000, 0.03);
    require_near("runs", keys.gets_found.runs_touched, ranges.gets_found.runs_touched, 100'000,
                 0.03);
    require_near(keys.gets_found.blocks, ranges.gets_found.blocks, 100'000);
  }
}

TEST_CASE("resolution range: a sample of the reads stands for all of them") {
  const OperationWorkload workload =
      reads_workload("ycsb-b:records=100K,operations=5M,key_bytes=16,value_bytes=112");
  const BothRuns both = run_both("leveldb:buffer=512KiB,file_size=512KiB", workload);
  REQUIRE(both.keys.keys->operations == both.ranges.keys->operations);
  require_near(both.keys.keys->reads->gets_found, both.ranges.keys->reads->gets_found);
}

TEST_CASE("resolution range: useless seeks of lookups cause LevelDB's merges") {
  const OperationWorkload workload =
      reads_workload("ycsb-c:records=200K,operations=400K,key_bytes=16,value_bytes=112");
  const BothRuns both = run_both("leveldb:buffer=256KiB,file_size=256KiB", workload);
  const RunResult loaded =
      run_both("leveldb:buffer=256KiB,file_size=256KiB",
               reads_workload("load:entries=200K,key_bytes=16,value_bytes=112"))
          .ranges;
  REQUIRE(both.keys.totals.merges > loaded.totals.merges);
  REQUIRE(both.ranges.totals.merges > loaded.totals.merges);
}

TEST_CASE("resolution range: equal commands read equally") {
  const OperationWorkload workload = reads_workload(
      "ycsb-e:records=50K,operations=20K,key_bytes=16,value_bytes=112,zipf_exponent=0.8");
  ReadFigures figures[2];
  for (ReadFigures& each : figures) {
    each = *run_both("leveldb:buffer=64KiB,file_size=64KiB", workload).ranges.keys->reads;
  }
  REQUIRE(figures[0] == figures[1]);
}

}  // namespace
}  // namespace lsmlab::range_reads_test
