// The processor time of flushes and merges.
#pragma once

#include <span>

#include "engine/calibration/rows/rows.h"
#include "engine/calibration/solve/contention.h"
#include "models/machine/cpu_model.h"

namespace lsmlab::engine {

struct FlushRows {
  CpuRow narrow;  // CpuWork::kFlush, entries of 128 B
  CpuRow wide;    // entries of 1 KiB
};
[[nodiscard]] FlushRows flush_rows(std::span<const CpuRow> rows);
/// Sets the costs of a flush: entries * flush_entry + KiB * flush_kib, by what it writes. Flushes
/// were measured while all cores worked, so what a merge works more beside puts is taken out.
void derive_flush_costs(const FlushRows& rows, const BusyCoresRows& busy, WorkCosts& costs);

struct MergeRows {
  CpuRow small;       // kCalibrateRuns sorted runs, values of 16 B
  CpuRow small_many;  // as many bytes in kCalibrateManyRuns sorted runs
  CpuRow large;       // values of 1 KiB
  CpuRow large_many;
};
[[nodiscard]] MergeRows merge_rows(std::span<const CpuRow> rows);
/// Sets the costs of a merge, by what it reads:
///   entries * merge_entry + KiB * merge_kib                     of one sorted run
///   log2(runs) * (entries * merge_doubling_entry + KiB * merge_doubling_kib)    more of several
/// A merge of kCalibrateRuns then takes what was measured, whatever one of many runs took.
void derive_merge_costs(const MergeRows& rows, WorkCosts& costs);

}  // namespace lsmlab::engine
