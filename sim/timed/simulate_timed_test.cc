// Compares runs with a clock with closed forms. On these devices a byte takes a nanosecond, so
// times are whole numbers.
#include "sim/timed/simulate_timed.h"

#include <cmath>
#include <string>
#include <vector>

#include "models/sizes/sstable_size.h"
#include "testing/catch.h"
#include "testing/timed_runs.h"

namespace lsmlab::simulate_timed_test {
namespace {

using testing::plain_device;
using testing::run_timed;
using testing::TimedCase;

constexpr std::uint64_t kPutNs = 1'000;

std::uint64_t stalls_of(const RunResult& result, const std::string& reason) {
  for (const StallFigures& stall : *result.time->stalls) {
    if (stall.reason == reason) return stall.count;
  }
  FAIL("no stall " << reason);
  return 0;
}

TEST_CASE("one client that writes what a memtable holds takes its processor time and no more") {
  const RunResult result = run_timed({.policy = "none:buffer=1GiB", .puts = 10'000}, false);
  REQUIRE(result.time->latency.puts->max_ns == kPutNs);
  REQUIRE(result.time->latency.puts->mean_ns == kPutNs);
  REQUIRE(*result.time->operations_per_second == 1e6);
  REQUIRE(result.machine->cpu_busy_ns == 10'000 * kPutNs);
}

TEST_CASE("one client's lookup takes its processor time, its block's transfer and the latency") {
  // Operations are so rare that they never overlap.
  const RunResult result = run_timed({.policy = "none:buffer=64KiB,block_cache=0,bits_per_key=30",
                                      .puts = 1'010,
                                      .gets = 300,
                                      .clients = "constant:rate=100"});
  const LookupFigures& gets = result.keys->reads->gets_found;
  REQUIRE(gets.count == 300);
  REQUIRE(gets.false_positives == 0);
  const double work = 300.0 * 500 + 100.0 * static_cast<double>(gets.runs_touched) +
                      700.0 * static_cast<double>(gets.blocks.blocks_fetched);
  const double device = 80'000.0 * static_cast<double>(gets.blocks.blocks_read) +
                        static_cast<double>(gets.blocks.bytes_read);
  REQUIRE(gets.blocks.blocks_read > 200);
  REQUIRE(std::abs(result.time->latency.gets->mean_ns * 300 - (work + device)) < 1);
}

TEST_CASE("a scan's blocks after the first of each run are read ahead where the system does that") {
  const auto run = [](const char* reads_ahead) {
    return run_timed({.policy = "none:buffer=64KiB,block_cache=0",
                      .puts = 2'020,
                      .gets = 300,
                      .clients = "constant:rate=20",
                      .device = plain_device({{"cpu_scan_ns", "2000"},
                                              {"cpu_scan_entry_ns", "60"},
                                              {"cpu_scan_block_ns", "300"},
                                              {"cpu_read_ns", "5000"},
                                              {"sequential_latency_ns", "10000"},
                                              {"reads_ahead", reads_ahead}}),
                      .scan_entries = 200});
  };
  for (const bool reads_ahead : {true, false}) {
    const RunResult result = run(reads_ahead ? "true" : "false");
    const ScanFigures& scans = result.keys->reads->scans;
    REQUIRE(scans.count == 300);
    const auto runs = static_cast<double>(scans.runs_touched);
    const double more = static_cast<double>(scans.blocks.blocks_fetched) - runs;
    REQUIRE(scans.runs_touched > 2 * scans.count);
    REQUIRE(more > runs / 2);
    REQUIRE(scans.blocks.blocks_read == scans.blocks.blocks_fetched);
    const double reads = reads_ahead ? runs : runs + more;  // not read ahead
    const double work = 300.0 * 2'000 + 60.0 * static_cast<double>(scans.entries) +
                        runs * (100 + 700) + 300.0 * more + 5'000.0 * reads;
    const double device = 80'000.0 * reads + 10'000.0 * (runs + more - reads) +
                          static_cast<double>(scans.blocks.bytes_read);
    REQUIRE(result.time->latency.scans->mean_ns * 300 == Approx(work + device).margin(300));
  }
}

TEST_CASE("loading is in no latency and no rate") {
  TimedCase given{.policy = "none:buffer=64KiB,block_cache=0", .puts = 1'010, .gets = 300};
  const RunResult all = run_timed(given);
  given.puts_load = true;
  const RunResult loaded = run_timed(given);
  REQUIRE(loaded.time->loading_operations == 1'010);
  REQUIRE(all.time->latency.puts->count == 1'010);
  REQUIRE_FALSE(loaded.time->latency.puts.has_value());
  REQUIRE(loaded.time->latency.gets == all.time->latency.gets);
  // One client: a lookup begins when the last one ends.
  REQUIRE(*loaded.time->operations_per_second ==
          Approx(1e9 / loaded.time->latency.gets->mean_ns).epsilon(1e-9));
  REQUIRE(*all.time->operations_per_second > *loaded.time->operations_per_second);
  REQUIRE(loaded.totals.user_bytes == all.totals.user_bytes);
}

TEST_CASE("the device is busy for as long as its bytes take") {
  const RunResult result =
      run_timed({.policy = "tiered:size_ratio=4,buffer=64KiB", .puts = 50'000, .gets = 20'000});
  const DeviceFigures& device = result.machine->device_figures;
  REQUIRE(device.transfer_ns == device.bytes_read + device.bytes_written);
  REQUIRE(device.bytes_written ==
          result.totals.flush_bytes_written + result.totals.merge_bytes_written);
  REQUIRE(result.merge_times.size() == result.totals.merges);
  std::uint64_t before = 4 * (64 << 10) / 200;  // four memtables hold more entries than this
  for (const MergeTime& merge : result.merge_times) {
    REQUIRE(merge.operations_before >= before);
    before = merge.operations_before;
  }
  REQUIRE(before < 70'000);
}

TEST_CASE("durations by output level are those of the merges, and of the flushes into level 0") {
  const RunResult result =
      run_timed({.policy = "leveled:size_ratio=4,buffer=64KiB", .puts = 50'000});
  JobTimes sum;
  for (const JobTimes& level : result.time->job_times) sum += level;
  REQUIRE(result.merge_times.size() == result.totals.merges);
  JobTimes expected;
  for (const MergeTime& merge : result.merge_times) {
    expected.merge_ns += merge.nanoseconds;
    expected.merge_processor_ns += merge.processor_ns;
  }
  REQUIRE(sum.merge_ns == expected.merge_ns);
  REQUIRE(sum.merge_processor_ns == expected.merge_processor_ns);
  REQUIRE(sum.flush_ns > sum.flush_processor_ns);
  REQUIRE(result.time->job_times[0].flush_ns == sum.flush_ns);
  for (std::size_t level = 0; level < result.time->job_times.size(); ++level) {
    const bool has_jobs = result.totals.by_output_level[level].jobs > 0;
    const JobTimes& times = result.time->job_times[level];
    REQUIRE(has_jobs == (times.flush_ns + times.merge_ns > 0));
  }
}

TEST_CASE("files that merges leave behind are trimmed, for which the device is busy") {
  for (const char* clients : {"constant:rate=1k", "closed"}) {
    const TimedCase given{
        .policy = "tiered:size_ratio=4,buffer=64KiB",
        .puts = 20'000,
        .clients = clients,
        .device = plain_device({{"trim_ns", "2000000"}, {"trim_mib_ns", "1048576000"}})};
    const RunResult result = run_timed(given);
    const DeviceFigures& device = result.machine->device_figures;
    REQUIRE(result.totals.merges > 10);
    REQUIRE(device.trims >= 2 * result.totals.merges);
    REQUIRE(device.bytes_trimmed == result.totals.merge_bytes_read);
    REQUIRE(device.transfer_ns == device.bytes_read + device.bytes_written +
                                      2'000'000 * device.trims + 1'000 * device.bytes_trimmed);
    REQUIRE(result.machine->simulated_ns >= device.transfer_ns);
  }
}

TEST_CASE("a device that stands still a part of the time makes a run that waits for it longer") {
  const auto puts = [](const Parameters& more) {
    return run_timed({.policy = "tiered:size_ratio=4,buffer=64KiB",
                      .puts = 20'000,
                      .device = plain_device(more)});
  };
  const RunResult steady = puts({});
  REQUIRE(steady.machine->device_figures.pauses == 0);
  const RunResult paused = puts({{"pause_ns", "1000000"}, {"pause_share", "0.25"}});
  const DeviceFigures& device = paused.machine->device_figures;
  REQUIRE(device.pauses > 3);
  REQUIRE(device.paused_ns <= device.pauses * 1'000'000);
  REQUIRE(device.transfer_ns == device.bytes_read + device.bytes_written + device.paused_ns);
  REQUIRE(paused.machine->simulated_ns > steady.machine->simulated_ns);
  // At most one pause in every four milliseconds.
  REQUIRE(device.pauses <= paused.machine->simulated_ns / 4'000'000 + 1);
}

TEST_CASE("flushes and merges that share the channel make it slower by the model's share") {
  const auto puts = [](const char* slowdown) {
    return run_timed(
        {.policy = "tiered:size_ratio=4,buffer=64KiB",
         .puts = 20'000,
         .device = plain_device({{"sharing_slowdown", slowdown}, {"request_bytes", "16KiB"}})});
  };
  const RunResult fair = puts("0");
  REQUIRE(fair.machine->device_figures.shared_ns == 0);
  std::uint64_t last_ns = fair.machine->simulated_ns;
  for (const char* slowdown : {"0.5", "1"}) {
    const RunResult slower = puts(slowdown);
    const DeviceFigures& device = slower.machine->device_figures;
    REQUIRE(device.shared_ns > 0);
    REQUIRE(device.transfer_ns == device.bytes_read + device.bytes_written + device.shared_ns);
    REQUIRE(slower.machine->simulated_ns > last_ns);
    last_ns = slower.machine->simulated_ns;
  }
}

TEST_CASE("what a lookup still held is removed beside the next merge, and all of it is") {
  const TimedCase given{.policy = "tiered:size_ratio=4,buffer=64KiB,block_cache=0",
                        .puts = 2'000,
                        .gets = 20'000,
                        .clients = "closed:clients=4",
                        .device = plain_device({{"trim_ns", "500000"}, {"trim_mib_ns", "0"}}),
                        .alternates = true};
  const RunResult result = run_timed(given);
  const DeviceFigures& device = result.machine->device_figures;
  REQUIRE(result.totals.merges > 10);
  REQUIRE(device.bytes_trimmed == result.totals.merge_bytes_read);
  REQUIRE(device.transfer_ns == device.bytes_read + device.bytes_written + 500'000 * device.trims);
}

TEST_CASE("a slowed write sleeps longer than asked for") {
  const TimedCase given{
      .policy = "leveldb:buffer=64KiB,file_size=64KiB,level_base=256KiB",
      .puts = 100'000,
      .device = plain_device({{"write_bandwidth", "10MB"}, {"cpu_sleep_ns", "70000"}})};
  const RunResult result = run_timed(given);
  for (const StallFigures& stall : *result.time->stalls) {
    if (stall.reason != "level 0 slowdown") continue;
    REQUIRE(stall.count > 0);
    REQUIRE(stall.nanoseconds == 1'070'000 * stall.count);
  }
}

TEST_CASE("where the device is too slow, writers stall and the device sets the rate") {
  // Without stalls, puts would write 128 MB per second.
  const TimedCase given{.policy = "none:buffer=1MiB",
                        .puts = 500'000,
                        .device = plain_device({{"write_bandwidth", "20MB"}})};
  const RunResult result = run_timed(given);
  REQUIRE(stalls_of(result, "full memtables") > 10);
  const double seconds = static_cast<double>(result.machine->simulated_ns) / 1e9;
  const double at_bandwidth =
      static_cast<double>(result.machine->device_figures.bytes_written) / 20e6;
  REQUIRE(seconds >= at_bandwidth * 0.999);
  REQUIRE(seconds < at_bandwidth * 1.02);
  REQUIRE(result.time->latency.puts->p50_ns < 2 * kPutNs);
  REQUIRE(result.time->latency.puts->max_ns > 10'000'000);
}

TEST_CASE("too many runs in level 0 slow writers down and then stop them") {
  const TimedCase given{.policy = "leveldb:buffer=64KiB,file_size=64KiB,level_base=256KiB",
                        .puts = 100'000,
                        .device = plain_device({{"write_bandwidth", "10MB"}})};
  const RunResult result = run_timed(given);
  REQUIRE(stalls_of(result, "level 0 slowdown") > 0);
  REQUIRE(stalls_of(result, "full memtables") + stalls_of(result, "level 0 stop") > 0);
  std::uint64_t most = 0;
  for (const TimePoint& point : result.machine->series) most = std::max(most, point.sorted_runs);
  REQUIRE(most <= 12 + 7 + 1);
}

TEST_CASE("what merges have still to move slows RocksDB's writers down, and stops them") {
  TimedCase given{.policy = "rocksdb-leveled:buffer=64KiB,file_size=64KiB,level_base=256KiB",
                  .puts = 60'000,
                  .device = plain_device({{"write_bandwidth", "20MB"}})};
  const RunResult unlimited = run_timed(given);
  REQUIRE(stalls_of(unlimited, "pending merges slowdown") == 0);
  given.stalls = {{"pending_slowdown_bytes", "300KiB"}, {"slowdown_bytes_per_second", "4MB"}};
  const RunResult slowed = run_timed(given);
  REQUIRE(stalls_of(slowed, "pending merges slowdown") > 100);
  REQUIRE(stalls_of(slowed, "pending merges stop") == 0);
  given.stalls.emplace_back("pending_stop_bytes", "600KiB");
  REQUIRE(stalls_of(run_timed(given), "pending merges stop") > 0);
  // At a constant rate, slower than merges, writers wait for a millisecond's worth of bytes at a
  // time.
  given.stalls = {{"pending_slowdown_bytes", "1"},
                  {"slowdown_bytes_per_second", "1MB"},
                  {"adapts_rate", "false"}};
  const RunResult constant = run_timed(given);
  const double seconds = static_cast<double>(constant.machine->simulated_ns) / 1e9;
  const double held_bytes = 60'000 * (16.0 + 112 + 17);
  REQUIRE(seconds < 1.1 * held_bytes / 1e6);
}

TEST_CASE("what is owed when the writes end is what the device then moves") {
  const char* const policy = GENERATE(
      "primitives:layout=tiering,trigger=sorted-runs,granularity=sorted-runs,"
      "movement=none,size_ratio=3,buffer=256KiB",
      "binomial:k=3,buffer=256KiB", "leveldb:buffer=256KiB,file_size=256KiB,level_base=1MiB",
      "ldc:buffer=256KiB,file_size=256KiB,level_base=1MiB");
  CAPTURE(policy);
  // Writers hardly stall, so the merge debt is large at the end.
  TimedCase given{.policy = policy,
                  .puts = 200'000,
                  .device = plain_device({{"write_bandwidth", "20MB"}}),
                  .stalls = {{"full_memtables_max", "100"}}};
  if (!given.policy.starts_with("binomial")) {
    given.stalls.emplace_back("level0_slowdown_runs", "1000");
    given.stalls.emplace_back("level0_stop_runs", "1000");
  }
  const RunResult result = run_timed(given);
  const TimePoint& last = result.machine->series.back();
  REQUIRE(last.merge_debt_bytes == 0);
  std::uint64_t most = 0;
  std::uint64_t unknown = 0;
  for (const TimePoint& point : result.machine->series) {
    most = std::max(most, point.merge_debt_bytes.value_or(0));
    if (!point.merge_debt_bytes) ++unknown;
  }
  REQUIRE(unknown > result.machine->series.size() / 4);
  std::uint64_t compared = 0;
  for (const TimePoint& point : result.machine->series) {
    // The smaller the debt, the more it matters whether the last merge causes another one.
    if (point.operations < 200'000 || point.merge_debt_bytes.value_or(0) < most / 2) continue;
    const auto moved = static_cast<double>(last.device_bytes_read + last.device_bytes_written -
                                           point.device_bytes_read - point.device_bytes_written);
    REQUIRE(static_cast<double>(*point.merge_debt_bytes) == Approx(moved).epsilon(0.15));
    REQUIRE(*point.merge_debt_bytes >= point.backlog_bytes);
    ++compared;
  }
  REQUIRE(compared >= 2);
}

TEST_CASE("what is not synced of a log reaches the device when it is old, unless it is gone") {
  TimedCase given{.policy = "none:buffer=1MiB", .puts = 400'000, .clients = "constant:rate=100k"};
  const RunResult young = run_timed(given);
  REQUIRE(young.machine->device_figures.bytes_written == young.totals.flush_bytes_written);
  // Four seconds of puts go into one memtable. All of its log except the last second is old.
  given.policy = "none:buffer=1GiB";
  given.device = plain_device({{"writeback_ns", "1000000000"}});
  const RunResult old = run_timed(given, false);
  const double record_bytes = 28 + 16 + 112;
  REQUIRE(static_cast<double>(old.machine->device_figures.bytes_written) ==
          Approx(300'000 * record_bytes).epsilon(0.01));
}

TEST_CASE("without a log no byte of it is written, and no put passes it on") {
  // All of the log would be old at the end.
  const Parameters costs{{"writeback_ns", "1000"}, {"cpu_log_write_ns", "50000"}};
  TimedCase given{.policy = "none:buffer=1MiB", .puts = 50'000, .device = plain_device(costs)};
  const RunResult logged = run_timed(given);
  REQUIRE(logged.machine->device_figures.bytes_written > logged.totals.flush_bytes_written);
  REQUIRE(logged.time->latency.puts->max_ns >= 50'000);
  given.disable_wal = true;
  const RunResult bare = run_timed(given);
  REQUIRE(bare.machine->device_figures.bytes_written == bare.totals.flush_bytes_written);
  REQUIRE(bare.time->latency.puts->max_ns < 50'000);
  REQUIRE(bare.totals.flush_bytes_written == logged.totals.flush_bytes_written);
}

TEST_CASE("a synced write takes a sync, which concurrent ones share") {
  TimedCase given{.policy = "none:buffer=1GiB",
                  .puts = 20'000,
                  .device = plain_device({{"sync_latency_ns", "1000000"}}),
                  .sync_writes = true};
  const RunResult alone = run_timed(given, false);
  REQUIRE(alone.time->latency.puts->p50_ns > 1'000'000);
  REQUIRE(alone.time->latency.puts->max_ns < 1'002'000);
  REQUIRE(*alone.time->operations_per_second < 1000);
  given.clients = "closed:clients=16";
  const RunResult many = run_timed(given, false);
  // During a sync other clients gather for the next one: at least half of all clients.
  REQUIRE(*many.time->operations_per_second > 7 * *alone.time->operations_per_second);
  REQUIRE(*many.time->operations_per_second < 16 * *alone.time->operations_per_second);
}

TEST_CASE("operations that arrive faster than they are served wait longer and longer") {
  TimedCase given{.policy = "none:buffer=1GiB", .puts = 100'000, .clients = "constant:rate=2M"};
  const RunResult late = run_timed(given, false);
  // An operation takes 1000 ns, and one arrives every 500 ns.
  REQUIRE(late.time->latency.puts->max_ns == 100'000 * 1'000 - 99'999 * 500);
  given.clients = "constant:rate=500k";
  REQUIRE(run_timed(given, false).time->latency.puts->max_ns == kPutNs);
}

TEST_CASE("a flush counts when its file is there, whatever merges wait") {
  const TimedCase given{.policy = "none:buffer=64KiB", .puts = 20'000};
  const RunResult run = run_timed(given);
  REQUIRE(run.totals.flushes > 10);
  REQUIRE(run.runs.max == run.totals.flushes);
  REQUIRE(run.runs.sum == run.totals.flushes * (run.totals.flushes + 1) / 2);
  REQUIRE(run.machine->series.back().sorted_runs == run.totals.flushes);
}

TEST_CASE("of many clients the first operation after the loading ones counts from its arrival") {
  TimedCase given{.policy = "none:buffer=1GiB",
                  .puts = 1'000,
                  .gets = 1'000,
                  .clients = "constant:rate=1000,clients=500",
                  .puts_load = true};
  const RunResult run = run_timed(given, false);
  REQUIRE(*run.time->operations_per_second == Approx(1000).epsilon(0.01));
}

TEST_CASE("a run with a clock has one outcome") {
  const TimedCase same{.policy = "ldc:buffer=64KiB,file_size=64KiB",
                       .puts = 60'000,
                       .gets = 20'000,
                       .clients = "poisson:rate=200k,clients=4",
                       .merge_threads = 2};
  const RunResult a = run_timed(same);
  const RunResult b = run_timed(same);
  REQUIRE(a.totals == b.totals);
  REQUIRE(a.machine->simulated_ns == b.machine->simulated_ns);
  REQUIRE(a.time->latency.puts == b.time->latency.puts);
  REQUIRE(a.time->latency.gets == b.time->latency.gets);
  REQUIRE(a.machine->series == b.machine->series);
  REQUIRE(a.machine->device_figures == b.machine->device_figures);
}

TEST_CASE("operations that arrive while every client is busy are counted, with their waits") {
  // Ten gets a millisecond, each of which takes 80 us on the device and some processor time.
  TimedCase late;
  late.puts = 10'000;
  late.gets = 2'000;
  late.puts_load = true;
  late.clients = "constant:rate=100k,clients=1";
  const RunResult run = run_timed(late);
  REQUIRE(run.time->arrivals);
  const ArrivalFigures& delays = *run.time->arrivals;
  REQUIRE(delays.delayed > 1'900);
  REQUIRE(delays.longest_ns > delays.delayed_ns / delays.delayed);
  // A latency counts from the arrival, so the slowest operation waited the longest.
  REQUIRE(run.time->latency.gets->max_ns >= delays.longest_ns);
  TimedCase free = late;
  free.clients = "constant:rate=1000,clients=4";
  REQUIRE(run_timed(free).time->arrivals->delayed == 0);
  TimedCase closed = late;
  closed.clients = "closed";
  REQUIRE(!run_timed(closed).time->arrivals);
}

}  // namespace
}  // namespace lsmlab::simulate_timed_test
