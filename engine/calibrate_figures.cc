// From what was measured to the model's figures.
#include <algorithm>
#include <cmath>
#include <map>

#include "engine/calibrate_parts.h"
#include "models/check.h"

namespace lsmlab::engine {
namespace {

constexpr double kNsPerSecond = 1e9;
constexpr std::uint64_t kSmallBytes = 4 << 10;
// Latencies are hidden then, as far as they can be.
constexpr std::uint64_t kLargeBytes = 256 << 10;
constexpr unsigned kManyClients = 8;

// A figure of a model is at least 1: 0 has another meaning, or none.
std::uint64_t whole(double figure) {
  return figure > 1 ? static_cast<std::uint64_t>(std::llround(figure)) : 1;
}

const DiskRow& find_row(std::span<const DiskRow> rows, DiskWork work, std::uint64_t request_bytes) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const DiskRow& row) {
    return row.work == work && row.request_bytes == request_bytes && row.depth == 1;
  });
  CHECK(found != rows.end());
  return *found;
}

const CpuRow& find_row(std::span<const CpuRow> rows, CpuWork work) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const CpuRow& row) { return row.work == work; });
  CHECK(found != rows.end());
  return *found;
}

// Of the large request size that is best for it, by many clients; the middle of several depths, as
// the most of them would be the luckiest.
double bandwidth_of(std::span<const DiskRow> rows, DiskWork work) {
  std::map<std::uint64_t, RoundFigures> by_size;
  for (const DiskRow& row : rows) {
    const bool is_large = row.work == work && row.request_bytes >= kLargeBytes;
    if (is_large && row.depth >= kManyClients) {
      by_size[row.request_bytes].add(row.bytes_per_second());
    }
  }
  double best = 0;
  for (const auto& [request_bytes, depths] : by_size) best = std::max(best, depths.median());
  CHECK(best > 0);
  return best;
}

Bytes bandwidth_of(std::span<const DiskRow> rows, DiskWork sequential, DiskWork random) {
  constexpr std::uint64_t kLeast = 1'000;  // that a DeviceModel takes
  const double best = std::max(bandwidth_of(rows, sequential), bandwidth_of(rows, random));
  return Bytes(std::max(whole(best), kLeast));
}

double transfer_ns(Bytes bandwidth, std::uint64_t bytes) {
  return static_cast<double>(bytes) * kNsPerSecond / static_cast<double>(bandwidth.value());
}

