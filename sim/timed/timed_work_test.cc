// The processor in runs with a clock: how much time flushes, merges and lookups use, and how much
// they slow each other down.
#include <cmath>
#include <string>
#include <utility>

#include "models/sizes/sstable_size.h"
#include "testing/catch.h"
#include "testing/timed_runs.h"

namespace lsmlab::timed_work_test {
namespace {

using testing::plain_device;
using testing::run_timed;
using testing::TimedCase;

TEST_CASE("a merge alone takes its bytes, read and written, and its entries' processor time") {
  const TimedCase given{
      .policy = "tiered:size_ratio=4,buffer=64KiB",
      .puts = 20'000,
      .clients = "constant:rate=1k",
      .device = plain_device(
          {{"cpu_merge_entry_ns", "100"}, {"cpu_file_ns", "70000"}, {"read_latency_ns", "0"}})};
  const RunResult result = run_timed(given);
  REQUIRE(result.totals.merges > 10);
  for (const MergeTime& merge : result.merge_times) {
    // An entry has 16 + 112 bytes and some more in its block: about 130 bytes of a file.
    const double entries = static_cast<double>(merge.bytes_written) / 131.5;
    // The merge writes one file and reads its end again.
    const std::uint64_t bytes =
        merge.bytes_read + merge.bytes_written + sstable_end_bytes(merge.bytes_written);
    const double expected = static_cast<double>(bytes) + 100 * entries + 70'000;
    REQUIRE(std::abs(static_cast<double>(merge.nanoseconds) - expected) < 0.03 * expected);
  }
}

TEST_CASE("a merge's processor time rises with the logarithm of its sorted runs") {
  const auto busy_ns = [](const std::string& size_ratio, const Parameters& changed) {
    return run_timed({.policy = "tiered:flush=separate,buffer=64KiB,size_ratio=" + size_ratio,
                      .puts = 20'000,
                      .clients = "constant:rate=1k",
                      .device = plain_device(changed)})
        .machine->cpu_busy_ns;
  };
  const std::uint64_t none = busy_ns("4", {});
  const Parameters doubling{{"cpu_merge_doubling_entry_ns", "100"},
                            {"cpu_merge_doubling_kib_ns", "1024"}};
  const Parameters twice{{"cpu_merge_entry_ns", "200"}, {"cpu_merge_kib_ns", "2048"}};
  REQUIRE(busy_ns("4", twice) > none);
  REQUIRE(busy_ns("4", doubling) == busy_ns("4", twice));
  const auto of_ten = [&](const char* name) {
    return static_cast<double>(busy_ns("10", {{name, "1000"}}) - busy_ns("10", {}));
  };
  const double rise = of_ten("cpu_merge_doubling_entry_ns") / of_ten("cpu_merge_entry_ns");
  REQUIRE(std::abs(rise - std::log2(10)) < 1.0 / 65'536);
}

TEST_CASE("leveled writes no more where its merges fall behind") {
  TimedCase given{.policy = "leveled:buffer=64KiB", .puts = 60'000};
  const auto merged = [&] { return run_timed(given).totals.merge_bytes_written; };
  const auto fast = static_cast<double>(merged());
  given.device = plain_device({{"cpu_merge_entry_ns", "20000"}});
  const auto slow = static_cast<double>(merged());
  INFO("fast " << fast << " slow " << slow);
  REQUIRE(slow < 1.1 * fast);
}

TEST_CASE("a flush takes its entries' and its bytes' processor time") {
  TimedCase given{.policy = "none:buffer=64KiB", .puts = 20'000};
  const RunResult without = run_timed(given);
  given.device = plain_device({{"cpu_flush_entry_ns", "100"}, {"cpu_flush_kib_ns", "1024"}});
  const RunResult with = run_timed(given);
  REQUIRE(with.totals.flushes > 10);
  REQUIRE(with.machine->cpu_busy_ns ==
          without.machine->cpu_busy_ns + with.totals.flush_bytes_written + 20'000 * 100);
}

TEST_CASE("a read takes its call on the processor, beside what the device takes") {
  TimedCase given{.policy = "none:buffer=64KiB,block_cache=0", .puts = 2'000, .gets = 1'000};
  const RunResult without = run_timed(given);
  given.device = plain_device({{"cpu_read_ns", "9000"}});
  const RunResult with = run_timed(given);
  const LookupFigures& found = without.keys->reads->gets_found;
  REQUIRE(found.blocks.blocks_read > 0);
  REQUIRE(with.machine->cpu_busy_ns > without.machine->cpu_busy_ns);
  // A get's reads come one after another, so the times of their system calls add up.
  const double more = static_cast<double>(with.time->latency.gets->mean_ns) -
                      static_cast<double>(without.time->latency.gets->mean_ns);
  const double reads = static_cast<double>(found.blocks.blocks_read +
                                           without.keys->reads->gets_absent.blocks.blocks_read) /
                       static_cast<double>(without.time->latency.gets->count);
  REQUIRE(more == Approx(9'000 * reads).epsilon(0.01));
}

TEST_CASE("a put after a lookup that waited for the device finds cold caches, others do not") {
  TimedCase given{.policy = "none:buffer=64KiB,block_cache=0,bits_per_key=30",
                  .puts = 2'000,
                  .gets = 500,
                  .device = plain_device({{"write_bandwidth", "100GB"}}),
                  .alternates = true};
  const RunResult warm = run_timed(given);
  const LookupFigures& found = warm.keys->reads->gets_found;
  REQUIRE(found.false_positives == 0);
  REQUIRE(found.blocks.blocks_read > 300);
  REQUIRE(found.blocks.blocks_read < 500);  // the rest is in memory
  given.device.emplace_back("cpu_cold_ns", "5000");
  const RunResult cold = run_timed(given);
  REQUIRE(cold.machine->cpu_busy_ns - warm.machine->cpu_busy_ns ==
          5'000 * found.blocks.blocks_read);
}

TEST_CASE("more clients than cores share them") {
  TimedCase given{.policy = "none:buffer=1MiB,block_cache=1GiB", .puts = 5'000, .gets = 400'000};
  const RunResult one = run_timed(given);
  given.clients = "closed:clients=8";
  given.device = plain_device({{"cpu_cores", "2"}});
  const RunResult eight = run_timed(given);
  const double gain = *eight.time->operations_per_second / *one.time->operations_per_second;
  REQUIRE(gain > 1.9);
  REQUIRE(gain < 2.1);
}

TEST_CASE("a part has its own clients, which begin when those before are done") {
  TimedCase given{.policy = "none:buffer=1MiB,block_cache=1GiB", .puts = 5'000, .gets = 300'000};
  given.parts = {{"load", 5'000}, {"one", 105'000}, {"four", 205'000}, {"two", 305'000}};
  given.parts[0].clients = 9;  // the most are the first
  given.parts[2].clients = 4;
  given.parts[3].clients = 2;
  const RunResult run = run_timed(given);
  REQUIRE(run.parts.size() == 4);
  const auto gain = [&](std::size_t part) {
    return static_cast<double>(*run.parts[1].nanoseconds) /
           static_cast<double>(*run.parts[part].nanoseconds);
  };
  REQUIRE(std::abs(gain(2) - 4) < 0.05);
  REQUIRE(std::abs(gain(3) - 2) < 0.05);
}

TEST_CASE("a merge waits for a core where others have them all, and its time is told in parts") {
  struct Merges {
    std::uint64_t ns = 0;
    std::uint64_t processor_ns = 0;
    std::uint64_t core_wait_ns = 0;
    std::uint64_t bytes_read = 0;
  };
  const auto merges_of = [&](const std::string& share, const std::string& clients,
                             const std::string& cores) {
    TimedCase given{.policy = "tiered:size_ratio=4,buffer=64KiB", .puts = 100'000};
    given.clients = clients;
    given.device = plain_device({{"cpu_cores", cores},
                                 {"cpu_flush_entry_ns", "300"},
                                 {"cpu_merge_entry_ns", "100"},
                                 {"cpu_wait_share", share}});
    const RunResult result = run_timed(given);
    REQUIRE(result.merge_times.size() > 10);
    Merges merges;
    for (const MergeTime& merge : result.merge_times) {
      REQUIRE(merge.processor_ns + merge.core_wait_ns < merge.nanoseconds);
      merges.ns += merge.nanoseconds;
      merges.processor_ns += merge.processor_ns;
      merges.core_wait_ns += merge.core_wait_ns;
      merges.bytes_read += merge.bytes_read;
    }
    return merges;
  };
  // One client keeps one core busy, and flushes often use the other.
  const Merges with = merges_of("0.5", "closed:clients=1", "2");
  const Merges without = merges_of("0", "closed:clients=1", "2");
  CAPTURE(with.ns, without.ns, with.core_wait_ns, without.core_wait_ns, with.processor_ns);
  REQUIRE(with.processor_ns == without.processor_ns);
  constexpr double kEntryBytes = 131.5;  // in a file, without index and filter
  REQUIRE(static_cast<double>(with.processor_ns) ==
          Approx(100 * static_cast<double>(with.bytes_read) / kEntryBytes).epsilon(0.1));
  REQUIRE(with.core_wait_ns > without.core_wait_ns + with.processor_ns / 50);
  REQUIRE(with.core_wait_ns < without.core_wait_ns + with.processor_ns / 2);
  REQUIRE(with.ns > without.ns);
  // With a third core each thread has its own.
  REQUIRE(merges_of("0.5", "closed:clients=1", "3").core_wait_ns == 0);
  // A put takes a microsecond, so merges find no core that has worked for longer.
  const Merges paused = merges_of("0.5", "constant:rate=1k", "2");
  REQUIRE(paused.core_wait_ns < paused.processor_ns / 100);
}

TEST_CASE("a client that reads shares a core with merges where threads gather") {
  struct Waits {
    double of_merges = 0;  // waits for a core, divided by processor time
    double get_ns = 0;
  };
  const auto waits_of = [](const std::string& share, const std::string& cores) {
    TimedCase given{.policy = "tiered:buffer=256KiB,block_cache=0",
                    .puts = 20'000,
                    .gets = 20'000,
                    .device = plain_device({{"cpu_cores", cores},
                                            {"cpu_merge_entry_ns", "2000"},
                                            {"cpu_get_ns", "20000"},
                                            {"cpu_gather_share", share}})};
    given.puts_load = given.alternates = true;
    const RunResult result = run_timed(given);
    double wait_ns = 0;
    double processor_ns = 0;
    for (const MergeTime& merge : result.merge_times) {
      wait_ns += static_cast<double>(merge.core_wait_ns);
      processor_ns += static_cast<double>(merge.processor_ns);
    }
    REQUIRE(processor_ns > 0);
    return Waits{wait_ns / processor_ns, result.time->latency.gets->mean_ns};
  };
  const Waits apart = waits_of("0", "4");
  REQUIRE(apart.of_merges == 0);
  const Waits half = waits_of("0.5", "4");
  const Waits gathered = waits_of("1", "4");
  CAPTURE(half.of_merges, gathered.of_merges, apart.get_ns, half.get_ns, gathered.get_ns);
  REQUIRE(half.of_merges > 0.01);
  REQUIRE(gathered.of_merges > half.of_merges);
  REQUIRE(half.get_ns > apart.get_ns);
  REQUIRE(gathered.get_ns > half.get_ns);
}

TEST_CASE("a lookup on the device waits longer while another core merges, not alone") {
  constexpr double kMoreNs = 50'000;
  const Parameters busy{
      {"cpu_cores", "2"}, {"cpu_merge_entry_ns", "2000"}, {"busy_cores_slowdown", "0.5"}};
  Parameters quiet = busy;
  quiet.back().second = "0";
  const auto mean_ns = [](const Parameters& device, const std::string& policy) {
    TimedCase given{
        .policy = policy, .puts = 20'000, .gets = 20'000, .device = plain_device(device)};
    given.puts_load = given.alternates = true;
    return run_timed(given).time->latency.gets->mean_ns;
  };
  const std::string merges = "tiered:buffer=256KiB,block_cache=0";
  REQUIRE(mean_ns(busy, merges) > mean_ns(quiet, merges) + kMoreNs / 100);
  REQUIRE(mean_ns(busy, merges) < mean_ns(quiet, merges) + kMoreNs);
  const std::string none = "none:buffer=1GiB,block_cache=0";
  REQUIRE(mean_ns(busy, none) == mean_ns(quiet, none));
  TimedCase alone{.policy = "none:buffer=64KiB,block_cache=0", .puts = 5'000, .gets = 5'000};
  alone.device = plain_device(busy);
  const RunResult with = run_timed(alone);
  alone.device = plain_device(quiet);
  REQUIRE(with.time->latency.gets->p99_ns == run_timed(alone).time->latency.gets->p99_ns);
}

}  // namespace
}  // namespace lsmlab::timed_work_test
