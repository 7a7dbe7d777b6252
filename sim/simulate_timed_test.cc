// Runs with a clock against closed forms: a byte takes a nanosecond on these devices, so that times
// come out whole.
#include "sim/simulate_timed.h"

#include <cmath>
#include <string>
#include <vector>

#include "models/sstable_size.h"
#include "testing/catch.h"
#include "testing/runs.h"
#include "traces/random.h"

namespace lsmlab {
namespace {

constexpr std::uint64_t kPutNs = 1'000;

// Puts of unique keys, then gets of them, of one size; another put after each get where asked for.
class PutsThenGets : public OperationSource {
 public:
  PutsThenGets(std::uint64_t puts, std::uint64_t gets, bool is_loading, bool alternates)
      : puts_(puts), gets_(gets), is_loading_(is_loading), step_(alternates ? 2 : 1) {}
  [[nodiscard]] std::uint64_t loading_operations() const override {
    return is_loading_ ? puts_ : 0;
  }
  [[nodiscard]] Result<std::size_t> fill(std::span<Operation> operations) override {
    std::size_t filled = 0;
    for (; filled < operations.size() && next_ < puts_ + step_ * gets_; ++filled, ++next_) {
      Operation& operation = operations[filled];
      operation = {};
      const bool is_put = next_ < puts_ || (next_ - puts_) % step_ != 0;
      operation.kind = is_put ? OperationKind::kPut : OperationKind::kGet;
      operation.key = mix_bits(is_put ? next_ : (next_ * 7919) % puts_);
      operation.key_bytes = 16;
      operation.value_bytes = 112;
    }
    return filled;
  }