// Means, as throughput follows them: of the rounds' means the middle one, so that a disturbance of
// some rounds does not count.
double latency_ns(std::span<const DiskRow> rows, DiskWork work, Bytes bandwidth,
                  std::uint64_t request_bytes) {
  const DiskRow& row = find_row(rows, work, request_bytes);
  return std::max(0.0, row.mean_ns - transfer_ns(bandwidth, request_bytes));
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
// takes beside another.
void derive_places(std::span<const DiskRow> rows, DeviceModel& model) {
  constexpr std::uint64_t kPlacesMax = 1024;
  constexpr double kTwoPlaces = 1.5;  // below there is one, and a second client waits for the first
  constexpr unsigned kTwoClients = 2;
  double best = 0;
  double beside_ns = 0;
  for (const DiskRow& row : rows) {
    if (row.work != DiskWork::kRandomRead || row.request_bytes != kSmallBytes) continue;
    best = std::max(best, row.requests_per_second);
    if (row.depth == kTwoClients) beside_ns = row.mean_ns;
  }
  const double alone_ns = find_row(rows, DiskWork::kRandomRead, kSmallBytes).mean_ns;
  model.busy_latency_ns = 0;
  if (best * alone_ns / kNsPerSecond >= kTwoPlaces) {
    model.busy_latency_ns =
        static_cast<std::uint64_t>(std::llround(std::max(0.0, beside_ns - alone_ns)));
  }
  const double held_ns = alone_ns + static_cast<double>(model.busy_latency_ns);
  model.parallelism = std::min(whole(best * held_ns / kNsPerSecond), kPlacesMax);
}

// In the proportion that DeviceModel::validate() asks for: beyond, the disk was disturbed.
Bytes mixed_bandwidth(std::span<const DiskRow> rows, DiskWork work, const DeviceModel& model) {
  const auto [least, most] = std::minmax(model.read_bandwidth, model.write_bandwidth);
  return std::clamp(Bytes(whole(bandwidth_of(rows, work))), Bytes(least.value() / 64 + 1),
                    Bytes(4 * most.value()));
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

double RoundFigures::median() const {
  if (figures_.empty()) return 0;
  std::vector<double> sorted = figures_;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double RoundFigures::spread() const {
  const double middle = median();
  if (middle == 0) return 0;
  const auto [least, most] = std::minmax_element(figures_.begin(), figures_.end());
  return (*most - *least) / middle;
}

std::string_view disk_work_name(DiskWork work) {
  switch (work) {
    case DiskWork::kSequentialRead:
      return "sequential read";
    case DiskWork::kRandomRead:
      return "random read";
    case DiskWork::kTwoStreamRead:
      return "read of 2 streams";
    case DiskWork::kSequentialWrite:
      return "sequential write";
    case DiskWork::kRandomWrite:
      return "random write";
    case DiskWork::kMixed25:
      return "random, 25 % reads";
    case DiskWork::kMixed50:
      return "random, 50 % reads";
    case DiskWork::kMixed75:
      return "random, 75 % reads";
    case DiskWork::kAppend:
      return "append";
    case DiskWork::kSync:
      break;
  }
  return "sync of an append";
}

std::string_view cpu_work_name(CpuWork work) {
  switch (work) {
    case CpuWork::kClientSmall:
      return "client of a put, value of 16 B";
    case CpuWork::kClientLarge:
      return "client of a put, value of 1 KiB";
    case CpuWork::kPut:
      return "put";
    case CpuWork::kPutSmall:
      return "put, memtable half as large";
    case CpuWork::kPutLarge:
      return "put, memtable 8 times as large";
    case CpuWork::kPutWide:
      return "put, value of 1 KiB";
    case CpuWork::kLogWrite:
      return "64 KiB of a log, given to the system";
    case CpuWork::kFile:
      return "file made, written, closed, removed";
    case CpuWork::kRead:
      return "4 KiB read at random";
    case CpuWork::kPutUngathered:
      return "put, each log record written at once";
    case CpuWork::kGetMemtable:
      return "lookup of an absent key, no SSTable";
    case CpuWork::kGetAbsent:
      return "lookup of an absent key, several sorted runs";
    case CpuWork::kGetPresent:
      return "lookup of a key, several sorted runs";
    case CpuWork::kGetPresentOne:
      return "lookup of a key, one sorted run";
    case CpuWork::kShortScan:
      return "short scan, several sorted runs";
    case CpuWork::kLongScan:
      return "long scan, several sorted runs";
    case CpuWork::kFlush:
      return "flush, an entry";
    case CpuWork::kMergeSmall:
      return "merge, an entry with a value of 16 B";
    case CpuWork::kPutBeside:
      return "put and client, beside flushes and merges";
    case CpuWork::kMergeLarge:
      break;
  }
  return "merge, an entry with a value of 1 KiB";
}

void split_reads(DeviceModel& model) {
  model.cpu.read_ns = std::min(model.cpu.read_ns, model.read_latency_ns - 1);
  model.read_latency_ns -= model.cpu.read_ns;
}

DeviceModel derive_disk(std::span<const DiskRow> rows, DeviceModel base) {
  DeviceModel model = base;
  const Bytes read = bandwidth_of(rows, DiskWork::kSequentialRead, DiskWork::kRandomRead);
  const Bytes write = bandwidth_of(rows, DiskWork::kSequentialWrite, DiskWork::kRandomWrite);
  model.read_bandwidth = read;
  model.write_bandwidth = write;
  model.mixed_bandwidth_25 = mixed_bandwidth(rows, DiskWork::kMixed25, model);
  model.mixed_bandwidth_50 = mixed_bandwidth(rows, DiskWork::kMixed50, model);
  model.mixed_bandwidth_75 = mixed_bandwidth(rows, DiskWork::kMixed75, model);
  const std::uint64_t request = model.request_bytes.value();
  const double seek = seek_ns(rows, request);
  model.seek_ns = static_cast<std::uint64_t>(seek);
  model.read_latency_ns = whole(latency_ns(rows, DiskWork::kRandomRead, read, kSmallBytes) - seek);
  model.write_latency_ns =
      whole(latency_ns(rows, DiskWork::kRandomWrite, write, kSmallBytes) - seek);
  // One figure for both: a merge reads about as much as it writes, so their mean gives its time.
  model.sequential_latency_ns = whole((latency_ns(rows, DiskWork::kSequentialRead, read, request) +
                                       latency_ns(rows, DiskWork::kAppend, write, request)) /
                                      2);
  model.sync_latency_ns =
      std::max<std::uint64_t>(1, find_row(rows, DiskWork::kSync, kSmallBytes).p50_ns);
  derive_places(rows, model);
  return model;
}

namespace {

// Of a log record beside key and value: frame, sequence number, clock and lengths.
constexpr double kLogRecordOverheadKib = 28.0 / 1024;

// In thousandths.
Decimal busy_slowdown(std::span<const CpuRow> rows, const CpuModel& cpu) {
  constexpr std::uint32_t kParts = 1000;
  constexpr double kMost = 10;        // that the model takes
  constexpr double kBusyLeast = 0.1;  // less tells nothing of it
  const CpuRow& beside = find_row(rows, CpuWork::kPutBeside);
  constexpr double kValueKib = 112.0 / 1024;  // of those puts
  const double alone = find_row(rows, CpuWork::kPut).nanoseconds +
                       static_cast<double>(cpu.client_ns) +
                       kValueKib * static_cast<double>(cpu.client_kib_ns);
  const double more = beside.nanoseconds / alone - 1;
  const double share = std::clamp(more / std::max(beside.others_busy, kBusyLeast), 0.0, kMost);
  return {static_cast<std::uint32_t>(std::llround(share * kParts)), kParts};
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
  cpu.client_ns = whole(client);
  cpu.client_kib_ns = whole(client_kib);
  const double log_write = std::max(0.0, find_row(rows, CpuWork::kPutUngathered).nanoseconds -
                                             find_row(rows, CpuWork::kPut).nanoseconds);
  const CpuRow& log = find_row(rows, CpuWork::kLogWrite);
  const double log_kib = std::max(0.0, log.nanoseconds - log_write) / log.kib;
  TwoUnknowns puts;
  for (const CpuWork work : {CpuWork::kPut, CpuWork::kPutWide}) {
    const CpuRow& row = find_row(rows, work);
    puts.add(1, row.kib, row.nanoseconds - log_kib * (row.kib + kLogRecordOverheadKib));
  }
  const auto [put, put_kib] = puts.solve();
  cpu.log_kib_ns = whole(log_kib);
  cpu.log_write_ns = whole(log_write);
  cpu.file_ns = whole(find_row(rows, CpuWork::kFile).nanoseconds);
  cpu.read_ns = whole(find_row(rows, CpuWork::kRead).nanoseconds);
  cpu.slow_put_ns = whole(find_row(rows, CpuWork::kPutBeside).slow_ns);
  // The mean stays what it was.
  cpu.put_ns = whole(put - static_cast<double>(cpu.slow_put_ns) / kPutsPerSlowOne);
  cpu.put_kib_ns = whole(put_kib);
  const double get = find_row(rows, CpuWork::kGetMemtable).nanoseconds;
  cpu.get_ns = whole(get);

  TwoUnknowns lookups;
  for (const CpuWork work : {CpuWork::kGetAbsent, CpuWork::kGetPresent, CpuWork::kGetPresentOne}) {
    const CpuRow& row = find_row(rows, work);
    lookups.add(row.tables, row.blocks, row.nanoseconds - get);
  }
  const auto [table, block] = lookups.solve();
  cpu.table_ns = whole(table);
  cpu.block_ns = whole(block);

  TwoUnknowns scans;
  for (const CpuWork work : {CpuWork::kShortScan, CpuWork::kLongScan}) {
    const CpuRow& row = find_row(rows, work);
    const double read = row.tables * std::max(table, 0.0) + row.blocks * std::max(block, 0.0);
    scans.add(1, row.entries, row.nanoseconds - read);
  }
  const auto [scan, scan_entry] = scans.solve();
  cpu.scan_ns = whole(scan);
  cpu.scan_entry_ns = whole(scan_entry);

  TwoUnknowns merges;
  for (const CpuWork work : {CpuWork::kMergeSmall, CpuWork::kMergeLarge}) {
    const CpuRow& row = find_row(rows, work);
    merges.add(1, row.kib, row.nanoseconds);
  }
  const auto [merge_entry, merge_kib] = merges.solve();
  cpu.merge_entry_ns = whole(merge_entry);
  cpu.merge_kib_ns = whole(merge_kib);
  cpu.busy_slowdown = busy_slowdown(rows, cpu);
  const CpuRow& flush = find_row(rows, CpuWork::kFlush);
  cpu.flush_entry_ns = whole(flush.nanoseconds - flush.kib * std::max(merge_kib, 0.0));
  return cpu;
}

double model_requests_per_second(const DeviceModel& model, const DiskRow& row) {
  if (row.work == DiskWork::kSync) return kNsPerSecond / static_cast<double>(model.sync_latency_ns);
  const std::uint64_t reads_in_four = reads_of_four(row.work);
  const double reads = static_cast<double>(reads_in_four) / 4;
  const TransferTimes times(model);
  const auto transfer = [&](DeviceRequest request) {
    return static_cast<double>(times.nanoseconds(request, row.request_bytes, 64 * reads_in_four));
  };
  double latency = static_cast<double>(model.sequential_latency_ns);
  if (!is_sequential(row.work)) {
    latency = static_cast<double>(model.seek_ns);
    latency += row.work == DiskWork::kTwoStreamRead
                   ? static_cast<double>(model.sequential_latency_ns)
                   : reads * static_cast<double>(model.read_latency_ns + model.cpu.read_ns) +
                         (1 - reads) * static_cast<double>(model.write_latency_ns);
  }
  if (std::min<std::uint64_t>(row.depth, model.parallelism) > 1) {
    latency += static_cast<double>(model.busy_latency_ns);
  }
  const double held =
      reads * transfer(DeviceRequest::kRead) + (1 - reads) * transfer(DeviceRequest::kWrite);
  const auto places = static_cast<double>(std::min<std::uint64_t>(row.depth, model.parallelism));
  return kNsPerSecond * std::min(1 / held, places / (held + latency));
}

}  // namespace lsmlab::engine
