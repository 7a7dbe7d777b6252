// Resolution range against resolution key, which knows every entry.
#include "sim/ranges/simulate_ranges.h"

#include <cmath>

#include "testing/both_resolutions.h"

namespace lsmlab::simulate_ranges_test {
namespace {

using namespace std::string_literals;
using namespace testing;

// The presets lo+1 and tier.
const std::string kLeastOverlap =
    "primitives:layout=leveling,trigger=level-saturation,granularity=file,"
    "movement=least-overlap-parent,";
const std::string kTier =
    "primitives:layout=tiering,trigger=sorted-runs+space-amplification,granularity=sorted-runs,"
    "movement=none,space_amplification_percent=200,";

// Where policies see whole runs, nothing depends on densities: only the sizes of runs count.
TEST_CASE("resolution range agrees exactly with resolution key on whole-run policies and inserts") {
  const OperationWorkload workload = workload_of("load:entries=200K");
  for (const std::string policy :
       {"tiered:size_ratio=4,buffer=64KiB", "leveled-full:size_ratio=4,buffer=64KiB",
        "rocksdb-universal:buffer=64KiB,file_size=64KiB", "binomial:k=4,buffer=64KiB",
        "constant:k=3,buffer=64KiB,filter_split=monkey"}) {
    INFO(policy);
    const RunResult keys = by_keys(policy, workload, 1);
    const RunResult ranges = by_ranges(policy, workload, 1);
    REQUIRE(ranges.totals.flushes == keys.totals.flushes);
    REQUIRE(ranges.totals.merges == keys.totals.merges);
    REQUIRE(ranges.totals.user_bytes == keys.totals.user_bytes);
    REQUIRE(ranges.totals.flush_bytes_written == keys.totals.flush_bytes_written);
    REQUIRE(ranges.totals.merge_bytes_written == keys.totals.merge_bytes_written);
    REQUIRE(ranges.totals.merge_bytes_read == keys.totals.merge_bytes_read);
    REQUIRE(ranges.totals.entries_dropped == 0);
    REQUIRE(ranges.keys->final.space == keys.keys->final.space);
    REQUIRE(ranges.runs.sum == keys.runs.sum);
  }
}

// With latest access, 16 cells hide where a level's old classes end: some updates miss their older
// version for a while, so that a small store is up to 5 % too large. 64 cells halve that.
TEST_CASE("resolution range is near resolution key where merges take parts of levels") {
  const std::string store = "buffer=256KiB,file_size=256KiB";
  struct Row {
    std::string workload;
    double written;
    double others;
    double space = 0.04;
  };
  for (const Row& row :
       {Row{"load:entries=500K", 0.015, 0.04},
        Row{"load:entries=500K,update_fraction=50%", 0.03, 0.04},
        // Merges with all older data drop every update's older version: no chance is in that.
        Row{"load:entries=500K,update_fraction=70%", 0.03, 0.04, 0.01},
        Row{"load:entries=500K,update_fraction=50%,update_distribution=zipfian", 0.03, 0.04},
        Row{"load:entries=500K,update_fraction=30%,delete_fraction=15%", 0.03, 0.04},
        Row{"load:entries=500K,update_fraction=50%,update_distribution=latest", 0.03, 0.04},
        Row{"load:entries=500K,update_fraction=60%,update_distribution=latest,delete_fraction=10%",
            0.03, 0.04, 0.06},
        Row{"load:entries=500K,insert_distribution=near-sorted", 0.015, 0.04}}) {
    const OperationWorkload workload = workload_of(row.workload);
    for (const std::string& policy :
         {"leveldb:" + store, "rocksdb-leveled:" + store, kLeastOverlap + store, kTier + store}) {
      INFO(policy << " on " << row.workload << ", seeds 1 to 4");
      const Closeness close = closeness(policy, workload);
      INFO("written " << close.written << ", merges " << close.merges << ", space " << close.space);
      REQUIRE(std::abs(close.written) < row.written);
      REQUIRE(std::abs(close.merges) < row.others);
      REQUIRE(std::abs(close.space) < row.space);
    }
  }
}

// Each cell knows the span of its entries' ages. Inside a cell they are taken as uniform: so the
// model still writes 1 to 3 % too much with 16 cells where the oldest entry counts. More cells must
// not be worse: a cell without an entry has no age.
TEST_CASE("resolution range is near resolution key where memtables replace entries") {
  const std::string store = "buffer=256KiB,file_size=256KiB,memtable=";
  struct Row {
    std::string workload;
    double flushes_fewer;  // of those that versions make
  };
  for (const Row& row :
       {Row{"load:entries=500K,update_fraction=50%", 0.01},
        Row{"load:entries=500K,update_fraction=80%,update_distribution=zipfian", 0.35},
        Row{"load:records=20K,entries=500K,update_fraction=70%,delete_fraction=1%", 0.005}}) {
    const OperationWorkload workload = workload_of(row.workload);
    for (const std::string& given : {"leveldb:" + store, kTier + store}) {
      const std::string policy = given + "in-place";
      INFO(policy << " on " << row.workload << ", seeds 1 to 4");
      REQUIRE(std::abs(closeness(policy, workload).written) < 0.03);
      const auto flushes = [&](const RunResult& run) {
        return static_cast<double>(run.totals.flushes);
      };
      const double exact = flushes(by_keys(policy, workload, 1));
      REQUIRE(std::abs(flushes(by_ranges(policy, workload, 1)) / exact - 1) < 0.015);
      const double versions = flushes(by_keys(given + "versions", workload, 1));
      REQUIRE(exact < versions * (1 - row.flushes_fewer));
    }
  }
}

TEST_CASE("resolution range is near resolution key where files are chosen by age") {
  const OperationWorkload workload = workload_of("load:entries=300K");
  const std::string store = "buffer=128KiB,file_size=128KiB";
  for (const std::string& policy :
       {"primitives:layout=leveling,trigger=level-saturation,granularity=file,movement=oldest," +
            store,
        "rocksdb-leveled:priority=oldest-largest-seq-first," + store}) {
    for (const std::uint64_t cells : {16U, 64U}) {
      const Closeness close = closeness(policy, workload, cells);
      INFO(policy << ", cells " << cells << ": written " << close.written << ", merges "
                  << close.merges);
      REQUIRE(std::abs(close.written) < 0.045);
      REQUIRE(std::abs(close.merges) < 0.05);
    }
  }
}

// RocksDB's round robin cuts an output before its cursor, but not before the output's second entry:
// the model must not ask about each of the keys between two entries.
TEST_CASE("resolution range is near resolution key where an output is cut at a cursor") {
  const Closeness close =
      closeness("rocksdb-leveled:priority=round-robin,buffer=128KiB,file_size=128KiB",
                workload_of("load:entries=500K"));
  INFO("written " << close.written << ", merges " << close.merges);
  REQUIRE(std::abs(close.written) < 0.03);
  REQUIRE(std::abs(close.merges) < 0.05);
}

// A file takes what so many entries of the mean size take. Sizes of single files scatter by less
// than a percent, because each has thousands of entries.
TEST_CASE("resolution range is near resolution key where sizes vary") {
  OperationWorkload workload = workload_of("load:entries=300K,update_fraction=30%");
  workload.key_bytes = SizeDistribution::uniform(8, 25);
  SizeDistribution lognormal;
  lognormal.kind = SizeKind::kLognormal;
  lognormal.size = 120;
  lognormal.sigma = Decimal::parse("0.5");
  for (const SizeDistribution& values : {SizeDistribution::uniform(20, 201), lognormal}) {
    workload.phases.front().value_bytes = values;
    INFO(values.text());
    const std::string tiered = "tiered:size_ratio=4,buffer=128KiB";
    const RunResult keys = by_keys(tiered, workload, 1);
    const RunResult ranges = by_ranges(tiered, workload, 1);
    const auto ratio = [](auto a, auto b) {
      return static_cast<double>(a) / static_cast<double>(b);
    };
    REQUIRE(std::abs(ratio(ranges.totals.user_bytes, keys.totals.user_bytes) - 1) < 0.005);
    REQUIRE(std::abs(ratio(ranges.keys->final.file_bytes, keys.keys->final.file_bytes) - 1) < 0.03);
    const Closeness close = closeness("leveldb:buffer=128KiB,file_size=128KiB", workload);
    INFO("written " << close.written << ", merges " << close.merges << ", space " << close.space);
    REQUIRE(std::abs(close.written) < 0.03);
    REQUIRE(std::abs(close.merges) < 0.04);
    REQUIRE(std::abs(close.space) < 0.04);
  }
}

TEST_CASE("resolution range: inserts are all kept, in slices too") {
  const OperationWorkload workload = workload_of("load:entries=300K");
  const RunResult run = by_ranges("ldc:buffer=128KiB,file_size=128KiB", workload, 3);
  REQUIRE(run.totals.links > 0);
  REQUIRE(run.totals.entries_dropped == 0);
  REQUIRE(run.totals.user_bytes == 300'000 * 128);
}

TEST_CASE("resolution range: sequential inserts are never merged") {
  const OperationWorkload workload =
      workload_of("load:entries=300K,insert_distribution=sequential");
  for (const std::string policy :
       {"leveldb:buffer=128KiB,file_size=128KiB", "ldc:buffer=128KiB,file_size=128KiB"}) {
    INFO(policy);
    const RunResult ranges = by_ranges(policy, workload, 1);
    const RunResult keys = by_keys(policy, workload, 1);
    REQUIRE(ranges.totals.merges == keys.totals.merges);
    REQUIRE(bytes_written(ranges) == bytes_written(keys));
  }
}

TEST_CASE("resolution range: equal commands give equal plans") {
  const OperationWorkload workload = workload_of("load:entries=200K,update_fraction=40%");
  std::string logs[3];
  for (int i = 0; i < 3; ++i) {
    RunSetup setup = setup_of("leveldb:buffer=64KiB,file_size=64KiB", i < 2 ? 9 : 10);
    setup.log = [&](const PlanRecord& record) { logs[i] += plan_record_line(record) + "\n"; };
    RunControl control;
    REQUIRE(simulate_ranges(setup, workload, control).has_value());
  }
  REQUIRE(logs[0] == logs[1]);
  REQUIRE(logs[0] != logs[2]);
}

TEST_CASE("resolution range: a result states its cells, and more cells change plans") {
  const OperationWorkload workload = workload_of("load:entries=100K,update_fraction=40%");
  RunSetup setup = setup_of("leveldb:buffer=64KiB,file_size=64KiB", 1);
  std::uint64_t written[3];
  for (unsigned i = 0; i < 3; ++i) {
    setup.options.range_cells = std::uint64_t{4} << 2 * i;
    RunControl control;
    const Result<RunResult> run = simulate_ranges(setup, workload, control);
    REQUIRE(run.has_value());
    REQUIRE(run.value().cells == setup.options.range_cells);
    written[i] = static_cast<std::uint64_t>(bytes_written(run.value()));
  }
  REQUIRE(written[0] != written[1]);
  REQUIRE(written[1] != written[2]);
}

// Updates and deletes lie thinly over the keys that inserts wrote densely.
TEST_CASE("resolution range is near resolution key where other writes follow sequential inserts") {
  const std::string store = "buffer=256KiB,file_size=256KiB";
  const std::string load = "load:entries=500K,insert_distribution=sequential,";
  for (const std::string& writes :
       {"update_fraction=50%"s, "update_fraction=40%,delete_fraction=10%"s,
        "update_fraction=50%,update_distribution=zipfian"s,
        "update_fraction=50%,update_distribution=latest"s}) {
    const OperationWorkload workload = workload_of(load + writes);
    for (const std::string& policy :
         {"leveldb:" + store, kLeastOverlap + store, "rocksdb-leveled:" + store, kTier + store,
          "rocksdb-universal:" + store, "ldc:" + store}) {
      INFO(policy << " on " << writes << ", seeds 1 to 4");
      const Closeness close = closeness(policy, workload);
      INFO("written " << close.written << ", merges " << close.merges << ", space " << close.space);
      // ldc makes fewer merges of thin slices. Merges are few: a percent is one or two.
      const bool is_sliced = policy.starts_with("ldc");
      REQUIRE(std::abs(close.written) < 0.035);
      REQUIRE(std::abs(close.merges) < (is_sliced ? 0.25 : 0.08));
      REQUIRE(std::abs(close.space) < 0.06);
    }
  }
}

TEST_CASE("resolution range is near resolution key where files refer to parts of others") {
  const std::string load = "load:entries=1M,";
  for (const std::string& writes :
       {"update_fraction=50%"s, "update_fraction=40%,delete_fraction=10%"s}) {
    const OperationWorkload workload = workload_of(load + writes);
    for (const std::string& policy : {"dcompaction:buffer=256KiB,file_size=256KiB"s,
                                      "tarantool:buffer=256KiB,range_size=8MiB"s}) {
      INFO(policy << " on " << writes << ", seeds 1 to 4");
      const Closeness close = closeness(policy, workload);
      INFO("written " << close.written << ", merges " << close.merges << ", space " << close.space);
      REQUIRE(std::abs(close.written) < 0.05);
      REQUIRE(std::abs(close.merges) < 0.1);
      // Of the last moment: seeds of exact keys differ by a tenth.
      REQUIRE(std::abs(close.space) < 0.1);
      REQUIRE(by_ranges(policy, workload, 1).totals.refers > 0);
    }
  }
}

// Memtables of other stores count the memory of an arena, and their files leave out bytes that keys
// share.
TEST_CASE("resolution range knows the table formats of RocksDB and LevelDB") {
  struct Row {
    std::string workload;
    std::string options;
  };
  for (const std::string& format : {"rocksdb"s, "leveldb"s}) {
    for (const Row& row : {Row{"load:entries=300K", "block_size=4KiB"},
                           Row{"load:entries=300K,value_bytes=8", "block_size=1KiB"},
                           Row{"load:entries=60K,value_bytes=1000", "block_size=32KiB"},
                           Row{"load:entries=300K", "block_size=16KiB,bits_per_key=0"},
                           Row{"load:entries=300K,insert_distribution=sequential", ""},
                           Row{"load:entries=300K,update_fraction=30%,delete_fraction=10%", ""}}) {
      const OperationWorkload workload = workload_of(row.workload);
      const bool has_updates = row.workload.find("update") != std::string::npos;
      const std::string store = "buffer=512KiB,file_size=512KiB,table_format=" + format +
                                (row.options.empty() ? "" : "," + row.options);
      const std::string tiered = "tiered:size_ratio=4," + store.substr(0, store.find(',')) +
                                 store.substr(store.find(",table_format"));
      for (const std::string& policy : {"leveldb:" + store, tiered}) {
        INFO(policy << " on " << row.workload << ", seeds 1 to 4");
        const Closeness close = closeness(policy, workload);
        INFO("written " << close.written << ", space " << close.space);
        // Seeds differ by up to 3 % at both resolutions.
        REQUIRE(std::abs(close.written) < (has_updates ? 0.03 : 0.025));
        REQUIRE(std::abs(close.space) < (has_updates ? 0.03 : 0.01));
        const std::uint64_t flushes = by_keys(policy, workload, 1).totals.flushes;
        const std::uint64_t modelled = by_ranges(policy, workload, 1).totals.flushes;
        REQUIRE(std::max(flushes, modelled) - std::min(flushes, modelled) <= 1 + flushes / 100);
      }
    }
  }
}

TEST_CASE("resolution range names what it does not know") {
  const auto message = [](const std::string& policy, const std::string& workload) {
    const Result<RunResult> run = try_ranges(policy, workload_of(workload), 1);
    REQUIRE(!run);
    return run.error().message;
  };
  const std::string policy = "leveldb:buffer=64KiB";
  REQUIRE(message(policy, "load:entries=1000,insert_distribution=near-sorted,delete_fraction=10%")
              .find("near-sorted") != std::string::npos);
  OperationWorkload mixed = workload_of("load:entries=1000,insert_distribution=sequential");
  mixed.phases.push_back(workload_of("load:entries=1000").phases.front());
  const Result<RunResult> both = try_ranges(policy, mixed, 1);
  REQUIRE(!both);
  REQUIRE(both.error().message.find("in order") != std::string::npos);
  OperationWorkload sequential = workload_of("load:entries=1000,update_fraction=10%");
  sequential.phases.front().update_keys.kind = AccessKeyKind::kSequential;
  const Result<RunResult> refused = try_ranges(policy, sequential, 1);
  REQUIRE(!refused);
  REQUIRE(refused.error().message.find("update_keys") != std::string::npos);
}

// Where classes age, nothing is drawn: neither class merges nor steps of a memtable may depend on
// more than the workload.
TEST_CASE("resolution range: equal commands give equal plans where classes age") {
  OperationWorkload workload =
      workload_of("load:entries=300K,update_fraction=50%,update_distribution=latest");
  Phase popular = workload.phases.front();
  popular.update_keys.kind = AccessKeyKind::kZipfian;
  workload.phases.push_back(popular);
  std::string logs[2];
  for (std::string& log : logs) {
    RunSetup setup = setup_of("leveldb:buffer=64KiB,file_size=64KiB", 9);
    setup.log = [&](const PlanRecord& record) { log += plan_record_line(record) + "\n"; };
    RunControl control;
    REQUIRE(simulate_ranges(setup, workload, control).has_value());
  }
  REQUIRE(!logs[0].empty());
  REQUIRE(logs[0] == logs[1]);
}

// Deletes of the newest keys, updates after them, then another distribution: every live key and no
// other is counted at the end.
TEST_CASE("resolution range: live bytes are those of exact keys where classes age") {
  OperationWorkload workload = workload_of(
      "load:entries=300K,update_fraction=50%,update_distribution=latest,delete_fraction=20%");
  workload.phases.front().delete_keys.kind = AccessKeyKind::kLatest;
  Phase updates = workload.phases.front();
  updates.actions = {};
  updates.actions[Action::kUpdate] = 50'000;
  workload.phases.push_back(updates);
  Phase more = workload.phases.front();
  more.update_keys.kind = AccessKeyKind::kZipfian;
  more.delete_keys.kind = AccessKeyKind::kUniform;
  workload.phases.push_back(more);
  for (const std::string& policy :
       {kLeastOverlap + "buffer=64KiB,file_size=64KiB", kTier + "buffer=64KiB,file_size=64KiB",
        "rocksdb-leveled:buffer=64KiB,file_size=64KiB"s}) {
    const RunResult runs[2] = {by_keys(policy, workload, 1), by_ranges(policy, workload, 1)};
    double live[2];
    for (int i = 0; i < 2; ++i) {
      live[i] = static_cast<double>(runs[i].keys->final.file_bytes) /
                runs[i].keys->final.space.value_or(1);
    }
    INFO(policy << ", seed 1: live bytes " << live[0] << " and " << live[1]);
    REQUIRE(std::abs(live[1] / live[0] - 1) < 0.01);
    REQUIRE(std::abs(closeness(policy, workload).written) < 0.03);
  }
}

// Few keys lie far apart from the others, so that an output may be cut before its first one.
TEST_CASE("resolution range: outputs do not overlap where some keys are far from the others") {
  OperationWorkload workload = workload_of("load:entries=500K,insert_distribution=near-sorted");
  workload.phases.front().insert_keys.displaced = Decimal::parse("0.01");
  workload.phases.front().insert_keys.displacement_max = Decimal::parse("0.5");
  for (const std::string policy :
       {"rocksdb-leveled:buffer=64KiB,file_size=64KiB", "leveldb:buffer=64KiB,file_size=64KiB"}) {
    for (const std::uint64_t cells : {16U, 256U}) {
      const RunResult run = by_ranges(policy, workload, 2, cells);
      REQUIRE(run.totals.entries_dropped == 0);
    }
  }
}

TEST_CASE("resolution range: a run that is stopped returns what it has") {
  const OperationWorkload workload = workload_of("load:entries=100M");
  const std::atomic<bool> stop = true;
  RunControl control;
  control.stop = &stop;
  const Result<RunResult> run =
      simulate_ranges(setup_of("leveldb:buffer=64KiB", 1), workload, control);
  REQUIRE(run.has_value());
  REQUIRE(!run.value().complete);
  REQUIRE(run.value().totals.flushes == 0);
}

TEST_CASE("resolution range knows which keys are gone with dropped files") {
  for (const char* const text :
       {"load:entries=300K", "load:records=60K,entries=600K,update_fraction=90%",
        "load:records=50K,entries=500K,update_fraction=60%,delete_fraction=5%"}) {
    for (const std::string policy :
         {"rocksdb-fifo:buffer=64KiB,max_table_files_size=2MiB",
          "rocksdb-fifo:buffer=64KiB,max_table_files_size=2MiB,ttl=30k,allow_compaction=true"}) {
      INFO(policy << " " << text);
      const OperationWorkload workload = workload_of(text);
      const RunResult keys = by_keys(policy, workload, 1);
      const RunResult ranges = by_ranges(policy, workload, 1);
      REQUIRE(keys.totals.drops > 20);
      REQUIRE(static_cast<double>(ranges.totals.drops) ==
              Approx(static_cast<double>(keys.totals.drops)).epsilon(0.02));
      REQUIRE(static_cast<double>(ranges.totals.bytes_dropped) ==
              Approx(static_cast<double>(keys.totals.bytes_dropped)).epsilon(0.02));
      REQUIRE(ranges.keys->final.space.has_value());
      REQUIRE(*ranges.keys->final.space == Approx(*keys.keys->final.space).epsilon(0.03));
    }
  }
  const auto reads = try_ranges("rocksdb-fifo:buffer=64KiB", workload_of("ycsb-a:records=10K"), 1);
  REQUIRE(!reads.has_value());
  REQUIRE(reads.error().message.find("dropped data") != std::string::npos);
}

// So short a time to live writes most files again. Then densities do not tell where single entries
// end an output at an old file, and range writes 5 to 8 % more.
TEST_CASE("resolution range is near resolution key on data past its time to live") {
  const OperationWorkload workload = workload_of(
      "load:records=100K,entries=400K,"
      "update_fraction=75%");
  const std::string policy = "rocksdb-leveled:buffer=64KiB,file_size=64KiB,level_base=256KiB";
  const RunResult without = by_keys(policy, workload, 1);
  const RunResult keys = by_keys(policy + ",ttl=60k", workload, 1);
  const RunResult ranges = by_ranges(policy + ",ttl=60k", workload, 1);
  REQUIRE(keys.totals.by_reason.contains(PlanReason::kTimeToLive));
  REQUIRE(ranges.totals.by_reason.contains(PlanReason::kTimeToLive));
  REQUIRE(keys.totals.merge_bytes_written != without.totals.merge_bytes_written);
  REQUIRE(static_cast<double>(ranges.totals.merge_bytes_written) ==
          Approx(static_cast<double>(keys.totals.merge_bytes_written)).epsilon(0.1));
}

}  // namespace
}  // namespace lsmlab::simulate_ranges_test
