// What requests wait for, alone and beside others, from what stores at work waited.
#include <cmath>
#include <limits>

#include "engine/calibration/solve/derive.h"
#include "engine/calibration/solve/figures.h"
#include "engine/calibration/solve/side_by_side_model.h"
#include "models/base/check.h"
#include "models/machine/transfer_times.h"
#include "models/sizes/sstable_size.h"

namespace lsmlab::engine {
namespace {

// Of a store's request where half of the bytes are read, in the mean.
double half_mixed_transfer_ns(const DeviceModel& model) {
  constexpr std::uint64_t kHalfRead = 128;
  const TransferTimes times(model);
  const std::uint64_t bytes = model.queue.request_bytes.value();
  return static_cast<double>(times.nanoseconds(DeviceRequest::kRead, bytes, kHalfRead) +
                             times.nanoseconds(DeviceRequest::kWrite, bytes, kHalfRead)) /
         2;
}

double waited_ns(const CpuRow& row) { return row.wall_ns - row.nanoseconds - row.core_wait_ns; }

}  // namespace

const CpuRow& find_row(std::span<const CpuRow> rows, CpuWork work) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const CpuRow& row) { return row.work == work; });
  CHECK(found != rows.end());
  return *found;
}

MergeSlowdowns merge_slowdowns(std::span<const CpuRow> rows) {
  const CpuRow& alone = find_row(rows, CpuWork::kMergeLarge);
  const CpuRow& beside = find_row(rows, CpuWork::kMergeBeside);
  const double sum = beside.wall_ns - alone.wall_ns;
  const double most = std::max(0.0, sum);
  const double work = std::clamp(beside.nanoseconds - alone.nanoseconds, 0.0, most);
  // No more than as long again: beyond, threads wait for a core, as fewer are ours than there are.
  return {work / std::max(alone.nanoseconds, 1.0),
          std::min(1.0, (most - work) / std::max(waited_ns(alone), 1.0))};
}

