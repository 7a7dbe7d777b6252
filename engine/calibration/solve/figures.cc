#include "engine/calibration/solve/figures.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/calibration/solve/derive.h"
#include "models/base/check.h"
#include "models/machine/transfer_times.h"

namespace lsmlab::engine {
namespace {

constexpr std::uint64_t kLargeBytes = 1 << 20;
constexpr unsigned kTwoClients = 2;
// A flush, merges and lookups: a store has few large requests at once. Disks that are given many
// put them together, and are faster then.
constexpr unsigned kStoreClients = 4;

const DiskRow& find_row(std::span<const DiskRow> rows, DiskWork work, std::uint64_t request_bytes) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const DiskRow& row) {
    return row.work == work && row.request_bytes == request_bytes && row.depth == 1;
  });
  CHECK(found != rows.end());
  return *found;
}

// Requests a second that n clients get, each with its next request when the last is done.
double loop_rate(const DeviceModel& model, const DiskRow& row, double transfer_ns,
                 double latency_ns) {
  const auto places =
      static_cast<double>(std::min<std::uint64_t>(row.depth, model.queue.parallelism));
  latency_ns += (places - 1) * static_cast<double>(model.contention.busy_latency_ns);
  if (changes_place(row.work, row.depth))
    latency_ns += static_cast<double>(model.contention.seek_ns);
  double held_ns = transfer_ns;
  if (places > 1 && row.request_bytes >= model.queue.request_bytes.value() / 2) {
    // Two share the channel but for one's latency.
    held_ns +=
        model.contention.sharing_slowdown.as_double() * std::max(0.0, transfer_ns - latency_ns);
  }
  return kNsPerSecond * std::min(1 / held_ns, places / (transfer_ns + latency_ns));
}

double alone_ns(std::span<const DiskRow> rows, DiskWork work, std::uint64_t request_bytes) {
  return kNsPerSecond / find_row(rows, work, request_bytes).requests_per_second;
}

// Of the time that one client's request takes, how much holds the channel: what two and four
// clients' rates are nearest to; where they tell nothing, because places and not the channel limit
// them, what a larger request takes more. REQUIRES: seek_ns, busy_latency_ns and parallelism of the
// model.
double transfer_ns(std::span<const DiskRow> rows, DiskWork work, const DeviceModel& model) {
  const std::uint64_t request_bytes = model.queue.request_bytes.value();
  double alone = alone_ns(rows, work, request_bytes);
  const double larger = alone_ns(rows, work, kLargeBytes) - alone;
  if (changes_place(work, 1)) alone -= static_cast<double>(model.contention.seek_ns);
  std::vector<const DiskRow*> together;
  for (const DiskRow& row : rows) {
    const bool is_same = row.work == work && row.request_bytes == request_bytes;
    if (is_same && row.depth > 1 && row.depth <= kStoreClients) together.push_back(&row);
  }
  CHECK(request_bytes < kLargeBytes);
  std::vector<double> transfers{larger * static_cast<double>(request_bytes) /
                                static_cast<double>(kLargeBytes - request_bytes)};
  double log_sum = 0;
  for (const DiskRow* row : together) {
    transfers.push_back(kNsPerSecond / row->requests_per_second);
    log_sum += std::log(transfers.back());
  }
  transfers.push_back(std::exp(log_sum / static_cast<double>(together.size())));
  // Where the rounds were disturbed, single requests can look as if they took no time.
  constexpr double kBeyondBest = 4;
  const double least =
      std::max(1.0, *std::min_element(transfers.begin() + 1, transfers.end()) / kBeyondBest);
  constexpr double kMissLeast = 1e-4;  // a hundredth of a rate, squared
  double best = alone;
  double best_miss = std::numeric_limits<double>::infinity();
  for (double transfer : transfers) {
    transfer = std::clamp(transfer, least, std::max(least, alone));
    double miss = 0;
    for (const DiskRow* row : together) {
      const double rate = loop_rate(model, *row, transfer, alone - transfer);
      miss += std::pow(std::log(rate / row->requests_per_second), 2);
    }
    if (miss < best_miss - kMissLeast) {
      best = transfer;
      best_miss = miss;
    }
  }
  return best;
}

