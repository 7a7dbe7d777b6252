// The processor time of clients, puts and the log.
#pragma once

#include <span>

#include "engine/calibration/rows/rows.h"
#include "models/machine/cpu_model.h"

namespace lsmlab::engine {

/// What a log record has besides key and value: frame, sequence number, clock and lengths.
inline constexpr double kLogRecordOverheadKib = 28.0 / 1024;

struct PutRows {
  CpuRow client_small;    // value of 16 B
  CpuRow client_large;    // value of 1 KiB
  CpuRow put;             // value of 112 B
  CpuRow put_wide;        // value of 1 KiB
  CpuRow put_ungathered;  // like put, each log record written at once
  CpuRow slow_put;        // the 99th percentile beyond the median, in a store at work
  CpuRow cold_put;        // after a lookup on the disk
  CpuRow log_write;       // 64 KiB of a log
  CpuRow log_beside;      // the same while the store flushes and merges
  CpuRow file;
  CpuRow sleep;
};
[[nodiscard]] PutRows put_rows(std::span<const CpuRow> rows);

/// Sets the costs of clients, puts, the log, files, sleeps and cold caches:
///   client + KiB * client_kib      between operations, by values made up
///   put + KiB * put_kib            a put, by its key and value, its log apart
///   log_write + KiB * log_kib      a piece of the log, handed to the system; the latter while the
///                                  store flushes and merges, as puts meet these in a run
void derive_put_costs(const PutRows& rows, WorkCosts& costs);

/// Nanoseconds of the call that hands a piece of the log to the system.
[[nodiscard]] double log_call_ns(const CpuRow& put, const CpuRow& put_ungathered);
/// Nanoseconds for a KiB of the log, without the call.
[[nodiscard]] double log_kib_ns_of(const CpuRow& log, double call_ns);

}  // namespace lsmlab::engine
