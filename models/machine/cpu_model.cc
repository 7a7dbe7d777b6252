#include "models/machine/cpu_model.h"

#include <fmt/format.h>

namespace lsmlab {

void CoresModel::declare(OptionTable& table) {
  table.count("cpu_cores", count, {1, 4096}, "cores",
              "cores that clients, flushes and merges share; if more threads work, all are slower");
  table.decimal("cpu_busy_slowdown", busy_slowdown, "0", "10",
                "share by which a client's work takes longer while all other cores work");
  table.decimal("cpu_merge_busy_slowdown", merge_busy_slowdown, "0", "10",
                "the same for the work of flushes and merges");
  table.decimal("cpu_merge_part_slowdown", merge_part_slowdown, "0", "10",
                "share by which a merge's work takes longer for each further thread that divides "
                "it: N threads are at most N / (1 + share * (N - 1)) times as fast as one");
  table.decimal("cpu_wait_share", wait_share, "0", "10",
                "scheduling delay of a flush or merge after I/O while all cores are busy, as a "
                "share of its work since the last delay");
  table.decimal("cpu_gather_share", gather_share, "0", "1",
                "share of the threads that continue after I/O on one common core although another "
                "core is idle");
}

std::vector<CalibrationRow> CoresModel::calibration() {
  return {
      {{"cpu_cores"}, "the system's hardware threads"},
      {{"cpu_busy_slowdown"},
       "how much longer a replay's put takes while the store flushes and merges on other threads "
       "than client and put alone, divided by the share of the time for which these threads work"},
      {{"cpu_merge_busy_slowdown"},
       "how much more processor time a merge takes while another store's client and flushes run"},
      {{"cpu_merge_part_slowdown"}, ""},
      {{"cpu_wait_share"},
       "the value with which such a merge, simulated, waits for a core for the measured share of "
       "its time (`/proc/thread-self/schedstat`)"},
      {{"cpu_gather_share"},
       "the share of lookups on the disk, concurrent with another store's merge, at which both "
       "threads were last on the same core (`/proc/self/task`). It counts after both have waited "
       "for the disk for 0.6 seconds, because new threads have a core each at first"}};
}

void QuotaModel::declare(OptionTable& table) {
  table.decimal(
      "cpu_quota", cores, "0", "4096",
      "limit of processor time, in cores, that a host or container sets for each period (cpu.max): "
      "when it is used up, everything pauses until the next period; 0: no limit");
  table.count("cpu_quota_period_ns", period_ns, {1'000'000, 10 * kModelNsPerSecond}, "ns",
              "length of a period of cpu_quota");
  table.decimal("cpu_quota_device", device, "0", "64",
                "processor time, in cores, that the host charges for I/O while the device works");
  table.decimal("cpu_quota_idle", idle, "0", "1",
                "share of an idle core's time that the host charges while the device works, "
                "because it polls for that core");
}

void QuotaModel::validate(const DeviceModel& /*model*/, std::vector<std::string>& faults) const {
  if (!is_given() && (device.numerator() != 0 || idle.numerator() != 0)) {
    faults.emplace_back("cpu_quota_device and cpu_quota_idle have no effect without cpu_quota");
  }
  // A single step of the simulation could use up a smaller limit.
  if (is_given() && cores.as_double() < 0.01) {
    faults.push_back(fmt::format("cpu_quota={} is below 0.01", cores.as_double()));
  }
}

std::vector<CalibrationRow> QuotaModel::calibration() {
  return {{{"cpu_quota", "cpu_quota_period_ns", "cpu_quota_device", "cpu_quota_idle"},
           "threads on all cores that only read the clock: alone, concurrent with a thread that "
           "reads and writes 256 KiB at a time, and the same with one core left idle; together an "
           "eighth of the time. If no thread reads the clock for at least 2 ms, the machine was "
           "stopped. Three stops that take 2 % of the time or more show a limit"}};
}

void WorkCosts::declare(OptionTable& table) {
  const auto time = [&](const char* name, std::uint64_t& field, const char* meaning) {
    table.count(name, field, kModelShortTimeRange, "ns", meaning);
  };
  time("cpu_client_ns", client_ns, "work of a closed client between two operations");
  time("cpu_client_kib_ns", client_kib_ns,
       "the same for each 1,024 bytes of a value that the client generates");
  time("cpu_put_ns", put_ns, "a put or delete: log record and memtable insert");
  time("cpu_put_kib_ns", put_kib_ns, "the same for each 1,024 bytes of key and value");
  time("cpu_slow_put_ns", slow_put_ns, "how much longer one put in 50 takes than the others");
  time("cpu_log_write_ns", log_write_ns, "system call of the put that writes the log buffer");
  time("cpu_log_kib_ns", log_kib_ns, "the same for each 1,024 bytes of the log buffer");
  time("cpu_read_ns", read_ns,
       "a lookup: each block read from the device, in addition to read_latency_ns");
  time("cpu_cold_ns", cold_ns,
       "how much longer a client's next operation takes after a read from the device: cold caches");
  time("cpu_sleep_ns", sleep_ns, "how much longer a slowed write sleeps than it asked for");
  time("cpu_file_ns", file_ns,
       "each SSTable that a flush or merge writes: to create, close and finally remove it");
  time("cpu_get_ns", get_ns, "a lookup: memtables, and all that it does once");
  time("cpu_table_ns", table_ns, "a lookup: filter and index of each SSTable that it asks");
  time("cpu_block_ns", block_ns,
       "each data block that a lookup searches, and the first of each sorted run of a scan");
  time("cpu_scan_ns", scan_ns, "a scan: all that it does once");
  time("cpu_scan_entry_ns", scan_entry_ns, "each entry that a scan returns");
  time("cpu_scan_block_ns", scan_block_ns,
       "each further data block of a sorted run that a scan reads");
  time("cpu_flush_entry_ns", flush_entry_ns, "each entry that a flush writes");
  time("cpu_flush_kib_ns", flush_kib_ns, "each 1,024 bytes that a flush writes");
  time("cpu_merge_entry_ns", merge_entry_ns,
       "each entry that a merge reads, if it had a single sorted run");
  time("cpu_merge_kib_ns", merge_kib_ns,
       "each 1,024 bytes that a merge reads or writes, the larger, if it had a single sorted run");
  time("cpu_merge_doubling_entry_ns", merge_doubling_entry_ns,
       "further time for each entry, for each doubling of the number of equal sorted runs");
  time("cpu_merge_doubling_kib_ns", merge_doubling_kib_ns,
       "further time for each 1,024 bytes, for each doubling of the number of equal sorted runs");
}

std::vector<CalibrationRow> WorkCosts::calibration() {
  return {
      {{"cpu_client_ns", "cpu_client_kib_ns"},
       "a replay on a store that does nothing, with values of two sizes"},
      {{"cpu_put_ns", "cpu_put_kib_ns", "cpu_slow_put_ns"},
       "the engine's puts with values of two sizes; the last from the 99th percentile minus the "
       "median of puts while the store flushes and merges"},
      {{"cpu_log_write_ns", "cpu_log_kib_ns"},
       "writes of the log buffer; the second while the store flushes and merges"},
      {{"cpu_read_ns", "cpu_cold_ns"},
       "lookups from the disk; the difference between the first and the second put after a lookup"},
      {{"cpu_sleep_ns", "cpu_file_ns"},
       "sleeps of a millisecond; files that are created, written, closed and removed"},
      {{"cpu_get_ns", "cpu_table_ns", "cpu_block_ns"},
       "lookups in memory: for the lookup, for each SSTable asked, for each block searched"},
      {{"cpu_scan_ns", "cpu_scan_entry_ns", "cpu_scan_block_ns"},
       "scans; the last from how much longer scans of entries of 1 KiB take than scans of as many "
       "entries of 128 B, which are in a quarter of the blocks"},
      {{"cpu_flush_entry_ns", "cpu_flush_kib_ns"},
       "flushes, of entries that another core put, while all other cores put: a flush always runs "
       "concurrently with a client. What a merge works longer during such puts is subtracted"},
      {{"cpu_merge_entry_ns", "cpu_merge_kib_ns"},
       "merges with values of two sizes; the system's work for their requests counts"},
      {{"cpu_merge_doubling_entry_ns", "cpu_merge_doubling_kib_ns"},
       "merges of 16 sorted runs compared with merges of 4, of as many bytes"}};
}

}  // namespace lsmlab
