// A simulated store whose policy schedules merges by the load of clients (SILK): what bursts of
// writes and running merges do to each other.
#include <algorithm>
#include <string>
#include <vector>

#include "testing/catch.h"
#include "testing/timed_runs.h"

namespace lsmlab::merge_scheduling_test {
namespace {

using testing::plain_device;
using testing::policy_of;
using testing::PutsThenGets;

constexpr std::uint64_t kMs = 1'000'000;
const std::string kTree =
    "buffer=16KiB,file_size=32KiB,level_base=64KiB,size_ratio=4,l0_trigger=4,"
    "dynamic_file_size=false,version=6.12,priority=by-compensated-size";

struct Given {
  std::string policy;
  std::string clients = "closed";
  std::uint64_t puts = 0;
  std::uint64_t gets = 0;
  Parameters device = plain_device({{"read_bandwidth", "20MB"}, {"write_bandwidth", "20MB"}});
  unsigned merge_threads = 1;
};

struct Run {
  RunResult result;
  std::vector<PlanRecord> log;
};

Run run_of(const Given& given) {
  Run run;
  DeviceAndClients machine;
  machine.device = make_device("plain", given.device).value();
  machine.clients = make_clients(parse_spec(given.clients).value()).value();
  RunSetup setup{policy_of(given.policy + kTree)};
  setup.options.is_stepped = false;
  setup.options.merge_threads = given.merge_threads;
  setup.stalls = stall_rules_of(setup.policy, {}).value();
  setup.log = [&](const PlanRecord& record) { run.log.push_back(record); };
  PutsThenGets source(given.puts, given.gets, given.gets > 0, given.gets > 0, 0);
  RunControl control;
  auto result = simulate_timed(setup, machine, source, control);
  REQUIRE(result.has_value());
  run.result = std::move(result).value();
  return run;
}

bool is_deeper(const PlanRecord& record) {
  return !record.takes_memtable && record.inputs.front().level > 0;
}

std::uint64_t deeper_bytes(const Run& run) {
  std::uint64_t bytes = 0;
  for (const PlanRecord& record : run.log) {
    if (!is_deeper(record) || record.plan != PlanKind::kMerge) continue;
    for (const PlanRecord::Output& output : record.outputs) bytes += output.bytes.value();
  }
  return bytes;
}

std::uint64_t longest_merge_ns(const Run& run) {
  std::uint64_t longest = 0;
  for (const MergeTime& merge : run.result.merge_times) {
    longest = std::max(longest, merge.nanoseconds);
  }
  return longest;
}

TEST_CASE("a merge that meets a burst waits for its end") {
  const std::string clients = "bursty:rate=20000,on_ms=100,off_ms=300,clients=64";
  const Run rocksdb = run_of({"rocksdb-leveled:", clients, 30'000});
  const Run silk =
      run_of({"silk:dynamic_compaction_rate=false,pause_above=1MB,"
              "bandwidth_check_interval=1000,",
              clients, 30'000});
  REQUIRE(longest_merge_ns(rocksdb) < 100 * kMs);
  REQUIRE(longest_merge_ns(silk) >= 99 * kMs);
  // It does not wait for longer than the burst.
  REQUIRE(longest_merge_ns(silk) < 100 * kMs + longest_merge_ns(rocksdb));
  REQUIRE(silk.result.totals.user_bytes == rocksdb.result.totals.user_bytes);
}

TEST_CASE("at a peak that does not end only level 0 merges, and afterwards everything does") {
  // Each interval of 20 ms has 100 puts; the device is fast enough for all that level 0 wants.
  Given given{"rocksdb-leveled:", "constant:rate=5000,clients=64", 20'000};
  given.device = plain_device({{"read_bandwidth", "400MB"}, {"write_bandwidth", "400MB"}});
  const Run rocksdb = run_of(given);
  given.policy = "silk:pause_above=1000,bandwidth_check_interval=20000,";
  const Run silk = run_of(given);
  const auto deeper_before_last_flush = [](const Run& run) {
    const auto last = std::find_if(run.log.rbegin(), run.log.rend(),
                                   [](const PlanRecord& record) { return record.takes_memtable; });
    return std::count_if(last, run.log.rend(), is_deeper);
  };
  REQUIRE(deeper_before_last_flush(rocksdb) > 20);
  REQUIRE(deeper_before_last_flush(silk) == 0);
  REQUIRE(std::count_if(silk.log.begin(), silk.log.end(), is_deeper) > 20);
  // Both trees end within their targets, with the same keys.
  for (const Run* run : {&rocksdb, &silk}) {
    REQUIRE(run->result.complete);
    REQUIRE(run->result.final_levels.at(0).files < 4);
    REQUIRE(run->result.final_levels.at(1).bytes < 64 << 10);
  }
}

TEST_CASE("level 0 merges beside a deeper merge that has the only merge thread") {
  // How many merges of level 0 began and ended while one deeper merge ran, at most.
  const auto level0_beside_deeper = [](const Run& run) {
    struct Merge {
      bool is_deeper;
      std::uint64_t operations_before;
    };
    std::vector<Merge> merges;
    for (const PlanRecord& record : run.log) {
      if (record.plan != PlanKind::kMerge) continue;
      const MergeTime& time = run.result.merge_times.at(merges.size());
      merges.push_back({is_deeper(record), time.operations_before});
    }
    std::ptrdiff_t most = 0;
    for (auto end = merges.begin(); end != merges.end(); ++end) {
      if (!end->is_deeper) continue;
      most = std::max(most, std::count_if(merges.begin(), end, [&](const Merge& merge) {
                        return !merge.is_deeper && merge.operations_before > end->operations_before;
                      }));
    }
    return most;
  };
  Given given{"rocksdb-leveled:", "constant:rate=6000,clients=64", 40'000};
  REQUIRE(level0_beside_deeper(run_of(given)) == 0);
  given.policy = "silk:bandwidth=2MB,bandwidth_min=100KB,bandwidth_step=100KB,";
  REQUIRE(level0_beside_deeper(run_of(given)) >= 2);
}

TEST_CASE("deeper merges take the time that their bandwidth leaves them") {
  constexpr std::uint64_t kBytesPerSecond = 2'000'000;
  const Run run = run_of({"silk:bandwidth=2MB,bandwidth_min=2MB,bandwidth_step=1MB,",
                          "constant:rate=1000,clients=64", 20'000});
  const std::uint64_t bytes = deeper_bytes(run);
  REQUIRE(bytes > 2'000'000);
  // The last request waits for those before it only. Here level 0 never waits for deeper merges.
  const Uint128 ran_ns = run.result.machine->simulated_ns;
  REQUIRE(ran_ns * kBytesPerSecond >= Uint128{bytes - (128 << 10)} * 1'000'000'000);
}

TEST_CASE("two runs with scheduled merges are the same") {
  const Given given{
      "silk:bandwidth=8MB,bandwidth_min=1MB,bandwidth_step=1MB,pause_above=1MB,"
      "bandwidth_check_interval=2000,plus=true,",
      "bursty:rate=20000,on_ms=50,off_ms=100,off_rate=500,clients=16", 15'000, 3'000};
  const Run first = run_of(given);
  const Run second = run_of(given);
  REQUIRE(first.result.totals == second.result.totals);
  REQUIRE(first.result.time->latency.puts == second.result.time->latency.puts);
  REQUIRE(first.result.time->latency.gets == second.result.time->latency.gets);
  REQUIRE(first.result.machine->simulated_ns == second.result.machine->simulated_ns);
  REQUIRE(first.log.size() == second.log.size());
}

TEST_CASE("separated requests do not wait for stalled ones of another class") {
  const auto longest_get_ns = [](bool separates) {
    const std::string plus = separates ? "plus=true," : "";
    // Puts fill memtables faster than the device takes them.
    Given given{"silk:block_cache=64MiB," + plus, "constant:rate=40000,clients=8", 2'000, 40'000};
    given.device = plain_device(
        {{"write_bandwidth", "1MB"}, {"read_latency_ns", "1000"}, {"request_bytes", "512"}});
    const Run run = run_of(given);
    REQUIRE(run.result.time->latency.gets->count == 40'000);
    REQUIRE(run.result.time->latency.puts->count == 40'000);
    return run.result.time->latency.gets->max_ns;
  };
  const std::uint64_t together_ns = longest_get_ns(false);
  const std::uint64_t apart_ns = longest_get_ns(true);
  REQUIRE(together_ns > 100 * kMs);
  REQUIRE(apart_ns < together_ns / 20);
}

}  // namespace
}  // namespace lsmlab::merge_scheduling_test