Bytes bandwidth_of(std::span<const DiskRow> rows, DiskWork work, const DeviceModel& model) {
  constexpr std::uint64_t kLeast = 1'000;  // that a DeviceModel takes
  const double bytes = static_cast<double>(model.queue.request_bytes.value());
  return Bytes(std::max(whole(bytes * kNsPerSecond / transfer_ns(rows, work, model)), kLeast));
}

// Means, as throughput follows them.
double latency_ns(std::span<const DiskRow> rows, DiskWork work, Bytes bandwidth,
                  std::uint64_t request_bytes) {
  const DiskRow& row = find_row(rows, work, request_bytes);
  return std::max(0.0, row.mean_ns - transfer_of(bandwidth, request_bytes));
}

// More of a request where another stream's was before it. Heads move for longer than a millisecond;
// what is less is no seek, but a disturbance or a smaller read-ahead.
double seek_ns(std::span<const DiskRow> rows, std::uint64_t request_bytes) {
  constexpr double kSeekMinNs = 1e6;
  const double more_ns = find_row(rows, DiskWork::kTwoStreamRead, request_bytes).mean_ns -
                         find_row(rows, DiskWork::kSequentialRead, request_bytes).mean_ns;
  return more_ns >= kSeekMinNs ? more_ns : 0;
}

// So many places that the most small reads a second of any depth come of them, each as long as it
// takes beside as many others: p places give p / (alone + (p - 1) * busy).
void derive_places(std::span<const DiskRow> rows, DeviceModel& model) {
  constexpr std::uint64_t kPlacesMax = 1024;
  constexpr double kTwoPlaces = 1.5;  // below there is one, and a second client waits for the first
  constexpr double kShareMost = 0.97;  // beyond, any number of places gives much the same
  double best = 0;
  double beside_ns = 0;
  unsigned deepest = 1;
  for (const DiskRow& row : rows) {
    if (row.work != DiskWork::kRandomRead || row.request_bytes != kSmallBytes) continue;
    if (row.requests_per_second > best) deepest = row.depth;
    best = std::max(best, row.requests_per_second);
    if (row.depth == kTwoClients) beside_ns = row.mean_ns;
  }
  const double alone_ns = find_row(rows, DiskWork::kRandomRead, kSmallBytes).mean_ns;
  double busy_ns = 0;
  if (best * alone_ns / kNsPerSecond >= kTwoPlaces) busy_ns = std::max(0.0, beside_ns - alone_ns);
  model.contention.busy_latency_ns = whole_or_none(busy_ns);
  const double busy_share = best * busy_ns / kNsPerSecond;
  model.queue.parallelism = deepest;
  if (busy_share < kShareMost) {
    const double places =
        best * std::max(0.0, alone_ns - busy_ns) / kNsPerSecond / (1 - busy_share);
    model.queue.parallelism = std::min(whole(places), kPlacesMax);
  }
}

// A large request takes busy_latency more beside small reads, and waits for as many of them as come
// in its time; each has the channel for half of request_ns, as it shares it with the large one.
std::uint64_t request_hold_ns(std::span<const DiskRow> rows, const DeviceModel& model) {
  const std::uint64_t bytes = model.queue.request_bytes.value();
  const DiskRow& beside = find_row(rows, DiskWork::kMixedBeside, bytes);
  const double taken = kNsPerSecond / beside.requests_per_second;
  const double more = taken - kNsPerSecond / beside.alone_per_second -
                      static_cast<double>(model.contention.busy_latency_ns);
  const double hold = more * beside.mean_ns / taken;
  return whole_or_none(2 * hold);
}

// Both unknowns of y = a * x1 + b * x2 by least squares over several rows.
struct Pair {
  double a = 0;
  double b = 0;
};
class TwoUnknowns {
 public:
  void add(double x1, double x2, double y) {
    x1x1_ += x1 * x1;
    x1x2_ += x1 * x2;
    x2x2_ += x2 * x2;
    x1y_ += x1 * y;
    x2y_ += x2 * y;
  }
  [[nodiscard]] Pair solve() const {
    const double determinant = x1x1_ * x2x2_ - x1x2_ * x1x2_;
    CHECK(determinant > 0);
    return {(x1y_ * x2x2_ - x2y_ * x1x2_) / determinant,
            (x2y_ * x1x1_ - x1y_ * x1x2_) / determinant};
  }

