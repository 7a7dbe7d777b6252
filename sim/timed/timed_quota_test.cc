// Compares runs on a machine with limited processor time with the processor time that is left.
#include <algorithm>
#include <string>
#include <vector>

#include "sim/timed/event_queue.h"
#include "testing/catch.h"
#include "testing/timed_runs.h"

namespace lsmlab::timed_quota_test {
namespace {

using testing::plain_device;
using testing::run_timed;
using testing::TimedCase;

Parameters limited_device(const char* cores, const char* quota, const char* device = "0") {
  return plain_device({{"cpu_cores", cores},
                       {"cpu_quota", quota},
                       {"cpu_quota_device", device},
                       {"cpu_quota_period_ns", "10000000"}});
}

TEST_CASE("work is done as much later as everything stood still, a timer goes off at the end") {
  EventQueue queue;
  for (std::uint32_t i = 0; i < 6; ++i) queue.push(100 + 10 * (i / 2), EventKind::kWorker, i);
  queue.stand_still(100, 15, [](const EventQueue::Event& event) { return event.index % 2 == 0; });
  std::vector<std::pair<std::uint64_t, std::uint32_t>> events;
  while (!queue.empty()) {
    const EventQueue::Event event = queue.pop();
    events.emplace_back(event.time_ns, event.index);
  }
  REQUIRE(events == std::vector<std::pair<std::uint64_t, std::uint32_t>>{
                        {115, 0}, {115, 1}, {115, 3}, {120, 5}, {125, 2}, {135, 4}});
}

TEST_CASE("a client with half a core's time works for half of each period") {
  // 100 ms of work: 5 ms in each period of 10 ms, minus remainders too short for another look.
  const TimedCase given{
      .policy = "none:buffer=1GiB", .puts = 100'000, .device = limited_device("1", "0.5")};
  const RunResult result = run_timed(given, false);
  REQUIRE(result.machine->cpu_busy_ns == 100'000'000);
  REQUIRE(result.machine->cpu_stops == 20);
  REQUIRE(result.machine->cpu_stopped_ns >= 20 * 5'000'000);
  REQUIRE(result.machine->cpu_stopped_ns <= 20 * 5'002'000);
  const double seconds = 100'000 / *result.time->operations_per_second;
  REQUIRE(seconds == Approx(0.2).epsilon(0.001));
  // One put in a period meets the stop.
  REQUIRE(result.time->latency.puts->p50_ns < 1'016);  // as exact as histograms are
  REQUIRE(result.time->latency.puts->p99_ns < 1'016);
  REQUIRE(result.time->latency.puts->max_ns >= 5'001'000);
  REQUIRE(result.time->latency.puts->max_ns <= 5'010'000);
}

TEST_CASE("pieces of the log that come due during a stop are written at its end") {
  TimedCase given{.policy = "none:buffer=1GiB", .puts = 100'000};
  given.device = limited_device("1", "0.5");
  std::erase_if(given.device, [](const auto& known) { return known.first == "request_bytes"; });
  given.device.emplace_back("request_bytes", "64KiB");
  given.device.emplace_back("writeback_ns", "5000000");
  const RunResult result = run_timed(given, false);
  REQUIRE(result.machine->cpu_stops == 20);
  // All pieces of the log that are older than 5 ms.
  REQUIRE(result.machine->device_figures.bytes_written > 100'000 * 128 * 3 / 4);
}

TEST_CASE("a limit that is never met changes nothing") {
  TimedCase given{.policy = "tiered:size_ratio=4,buffer=64KiB", .puts = 20'000, .gets = 5'000};
  given.device = plain_device({{"cpu_cores", "4"}});
  const RunResult free = run_timed(given);
  given.device = plain_device({{"cpu_cores", "4"}, {"cpu_quota", "4"}});
  const RunResult limited = run_timed(given);
  REQUIRE(limited.machine->cpu_stops == 0);
  REQUIRE(limited.time->latency.all == free.time->latency.all);
  REQUIRE(limited.machine->simulated_ns == free.machine->simulated_ns);
  REQUIRE(limited.machine->device_figures.transfer_ns == free.machine->device_figures.transfer_ns);
}

TEST_CASE("lookups that keep the device at work are slower by what the host takes for it") {
  TimedCase given{.policy = "none:buffer=64KiB,block_cache=0,bits_per_key=30",
                  .puts = 1'010,
                  .gets = 20'000,
                  .puts_load = true};
  given.device = plain_device({{"cpu_cores", "1"}});
  const RunResult free = run_timed(given);
  given.device = limited_device("1", "0.5", "1");
  const RunResult limited = run_timed(given);
  // The core or the device is at work at any time, and the limit is half of that.
  REQUIRE(limited.machine->cpu_stopped_ns > 0);
  REQUIRE(*free.time->operations_per_second / *limited.time->operations_per_second ==
          Approx(2).epsilon(0.02));
  // No get is lost, and most gets meet no stop.
  REQUIRE(limited.time->latency.gets->count == free.time->latency.gets->count);
  REQUIRE(limited.time->latency.gets->p50_ns ==
          Approx(static_cast<double>(free.time->latency.gets->p50_ns)).epsilon(1.0 / 64));
}

TEST_CASE("under a limit runs stay whole: as many bytes, and merges' parts within their times") {
  TimedCase given{.policy = "tiered:size_ratio=4,buffer=64KiB",
                  .puts = 50'000,
                  .gets = 5'000,
                  .clients = "closed:clients=4"};
  const Parameters work{{"cpu_merge_kib_ns", "2000"},
                        {"cpu_flush_kib_ns", "1000"},
                        {"cpu_cores", "2"},
                        {"cpu_quota", "1.25"},
                        {"cpu_quota_device", "0.5"},
                        {"cpu_quota_idle", "0.5"},
                        {"cpu_quota_period_ns", "3000000"},
                        {"trim_ns", "5000"},
                        {"cpu_wait_share", "0.5"},
                        {"cpu_gather_share", "0.5"},
                        {"sharing_slowdown", "0.2"}};
  given.device = plain_device(work);
  const RunResult limited = run_timed(given);
  REQUIRE(limited.machine->cpu_stops > 10);
  REQUIRE(limited.keys->operations.puts == 50'000);
  REQUIRE(limited.machine->cpu_stopped_ns < limited.machine->simulated_ns);
  for (const MergeTime& merge : limited.merge_times) {
    REQUIRE(merge.processor_ns + merge.core_wait_ns <= merge.nanoseconds);
  }
  const RunResult again = run_timed(given);
  REQUIRE(again.time->latency.all == limited.time->latency.all);
  REQUIRE(again.machine->simulated_ns == limited.machine->simulated_ns);
}

TEST_CASE("what waits for the clock alone goes on at the end of a stop at the latest") {
  // The first puts of each period use up the budget. Puts that arrive during a stop begin at its
  // end.
  TimedCase given{.policy = "none:buffer=1GiB",
                  .puts = 10'000,
                  .clients = "constant:rate=100k",
                  .device = limited_device("1", "0.05")};
  const RunResult result = run_timed(given, false);
  REQUIRE(result.machine->cpu_stops > 0);
  // In each millisecond 100 us of work arrive and 50 us are done, so the run takes twice as long.
  const double seconds = 10'000 / *result.time->operations_per_second;
  REQUIRE(seconds == Approx(0.2).epsilon(0.06));
  REQUIRE(result.time->latency.puts->max_ns >= 80'000'000);
}

}  // namespace
}  // namespace lsmlab::timed_quota_test
