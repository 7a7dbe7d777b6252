#include "models/machine/cpu_model.h"

#include <fmt/format.h>

namespace lsmlab {

void CoresModel::declare(OptionTable& table) {
  table.count("cpu_cores", count, {1, 4096}, "cores",
              "shared by clients, flushes and merges; fewer than these are: all go slower");
  table.decimal("cpu_busy_slowdown", busy_slowdown, "0", "10",
                "share by which clients' work takes longer while all other cores work as well");
  table.decimal("cpu_merge_busy_slowdown", merge_busy_slowdown, "0", "10",
                "the same of flushes' and merges'");
  table.decimal("cpu_wait_share", wait_share, "0", "10",
                "that a flush or merge which waited for the device waits for a core where all are "
                "taken, as a share of its work since it waited last");
  table.decimal("cpu_gather_share", gather_share, "0", "1",
                "of threads that waited for the device, the share that go on where others of them "
                "do, though another core is idle");
}

std::vector<CalibrationRow> CoresModel::calibration() {
  return {
      {{"cpu_cores"}, "the system's hardware threads"},
      {{"cpu_busy_slowdown"},
       "a replay's put in a store that flushes and merges on threads of its own, over client and "
       "put alone, by the share of the time for which these work"},
      {{"cpu_merge_busy_slowdown"},
       "what a merge works longer beside another store's client and flushes"},
      {{"cpu_wait_share"},
       "with which the simulated merge waits for a core for the same share of its time as this "
       "merge (`/proc/thread-self/schedstat`)"},
      {{"cpu_gather_share"},
       "of lookups on the disk beside another store's merge, how often both threads were last on "
       "the same core (`/proc/self/task`), once both have waited for the disk for 0.6 seconds, as "
       "new threads have a core each at first"}};
}

void QuotaModel::declare(OptionTable& table) {
  table.decimal(
      "cpu_quota", cores, "0", "4096",
      "cores' worth of processor time in each period, as hosts and containers limit it "
      "(cpu.max): once it is used up everything stands still until the next; 0: no limit");
  table.count("cpu_quota_period_ns", period_ns, {1'000'000, 10 * kModelNsPerSecond}, "ns",
              "of such a period");
  table.decimal("cpu_quota_device", device, "0", "64",
                "cores' worth of it that the host needs itself while the device is at work");
  table.decimal("cpu_quota_idle", idle, "0", "1",
                "share of an idle core's time that counts while the device is at work, as hosts "
                "look whether it has to go on");
}

void QuotaModel::validate(const DeviceModel& /*model*/, std::vector<std::string>& faults) const {
  if (!is_given() && (device.numerator() != 0 || idle.numerator() != 0)) {
    faults.emplace_back("cpu_quota_device and cpu_quota_idle: nothing without cpu_quota");
  }
  // Less could be used up by a single step of what is simulated.
  if (is_given() && cores.as_double() < 0.01) {
    faults.push_back(fmt::format("cpu_quota={} is below 0.01", cores.as_double()));
  }
}

std::vector<CalibrationRow> QuotaModel::calibration() {
  return {
      {{"cpu_quota", "cpu_quota_period_ns", "cpu_quota_device", "cpu_quota_idle"},
       "threads on all cores that look at nothing but the clock: alone, beside one that reads and "
       "writes 256 KiB at a time, and beside that with one core left idle, an eighth of the time "
       "together. Where no thread comes to the clock for 2 ms and more, the machine stood still; "
       "three such stops and 2 % of the time make a limit"}};
}

void WorkCosts::declare(OptionTable& table) {
  const auto time = [&](const char* name, std::uint64_t& field, const char* meaning) {
    table.count(name, field, kModelShortTimeRange, "ns", meaning);
  };
  time("cpu_client_ns", client_ns,
       "of a client between an operation and the next, in a closed loop");
  time("cpu_client_kib_ns", client_kib_ns, "each 1,024 bytes of values that a client makes up");
  time("cpu_put_ns", put_ns, "of a put or delete: log record and memtable");
  time("cpu_put_kib_ns", put_kib_ns, "each 1,024 bytes of keys and values put");
  time("cpu_slow_put_ns", slow_put_ns, "that one put in 50 takes longer than the others");
  time("cpu_log_write_ns", log_write_ns,
       "of the put that hands the gathered log to the system: the call");
  time("cpu_log_kib_ns", log_kib_ns, "of the same put: each 1,024 bytes of the log");
  time("cpu_read_ns", read_ns,
       "of a lookup: each block read from the device, where read_latency_ns is without it");
  time("cpu_cold_ns", cold_ns,
       "of a client's next operation after it waited for the device: caches have gone cold");
  time("cpu_sleep_ns", sleep_ns, "that a slowed write sleeps longer than asked for");
  time("cpu_file_ns", file_ns,
       "each SSTable that a flush or merge writes: made, closed and in the end removed");
  time("cpu_get_ns", get_ns, "of a lookup: memtables, and what is done once");
  time("cpu_table_ns", table_ns, "of a lookup: each SSTable asked, filter and index");
  time("cpu_block_ns", block_ns, "each data block searched, of a scan the first of each run");
  time("cpu_scan_ns", scan_ns, "of a scan: what is done once");
  time("cpu_scan_entry_ns", scan_entry_ns, "each entry that a scan shows");
  time("cpu_scan_block_ns", scan_block_ns,
       "each data block that a scan goes on to in the same sorted run");
  time("cpu_flush_entry_ns", flush_entry_ns, "each entry written by a flush");
  time("cpu_flush_kib_ns", flush_kib_ns, "each 1,024 bytes written by a flush");
  time("cpu_merge_entry_ns", merge_entry_ns, "each entry read by a merge, of one sorted run");
  time("cpu_merge_kib_ns", merge_kib_ns,
       "each 1,024 bytes read and written by a merge, of one sorted run");
  time("cpu_merge_doubling_entry_ns", merge_doubling_entry_ns,
       "each entry read by a merge: more for each doubling of its like sorted runs");
  time("cpu_merge_doubling_kib_ns", merge_doubling_kib_ns,
       "each 1,024 bytes a merge reads and writes: more for each doubling of its like sorted runs");
}

std::vector<CalibrationRow> WorkCosts::calibration() {
  return {
      {{"cpu_client_ns", "cpu_client_kib_ns"},
       "a replay on a store that does nothing, values of two sizes"},
      {{"cpu_put_ns", "cpu_put_kib_ns", "cpu_slow_put_ns"},
       "the engine's puts, values of two sizes; in a store at work, their 99th percentile beyond "
       "the median"},
      {{"cpu_log_write_ns", "cpu_log_kib_ns"},
       "a log's pieces; the latter while the store flushes and merges"},
      {{"cpu_read_ns", "cpu_cold_ns"},
       "lookups from the disk; the first put after a lookup against the second"},
      {{"cpu_sleep_ns", "cpu_file_ns"},
       "a sleep of a millisecond; a file made, written, closed and removed"},
      {{"cpu_get_ns", "cpu_table_ns", "cpu_block_ns"},
       "lookups in memory: at all, for each SSTable asked, for each block searched"},
      {{"cpu_scan_ns", "cpu_scan_entry_ns", "cpu_scan_block_ns"},
       "scans; the last from what entries of 1 KiB take more than as many of 128 B, which stand in "
       "a quarter of the blocks"},
      {{"cpu_flush_entry_ns", "cpu_flush_kib_ns"},
       "flushes while all other cores put, as they always have a client beside them, of what "
       "another core put; what a merge works longer beside these puts is taken out again"},
      {{"cpu_merge_entry_ns", "cpu_merge_kib_ns"},
       "merges with the system's work for their requests, values of two sizes"},
      {{"cpu_merge_doubling_entry_ns", "cpu_merge_doubling_kib_ns"},
       "merges of 16 sorted runs instead of 4, as many bytes"}};
}

}  // namespace lsmlab
