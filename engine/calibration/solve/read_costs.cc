#include "engine/calibration/solve/read_costs.h"

#include <algorithm>

#include "engine/calibration/solve/figures.h"
#include "engine/calibration/solve/fit.h"

namespace lsmlab::engine {

LookupRows lookup_rows(std::span<const CpuRow> rows) {
  return {find_row(rows, CpuWork::kGetMemtable), find_row(rows, CpuWork::kGetAbsent),
          find_row(rows, CpuWork::kGetPresent), find_row(rows, CpuWork::kGetPresentOne),
          find_row(rows, CpuWork::kGetBetween)};
}

LookupCosts derive_lookup_costs(const LookupRows& rows, WorkCosts& costs) {
  const double get = rows.memtable.nanoseconds;
  costs.get_ns = whole(get);
  TwoUnknowns lookups;
  for (const CpuRow* row : {&rows.absent, &rows.present, &rows.present_one}) {
    lookups.add(row->tables, row->blocks, row->nanoseconds - get);
  }
  const auto [table, block] = lookups.solve();
  costs.table_ns = whole(table);
  costs.block_ns = whole(block);
  const CpuRow& disk = rows.disk;
  const double warm = get + disk.tables * std::max(table, 0.0) + disk.blocks * std::max(block, 0.0);
  costs.read_ns = whole((disk.nanoseconds - warm) / std::max(disk.blocks, 1.0));
  return {table, block};
}

ScanRows scan_rows(std::span<const CpuRow> rows) {
  return {find_row(rows, CpuWork::kShortScan), find_row(rows, CpuWork::kLongScan),
          find_row(rows, CpuWork::kWideScan)};
}

void derive_scan_costs(const ScanRows& rows, const LookupCosts& lookups, WorkCosts& costs) {
  // Both show as many entries of as many runs, and go on to so many more blocks.
  const CpuRow& narrow = rows.long_scan;
  const CpuRow& wide = rows.wide_scan;
  const double more_blocks = std::max(1.0, wide.blocks - narrow.blocks);
  const double scan_block = std::max(0.0, wide.nanoseconds - narrow.nanoseconds) / more_blocks;
  costs.scan_block_ns = whole_or_none(scan_block);
  TwoUnknowns scans;
  for (const CpuRow* row : {&rows.short_scan, &rows.long_scan}) {
    const double first = std::min(row->blocks, row->tables);
    const double read = row->tables * std::max(lookups.table_ns, 0.0) +
                        first * std::max(lookups.block_ns, 0.0) +
                        (row->blocks - first) * scan_block;
    scans.add(1, row->entries, row->nanoseconds - read);
  }
  const auto [scan, scan_entry] = scans.solve();
  costs.scan_ns = whole(scan);
  costs.scan_entry_ns = whole(scan_entry);
}

}  // namespace lsmlab::engine
