// The processor of a simulated machine: its cores, a limit of processor time, and the time that a
// store's work takes on one core.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/decimal.h"
#include "models/machine/model_part.h"

namespace lsmlab {

struct CoresModel {
  std::uint64_t count = 4;
  // Shares by which work takes longer while all other cores work: of clients, and of flushes and
  // merges.
  Decimal busy_slowdown{0, 1};
  Decimal merge_busy_slowdown{0, 1};
  // Share by which a merge's work takes longer for each further thread that divides the merge.
  Decimal merge_part_slowdown{0, 1};
  // How long a thread of a flush or merge waits for a core after I/O if all are busy, as a share of
  // its work since the previous I/O: schedulers queue the thread that has worked most behind the
  // others. It waits at most for as long as these have been at work.
  Decimal wait_share{0, 1};
  // Share of the threads that continue after I/O on one common core although another core is idle.
  // Kernels of virtual machines take an idle core for one that the host gave to others, and leave a
  // woken thread on the core that gets the device's interrupts.
  Decimal gather_share{0, 1};

  void declare(OptionTable& table);
  [[nodiscard]] static std::vector<CalibrationRow> calibration();
};

/// The limit of processor time in each period that a host or container sets
/// (models/machine/cpu_quota.h).
struct QuotaModel {
  Decimal cores{0, 1};  // in cores; 0: no limit
  std::uint64_t period_ns = 100'000'000;
  Decimal device{0, 1};  // in cores: what the host charges while the device works
  Decimal idle{0, 1};    // share of an idle core's time that it charges then

  [[nodiscard]] bool is_given() const { return cores.numerator() != 0; }
  void declare(OptionTable& table);
  void validate(const DeviceModel& model, std::vector<std::string>& faults) const;
  [[nodiscard]] static std::vector<CalibrationRow> calibration();
};

/// Processor time of a store's work, on one core.
struct WorkCosts {
  std::uint64_t client_ns = 0;      // of a closed client between two operations
  std::uint64_t client_kib_ns = 0;  // 1,024 bytes of values that it generates
  std::uint64_t put_ns = 1'000;     // log record and memtable insert of a put or delete
  std::uint64_t put_kib_ns = 0;     // 1,024 bytes of its key and value
  // One put in kPutsPerSlowOne takes this much longer: nodes split, or memory is not in a cache.
  std::uint64_t slow_put_ns = 0;
  std::uint64_t log_write_ns = 0;      // system call that writes the log buffer
  std::uint64_t log_kib_ns = 0;        // 1,024 bytes of it
  std::uint64_t read_ns = 0;           // of a lookup: a block read, in addition to its latency
  std::uint64_t cold_ns = 0;           // of an operation after one that read the device
  std::uint64_t sleep_ns = 0;          // by which a slowed write sleeps longer than it asked
  std::uint64_t file_ns = 30'000;      // an SSTable created, closed and finally removed
  std::uint64_t get_ns = 500;          // of a lookup: memtables and all that it does once
  std::uint64_t table_ns = 150;        // of a lookup: an SSTable asked, filter and index
  std::uint64_t block_ns = 700;        // a data block found in the cache or read, and searched
  std::uint64_t scan_ns = 2'000;       // of a scan: all that it does once
  std::uint64_t scan_entry_ns = 60;    // an entry that a scan returns
  std::uint64_t scan_block_ns = 700;   // a further data block of a sorted run
  std::uint64_t flush_entry_ns = 150;  // an entry written by a flush
  std::uint64_t flush_kib_ns = 150;    // 1,024 bytes of them
  // Costs of a merge of a single sorted run, and further costs for each bit of source_entropy().
  std::uint64_t merge_entry_ns = 150;         // an entry read
  std::uint64_t merge_kib_ns = 150;           // 1,024 bytes read and written
  std::uint64_t merge_doubling_entry_ns = 0;  // the same two, in addition
  std::uint64_t merge_doubling_kib_ns = 0;

  void declare(OptionTable& table);
  [[nodiscard]] static std::vector<CalibrationRow> calibration();
};

struct CpuModel {
  CoresModel cores;
  QuotaModel quota;
  WorkCosts costs;

  /// Calls visit(part) for each of them, in the order of their declarations.
  template <typename Self, typename Visit>
  static void for_each_part(Self& self, const Visit& visit) {
    visit(self.cores);
    visit(self.quota);
    visit(self.costs);
  }
};

/// Few enough that slow puts are the 99th percentile.
inline constexpr std::uint64_t kPutsPerSlowOne = 50;

}  // namespace lsmlab
