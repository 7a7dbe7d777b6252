// The processor of a simulated machine: its cores, a limit on processor time, and what a store's
// work takes on one core.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/decimal.h"
#include "models/machine/model_part.h"

namespace lsmlab {

struct CoresModel {
  std::uint64_t count = 4;
  // What work takes more while all other cores work, as a share: clients', and flushes' and
  // merges'.
  Decimal busy_slowdown{0, 1};
  Decimal merge_busy_slowdown{0, 1};
  // That a flush's or merge's thread which waited for the device waits for a core where all are
  // taken, as a share of its work since it waited last: schedulers put who has worked most behind
  // the others. No longer than these have been at work.
  Decimal wait_share{0, 1};
  // Of threads that waited for the device, how many go on where the others of them do, though
  // another core is idle. Kernels of virtual machines take a core that has nothing to do for one
  // that the host gave away, and leave those who wake where the device's interrupts are.
  Decimal gather_share{0, 1};

  void declare(OptionTable& table);
  [[nodiscard]] static std::vector<CalibrationRow> calibration();
};

/// Processor time that there is in each period: a host's or container's limit
/// (models/machine/cpu_quota.h).
struct QuotaModel {
  Decimal cores{0, 1};  // as so many cores give it; 0: no limit
  std::uint64_t period_ns = 100'000'000;
  Decimal device{0, 1};  // what the host takes while the device is at work, as so many cores
  Decimal idle{0, 1};    // then too, the share of a core's time that idles

  [[nodiscard]] bool is_given() const { return cores.numerator() != 0; }
  void declare(OptionTable& table);
  void validate(const DeviceModel& model, std::vector<std::string>& faults) const;
  [[nodiscard]] static std::vector<CalibrationRow> calibration();
};

/// Processor time of a store's work, on one core.
struct WorkCosts {
  std::uint64_t client_ns = 0;      // between an operation of a closed loop and the next
  std::uint64_t client_kib_ns = 0;  // 1,024 bytes of values that it makes up
  std::uint64_t put_ns = 1'000;     // log record and memtable insert of a put or delete
  std::uint64_t put_kib_ns = 0;     // 1,024 bytes of its key and value
  // One put in kPutsPerSlowOne takes so much longer: nodes split, memory is not in a cache.
  std::uint64_t slow_put_ns = 0;
  std::uint64_t log_write_ns = 0;      // a gathered piece of the log is handed to the system
  std::uint64_t log_kib_ns = 0;        // 1,024 bytes of it
  std::uint64_t read_ns = 0;           // of a lookup: a block read, where the latency is without it
  std::uint64_t cold_ns = 0;           // of an operation after one that waited for the device
  std::uint64_t sleep_ns = 0;          // that a slowed write's sleep takes longer than asked for
  std::uint64_t file_ns = 30'000;      // an SSTable made, closed and in the end removed
  std::uint64_t get_ns = 500;          // of a lookup: memtables and what is done once
  std::uint64_t table_ns = 150;        // of a lookup: an SSTable asked, filter and index
  std::uint64_t block_ns = 700;        // a data block found in the cache or read, and searched
  std::uint64_t scan_ns = 2'000;       // of a scan: what is done once
  std::uint64_t scan_entry_ns = 60;    // an entry that a scan shows
  std::uint64_t scan_block_ns = 700;   // a data block that a scan goes on to in the same run
  std::uint64_t flush_entry_ns = 150;  // an entry written by a flush
  std::uint64_t flush_kib_ns = 150;    // 1,024 bytes of them
  // Of a merge, had it one sorted run only, and what each of its source_entropy() adds.
  std::uint64_t merge_entry_ns = 150;         // an entry read
  std::uint64_t merge_kib_ns = 150;           // 1,024 bytes read and written
  std::uint64_t merge_doubling_entry_ns = 0;  // the same two, more
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
