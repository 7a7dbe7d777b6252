#include "engine/calibration/solve/latency.h"

#include "engine/calibration/solve/channel.h"
#include "engine/calibration/solve/mixed_curve.h"
#include "testing/catch.h"

namespace lsmlab::engine::latency_test {
namespace {

// A merge reads the last 32nd of its file again.
constexpr double kWithEnd = 65.0 / 64;

DiskRow disk_row(DiskWork work, std::uint64_t bytes, double mean_ns) {
  DiskRow row{work, bytes};
  row.mean_ns = mean_ns;
  return row;
}

// One that reads and writes a KiB an entry, works 500 ns for it, and waits so long besides.
CpuRow merge_waiting(double wait_ns) {
  CpuRow row;
  row.work = CpuWork::kMergeLarge;
  row.nanoseconds = 500;
  row.kib = 1;
  row.wall_ns = 500 + kWithEnd * wait_ns;
  return row;
}

CpuRow lookup_waiting(double wait_ns) {
  CpuRow row;
  row.work = CpuWork::kGetBetween;
  row.nanoseconds = 30'000;
  row.blocks = 1.25;
  row.wall_ns = 30'000 + wait_ns;
  return row;
}

DeviceModel model_with_channel() {
  DeviceModel model;
  model.channel.read_bandwidth = Bytes(1'024'000'000);  // 4 us for 4 KiB, 256 us for 256 KiB
  model.channel.write_bandwidth = Bytes(512'000'000);
  return model;
}

TEST_CASE("one client's mean requests give the latencies beyond transfer and seek") {
  DeviceModel model = model_with_channel();
  LatencyRows rows{disk_row(DiskWork::kRandomRead, 4 << 10, 84'000),
                   disk_row(DiskWork::kRandomWrite, 4 << 10, 28'000),
                   disk_row(DiskWork::kSequentialRead, 256 << 10, 256'000 + 30'000),
                   disk_row(DiskWork::kTwoStreamRead, 256 << 10, 256'000 + 35'000),
                   disk_row(DiskWork::kAppend, 256 << 10, 512'000 + 10'000)};
  derive_latency(rows, model);
  REQUIRE(model.latency.read_ns == 80'000);
  REQUIRE(model.latency.write_ns == 20'000);
  REQUIRE(model.latency.sequential_ns == 20'000);
  // A disk with heads: random requests seek as well.
  rows.two_streams.mean_ns += 5'000'000;
  rows.random_read.mean_ns += 5'005'000;
  rows.random_write.mean_ns += 5'005'000;
  derive_latency(rows, model);
  REQUIRE(model.latency.read_ns == 80'000);
  REQUIRE(model.latency.write_ns == 20'000);
  REQUIRE(model.latency.sequential_ns == 20'000);
}

TEST_CASE("the wait of lookups on the disk gives the read latency, the store's part taken out") {
  DeviceModel model = model_with_channel();
  derive_lookup_latency(lookup_waiting(100'000), model);
  REQUIRE(model.latency.read_ns == 80'000 - 4'000);
  model.contention.seek_ns = 50'000;
  derive_lookup_latency(lookup_waiting(100'000), model);
  REQUIRE(model.latency.read_ns == 30'000 - 4'000);
  derive_lookup_latency(lookup_waiting(0), model);
  REQUIRE(model.latency.read_ns == 1);
}

TEST_CASE("a merge's wait gives the latency of its stream") {
  DeviceModel model = model_with_channel();
  // A KiB is read and one written: 1 and 2 us, and the 128th part of a request's latency; so a
  // request takes 448 us in the mean.
  const MergeWait wait = merge_wait(merge_waiting(3'000 + 64'000.0 / 128), model);
  REQUIRE(wait.wait_ns == Approx(448'000));
  REQUIRE(wait.transfer_ns == 384'000);
  REQUIRE(wait.speedup() == 1);
  derive_merge_latency(wait, model.latency);
  REQUIRE(model.latency.sequential_ns == 64'000);
}

TEST_CASE("a merge that waits less than its transfers shows a faster channel, at most twice") {
  DeviceModel model = model_with_channel();
  const MergeWait wait = merge_wait(merge_waiting(2'400), model);
  derive_merge_latency(wait, model.latency);
  REQUIRE(model.latency.sequential_ns == 1);
  raise_channel(wait.speedup(), model.channel);
  REQUIRE(model.channel.write_bandwidth == Bytes(640'000'000));
  REQUIRE(merge_wait(merge_waiting(1'000), model).speedup() == 2);
  // Rounded, a mixed bandwidth would be beyond what a device may have.
  DeviceModel bounded;
  bounded.channel.read_bandwidth = bounded.channel.write_bandwidth = Bytes(1'024'000'001);
  bounded.mixed.bandwidth_75 = Bytes(4 * 1'024'000'001ULL);
  const double speedup = merge_wait(merge_waiting(1'600), bounded).speedup();
  raise_channel(speedup, bounded.channel);
  raise_mixed_curve(speedup, bounded);
  REQUIRE(bounded.channel.read_bandwidth > Bytes(1'024'000'001));
  REQUIRE(bounded.validate().empty());
}

TEST_CASE("through the page cache the processor's part of a large request is taken out") {
  LatencyModel latency;
  latency.sequential_ns = 64'000;
  CpuRow request;
  request.work = CpuWork::kLargeRequest;
  request.nanoseconds = 20'000;
  derive_buffered_latency(request, latency);
  REQUIRE(latency.sequential_ns == 44'000);
  request.nanoseconds = 50'000;
  derive_buffered_latency(request, latency);
  REQUIRE(latency.sequential_ns == 1);
}

}  // namespace
}  // namespace lsmlab::engine::latency_test