namespace {

// The least of so many candidates, from none to the most, with which the model misses least.
template <typename Miss>
double least_miss(double most, const Miss& miss_of) {
  constexpr unsigned kSteps = 64;
  double best = 0;
  double best_miss = std::numeric_limits<double>::infinity();
  for (unsigned step = 0; step <= kSteps; ++step) {
    const double candidate = most * step / kSteps;
    const double miss = miss_of(candidate);
    if (!(miss < best_miss)) continue;  // nor where nothing was measured
    best = candidate;
    best_miss = miss;
  }
  return best;
}

double miss_of_ratio(double simulated, double measured) {
  return std::pow(std::log(simulated / measured), 2);
}

double entries_of_piece(const CpuRow& row, const DeviceModel& model) {
  return static_cast<double>(model.queue.request_bytes.value()) / kKib / row.kib;
}

BesideWork beside_work(std::span<const CpuRow> rows, const DeviceModel& model) {
  const CpuRow& merge = find_row(rows, CpuWork::kMergeLarge);
  return {merge.nanoseconds * entries_of_piece(merge, model),
          find_row(rows, CpuWork::kGetDisk).nanoseconds, 0, 0};
}

// With which the model's merge and its lookups beside each other wait as many times as long as
// alone as was measured, in the mean of both, cores aside. A lookup's work counts: its wait is too
// short to be told from it. REQUIRES: everything else of the model that they use.
double other_size_latency_ns(std::span<const CpuRow> rows, DeviceModel model) {
  const CpuRow& merge = find_row(rows, CpuWork::kMergeLarge);
  const CpuRow& get = find_row(rows, CpuWork::kGetDisk);
  const BesideWork work = beside_work(rows, model);
  const BesideTimes alone = times_alone(model, work);
  const CpuRow& get_beside = find_row(rows, CpuWork::kGetBeside);
  const auto ratio = [](double beside_ns, double alone_ns) {
    return std::max(1.0, beside_ns) / std::max(1.0, alone_ns);
  };
  const double merge_ratio =
      ratio(waited_ns(find_row(rows, CpuWork::kMergeGets)), waited_ns(merge));
  const double get_ratio =
      ratio(get_beside.wall_ns - get_beside.core_wait_ns, get.wall_ns - get.core_wait_ns);
  const auto without_core = [](const BesideTimes::Parts& of) {
    return of.work_ns + of.device_wait_ns;
  };
  // No more than as long again: beyond, something disturbed it.
  const double most = alone.piece.device_wait_ns / 2;
  return least_miss(most, [&](double candidate) {
    model.contention.other_size_latency_ns = whole_or_none(candidate);
    const BesideTimes beside = times_beside(model, work);
    return miss_of_ratio(beside.piece.device_wait_ns / alone.piece.device_wait_ns, merge_ratio) +
           miss_of_ratio(without_core(beside.get) / without_core(alone.get), get_ratio);
  });
}

// Merges read and write by turns, a request of each kind for so much of what they read.
void derive_merge_waits(std::span<const CpuRow> rows, DeviceModel& model) {
  constexpr double kMost = 2;  // beyond, something disturbed it
  const CpuRow& merge = find_row(rows, CpuWork::kMergeLarge);
  // Besides what it reads and writes it reads its file's end again.
  constexpr std::uint64_t kFileBytes = kCalibrateRuns * kCalibrateBuffer.value();
  constexpr double kWithEnd = 1 + sstable_end_bytes(kFileBytes) / (2.0 * kFileBytes);
  const double requests =
      kWithEnd * 2 * merge.kib * kKib / static_cast<double>(model.queue.request_bytes.value());
  const double alone = waited_ns(merge) / requests;
  const double transfer = half_mixed_transfer_ns(model);
  model.latency.sequential_ns = whole(alone - transfer);
  // A client that keeps the disk at work alone is told from the disk by this only: what its
  // requests cost the processor is in the transfers.
  const double faster = std::clamp(transfer / std::max(alone, 1.0), 1.0, kMost);
  for (Bytes* bandwidth :
       {&model.channel.read_bandwidth, &model.channel.write_bandwidth, &model.mixed.bandwidth_25,
        &model.mixed.bandwidth_50, &model.mixed.bandwidth_75}) {
    if (bandwidth->value() == 0) continue;  // not measured
    *bandwidth = Bytes(whole(static_cast<double>(bandwidth->value()) * faster));
  }
  for (Bytes* mixed :
       {&model.mixed.bandwidth_25, &model.mixed.bandwidth_50, &model.mixed.bandwidth_75}) {
    if (mixed->value() != 0) *mixed = in_proportion(*mixed, model);
  }
  model.contention.busy_cores_slowdown = slowdown_of(merge_slowdowns(rows).wait);
}

void derive_trims(std::span<const CpuRow> rows, DeviceModel& model) {
  const CpuRow& small = find_row(rows, CpuWork::kRemoveSmall);
  const CpuRow& large = find_row(rows, CpuWork::kRemoveLarge);
  const double small_mib = small.kib / kKib;
  const double more_mib = large.kib / kKib - small_mib;
  constexpr double kLeastNs = 100'000;  // less is a file system's own, and the noise of so few
  if (waited_ns(large) < kLeastNs) return;
  const double mib_ns = std::max(0.0, waited_ns(large) - waited_ns(small)) / more_mib;
  model.trims.mib_ns = whole_or_none(mib_ns);
  model.trims.file_ns = whole_or_none(waited_ns(small) - mib_ns * small_mib);
}

}  // namespace

void derive_waits(std::span<const CpuRow> rows, DiskAccess access, DeviceModel& model) {
  derive_trims(rows, model);
  if (access == DiskAccess::kDirect) {
    derive_merge_waits(rows, model);
  } else {
    // Merges of a few MiB stay in the page cache, and tell nothing of the disk.
    model.latency.sequential_ns = whole(static_cast<double>(model.latency.sequential_ns) -
                                        find_row(rows, CpuWork::kLargeRequest).nanoseconds);
  }
  if (access != DiskAccess::kBufferedForWant) {  // there lookups found the page cache
    const CpuRow& row = find_row(rows, CpuWork::kGetBetween);
    const double transfer = transfer_of(model.channel.read_bandwidth, kSmallBytes);
    model.latency.read_ns = whole(waited_ns(row) / std::max(row.blocks, 1.0) - transfer -
                                  static_cast<double>(model.contention.seek_ns));
  }
  if (access == DiskAccess::kDirect) {
    const CpuRow& beside = find_row(rows, CpuWork::kMergeGets);
    // Where the system does not tell of waits for a core, they are in those for the device.
    const bool tells = beside.core_wait_ns > 0;
    if (model.cpu.cores.count > 1)
      model.cpu.cores.gather_share = slowdown_of(tells ? beside.one_core : 0);
    model.contention.other_size_latency_ns = whole_or_none(other_size_latency_ns(rows, model));
  }
}