 private:
  std::uint64_t puts_;
  std::uint64_t gets_;
  bool is_loading_;
  std::uint64_t step_;
  std::uint64_t next_ = 0;
};

// With some parameters other than the plain ones.
Parameters plain_device(const Parameters& changed = {}) {
  Parameters device{
      {"read_bandwidth", "1GB"},   {"write_bandwidth", "1GB"},     {"read_latency_ns", "80000"},
      {"write_latency_ns", "0"},   {"sequential_latency_ns", "0"}, {"cpu_put_ns", "1000"},
      {"cpu_get_ns", "500"},       {"cpu_table_ns", "100"},        {"cpu_block_ns", "700"},
      {"cpu_flush_entry_ns", "0"}, {"cpu_merge_entry_ns", "0"},    {"cpu_merge_kib_ns", "0"},
      {"cpu_flush_kib_ns", "0"},   {"cpu_file_ns", "0"},           {"cpu_cores", "64"},
      {"request_bytes", "128KiB"}};
  for (const auto& parameter : changed) {
    std::erase_if(device, [&](const auto& known) { return known.first == parameter.first; });
    device.push_back(parameter);
  }
  return device;
}

struct TimedCase {
  std::string policy = "none:buffer=1MiB,block_cache=0";
  std::uint64_t puts = 0;
  std::uint64_t gets = 0;
  std::string clients = "closed";
  Parameters device = plain_device();
  bool sync_writes = false;
  unsigned merge_threads = 1;
  bool puts_load = false;
  Parameters stalls = {};
  bool alternates = false;
};

RunResult run(const TimedCase& given, bool final_flush = true) {
  TimedRunOptions timed;
  auto device = make_device("plain", given.device);
  REQUIRE(device.has_value());
  timed.device = std::move(device).value();
  auto clients = make_clients(parse_spec(given.clients).value());
  REQUIRE(clients.has_value());
  timed.clients = std::move(clients).value();
  timed.sync_writes = given.sync_writes;
  timed.merge_threads = given.merge_threads;
  timed.stalls = given.stalls;
  KeyRunOptions options;
  options.final_flush = final_flush;
  PutsThenGets source(given.puts, given.gets, given.puts_load, given.alternates);
  RunControl control;
  auto result = simulate_timed(testing::policy_of(given.policy), source, options, timed, control);
  REQUIRE(result.has_value());
  REQUIRE(result.value().complete);
  return std::move(result).value();
}

std::uint64_t stalls_of(const RunResult& result, const std::string& reason) {
  for (const StallFigures& stall : *result.stalls) {
    if (stall.reason == reason) return stall.count;
  }
  FAIL("no stall " << reason);
  return 0;
}

TEST_CASE("one client that writes what a memtable holds takes its processor time and no more") {
  const RunResult result = run({.policy = "none:buffer=1GiB", .puts = 10'000}, false);
  REQUIRE(result.latency->puts->max_ns == kPutNs);
  REQUIRE(result.latency->puts->mean_ns == kPutNs);
  REQUIRE(*result.operations_per_second == 1e6);
  REQUIRE(result.cpu_busy_ns == 10'000 * kPutNs);
}

TEST_CASE("one client's lookup takes its processor time, its block's transfer and the latency") {
  // Arrivals so slow that nothing else is under way.
  const RunResult result = run({.policy = "none:buffer=64KiB,block_cache=0,bits_per_key=30",
                                .puts = 1'010,
                                .gets = 300,
                                .clients = "constant:rate=100"});
  const LookupFigures& gets = result.reads->gets_found;
  REQUIRE(gets.count == 300);
  REQUIRE(gets.false_positives == 0);
  const double work = 300.0 * 500 + 100.0 * static_cast<double>(gets.runs_touched) +
                      700.0 * static_cast<double>(gets.blocks.blocks_fetched);
  const double device = 80'000.0 * static_cast<double>(gets.blocks.blocks_read) +
                        static_cast<double>(gets.blocks.bytes_read);
  REQUIRE(gets.blocks.blocks_read > 200);
  REQUIRE(std::abs(result.latency->gets->mean_ns * 300 - (work + device)) < 1);
}

TEST_CASE("loading is in no latency and no rate") {
  TimedCase given{.policy = "none:buffer=64KiB,block_cache=0", .puts = 1'010, .gets = 300};
  const RunResult all = run(given);
  given.puts_load = true;
  const RunResult loaded = run(given);
  REQUIRE(loaded.loading_operations == 1'010);
  REQUIRE(all.latency->puts->count == 1'010);
  REQUIRE_FALSE(loaded.latency->puts.has_value());
  REQUIRE(loaded.latency->gets == all.latency->gets);
  // One client: a lookup begins when the last one ends.
  REQUIRE(*loaded.operations_per_second ==
          Approx(1e9 / loaded.latency->gets->mean_ns).epsilon(1e-9));
  REQUIRE(*all.operations_per_second > *loaded.operations_per_second);
  REQUIRE(loaded.totals.user_bytes == all.totals.user_bytes);
}

TEST_CASE("the device is busy for as long as its bytes take") {
  const RunResult result =
      run({.policy = "tiered:size_ratio=4,buffer=64KiB", .puts = 50'000, .gets = 20'000});
  const DeviceFigures& device = *result.device_figures;
  REQUIRE(device.transfer_ns == device.bytes_read + device.bytes_written);
  REQUIRE(device.bytes_written ==
          result.totals.flush_bytes_written + result.totals.merge_bytes_written);
  REQUIRE(result.merge_times.size() == result.totals.merges);
}

TEST_CASE("a merge alone takes its bytes, read and written, and its entries' processor time") {
  const TimedCase given{
      .policy = "tiered:size_ratio=4,buffer=64KiB",
      .puts = 20'000,
      .clients = "constant:rate=1k",
      .device = plain_device(
          {{"cpu_merge_entry_ns", "100"}, {"cpu_file_ns", "70000"}, {"read_latency_ns", "0"}})};
  const RunResult result = run(given);
  REQUIRE(result.totals.merges > 10);
  for (const MergeTime& merge : result.merge_times) {
    // An entry is 16 + 112 bytes and some for its place in a block: about 130 of a file.
    const double entries = static_cast<double>(merge.bytes_written) / 131.5;
    // It makes one file, and reads its end again.
    const std::uint64_t bytes =
        merge.bytes_read + merge.bytes_written + sstable_end_bytes(merge.bytes_written);
    const double expected = static_cast<double>(bytes) + 100 * entries + 70'000;
    REQUIRE(std::abs(static_cast<double>(merge.nanoseconds) - expected) < 0.03 * expected);
  }
}

TEST_CASE("a flush takes its entries' and its bytes' processor time") {
  TimedCase given{.policy = "none:buffer=64KiB", .puts = 20'000};
  const RunResult without = run(given);
  given.device = plain_device({{"cpu_flush_entry_ns", "100"}, {"cpu_flush_kib_ns", "1024"}});
  const RunResult with = run(given);
  REQUIRE(with.totals.flushes > 10);
  REQUIRE(with.cpu_busy_ns == without.cpu_busy_ns + with.totals.flush_bytes_written + 20'000 * 100);
}

TEST_CASE("a read takes its call on the processor, beside what the device takes") {
  TimedCase given{.policy = "none:buffer=64KiB,block_cache=0", .puts = 2'000, .gets = 1'000};
  const RunResult without = run(given);
  given.device = plain_device({{"cpu_read_ns", "9000"}});
  const RunResult with = run(given);
  const LookupFigures& found = without.reads->gets_found;
  REQUIRE(found.blocks.blocks_read > 0);
  REQUIRE(with.cpu_busy_ns > without.cpu_busy_ns);
  // A get's reads come one after another, so their calls add up.
  const double more = static_cast<double>(with.latency->gets->mean_ns) -
                      static_cast<double>(without.latency->gets->mean_ns);
  const double reads = static_cast<double>(found.blocks.blocks_read +
                                           without.reads->gets_absent.blocks.blocks_read) /
                       static_cast<double>(without.latency->gets->count);
  REQUIRE(more == Approx(9'000 * reads).epsilon(0.01));
}

TEST_CASE("a put after a lookup that waited for the device finds cold caches, others do not") {
  TimedCase given{.policy = "none:buffer=64KiB,block_cache=0,bits_per_key=30",
                  .puts = 2'000,
                  .gets = 500,
                  .device = plain_device({{"write_bandwidth", "100GB"}}),
                  .alternates = true};
  const RunResult warm = run(given);
  const LookupFigures& found = warm.reads->gets_found;
  REQUIRE(found.false_positives == 0);
  REQUIRE(found.blocks.blocks_read > 300);
  REQUIRE(found.blocks.blocks_read < 500);  // the rest is in memory
  given.device.emplace_back("cpu_cold_ns", "5000");
  const RunResult cold = run(given);
  REQUIRE(cold.cpu_busy_ns - warm.cpu_busy_ns == 5'000 * found.blocks.blocks_read);
}

TEST_CASE("files that merges leave behind are trimmed, for which the device is busy") {
  for (const char* clients : {"constant:rate=1k", "closed"}) {
    const TimedCase given{
        .policy = "tiered:size_ratio=4,buffer=64KiB",
        .puts = 20'000,
        .clients = clients,
        .device = plain_device({{"trim_ns", "2000000"}, {"trim_mib_ns", "1048576000"}})};
    const RunResult result = run(given);
    const DeviceFigures& device = *result.device_figures;
    REQUIRE(result.totals.merges > 10);
    REQUIRE(device.trims >= 2 * result.totals.merges);
    REQUIRE(device.bytes_trimmed == result.totals.merge_bytes_read);
    REQUIRE(device.transfer_ns == device.bytes_read + device.bytes_written +
                                      2'000'000 * device.trims + 1'000 * device.bytes_trimmed);
    REQUIRE(result.simulated_ns >= device.transfer_ns);
  }
}

TEST_CASE("a device that stands still a part of the time makes a run that waits for it longer") {
  const auto puts = [](const Parameters& more) {
    return run({.policy = "tiered:size_ratio=4,buffer=64KiB",
                .puts = 20'000,
                .device = plain_device(more)});
  };
  const RunResult steady = puts({});
  REQUIRE(steady.device_figures->pauses == 0);
  const RunResult paused = puts({{"pause_ns", "1000000"}, {"pause_share", "0.25"}});
  const DeviceFigures& device = *paused.device_figures;
  REQUIRE(device.pauses > 3);
  REQUIRE(device.paused_ns <= device.pauses * 1'000'000);
  REQUIRE(device.transfer_ns == device.bytes_read + device.bytes_written + device.paused_ns);
  REQUIRE(paused.simulated_ns > steady.simulated_ns);
  // One in every four milliseconds, and no more.
  REQUIRE(device.pauses <= paused.simulated_ns / 4'000'000 + 1);
}

TEST_CASE("what a lookup still held is removed beside the next merge, and all of it is") {
  const TimedCase given{.policy = "tiered:size_ratio=4,buffer=64KiB,block_cache=0",
                        .puts = 2'000,
                        .gets = 20'000,
                        .clients = "closed:clients=4",
                        .device = plain_device({{"trim_ns", "500000"}, {"trim_mib_ns", "0"}}),
                        .alternates = true};
  const RunResult result = run(given);
  const DeviceFigures& device = *result.device_figures;
  REQUIRE(result.totals.merges > 10);
  REQUIRE(device.bytes_trimmed == result.totals.merge_bytes_read);
  REQUIRE(device.transfer_ns == device.bytes_read + device.bytes_written + 500'000 * device.trims);
}

TEST_CASE("a slowed write sleeps longer than asked for") {
  const TimedCase given{
      .policy = "leveldb:buffer=64KiB,file_size=64KiB,level_base=256KiB",
      .puts = 100'000,
      .device = plain_device({{"write_bandwidth", "10MB"}, {"cpu_sleep_ns", "70000"}})};
  const RunResult result = run(given);
  for (const StallFigures& stall : *result.stalls) {
    if (stall.reason != "level 0 slowdown") continue;
    REQUIRE(stall.count > 0);
    REQUIRE(stall.nanoseconds == 1'070'000 * stall.count);
  }
}

TEST_CASE("where the device is too slow, writers stall and the device sets the rate") {
  // Puts alone would make 128 MB a second.
  const TimedCase given{.policy = "none:buffer=1MiB",
                        .puts = 500'000,
                        .device = plain_device({{"write_bandwidth", "20MB"}})};
  const RunResult result = run(given);
  REQUIRE(stalls_of(result, "full memtables") > 10);
  const double seconds = static_cast<double>(result.simulated_ns) / 1e9;
  const double at_bandwidth = static_cast<double>(result.device_figures->bytes_written) / 20e6;
  REQUIRE(seconds >= at_bandwidth * 0.999);
  REQUIRE(seconds < at_bandwidth * 1.02);
  REQUIRE(result.latency->puts->p50_ns < 2 * kPutNs);
  REQUIRE(result.latency->puts->max_ns > 10'000'000);
}

TEST_CASE("too many runs in level 0 slow writers down and then stop them") {
  const TimedCase given{.policy = "leveldb:buffer=64KiB,file_size=64KiB,level_base=256KiB",
                        .puts = 100'000,
                        .device = plain_device({{"write_bandwidth", "10MB"}})};
  const RunResult result = run(given);
  REQUIRE(stalls_of(result, "level 0 slowdown") > 0);
  REQUIRE(stalls_of(result, "full memtables") + stalls_of(result, "level 0 stop") > 0);
  std::uint64_t most = 0;
  for (const TimePoint& point : result.time_series) most = std::max(most, point.sorted_runs);
  REQUIRE(most <= 12 + 7 + 1);
}

TEST_CASE("what merges have still to move slows RocksDB's writers down, and stops them") {
  TimedCase given{.policy = "rocksdb-leveled:buffer=64KiB,file_size=64KiB,level_base=256KiB",
                  .puts = 60'000,
                  .device = plain_device({{"write_bandwidth", "20MB"}})};
  const RunResult unlimited = run(given);
  REQUIRE(stalls_of(unlimited, "pending merges slowdown") == 0);
  given.stalls = {{"pending_slowdown_bytes", "300KiB"}, {"slowdown_bytes_per_second", "4MB"}};
  const RunResult slowed = run(given);
  REQUIRE(stalls_of(slowed, "pending merges slowdown") > 100);
  REQUIRE(stalls_of(slowed, "pending merges stop") == 0);
  given.stalls.emplace_back("pending_stop_bytes", "600KiB");
  REQUIRE(stalls_of(run(given), "pending merges stop") > 0);
  // At a constant rate and slower than merges, a millisecond's worth of bytes is held up at a time.
  given.stalls = {{"pending_slowdown_bytes", "1"},
                  {"slowdown_bytes_per_second", "1MB"},
                  {"adapts_rate", "false"}};
  const RunResult constant = run(given);
  const double seconds = static_cast<double>(constant.simulated_ns) / 1e9;
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
  // Writers are hardly held up, so that much is owed at the end.
  TimedCase given{.policy = policy,
                  .puts = 200'000,
                  .device = plain_device({{"write_bandwidth", "20MB"}}),
                  .stalls = {{"full_memtables_max", "100"}}};
  if (!given.policy.starts_with("binomial")) {
    given.stalls.emplace_back("level0_slowdown_runs", "1000");
    given.stalls.emplace_back("level0_stop_runs", "1000");
  }
  const RunResult result = run(given);
  const TimePoint& last = result.time_series.back();
  REQUIRE(last.merge_debt_bytes == 0);
  std::uint64_t most = 0;
  std::uint64_t unknown = 0;
  for (const TimePoint& point : result.time_series) {
    most = std::max(most, point.merge_debt_bytes.value_or(0));
    if (!point.merge_debt_bytes) ++unknown;
  }
  REQUIRE(unknown > result.time_series.size() / 4);
  std::uint64_t compared = 0;
  for (const TimePoint& point : result.time_series) {
    // The less is owed, the more it matters whether the last merge brings about another one.
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
  const RunResult young = run(given);
  REQUIRE(young.device_figures->bytes_written == young.totals.flush_bytes_written);
  // Four seconds into one memtable, of whose log all but the last second is old.
  given.policy = "none:buffer=1GiB";
  given.device = plain_device({{"writeback_ns", "1000000000"}});
  const RunResult old = run(given, false);
  const double record_bytes = 28 + 16 + 112;
  REQUIRE(static_cast<double>(old.device_figures->bytes_written) ==
          Approx(300'000 * record_bytes).epsilon(0.01));
}

TEST_CASE("a synced write takes a sync, which concurrent ones share") {
  TimedCase given{.policy = "none:buffer=1GiB",
                  .puts = 20'000,
                  .device = plain_device({{"sync_latency_ns", "1000000"}}),
                  .sync_writes = true};
  const RunResult alone = run(given, false);
  REQUIRE(alone.latency->puts->p50_ns > 1'000'000);
  REQUIRE(alone.latency->puts->max_ns < 1'002'000);
  REQUIRE(*alone.operations_per_second < 1000);
  given.clients = "closed:clients=16";
  const RunResult many = run(given, false);
  // While one sync is under way the others gather for the next: half of them, or more.
  REQUIRE(*many.operations_per_second > 7 * *alone.operations_per_second);
  REQUIRE(*many.operations_per_second < 16 * *alone.operations_per_second);
}

TEST_CASE("operations that arrive faster than they are served wait longer and longer") {
  TimedCase given{.policy = "none:buffer=1GiB", .puts = 100'000, .clients = "constant:rate=2M"};
  const RunResult late = run(given, false);
  // Every 1000 ns one is served, every 500 ns one comes.
  REQUIRE(late.latency->puts->max_ns == 100'000 * 1'000 - 99'999 * 500);
  given.clients = "constant:rate=500k";
  REQUIRE(run(given, false).latency->puts->max_ns == kPutNs);
}

TEST_CASE("more clients than cores share them") {
  TimedCase given{.policy = "none:buffer=1MiB,block_cache=1GiB", .puts = 5'000, .gets = 400'000};
  const RunResult one = run(given);
  given.clients = "closed:clients=8";
  given.device = plain_device({{"cpu_cores", "2"}});
  const RunResult eight = run(given);
  const double gain = *eight.operations_per_second / *one.operations_per_second;
  REQUIRE(gain > 1.9);
  REQUIRE(gain < 2.1);
}

TEST_CASE("a run with a clock has one outcome") {
  const TimedCase same{.policy = "ldc:buffer=64KiB,file_size=64KiB",
                       .puts = 60'000,
                       .gets = 20'000,
                       .clients = "poisson:rate=200k,clients=4",
                       .merge_threads = 2};
  const RunResult a = run(same);
  const RunResult b = run(same);
  REQUIRE(a.totals == b.totals);
  REQUIRE(a.simulated_ns == b.simulated_ns);
  REQUIRE(a.latency->puts == b.latency->puts);
  REQUIRE(a.latency->gets == b.latency->gets);
  REQUIRE(a.time_series == b.time_series);
  REQUIRE(*a.device_figures == *b.device_figures);
}

TEST_CASE("a merge waits for a core beside a client that never pauses, not beside one that does") {
  const auto merge_ns = [](const std::string& wake_ns, const std::string& clients) {
    TimedCase given{.policy = "tiered:size_ratio=4,buffer=64KiB", .puts = 20'000};
    given.clients = clients;
    given.device = plain_device({{"cpu_cores", "2"}, {"cpu_wake_ns", wake_ns}});
    const RunResult result = run(given);
    REQUIRE(result.merge_times.size() > 10);
    std::uint64_t requests = 0;
    std::uint64_t sum = 0;
    for (const MergeTime& merge : result.merge_times) {
      // Pieces, read and written, and the file's end, written and read again.
      requests += 2 * ((merge.bytes_written + (128 << 10) - 1) / (128 << 10)) + 2;
      sum += merge.nanoseconds;
    }
    return std::pair{sum, requests};
  };
  const auto [with, requests] = merge_ns("30000", "closed:clients=1");
  const auto [without, same_requests] = merge_ns("0", "closed:clients=1");
  REQUIRE(same_requests == requests);
  REQUIRE(with > without + 15'000 * requests);
  REQUIRE(with < without + 33'000 * requests);
  // A put takes a microsecond, and no core has worked for longer then.
  const auto [paused, paused_requests] = merge_ns("30000", "constant:rate=1k");
  const auto [paused_without, ignored] = merge_ns("0", "constant:rate=1k");
  REQUIRE(paused < paused_without + 1'000 * paused_requests);
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
    return run(given).latency->gets->mean_ns;
  };
  const std::string merges = "tiered:buffer=256KiB,block_cache=0";
  REQUIRE(mean_ns(busy, merges) > mean_ns(quiet, merges) + kMoreNs / 100);
  REQUIRE(mean_ns(busy, merges) < mean_ns(quiet, merges) + kMoreNs);
  const std::string none = "none:buffer=1GiB,block_cache=0";
  REQUIRE(mean_ns(busy, none) == mean_ns(quiet, none));
  TimedCase alone{.policy = "none:buffer=64KiB,block_cache=0", .puts = 5'000, .gets = 5'000};
  alone.device = plain_device(busy);
  const RunResult with = run(alone);
  alone.device = plain_device(quiet);
  REQUIRE(with.latency->gets->p99_ns == run(alone).latency->gets->p99_ns);
}

}  // namespace
}  // namespace lsmlab
