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

/// The rows to measure, in the order of the table and without figures.
[[nodiscard]] std::vector<DiskRow> planned_disk_rows();

struct DiskMeasurement {
  DiskAccess access = DiskAccess::kDirect;
  std::vector<DiskRow> rows;  // if the run was stopped, some have no figures
  DiskPauses pauses;
};
/// Returns false if the measurement has to stop.
using BetweenRounds = std::function<Result<bool>(double share_of_rounds)>;
/// Measures for about `length`, in files of a directory that nobody else uses. Calls `between`
/// after every round; that time does not count. Errors: I/O; no space; those of `between`.
[[nodiscard]] Result<DiskMeasurement> measure_disk(const std::string& directory,
                                                   const CalibrateOptions& options,
                                                   CalibrateClock::duration length,
                                                   const BetweenRounds& between);

/// Most bytes that a CpuMeasurement has on the disk at a time.
[[nodiscard]] Bytes cpu_scratch_bytes(Bytes file_bytes);
/// Processor time of this thread so far.
[[nodiscard]] double thread_ns();
/// Processor time of all threads of the process so far.
[[nodiscard]] double process_ns();
/// Processor time of a replay's put on a store that does nothing. Errors: none that can happen.
[[nodiscard]] Result<double> measure_client_ns(std::uint32_t value_bytes);
/// A replay in a directory that nobody else uses: the time of its thread per put, while the store's
/// threads work, and the share of the time for which the other cores worked. As many puts come
/// before and do not count. Errors: those of the store.
struct BusyReplay {
  double nanoseconds = 0;
  double others_busy = 0;
};
[[nodiscard]] Result<BusyReplay> measure_busy_replay(RunSetup run, const ReplayOptions& options,
                                                     std::uint32_t value_bytes, std::uint64_t puts);
/// Processor time of this thread to pass a piece of a log to the system, while the page cache has
/// free pages. Errors: I/O.
[[nodiscard]] Result<double> measure_log_write_ns(const std::string& directory,
                                                  std::uint64_t piece_bytes, std::uint64_t pieces);
/// Processor time of this thread to create, write, close and remove a file of 4 KiB, with direct
/// I/O if possible. Errors: I/O.
[[nodiscard]] Result<double> measure_file_ns(const std::string& directory);
/// Processor time of this thread for a request of 256 KiB: the mean of appends to a new file and of
/// reads of it. Errors: I/O.
[[nodiscard]] Result<double> measure_large_request_ns(const std::string& directory, bool is_direct);
/// How much longer sleeps of a millisecond take, in the mean.
[[nodiscard]] double measure_sleep_ns();
/// Measures the processor, with stores in a directory that nobody else uses.
class CpuMeasurement {
 public:
  CpuMeasurement(const std::string& directory, const CalibrateOptions& options);
  ~CpuMeasurement();
  CpuMeasurement(const CpuMeasurement&) = delete;
  CpuMeasurement& operator=(const CpuMeasurement&) = delete;

  /// Measures for about `length`. The first round measures every row. While time is left, further
  /// rounds measure the rows on which throughput depends most, and every fifth round all rows. If a
  /// call takes too long, the next calls are shorter. False: the run was stopped. Errors: those of
  /// the store.
  [[nodiscard]] Result<bool> work(CalibrateClock::duration length);
  [[nodiscard]] std::vector<CpuRow> rows() const;

 private:
  class Meter;
  std::unique_ptr<Meter> meter_;
  CalibrateClock::duration left_{};
  unsigned turns_ = 0;
};

}  // namespace lsmlab::engine