void derive_sharing(std::span<const DiskRow> disk, std::span<const CpuRow> cpu,
                    DeviceModel& model) {
  constexpr double kMost = 1;  // beyond, something disturbed it
  constexpr unsigned kTwoClients = 2;
  if (model.cpu.cores.count < 2) return;  // two merges would wait for a core
  const BesideWork work = beside_work(cpu, model);
  const double alone_ns = times_alone(model, work).piece.device_wait_ns;
  const double merge_ratio = waited_ns(find_row(cpu, CpuWork::kMergeMerge)) /
                             std::max(1.0, waited_ns(find_row(cpu, CpuWork::kMergeLarge)));
  DeviceModel apart = model;
  apart.cpu.cores.gather_share = Decimal(0, 1);  // as the two merges were, whose threads are new
  const auto miss_of = [&](double candidate) {
    apart.contention.sharing_slowdown = slowdown_of(candidate);
    double clients_miss = 0;
    double clients = 0;
    for (const DiskRow& row : disk) {
      const bool is_stores = row.work == DiskWork::kSequentialRead ||
                             (is_growing(row.work) && row.work != DiskWork::kMixedBeside);
      if (!is_stores || row.request_bytes != model.queue.request_bytes.value()) continue;
      if (row.depth != kTwoClients || row.requests_per_second == 0) continue;
      clients_miss += miss_of_ratio(model_requests_per_second(apart, row), row.requests_per_second);
      ++clients;
    }
    // Bare clients find the channel, merges what a store's threads wait for besides: neither alone.
    return clients_miss / std::max(1.0, clients) +
           miss_of_ratio(device_wait_beside_merge_ns(apart, work) / alone_ns, merge_ratio);
  };
  model.contention.sharing_slowdown = slowdown_of(least_miss(kMost, miss_of));
}

void derive_core_waits(std::span<const CpuRow> rows, DeviceModel& model) {
  constexpr double kMost = 8;  // beyond, something disturbed it
  if (model.cpu.cores.count < 2) return;
  BesideWork work = beside_work(rows, model);
  const CpuRow& flush = find_row(rows, CpuWork::kFlushWide);
  const double entries = entries_of_piece(flush, model);
  work.flush_piece_ns = entries * (static_cast<double>(model.cpu.costs.flush_entry_ns) +
                                   flush.kib * static_cast<double>(model.cpu.costs.flush_kib_ns));
  work.put_piece_ns = entries * find_row(rows, CpuWork::kPutStore).nanoseconds;
  const CpuRow& beside = find_row(rows, CpuWork::kMergeStore);
  const double measured = beside.core_wait_ns / std::max(1.0, beside.wall_ns);
  model.cpu.cores.wait_share = slowdown_of(least_miss(kMost, [&](double candidate) {
    model.cpu.cores.wait_share = slowdown_of(candidate);
    return std::abs(core_waits_beside_store(model, work) - measured);
  }));
}

void derive_pauses(const DiskPauses& pauses, DeviceModel& model) {
  constexpr double kMostSeconds = 60;  // that the model takes
  constexpr double kMostShare = 0.9;
  if (pauses.pauses == 0) return;
  const double seconds = std::min(kMostSeconds, pauses.paused_seconds / pauses.pauses);
  const Decimal share = slowdown_of(std::min(kMostShare, pauses.paused_seconds / pauses.seconds));
  if (share.numerator() == 0) return;
  model.pauses.length_ns = whole(1e9 * seconds);
  model.pauses.share = share;
}

}  // namespace lsmlab::engine