 private:
  double x1x1_ = 0;
  double x1x2_ = 0;
  double x2x2_ = 0;
  double x1y_ = 0;
  double x2y_ = 0;
};

}  // namespace

DeviceModel derive_disk(std::span<const DiskRow> rows, DeviceModel base) {
  DeviceModel model = base;
  const std::uint64_t request = model.queue.request_bytes.value();
  const double seek = seek_ns(rows, request);
  model.contention.seek_ns = static_cast<std::uint64_t>(seek);
  derive_places(rows, model);
  const Bytes read = bandwidth_of(rows, DiskWork::kSequentialRead, model);
  const Bytes write = bandwidth_of(rows, DiskWork::kAppend, model);
  model.channel.read_bandwidth = read;
  model.channel.write_bandwidth = write;
  model.mixed.bandwidth_25 = in_proportion(bandwidth_of(rows, DiskWork::kMixed25, model), model);
  model.mixed.bandwidth_50 = in_proportion(bandwidth_of(rows, DiskWork::kMixed50, model), model);
  model.mixed.bandwidth_75 = in_proportion(bandwidth_of(rows, DiskWork::kMixed75, model), model);
  model.latency.read_ns = whole(latency_ns(rows, DiskWork::kRandomRead, read, kSmallBytes) - seek);
  model.latency.write_ns =
      whole(latency_ns(rows, DiskWork::kRandomWrite, write, kSmallBytes) - seek);
  // One figure for both: a merge reads about as much as it writes, so their mean gives its time.
  model.latency.sequential_ns = whole((latency_ns(rows, DiskWork::kSequentialRead, read, request) +
                                       latency_ns(rows, DiskWork::kAppend, write, request)) /
                                      2);
  model.contention.request_ns = request_hold_ns(rows, model);
  model.sync.latency_ns =
      std::max<std::uint64_t>(1, find_row(rows, DiskWork::kSync, kSmallBytes).p50_ns);
  return model;
}

