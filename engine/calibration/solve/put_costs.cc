#include "engine/calibration/solve/put_costs.h"

#include <algorithm>

#include "engine/calibration/solve/figures.h"
#include "engine/calibration/solve/fit.h"

namespace lsmlab::engine {

PutRows put_rows(std::span<const CpuRow> rows) {
  const auto row = [&](CpuWork work) { return find_row(rows, work); };
  PutRows puts;
  puts.client_small = row(CpuWork::kClientSmall);
  puts.client_large = row(CpuWork::kClientLarge);
  puts.put = row(CpuWork::kPut);
  puts.put_wide = row(CpuWork::kPutWide);
  puts.put_ungathered = row(CpuWork::kPutUngathered);
  puts.slow_put = row(CpuWork::kSlowPutBeside);
  puts.cold_put = row(CpuWork::kPutCold);
  puts.log_write = row(CpuWork::kLogWrite);
  puts.log_beside = row(CpuWork::kLogBeside);
  puts.file = row(CpuWork::kFile);
  puts.sleep = row(CpuWork::kSleep);
  return puts;
}

double log_call_ns(const CpuRow& put, const CpuRow& put_ungathered) {
  return std::max(0.0, put_ungathered.nanoseconds - put.nanoseconds);
}

double log_kib_ns_of(const CpuRow& log, double call_ns) {
  return std::max(0.0, log.nanoseconds - call_ns) / log.kib;
}

void derive_put_costs(const PutRows& rows, WorkCosts& costs) {
  TwoUnknowns clients;
  for (const CpuRow* row : {&rows.client_small, &rows.client_large}) {
    clients.add(1, row->kib, row->nanoseconds);
  }
  const auto [client, client_kib] = clients.solve();
  costs.client_ns = whole(client);
  costs.client_kib_ns = whole(client_kib);
  const double call_ns = log_call_ns(rows.put, rows.put_ungathered);
  const double log_kib = log_kib_ns_of(rows.log_write, call_ns);
  TwoUnknowns puts;
  for (const CpuRow* row : {&rows.put, &rows.put_wide}) {
    puts.add(1, row->kib, row->nanoseconds - log_kib * (row->kib + kLogRecordOverheadKib));
  }
  const auto [put, put_kib] = puts.solve();
  // Puts are measured without the store's threads, and meet them in a run.
  costs.log_kib_ns = whole(std::max(log_kib, log_kib_ns_of(rows.log_beside, call_ns)));
  costs.log_write_ns = whole(call_ns);
  costs.file_ns = whole(rows.file.nanoseconds);
  costs.sleep_ns = whole_or_none(rows.sleep.nanoseconds);
  costs.slow_put_ns = whole(rows.slow_put.nanoseconds);
  // The mean stays what it was.
  costs.put_ns = whole(put - static_cast<double>(costs.slow_put_ns) / kPutsPerSlowOne);
  costs.put_kib_ns = whole(put_kib);
  costs.cold_ns = whole_or_none(rows.cold_put.slow_ns);
}

}  // namespace lsmlab::engine
