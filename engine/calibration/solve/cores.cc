#include "engine/calibration/solve/cores.h"

#include <algorithm>
#include <cmath>

#include "engine/calibration/solve/contention.h"
#include "engine/calibration/solve/figures.h"
#include "engine/calibration/solve/fit.h"
#include "engine/calibration/solve/put_costs.h"
#include "engine/calibration/solve/side_by_side_model.h"

namespace lsmlab::engine {

BusyClientRows busy_client_rows(std::span<const CpuRow> rows) {
  return {find_row(rows, CpuWork::kPut), find_row(rows, CpuWork::kPutBeside),
          find_row(rows, CpuWork::kLogWrite), find_row(rows, CpuWork::kLogBeside),
          find_row(rows, CpuWork::kPutUngathered)};
}

void derive_busy_clients(const BusyClientRows& rows, CpuModel& cpu) {
  constexpr double kBusyLeast = 0.1;          // less tells nothing of what busy cores cost
  constexpr double kValueKib = 112.0 / 1024;  // of those puts
  const double call_ns = log_call_ns(rows.put, rows.put_ungathered);
  // With the log as it is beside them, which log_kib_ns has.
  const double log_more =
      log_kib_ns_of(rows.log_beside, call_ns) - log_kib_ns_of(rows.log_write, call_ns);
  const double alone = rows.put.nanoseconds + static_cast<double>(cpu.costs.client_ns) +
                       kValueKib * static_cast<double>(cpu.costs.client_kib_ns) +
                       std::max(0.0, log_more) * (rows.put.kib + kLogRecordOverheadKib);
  const double more = rows.put_beside.nanoseconds / alone - 1;
  cpu.cores.busy_slowdown = slowdown_of(more / std::max(rows.put_beside.others_busy, kBusyLeast));
}

BusyMergeRows busy_merge_rows(std::span<const CpuRow> rows) {
  return {find_row(rows, CpuWork::kMergeLarge), find_row(rows, CpuWork::kMergeStore)};
}

void derive_busy_merges(const BusyMergeRows& rows, CoresModel& cores) {
  // As in a store's run, which has more than a client beside the merge.
  const double beside_store = rows.merge_beside.nanoseconds / std::max(1.0, rows.merge.nanoseconds);
  cores.merge_busy_slowdown = slowdown_of(beside_store - 1);
}

GatherRows gather_rows(std::span<const CpuRow> rows) {
  return {find_row(rows, CpuWork::kMergeGets)};
}

void derive_gathering(const GatherRows& rows, CoresModel& cores) {
  if (cores.count <= 1) return;
  const bool tells = rows.merge.core_wait_ns > 0;
  cores.gather_share = slowdown_of(tells ? rows.merge.one_core : 0);
}

CoreWaitRows core_wait_rows(std::span<const CpuRow> rows) {
  return {find_row(rows, CpuWork::kMergeLarge), find_row(rows, CpuWork::kMergeStore),
          find_row(rows, CpuWork::kGetDisk), find_row(rows, CpuWork::kFlushWide),
          find_row(rows, CpuWork::kPutStore)};
}

void derive_core_waits(const CoreWaitRows& rows, DeviceModel& model) {
  constexpr double kMost = 8;  // beyond, something disturbed it
  if (model.cpu.cores.count < 2) return;
  BesideWork work = beside_work(rows.merge, rows.lookup, model);
  const double entries = entries_of_piece(rows.flush, model);
  work.flush_piece_ns =
      entries * (static_cast<double>(model.cpu.costs.flush_entry_ns) +
                 rows.flush.kib * static_cast<double>(model.cpu.costs.flush_kib_ns));
  work.put_piece_ns = entries * rows.put_beside.nanoseconds;
  const double measured = rows.merge_beside.core_wait_ns / std::max(1.0, rows.merge_beside.wall_ns);
  DeviceModel tried = model;
  model.cpu.cores.wait_share = slowdown_of(least_miss(kMost, [&](double candidate) {
    tried.cpu.cores.wait_share = slowdown_of(candidate);
    return std::abs(core_waits_beside_store(tried, work) - measured);
  }));
}

}  // namespace lsmlab::engine