namespace {

// Of a log record beside key and value: frame, sequence number, clock and lengths.
constexpr double kLogRecordOverheadKib = 28.0 / 1024;

double log_write_ns(std::span<const CpuRow> rows) {
  return std::max(0.0, find_row(rows, CpuWork::kPutUngathered).nanoseconds -
                           find_row(rows, CpuWork::kPut).nanoseconds);
}
double kib_ns_of_log(std::span<const CpuRow> rows, CpuWork work) {
  const CpuRow& row = find_row(rows, work);
  return std::max(0.0, row.nanoseconds - log_write_ns(rows)) / row.kib;
}

constexpr double kBusyLeast = 0.1;  // less tells nothing of what busy cores cost

Decimal busy_slowdown(std::span<const CpuRow> rows, const CpuModel& cpu) {
  const CpuRow& beside = find_row(rows, CpuWork::kPutBeside);
  constexpr double kValueKib = 112.0 / 1024;  // of those puts
  // With the log as it is beside them, which log_kib_ns has.
  const double log_more =
      (kib_ns_of_log(rows, CpuWork::kLogBeside) - kib_ns_of_log(rows, CpuWork::kLogWrite));
  const CpuRow& put = find_row(rows, CpuWork::kPut);
  const double alone = put.nanoseconds + static_cast<double>(cpu.costs.client_ns) +
                       kValueKib * static_cast<double>(cpu.costs.client_kib_ns) +
                       std::max(0.0, log_more) * (put.kib + kLogRecordOverheadKib);
  const double more = beside.nanoseconds / alone - 1;
  return slowdown_of(more / std::max(beside.others_busy, kBusyLeast));
}

void derive_reads(std::span<const CpuRow> rows, CpuModel& cpu) {
  const double get = find_row(rows, CpuWork::kGetMemtable).nanoseconds;
  cpu.costs.get_ns = whole(get);

  TwoUnknowns lookups;
  for (const CpuWork work : {CpuWork::kGetAbsent, CpuWork::kGetPresent, CpuWork::kGetPresentOne}) {
    const CpuRow& row = find_row(rows, work);
    lookups.add(row.tables, row.blocks, row.nanoseconds - get);
  }
  const auto [table, block] = lookups.solve();
  cpu.costs.table_ns = whole(table);
  cpu.costs.block_ns = whole(block);
  const CpuRow& disk = find_row(rows, CpuWork::kGetBetween);
  const double warm = get + disk.tables * std::max(table, 0.0) + disk.blocks * std::max(block, 0.0);
  cpu.costs.read_ns = whole((disk.nanoseconds - warm) / std::max(disk.blocks, 1.0));
  cpu.costs.cold_ns = whole_or_none(find_row(rows, CpuWork::kPutCold).slow_ns);

  // Both show as many entries of as many runs, and go on to so many more blocks.
  const CpuRow& narrow = find_row(rows, CpuWork::kLongScan);
  const CpuRow& wide = find_row(rows, CpuWork::kWideScan);
  const double more_blocks = std::max(1.0, wide.blocks - narrow.blocks);
  const double scan_block = std::max(0.0, wide.nanoseconds - narrow.nanoseconds) / more_blocks;
  cpu.costs.scan_block_ns = whole_or_none(scan_block);
  TwoUnknowns scans;
  for (const CpuWork work : {CpuWork::kShortScan, CpuWork::kLongScan}) {
    const CpuRow& row = find_row(rows, work);
    const double first = std::min(row.blocks, row.tables);
    const double read = row.tables * std::max(table, 0.0) + first * std::max(block, 0.0) +
                        (row.blocks - first) * scan_block;
    scans.add(1, row.entries, row.nanoseconds - read);
  }
  const auto [scan, scan_entry] = scans.solve();
  cpu.costs.scan_ns = whole(scan);
  cpu.costs.scan_entry_ns = whole(scan_entry);
}

void derive_merges(std::span<const CpuRow> rows, CpuModel& cpu) {
  static_assert(std::has_single_bit(kCalibrateRuns) && std::has_single_bit(kCalibrateManyRuns));
  constexpr double kFewDoublings = std::countr_zero(kCalibrateRuns);
  constexpr double kManyDoublings = std::countr_zero(kCalibrateManyRuns);
  constexpr std::array kWorks{std::pair(CpuWork::kMergeSmall, CpuWork::kMergeSmallMany),
                              std::pair(CpuWork::kMergeLarge, CpuWork::kMergeLargeMany)};
  TwoUnknowns doublings;
  for (const auto& [few, many] : kWorks) {
    const CpuRow& row = find_row(rows, few);
    const double rise = std::max(0.0, find_row(rows, many).nanoseconds - row.nanoseconds);
    const double doubling = rise / (kManyDoublings - kFewDoublings);
    doublings.add(1, row.kib, std::min(doubling, row.nanoseconds / kFewDoublings));
  }
  const auto [doubling_entry, doubling_kib] = doublings.solve();
  cpu.costs.merge_doubling_entry_ns = whole_or_none(doubling_entry);
  cpu.costs.merge_doubling_kib_ns = whole_or_none(doubling_kib);
  // With the doublings that the model has: merges of few runs then take what was measured.
  TwoUnknowns of_one_run;
  for (const auto& [few, many] : kWorks) {
    const CpuRow& row = find_row(rows, few);
    const double doubling = static_cast<double>(cpu.costs.merge_doubling_entry_ns) +
                            row.kib * static_cast<double>(cpu.costs.merge_doubling_kib_ns);
    of_one_run.add(1, row.kib, std::max(0.0, row.nanoseconds - kFewDoublings * doubling));
  }
  const auto [entry, kib] = of_one_run.solve();
  cpu.costs.merge_entry_ns = whole(entry);
  cpu.costs.merge_kib_ns = whole(kib);
}

}  // namespace

