#include "engine/calibration/solve/contention.h"

#include <algorithm>

#include "engine/calibration/solve/derive.h"
#include "engine/calibration/solve/figures.h"
#include "engine/calibration/solve/fit.h"

namespace lsmlab::engine {

double seek_of(const DiskRow& one_stream, const DiskRow& two_streams) {
  constexpr double kSeekMinNs = 1e6;
  const double more_ns = two_streams.mean_ns - one_stream.mean_ns;
  return more_ns >= kSeekMinNs ? more_ns : 0;
}

SmallReadsBesideRows small_reads_beside_rows(std::span<const DiskRow> rows, Bytes request_bytes) {
  return {find_row(rows, DiskWork::kMixedBeside, request_bytes.value())};
}

void derive_request_hold(const SmallReadsBesideRows& rows, ContentionModel& contention) {
  const DiskRow& beside = rows.both;
  const double taken = kNsPerSecond / beside.requests_per_second;
  const double more = taken - kNsPerSecond / beside.alone_per_second -
                      static_cast<double>(contention.busy_latency_ns);
  const double hold = more * beside.mean_ns / taken;
  contention.request_ns = whole_or_none(2 * hold);
}

BusyCoresRows busy_cores_rows(std::span<const CpuRow> rows) {
  return {find_row(rows, CpuWork::kMergeLarge), find_row(rows, CpuWork::kMergeBeside)};
}

MergeSlowdowns merge_slowdowns(const BusyCoresRows& rows) {
  const CpuRow& alone = rows.merge;
  const CpuRow& beside = rows.beside_puts;
  const double sum = beside.wall_ns - alone.wall_ns;
  const double most = std::max(0.0, sum);
  const double work = std::clamp(beside.nanoseconds - alone.nanoseconds, 0.0, most);
  // No more than as long again: beyond, threads wait for a core, as fewer are ours than there are.
  return {work / std::max(alone.nanoseconds, 1.0),
          std::min(1.0, (most - work) / std::max(waited_ns(alone), 1.0))};
}

void derive_busy_cores(const BusyCoresRows& rows, ContentionModel& contention) {
  contention.busy_cores_slowdown = slowdown_of(merge_slowdowns(rows).wait);
}

BesideWork beside_work(const CpuRow& merge, const CpuRow& lookup, const DeviceModel& model) {
  return {merge.nanoseconds * entries_of_piece(merge, model), lookup.nanoseconds, 0, 0};
}

OtherSizeRows other_size_rows(std::span<const CpuRow> rows) {
  return {find_row(rows, CpuWork::kMergeLarge), find_row(rows, CpuWork::kMergeGets),
          find_row(rows, CpuWork::kGetDisk), find_row(rows, CpuWork::kGetBeside)};
}

void derive_other_size(const OtherSizeRows& rows, DeviceModel& model) {
  const BesideWork work = beside_work(rows.merge, rows.lookup, model);
  const BesideTimes alone = times_alone(model, work);
  const auto ratio = [](double beside_ns, double alone_ns) {
    return std::max(1.0, beside_ns) / std::max(1.0, alone_ns);
  };
  const double merge_ratio = ratio(waited_ns(rows.merge_beside), waited_ns(rows.merge));
  const double lookup_ratio = ratio(rows.lookup_beside.wall_ns - rows.lookup_beside.core_wait_ns,
                                    rows.lookup.wall_ns - rows.lookup.core_wait_ns);
  const auto without_core = [](const BesideTimes::Parts& of) {
    return of.work_ns + of.device_wait_ns;
  };
  // No more than as long again: beyond, something disturbed it.
  const double most = alone.piece.device_wait_ns / 2;
  DeviceModel tried = model;
  const double best = least_miss(most, [&](double candidate) {
    tried.contention.other_size_latency_ns = whole_or_none(candidate);
    const BesideTimes beside = times_beside(tried, work);
    return miss_of_ratio(beside.piece.device_wait_ns / alone.piece.device_wait_ns, merge_ratio) +
           miss_of_ratio(without_core(beside.get) / without_core(alone.get), lookup_ratio);
  });
  model.contention.other_size_latency_ns = whole_or_none(best);
}

SharingRows sharing_rows(std::span<const DiskRow> disk, std::span<const CpuRow> cpu,
                         Bytes request_bytes) {
  constexpr unsigned kTwoClients = 2;
  SharingRows rows{{},
                   find_row(cpu, CpuWork::kMergeLarge),
                   find_row(cpu, CpuWork::kMergeMerge),
                   find_row(cpu, CpuWork::kGetDisk)};
  for (const DiskRow& row : disk) {
    const bool is_stores = row.work == DiskWork::kSequentialRead ||
                           (is_growing(row.work) && row.work != DiskWork::kMixedBeside);
    if (!is_stores || row.request_bytes != request_bytes.value()) continue;
    if (row.depth != kTwoClients || row.requests_per_second == 0) continue;
    rows.two_clients.push_back(row);
  }
  return rows;
}

void derive_sharing(const SharingRows& rows, DeviceModel& model) {
  constexpr double kMost = 1;  // beyond, something disturbed it
  if (model.cpu.cores.count < 2) return;
  const BesideWork work = beside_work(rows.merge, rows.lookup, model);
  const double alone_ns = times_alone(model, work).piece.device_wait_ns;
  const double merge_ratio = waited_ns(rows.merge_merge) / std::max(1.0, waited_ns(rows.merge));
  DeviceModel apart = model;
  apart.cpu.cores.gather_share = Decimal(0, 1);  // as the two merges were, whose threads are new
  const auto miss_of = [&](double candidate) {
    apart.contention.sharing_slowdown = slowdown_of(candidate);
    double clients_miss = 0;
    for (const DiskRow& row : rows.two_clients) {
      clients_miss += miss_of_ratio(model_requests_per_second(apart, row), row.requests_per_second);
    }
    const auto clients = static_cast<double>(rows.two_clients.size());
    return clients_miss / std::max(1.0, clients) +
           miss_of_ratio(device_wait_beside_merge_ns(apart, work) / alone_ns, merge_ratio);
  };
  model.contention.sharing_slowdown = slowdown_of(least_miss(kMost, miss_of));
}

}  // namespace lsmlab::engine
