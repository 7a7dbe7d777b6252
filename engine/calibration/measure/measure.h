// The measurements of a calibration.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/calibration/rows/calibrate_options.h"
#include "engine/calibration/rows/rounds.h"
#include "engine/calibration/rows/rows.h"
#include "engine/replay/engine_replay.h"

namespace lsmlab::engine {

/// Rows without figures, in the order of the table: what there is to measure.
[[nodiscard]] std::vector<DiskRow> planned_disk_rows();

struct DiskMeasurement {
  DiskAccess access = DiskAccess::kDirect;
  std::vector<DiskRow> rows;  // of a run that was stopped, some without figures
  DiskPauses pauses;
};
/// Returns false where it is to be stopped.
using BetweenRounds = std::function<Result<bool>(double share_of_rounds)>;
/// In files of a directory of its own, for about so long; `between` comes after every round, and
/// its time does not count. Errors: I/O; no space; those of `between`.
[[nodiscard]] Result<DiskMeasurement> measure_disk(const std::string& directory,
                                                   const CalibrateOptions& options,
                                                   CalibrateClock::duration length,
                                                   const BetweenRounds& between);

/// Bytes that a CpuMeasurement has on the disk at a time, at most.
[[nodiscard]] Bytes cpu_scratch_bytes(Bytes file_bytes);
/// Processor time of this thread.
[[nodiscard]] double thread_ns();
/// Of all threads.
[[nodiscard]] double process_ns();
/// Of a put that a replay makes on a store that does nothing. Errors: none that can happen.
[[nodiscard]] Result<double> measure_client_ns(std::uint32_t value_bytes);
/// Of a put of a replay in a directory of its own, all that its thread does, beside the store's
/// threads; and the share of the time for which the other cores worked. After as many puts that do
/// not count. Errors: what the store reports.
struct BusyReplay {
  double nanoseconds = 0;
  double others_busy = 0;
};
[[nodiscard]] Result<BusyReplay> measure_busy_replay(RunSetup run, const ReplayOptions& options,
                                                     std::uint32_t value_bytes, std::uint64_t puts);
/// Processor time of this thread for a piece of a log that the system is given, the page cache
/// having room; for making, closing and removing a file with a page in it, around the page cache
/// where that is possible. Errors: I/O.
[[nodiscard]] Result<double> measure_log_write_ns(const std::string& directory,
                                                  std::uint64_t piece_bytes, std::uint64_t pieces);
[[nodiscard]] Result<double> measure_file_ns(const std::string& directory);
/// Of a request of 256 KiB, the mean of appends to a new file and of reads of it.
[[nodiscard]] Result<double> measure_large_request_ns(const std::string& directory, bool is_direct);
/// What sleeps of a millisecond take longer, in the mean.
[[nodiscard]] double measure_sleep_ns();
/// Processor figures, with stores in a directory of its own.
class CpuMeasurement {
 public:
  CpuMeasurement(const std::string& directory, const CalibrateOptions& options);
  ~CpuMeasurement();
  CpuMeasurement(const CpuMeasurement&) = delete;
  CpuMeasurement& operator=(const CpuMeasurement&) = delete;

  /// Measures every row at first, and then, as often as there is time for, those that throughput
  /// follows most, and now and then all again. What a call takes longer the next ones take less.
  /// False where it was stopped. Errors: what the store reports.
  [[nodiscard]] Result<bool> work(CalibrateClock::duration length);
  [[nodiscard]] std::vector<CpuRow> rows() const;

 private:
  class Meter;
  std::unique_ptr<Meter> meter_;
  CalibrateClock::duration left_{};
  unsigned turns_ = 0;
};

}  // namespace lsmlab::engine