CpuModel derive_cpu(std::span<const CpuRow> rows, CpuModel base) {
  CpuModel cpu = base;
  const auto by_size = [&](CpuWork small, CpuWork large) {
    TwoUnknowns unknowns;
    for (const CpuWork work : {small, large}) {
      const CpuRow& row = find_row(rows, work);
      unknowns.add(1, row.kib, row.nanoseconds);
    }
    return unknowns.solve();
  };
  const auto [client, client_kib] = by_size(CpuWork::kClientSmall, CpuWork::kClientLarge);
  cpu.costs.client_ns = whole(client);
  cpu.costs.client_kib_ns = whole(client_kib);
  const double log_kib = kib_ns_of_log(rows, CpuWork::kLogWrite);
  TwoUnknowns puts;
  for (const CpuWork work : {CpuWork::kPut, CpuWork::kPutWide}) {
    const CpuRow& row = find_row(rows, work);
    puts.add(1, row.kib, row.nanoseconds - log_kib * (row.kib + kLogRecordOverheadKib));
  }
  const auto [put, put_kib] = puts.solve();
  // Puts are measured without the store's threads, and meet them in a run.
  cpu.costs.log_kib_ns = whole(std::max(log_kib, kib_ns_of_log(rows, CpuWork::kLogBeside)));
  cpu.costs.log_write_ns = whole(log_write_ns(rows));
  cpu.costs.file_ns = whole(find_row(rows, CpuWork::kFile).nanoseconds);
  cpu.costs.sleep_ns = whole_or_none(find_row(rows, CpuWork::kSleep).nanoseconds);
  cpu.costs.slow_put_ns = whole(find_row(rows, CpuWork::kSlowPutBeside).nanoseconds);
  // The mean stays what it was.
  cpu.costs.put_ns = whole(put - static_cast<double>(cpu.costs.slow_put_ns) / kPutsPerSlowOne);
  cpu.costs.put_kib_ns = whole(put_kib);
  derive_reads(rows, cpu);

  derive_merges(rows, cpu);
  cpu.cores.busy_slowdown = busy_slowdown(rows, cpu);
  // As in a store's run, which has more than a client beside it.
  const double beside_store = find_row(rows, CpuWork::kMergeStore).nanoseconds /
                              std::max(1.0, find_row(rows, CpuWork::kMergeLarge).nanoseconds);
  cpu.cores.merge_busy_slowdown = slowdown_of(beside_store - 1);
  // They were measured while all cores worked, at puts alone.
  const double busy = 1 + merge_slowdowns(rows).work;
  const auto [flush_entry, flush_kib] = by_size(CpuWork::kFlush, CpuWork::kFlushWide);
  cpu.costs.flush_entry_ns = whole(flush_entry / busy);
  cpu.costs.flush_kib_ns = whole(flush_kib / busy);
  return cpu;
}

double model_requests_per_second(const DeviceModel& model, const DiskRow& row) {
  if (row.work == DiskWork::kSync) return kNsPerSecond / static_cast<double>(model.sync.latency_ns);
  const std::uint64_t reads_in_four = reads_of_four(row.work);
  const double reads = static_cast<double>(reads_in_four) / 4;
  const TransferTimes times(model);
  const auto transfer = [&](DeviceRequest request) {
    return static_cast<double>(times.nanoseconds(request, row.request_bytes, 64 * reads_in_four));
  };
  double latency = static_cast<double>(model.latency.sequential_ns);
  if (!is_sequential(row.work) && row.work != DiskWork::kTwoStreamRead) {
    latency = static_cast<double>(row.work == DiskWork::kRandomRead
                                      ? model.latency.read_ns + model.cpu.costs.read_ns
                                      : model.latency.write_ns);
  }
  const double held =
      reads * transfer(DeviceRequest::kRead) + (1 - reads) * transfer(DeviceRequest::kWrite);
  if (row.work == DiskWork::kMixedBeside) {
    // So many small reads come while a large request is served.
    const double small_reads = kNsPerSecond / row.requests_per_second / row.mean_ns;
    latency += static_cast<double>(model.contention.busy_latency_ns +
                                   model.contention.other_size_latency_ns) +
               small_reads * static_cast<double>(model.contention.request_ns) / 2;
  }
  return loop_rate(model, row, held, latency);
}

}  // namespace lsmlab::engine
