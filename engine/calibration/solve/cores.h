// What busy cores cost each other, and how threads share cores.
#pragma once

#include <span>

#include "engine/calibration/rows/rows.h"
#include "models/machine/device_model.h"

namespace lsmlab::engine {

/// What a replay's put takes while the store flushes and merges on its threads, and what it is
/// compared with.
struct BusyClientRows {
  CpuRow put;
  CpuRow put_beside;
  CpuRow log_write;       // 64 KiB of a log
  CpuRow log_beside;      // the same while the store flushes and merges
  CpuRow put_ungathered;  // each log record written at once
};
[[nodiscard]] BusyClientRows busy_client_rows(std::span<const CpuRow> rows);
/// Sets busy_slowdown: what the put takes more than client and put alone, divided by the share of
/// the time for which the other cores worked. REQUIRES: the costs of the client.
void derive_busy_clients(const BusyClientRows& rows, CpuModel& cpu);

/// A merge alone and beside another store's client and flushes.
struct BusyMergeRows {
  CpuRow merge;         // CpuWork::kMergeLarge
  CpuRow merge_beside;  // CpuWork::kMergeStore
};
[[nodiscard]] BusyMergeRows busy_merge_rows(std::span<const CpuRow> rows);
/// Sets merge_busy_slowdown: what the merge works more.
void derive_busy_merges(const BusyMergeRows& rows, CoresModel& cores);

/// A merge beside another store's lookups on the disk: CpuWork::kMergeGets.
struct GatherRows {
  CpuRow merge;
};
[[nodiscard]] GatherRows gather_rows(std::span<const CpuRow> rows);
/// Sets gather_share: how often both threads were on one core. 0 where the system does not tell how
/// long threads wait for a core, because such waits are then counted as waits for the device. On
/// one core it leaves it as it is.
void derive_gathering(const GatherRows& rows, CoresModel& cores);

/// A merge beside another store's client and flushes, and the work of each alone.
struct CoreWaitRows {
  CpuRow merge;         // CpuWork::kMergeLarge
  CpuRow merge_beside;  // CpuWork::kMergeStore
  CpuRow lookup;        // CpuWork::kGetDisk
  CpuRow flush;         // CpuWork::kFlushWide
  CpuRow put_beside;    // CpuWork::kPutStore
};
[[nodiscard]] CoreWaitRows core_wait_rows(std::span<const CpuRow> rows);
/// Sets wait_share so that the model's merge waits for a core for the measured share of its time.
/// On one core it leaves it as it is. REQUIRES: everything else of the model, except pauses; direct
/// I/O.
void derive_core_waits(const CoreWaitRows& rows, DeviceModel& model);

}  // namespace lsmlab::engine
