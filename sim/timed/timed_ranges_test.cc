// Runs with a clock at resolution `range`: what they have in common with resolution `key`, and that
// their shortcuts change nothing.
#include <atomic>
#include <cmath>
#include <string>

#include "sim/timed/simulate_timed.h"
#include "testing/catch.h"
#include "testing/timed_runs.h"
#include "traces/workloads/operation_workload.h"

namespace lsmlab::timed_ranges_test {
namespace {

using testing::plain_device;
using testing::policy_of;

// The presets lo+1 and tier of configs/policies.
const std::string kLeastOverlap =
    "primitives:layout=leveling,trigger=level-saturation,granularity=file,"
    "movement=least-overlap-parent,";
const std::string kTier =
    "primitives:layout=tiering,trigger=sorted-runs+space-amplification,granularity=sorted-runs,"
    "movement=none,space_amplification_percent=200,";

struct RangeCase {
  std::string policy;
  std::string workload;
  Parameters device = plain_device();
  std::string clients = "closed";
  unsigned merge_threads = 1;
  Parameters stalls = {};
  bool repeats_puts = true;
  bool joins_requests = true;
  bool sync_writes = false;
  bool disable_wal = false;
  std::uint64_t value_bytes_max = 0;   // not 0: values have from 100 to so many bytes
  std::uint64_t stop_after_plans = 0;  // 0: the run is not stopped
};

RunResult run_at(const RangeCase& given, bool has_keys) {
  DeviceAndClients machine;
  machine.device = make_device("plain", given.device).value();
  machine.clients = make_clients(parse_spec(given.clients).value()).value();
  machine.repeats_puts = given.repeats_puts;
  machine.joins_requests = given.joins_requests;
  auto workload = make_operation_workload(parse_spec(given.workload).value());
  REQUIRE(workload.has_value());
  if (given.value_bytes_max > 0) {
    for (Phase& phase : workload.value().phases) {
      phase.value_bytes = SizeDistribution::uniform(100, given.value_bytes_max);
    }
  }
  RunSetup setup{policy_of(given.policy)};
  setup.options.is_stepped = false;
  setup.options.sync = given.sync_writes ? SyncRule::kEveryBatch : SyncRule::kNever;
  setup.policy.store.writes_log = !given.disable_wal;
  setup.options.merge_threads = given.merge_threads;
  setup.stalls = stall_rules_of(setup.policy, given.stalls).value();
  std::atomic<bool> stop = false;
  std::uint64_t plans = 0;
  setup.log = [&](const PlanRecord&) {
    if (++plans == given.stop_after_plans) stop = true;
  };
  RunControl control;
  control.stop = &stop;
  const auto run = [&] {
    if (!has_keys) return simulate_timed_ranges(setup, machine, workload.value(), control);
    return simulate_timed(setup, machine, *workload.value().open(1), control);
  };
  auto result = run();
  REQUIRE(result.has_value());
  REQUIRE(result.value().complete == (given.stop_after_plans == 0));
  return std::move(result).value();
}

RunResult run_ranges(const RangeCase& given) { return run_at(given, false); }

double stalled_seconds(const RunResult& result) {
  double seconds = 0;
  for (const StallFigures& stall : *result.time->stalls) {
    seconds += static_cast<double>(stall.nanoseconds) / 1e9;
  }
  return seconds;
}

double written(const RunResult& result) {
  return static_cast<double>(result.totals.flush_bytes_written + result.totals.merge_bytes_written);
}

void require_same(const RunResult& a, const RunResult& b) {
  REQUIRE(a.totals == b.totals);
  REQUIRE(a.time->latency.puts == b.time->latency.puts);
  REQUIRE(a.time->latency.gets == b.time->latency.gets);
  REQUIRE(a.time->operations_per_second == b.time->operations_per_second);
  REQUIRE(a.time->stalls->size() == b.time->stalls->size());
  for (std::size_t i = 0; i < a.time->stalls->size(); ++i) {
    REQUIRE((*a.time->stalls)[i].count == (*b.time->stalls)[i].count);
    REQUIRE((*a.time->stalls)[i].nanoseconds == (*b.time->stalls)[i].nanoseconds);
  }
  REQUIRE(a.machine->series == b.machine->series);
  REQUIRE(a.machine->device_figures == b.machine->device_figures);
  REQUIRE(a.machine->simulated_ns == b.machine->simulated_ns);
  REQUIRE(a.machine->cpu_busy_ns == b.machine->cpu_busy_ns);
  REQUIRE(a.machine->cpu_stopped_ns == b.machine->cpu_stopped_ns);
}

// Flushes are slower than the client, so that memtables become full while one runs.
TEST_CASE("a flush takes all memtables that wait if the policy says so, each key once") {
  const std::string joins =
      "rocksdb-leveled:buffer=64KiB,file_size=64KiB,disable_auto_compactions=true";
  RangeCase given{joins, "load:entries=100k"};
  given.device = plain_device({{"cpu_flush_entry_ns", "8000"}, {"cpu_put_ns", "1000"}});
  given.stalls = {{"full_memtables_max", "8"}};
  std::vector<double> overwritten;
  for (const bool has_keys : {true, false}) {
    INFO((has_keys ? "key" : "range"));
    given.workload = "load:entries=100k";
    given.policy = "none:buffer=64KiB";
    const RunResult single = run_at(given, has_keys);
    given.policy = joins;
    const RunResult joined = run_at(given, has_keys);
    REQUIRE(single.totals.flushes > 150);
    REQUIRE(joined.totals.flushes * 2 < single.totals.flushes);
    // Keys are unique: all entries are in files, in fewer frames.
    REQUIRE(written(joined) < written(single));
    REQUIRE(written(joined) > written(single) * 0.99);

    given.workload = "load:records=3k,entries=100k,update_fraction=1";
    const RunResult updated = run_at(given, has_keys);
    given.policy = "none:buffer=64KiB";
    REQUIRE(written(updated) < written(run_at(given, has_keys)) * 0.95);
    overwritten.push_back(written(updated) / static_cast<double>(updated.totals.user_bytes));
  }
  REQUIRE(std::abs(overwritten[1] / overwritten[0] - 1) < 0.01);
}

TEST_CASE("a load that stalls takes as long at resolution range as with keys") {
  const int number = GENERATE(0, 1, 2);
  const std::string policies[] = {kLeastOverlap + "buffer=256KiB,file_size=256KiB",
                                  "rocksdb-leveled:buffer=256KiB,file_size=256KiB,level_base=1MiB",
                                  kTier + "buffer=256KiB"};
  const std::string& policy = policies[number];
  CAPTURE(policy);
  const RangeCase given{.policy = policy,
                        .workload = "load:entries=400k",
                        .device = plain_device({{"write_bandwidth", "30MB"}})};
  const RunResult keys = run_at(given, true);
  const RunResult ranges = run_ranges(given);
  REQUIRE(ranges.resolution == "range");
  REQUIRE(stalled_seconds(keys) > 1);
  REQUIRE(*ranges.time->operations_per_second ==
          Approx(*keys.time->operations_per_second).epsilon(0.03));
  REQUIRE(written(ranges) == Approx(written(keys)).epsilon(0.03));
  REQUIRE(stalled_seconds(ranges) == Approx(stalled_seconds(keys)).epsilon(0.03));
}

TEST_CASE("memtables that replace entries stall as long at resolution range as with keys") {
  RangeCase given{.policy = kTier + "buffer=256KiB,memtable=in-place",
                  .workload = "load:entries=400k,update_fraction=80%,update_distribution=zipfian",
                  .device = plain_device({{"write_bandwidth", "20MB"}})};
  const RunResult keys = run_at(given, true);
  const RunResult ranges = run_ranges(given);
  REQUIRE(ranges.totals.flushes <= keys.totals.flushes + 2);
  REQUIRE(ranges.totals.flushes + 2 >= keys.totals.flushes);
  REQUIRE(written(ranges) == Approx(written(keys)).epsilon(0.03));
  REQUIRE(*ranges.time->operations_per_second ==
          Approx(*keys.time->operations_per_second).epsilon(0.05));
  given.repeats_puts = false;
  require_same(run_ranges(given), ranges);
  given.policy = kTier + "buffer=256KiB";
  REQUIRE(keys.totals.flushes * 3 < run_at(given, true).totals.flushes * 2);
}

TEST_CASE("reads take as long at resolution range as with keys") {
  const RangeCase given{.policy = "leveldb:buffer=256KiB,file_size=256KiB,block_cache=1MiB",
                        .workload = "ycsb-a:records=100k,operations=100k",
                        .clients = "closed:clients=2"};
  const RunResult keys = run_at(given, true);
  const RunResult ranges = run_ranges(given);
  REQUIRE(ranges.keys->operations.gets == keys.keys->operations.gets);
  REQUIRE(ranges.keys->operations.puts == keys.keys->operations.puts);
  REQUIRE(ranges.time->loading_operations == keys.time->loading_operations);
  REQUIRE(ranges.time->latency.gets->mean_ns ==
          Approx(keys.time->latency.gets->mean_ns).epsilon(0.05));
  REQUIRE(*ranges.time->operations_per_second ==
          Approx(*keys.time->operations_per_second).epsilon(0.05));
}

TEST_CASE("other table formats and placed keys take as long at resolution range as with keys") {
  const std::string sizes = "buffer=256KiB,file_size=256KiB,block_cache=1MiB";
  const std::string sequential = "load:entries=300k,insert_distribution=sequential";
  const RangeCase given = GENERATE_COPY(values<RangeCase>(
      {{.policy = kLeastOverlap + "table_format=rocksdb," + sizes, .workload = "load:entries=300k"},
       {.policy = kLeastOverlap + "table_format=leveldb," + sizes,
        .workload = "load:entries=300k,delete_fraction=10%"},
       {.policy = kLeastOverlap + sizes,
        .workload = sequential + ",update_fraction=40%,delete_fraction=10%"},
       {.policy = kLeastOverlap + sizes,
        .workload = sequential + ",update_fraction=50%,update_distribution=zipfian",
        .clients = "closed:clients=2"}}));
  CAPTURE(given.policy, given.workload);
  const RunResult keys = run_at(given, true);
  const RunResult ranges = run_ranges(given);
  REQUIRE(ranges.totals.flushes <= keys.totals.flushes + 2);
  REQUIRE(ranges.totals.flushes + 2 >= keys.totals.flushes);
  REQUIRE(written(ranges) == Approx(written(keys)).epsilon(0.05));
  REQUIRE(*ranges.time->operations_per_second ==
          Approx(*keys.time->operations_per_second).epsilon(0.05));
}

TEST_CASE("puts that are done many at a time leave what single puts leave") {
  RangeCase given;
  SECTION("without a stall") {
    given = {.policy = kLeastOverlap + "buffer=1MiB,file_size=1MiB",
             .workload = "load:entries=100k"};
  }
  SECTION("in a table format whose memtables count an arena") {
    given = {.policy = "leveldb:buffer=1MiB,file_size=1MiB,table_format=rocksdb",
             .workload = "load:entries=100k"};
  }
  SECTION("slowed down by a rate") {
    given = {.policy = kTier + "buffer=256KiB",
             .workload = "load:entries=200k",
             .device = plain_device({{"write_bandwidth", "30MB"}}),
             .stalls = {{"level0_slowdown_runs", "4"}}};
  }
  SECTION("slowed down as RocksDB does, with mean sizes that are no whole numbers") {
    given = {
        .policy = std::string("rocksdb-leveled:buffer=256KiB,file_size=256KiB,level_base=1MiB"),
        .workload = "load:entries=200k,update_fraction=30%",
        .device = plain_device({{"write_bandwidth", "30MB"}}),
        .stalls = {{"pending_slowdown_bytes", "2MiB"}},
        .value_bytes_max = 201};
  }
  SECTION("with work of all kinds between and in puts, and few cores") {
    given = {.policy = "rocksdb-universal:buffer=256KiB",
             .workload = "load:entries=200k",
             .device = plain_device({{"cpu_cores", "2"},
                                     {"cpu_client_ns", "300"},
                                     {"cpu_slow_put_ns", "700"},
                                     {"cpu_log_write_ns", "9000"},
                                     {"cpu_busy_slowdown", "0.4"},
                                     {"cpu_merge_entry_ns", "150"},
                                     {"cpu_quota", "1"},
                                     {"writeback_ns", "1000000"}})};
  }
  SECTION("in phases, with deletes") {
    given = {.policy = "leveldb:buffer=256KiB,file_size=256KiB",
             .workload = "load:entries=100k,delete_fraction=10%"};
  }
  SECTION("into memtables that replace entries") {
    given = {.policy = kTier + "buffer=256KiB,memtable=in-place",
             .workload = "load:entries=100k,update_fraction=80%,update_distribution=zipfian",
             .value_bytes_max = 201};
  }
  SECTION("before lookups") {
    given = {.policy = "leveldb:buffer=256KiB,file_size=256KiB",
             .workload = "ycsb-a:records=50k,operations=20k"};
  }
  given.repeats_puts = false;
  const RunResult single = run_ranges(given);
  given.repeats_puts = true;
  require_same(single, run_ranges(given));
}

TEST_CASE("joined requests of large flushes and merges change a run by less than a percent") {
  RangeCase given{.policy = kTier + "buffer=8MiB",
                  .workload = "load:entries=8M",
                  .device = plain_device({{"write_bandwidth", "100MB"},
                                          {"request_bytes", "32KiB"},
                                          {"sequential_latency_ns", "4000"}}),
                  .joins_requests = false};
  const RunResult fine = run_ranges(given);
  given.joins_requests = true;
  const RunResult coarse = run_ranges(given);
  REQUIRE(coarse.machine->simulated_ns != fine.machine->simulated_ns);
  const auto requests = [](const RunResult& result) {
    const DeviceFigures& device = result.machine->device_figures;
    return static_cast<double>(device.read_requests + device.write_requests);
  };
  REQUIRE(requests(coarse) == Approx(requests(fine)).epsilon(0.01));
  REQUIRE(*coarse.time->operations_per_second ==
          Approx(*fine.time->operations_per_second).epsilon(0.01));
  REQUIRE(stalled_seconds(coarse) == Approx(stalled_seconds(fine)).epsilon(0.01));
}

TEST_CASE(
    "a run with a clock at resolution range has one outcome, and its device the ledger's bytes") {
  const RangeCase given{.policy = "ldc:buffer=64KiB,file_size=64KiB",
                        .workload = "ycsb-b:records=30k,operations=20k",
                        .clients = "poisson:rate=200k,clients=4",
                        .merge_threads = 2};
  const RunResult a = run_ranges(given);
  require_same(a, run_ranges(given));
  const RangeCase puts{.policy = kLeastOverlap + "buffer=256KiB,file_size=256KiB",
                       .workload = "load:entries=100k"};
  const RunResult written_only = run_ranges(puts);
  REQUIRE(written_only.machine->device_figures.bytes_written ==
          written_only.totals.flush_bytes_written + written_only.totals.merge_bytes_written);
}

TEST_CASE("synced puts wait for the device at resolution range too") {
  const RangeCase given{.policy = kLeastOverlap + "buffer=256KiB,file_size=256KiB",
                        .workload = "load:entries=20k",
                        .device = plain_device({{"sync_latency_ns", "1000000"}}),
                        .sync_writes = true};
  REQUIRE(run_ranges(given).time->latency.puts->p50_ns > 1'000'000);
}

TEST_CASE("puts without a log that are done many at a time take the same time as single ones") {
  RangeCase given{.policy = kLeastOverlap + "buffer=256KiB,file_size=256KiB",
                  .workload = "load:entries=50k",
                  .device = plain_device({{"writeback_ns", "1000"}, {"cpu_log_write_ns", "50000"}}),
                  .disable_wal = true};
  const RunResult many = run_ranges(given);
  given.repeats_puts = false;
  require_same(many, run_ranges(given));
  REQUIRE(many.machine->device_figures.bytes_written ==
          many.totals.flush_bytes_written + many.totals.merge_bytes_written);
}

TEST_CASE("a stopped run with a clock at resolution range keeps what it has") {
  const RunResult result = run_ranges({.policy = kLeastOverlap + "buffer=256KiB,file_size=256KiB",
                                       .workload = "load:entries=1M",
                                       .stop_after_plans = 20});
  REQUIRE(result.totals.flushes > 10);
  REQUIRE(result.keys->operations.puts < 1'000'000);
}

}  // namespace
}  // namespace lsmlab::timed_ranges_test
