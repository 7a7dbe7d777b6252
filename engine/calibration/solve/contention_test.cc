#include "engine/calibration/solve/contention.h"

#include <utility>

#include "engine/calibration/solve/figures.h"
#include "testing/catch.h"

namespace lsmlab::engine::contention_test {
namespace {

CpuRow row_of(CpuWork work, double nanoseconds, double kib) {
  CpuRow row;
  row.work = work;
  row.nanoseconds = nanoseconds;
  row.kib = kib;
  return row;
}

DeviceModel two_cores() {
  DeviceModel model;
  model.channel.read_bandwidth = model.channel.write_bandwidth =
      Bytes(1'310'720'000);  // 200 us a request
  model.latency.sequential_ns = 1;
  model.cpu.cores.count = 2;
  return model;
}

TEST_CASE("a seek is what two streams take longer than one, from a millisecond on") {
  DiskRow one{DiskWork::kSequentialRead, 256 << 10};
  DiskRow two{DiskWork::kTwoStreamRead, 256 << 10};
  one.mean_ns = 2e6;
  two.mean_ns = 10e6;
  REQUIRE(seek_of(one, two) == 8e6);
  two.mean_ns = 2.9e6;
  REQUIRE(seek_of(one, two) == 0);
}

TEST_CASE("what small reads take from a large request beside them gives the channel's hold") {
  ContentionModel contention;
  contention.busy_latency_ns = 15'000;
  // A large request of 400 us, in whose time two small reads come: 15 and 2 * 40 / 2 us more.
  DiskRow both{DiskWork::kMixedBeside, 256 << 10};
  both.alone_per_second = 1e9 / 400'000;
  both.requests_per_second = 1e9 / 455'000;
  both.mean_ns = 455'000.0 / 2;
  derive_request_hold({both}, contention);
  REQUIRE(contention.request_ns == 40'000);
  both.requests_per_second = both.alone_per_second;
  derive_request_hold({both}, contention);
  REQUIRE(contention.request_ns == 0);
}

TEST_CASE("what a merge takes more beside puts is split into its work and its waits") {
  BusyCoresRows rows{row_of(CpuWork::kMergeLarge, 500, 1), row_of(CpuWork::kMergeBeside, 700, 1)};
  rows.merge.wall_ns = 500 + 4'000;
  rows.beside_puts.wall_ns = 700 + 1.125 * 4'000;
  REQUIRE(merge_slowdowns(rows).work == 0.4);
  ContentionModel contention;
  derive_busy_cores(rows, contention);
  REQUIRE(contention.busy_cores_slowdown.as_double() == 0.125);
  // Work that came out shorter: the waits have the sum.
  rows.beside_puts.nanoseconds = 400;
  rows.beside_puts.wall_ns = 4'500 + 1'000;
  REQUIRE(merge_slowdowns(rows).work == 0);
  REQUIRE(merge_slowdowns(rows).wait == 0.25);
  // Beyond twice as long threads wait for a core.
  rows.beside_puts.wall_ns = 20'000;
  REQUIRE(merge_slowdowns(rows).wait == 1);
  rows.beside_puts.wall_ns = 100;
  derive_busy_cores(rows, contention);
  REQUIRE(contention.busy_cores_slowdown.as_double() == 0);
}

TEST_CASE("a merge and lookups beside each other give back what they cost each other") {
  DeviceModel model = two_cores();
  model.latency.read_ns = 40'000;
  model.latency.sequential_ns = 20'000;
  model.contention.busy_latency_ns = 15'000;
  model.contention.busy_cores_slowdown = {1, 4};
  model.cpu.cores.merge_busy_slowdown = {1, 10};
  const BesideWork work{250'000, 30'000};
  const BesideTimes alone = times_alone(model, work);
  REQUIRE(alone.get.work_ns == Approx(30'000).epsilon(0.01));
  REQUIRE(alone.get.device_wait_ns == 3'125 + 40'000);
  REQUIRE(alone.piece.work_ns == Approx(250'000).epsilon(0.01));
  REQUIRE(alone.piece.device_wait_ns == 2 * 220'000);
  REQUIRE(alone.get.core_wait_ns + alone.piece.core_wait_ns == 0);
  double last_ns = 0;
  for (const auto& [more, gather_share] : std::vector<std::pair<std::uint64_t, double>>{
           {0, 0}, {30'000, 0}, {100'000, 0}, {0, 0.5}, {30'000, 0.5}, {0, 1}, {100'000, 1}}) {
    CAPTURE(more, gather_share);
    model.contention.other_size_latency_ns = more;
    model.cpu.cores.gather_share = slowdown_of(gather_share);
    const BesideTimes beside = times_beside(model, work);
    if (more == 0) last_ns = 0;
    REQUIRE(beside.get.device_wait_ns > last_ns);
    last_ns = beside.get.device_wait_ns;
    OtherSizeRows rows{row_of(CpuWork::kMergeLarge, 250'000, 256),
                       row_of(CpuWork::kMergeGets, beside.piece.work_ns, 256),
                       row_of(CpuWork::kGetDisk, 30'000, 0),
                       row_of(CpuWork::kGetBeside, beside.get.work_ns, 0)};
    rows.merge.wall_ns = 250'000 + 440'000;
    rows.merge_beside.core_wait_ns = beside.piece.core_wait_ns;
    rows.merge_beside.wall_ns =
        beside.piece.work_ns + beside.piece.core_wait_ns + beside.piece.device_wait_ns;
    rows.lookup.wall_ns = 73'125;
    rows.lookup_beside.core_wait_ns = beside.get.core_wait_ns;
    rows.lookup_beside.wall_ns =
        beside.get.work_ns + beside.get.core_wait_ns + beside.get.device_wait_ns;
    DeviceModel found = model;
    found.contention.other_size_latency_ns = 77'000;
    derive_other_size(rows, found);
    REQUIRE(static_cast<double>(found.contention.other_size_latency_ns) ==
            Approx(more).margin(7'000));
  }
}

TEST_CASE("two clients and two merges give back how large requests slow each other down") {
  DeviceModel model = two_cores();
  const BesideWork work{250'000, 30'000, 0, 0};
  for (const double sharing : {0.0, 0.25, 0.5}) {
    CAPTURE(sharing);
    model.contention.sharing_slowdown = slowdown_of(sharing);
    std::vector<CpuRow> cpu{row_of(CpuWork::kMergeLarge, 250'000, 256),
                            row_of(CpuWork::kMergeMerge, 260'000, 256),
                            row_of(CpuWork::kGetDisk, 30'000, 0)};
    cpu[0].wall_ns = 650'000;
    cpu[1].core_wait_ns = 70'000;
    cpu[1].wall_ns = 330'000 + device_wait_beside_merge_ns(model, work);
    std::vector<DiskRow> disk;
    for (const DiskWork of : {DiskWork::kSequentialRead, DiskWork::kAppend, DiskWork::kMixed50}) {
      disk.push_back({of, 256 << 10, 2, 5'000 / (1 + sharing)});
      disk.push_back({of, 256 << 10, 4, 9'000});  // more than a store has at once
      disk.push_back({of, 1 << 20, 2, 300});
    }
    const SharingRows rows = sharing_rows(disk, cpu, Bytes(256 << 10));
    REQUIRE(rows.two_clients.size() == 3);
    DeviceModel found = two_cores();
    derive_sharing(rows, found);
    REQUIRE(found.contention.sharing_slowdown.as_double() == Approx(sharing).margin(0.02));
    found = two_cores();
    found.cpu.cores.count = 1;
    derive_sharing(rows, found);
    REQUIRE(found.contention.sharing_slowdown.as_double() == 0);
  }
}

}  // namespace
}  // namespace lsmlab::engine::contention_test
