// The processor time of lookups and scans.
#pragma once

#include <span>

#include "engine/calibration/rows/rows.h"
#include "models/machine/cpu_model.h"

namespace lsmlab::engine {

struct LookupRows {
  CpuRow memtable;     // CpuWork::kGetMemtable, an absent key without SSTables
  CpuRow absent;       // of several sorted runs
  CpuRow present;      // in one of several sorted runs
  CpuRow present_one;  // in the only sorted run
  CpuRow disk;         // CpuWork::kGetBetween, its block from the disk, puts between
};
[[nodiscard]] LookupRows lookup_rows(std::span<const CpuRow> rows);
/// Table and block before rounding, which derive_scan_costs() takes out of scans.
struct LookupCosts {
  double table_ns = 0;
  double block_ns = 0;
};
/// Sets the costs of a lookup: get + tables * table + blocks * block, and blocks * read more for
/// blocks from the disk.
LookupCosts derive_lookup_costs(const LookupRows& rows, WorkCosts& costs);

struct ScanRows {
  CpuRow short_scan;
  CpuRow long_scan;
  CpuRow wide_scan;  // as many entries as long_scan, of 1 KiB, in more blocks
};
[[nodiscard]] ScanRows scan_rows(std::span<const CpuRow> rows);
/// Sets the costs of a scan:
///   scan + entries * scan_entry + tables * (table + block) + more blocks * scan_block
void derive_scan_costs(const ScanRows& rows, const LookupCosts& lookups, WorkCosts& costs);

}  // namespace lsmlab::engine
