// The processor's figures from tables that a known model made.
#include "engine/calibration/solve/figures.h"

#include <utility>
#include <vector>

#include "engine/calibration/solve/derive.h"
#include "engine/calibration/solve/side_by_side_model.h"
#include "testing/catch.h"

namespace lsmlab::engine {
namespace {

CpuRow cpu_row(CpuWork work, double nanoseconds, double entries, double tables, double blocks,
               double kib) {
  return {work, nanoseconds, 0, entries, tables, blocks, kib};
}

// What the processor of the next test takes.
std::vector<CpuRow> processor_rows() {
  const double put_ns = 410 + 300.0 / 8;
  std::vector<CpuRow> rows{
      cpu_row(CpuWork::kClientSmall, 120 + 80.0 / 64, 0, 0, 0, 1.0 / 64),
      cpu_row(CpuWork::kClientLarge, 120 + 80, 0, 0, 0, 1),
      cpu_row(CpuWork::kPut, put_ns + 200 * (1.0 / 8 + 28.0 / 1024), 0, 0, 0, 1.0 / 8),
      cpu_row(CpuWork::kPutWide, 410 + 300 * 1.016 + 200 * (1.016 + 28.0 / 1024), 0, 0, 0, 1.016),
      cpu_row(CpuWork::kLogWrite, 900 + 64 * 200, 0, 0, 0, 64),
      cpu_row(CpuWork::kFile, 25'000, 0, 0, 0, 0),
      cpu_row(CpuWork::kSleep, 95'000, 0, 0, 0, 0),
      cpu_row(CpuWork::kGetBetween, 230 + 2.5 * 45 + 1.02 * (780 + 9'000), 0, 2.5, 1.02, 0),
      cpu_row(CpuWork::kPutCold, 800, 0, 0, 0, 0),
      cpu_row(CpuWork::kSlowPutBeside, 500, 0, 0, 0, 0),
      cpu_row(CpuWork::kLogBeside, 900 + 64 * 330, 0, 0, 0, 64),
      cpu_row(CpuWork::kPutUngathered, put_ns + 200 * (1.0 / 8 + 28.0 / 1024) + 900, 0, 0, 0,
              1.0 / 8),
      cpu_row(CpuWork::kGetMemtable, 230, 0, 0, 0, 0),
      cpu_row(CpuWork::kGetAbsent, 230 + 4 * 45 + 0.03 * 780, 0, 4, 0.03, 0),
      cpu_row(CpuWork::kGetPresent, 230 + 2.5 * 45 + 1.02 * 780, 0, 2.5, 1.02, 0),
      cpu_row(CpuWork::kGetPresentOne, 230 + 45 + 780, 0, 1, 1, 0),
      cpu_row(CpuWork::kShortScan, 900 + 10 * 75 + 4 * (45 + 780) + 0.3 * 250, 10, 4, 4.3, 0),
      cpu_row(CpuWork::kLongScan, 900 + 100 * 75 + 4 * (45 + 780) + 3.5 * 250, 100, 4, 7.5, 0),
      cpu_row(CpuWork::kWideScan, 900 + 100 * 75 + 4 * (45 + 780) + 26 * 250, 100, 4, 30, 0),
      cpu_row(CpuWork::kFlush, (160 + 0.137 * 480) * 1.25, 1, 0, 0, 0.137),
      cpu_row(CpuWork::kFlushWide, (160 + 1.05 * 480) * 1.25, 1, 0, 0, 1.05),
      cpu_row(CpuWork::kMergeSmall, 105 + 0.043 * 600, 1, 0, 0, 0.043),
      cpu_row(CpuWork::kMergeLarge, 105 + 1.05 * 600, 1, 0, 0, 1.05),
      cpu_row(CpuWork::kMergeSmallMany, 145 + 0.043 * 660, 1, 0, 0, 0.043),
      cpu_row(CpuWork::kMergeLargeMany, 145 + 1.05 * 660, 1, 0, 0, 1.05),
      cpu_row(CpuWork::kMergeBeside, (105 + 1.05 * 600) * 1.25, 1, 0, 0, 1.05),
      cpu_row(CpuWork::kMergeStore, (105 + 1.05 * 600) * 1.375, 1, 0, 0, 1.05),
      cpu_row(CpuWork::kPutBeside,
              (put_ns + 330 * (1.0 / 8 + 28.0 / 1024) + 120 + 80 * 112.0 / 1024) * 1.375, 0, 0, 0,
              1.0 / 8)};
  for (CpuRow& row : rows) row.wall_ns = row.nanoseconds;
  rows.back().others_busy = 0.5;
  for (CpuRow& row : rows) {
    if (row.work == CpuWork::kPutCold) row.slow_ns = 350;
  }
  return rows;
}

TEST_CASE("times that a processor model makes give the model back") {
  CpuModel model;
  model.costs.client_ns = 120;
  model.costs.client_kib_ns = 80;
  model.costs.put_ns = 410;
  model.costs.put_kib_ns = 300;
  model.costs.get_ns = 230;
  model.costs.table_ns = 45;
  model.costs.block_ns = 780;
  model.costs.scan_ns = 900;
  model.costs.scan_entry_ns = 75;
  model.costs.scan_block_ns = 250;
  model.costs.flush_entry_ns = 160;
  model.costs.flush_kib_ns = 480;
  model.costs.merge_entry_ns = 65;
  model.costs.merge_kib_ns = 540;
  model.costs.merge_doubling_entry_ns = 20;
  model.costs.merge_doubling_kib_ns = 30;
  const CpuModel found = derive_cpu(processor_rows(), CpuModel());
  REQUIRE(found.costs.client_ns == model.costs.client_ns);
  REQUIRE(found.costs.client_kib_ns == model.costs.client_kib_ns);
  REQUIRE(found.costs.put_ns == model.costs.put_ns - 500 / kPutsPerSlowOne);
  REQUIRE(found.costs.slow_put_ns == 500);
  REQUIRE(found.costs.log_kib_ns == 330);
  REQUIRE(found.costs.cold_ns == 350);
  REQUIRE(found.costs.sleep_ns == 95'000);
  REQUIRE(found.costs.log_write_ns == 900);
  REQUIRE(found.costs.file_ns == 25'000);
  REQUIRE(found.costs.read_ns == 9'000);
  REQUIRE(found.costs.put_kib_ns == model.costs.put_kib_ns);
  REQUIRE(found.costs.get_ns == model.costs.get_ns);
  REQUIRE(found.costs.table_ns == model.costs.table_ns);
  REQUIRE(found.costs.block_ns == model.costs.block_ns);
  REQUIRE(found.costs.scan_ns == model.costs.scan_ns);
  REQUIRE(found.costs.scan_entry_ns == model.costs.scan_entry_ns);
  REQUIRE(found.costs.scan_block_ns == model.costs.scan_block_ns);
  REQUIRE(found.costs.flush_entry_ns == model.costs.flush_entry_ns);
  REQUIRE(found.costs.flush_kib_ns == model.costs.flush_kib_ns);
  REQUIRE(found.costs.merge_entry_ns == model.costs.merge_entry_ns);
  REQUIRE(found.costs.merge_kib_ns == model.costs.merge_kib_ns);
  REQUIRE(found.costs.merge_doubling_entry_ns == model.costs.merge_doubling_entry_ns);
  REQUIRE(found.costs.merge_doubling_kib_ns == model.costs.merge_doubling_kib_ns);
  REQUIRE(found.cores.busy_slowdown.as_double() == 0.75);
  REQUIRE(found.cores.merge_busy_slowdown.as_double() == 0.375);
  REQUIRE(found.cores.count == CpuModel().cores.count);
}

TEST_CASE("merges of few runs take what was measured, whatever many runs took") {
  for (const auto& [small, large] :
       {std::pair(40.0, 20.0), std::pair(10.0, 200.0), std::pair(-9.0, -80.0)}) {
    std::vector<CpuRow> rows = processor_rows();
    double few = 0;
    double kib = 0;
    for (CpuRow& row : rows) {
      if (row.work == CpuWork::kMergeLarge) {
        few = row.nanoseconds;
        kib = row.kib;
      }
    }
    for (CpuRow& row : rows) {
      if (row.work == CpuWork::kMergeSmallMany) row.nanoseconds = 105 + 0.043 * 600 + 2 * small;
      if (row.work == CpuWork::kMergeLargeMany) row.nanoseconds = few + 2 * large;
    }
    const CpuModel cpu = derive_cpu(rows, CpuModel());
    CAPTURE(small, large);
    const auto modelled =
        static_cast<double>(cpu.costs.merge_entry_ns + 2 * cpu.costs.merge_doubling_entry_ns) +
        kib * static_cast<double>(cpu.costs.merge_kib_ns + 2 * cpu.costs.merge_doubling_kib_ns);
    REQUIRE(modelled == Approx(few).margin(3));
  }
}

// A merge reads the last 32nd of its file again.
constexpr double kWithEnd = 65.0 / 64;

TEST_CASE("the wait of lookups on the disk gives the read latency, the store's part taken out") {
  DeviceModel model;
  model.channel.read_bandwidth = Bytes(1'024'000'000);
  model.latency.sequential_ns = 50'000;
  model.channel.write_bandwidth = Bytes(512'000'000);
  std::vector<CpuRow> rows{cpu_row(CpuWork::kMergeLarge, 500, 1, 0, 0, 1),
                           cpu_row(CpuWork::kMergeBeside, 700, 1, 0, 0, 1),
                           cpu_row(CpuWork::kRemoveSmall, 10'000, 0, 0, 0, 256),
                           cpu_row(CpuWork::kRemoveLarge, 40'000, 0, 0, 0, 8 * 1024),
                           cpu_row(CpuWork::kMergeGets, 500, 1, 0, 0, 1),
                           cpu_row(CpuWork::kGetBeside, 40'000, 0, 2.5, 1.25, 0),
                           cpu_row(CpuWork::kGetDisk, 25'000, 0, 2.5, 1.25, 0),
                           cpu_row(CpuWork::kGetBetween, 30'000, 0, 2.5, 1.25, 0)};
  rows[2].wall_ns = 10'000 + 1'500'000 + 1'200'000 / 4;
  rows[3].wall_ns = 40'000 + 1'500'000 + 1'200'000 * 8;
  // A KiB is read and one written: 1 and 2 us, and the 128th part of a request's latency; so a
  // request takes 448 us in the mean.
  rows[0].wall_ns = 500 + kWithEnd * (3'000 + 64'000.0 / 128);
  rows[1].wall_ns = 700 + 1.125 * kWithEnd * (3'000 + 64'000.0 / 128);
  rows.back().wall_ns = 130'000;
  derive_waits(rows, DiskAccess::kDirect, model);
  REQUIRE(model.latency.read_ns == 80'000 - 4'000);
  REQUIRE(model.latency.sequential_ns == 64'000);
  REQUIRE(model.contention.busy_cores_slowdown.as_double() == 0.125);
  REQUIRE(model.trims.file_ns == 1'500'000);
  REQUIRE(model.trims.mib_ns == 1'200'000);
  // Merges that wait less than a client's requests took: those were its own work in part.
  rows[0].wall_ns = 500 + kWithEnd * 2'400;
  derive_waits(rows, DiskAccess::kDirect, model);
  REQUIRE(model.latency.sequential_ns == 1);
  REQUIRE(model.channel.write_bandwidth == Bytes(640'000'000));
  // Rounded, a mixed bandwidth would be beyond what a device may have.
  DeviceModel bounded;
  bounded.channel.read_bandwidth = bounded.channel.write_bandwidth = Bytes(1'024'000'001);
  bounded.mixed.bandwidth_75 = Bytes(4 * 1'024'000'001ULL);
  rows[0].wall_ns = 500 + kWithEnd * 1'600;
  derive_waits(rows, DiskAccess::kDirect, bounded);
  REQUIRE(bounded.channel.read_bandwidth > Bytes(1'024'000'001));
  REQUIRE(bounded.validate().empty());
  rows[1].wall_ns = rows[1].nanoseconds;
  rows.back().wall_ns = 30'000;
  derive_waits(rows, DiskAccess::kDirect, model);
  REQUIRE(model.latency.read_ns == 1);
  REQUIRE(model.contention.busy_cores_slowdown.as_double() == 0);
  rows.push_back(cpu_row(CpuWork::kLargeRequest, 20'000, 0, 0, 0, 0));
  model.latency.sequential_ns = 64'000;
  derive_waits(rows, DiskAccess::kBuffered, model);
  REQUIRE(model.latency.sequential_ns == 64'000 - 20'000);
}

TEST_CASE("a merge and lookups beside each other give back what they cost each other") {
  DeviceModel model;
  model.channel.read_bandwidth = model.channel.write_bandwidth =
      Bytes(1'310'720'000);  // 200 us a request
  model.latency.read_ns = 40'000;
  model.latency.sequential_ns = 20'000;
  model.contention.busy_latency_ns = 15'000;
  model.contention.busy_cores_slowdown = {1, 4};
  model.cpu.cores.count = 2;
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
    std::vector<CpuRow> rows{cpu_row(CpuWork::kMergeLarge, 250'000, 1, 0, 0, 256),
                             cpu_row(CpuWork::kMergeGets, 0, 1, 0, 0, 256),
                             cpu_row(CpuWork::kMergeBeside, 275'000, 1, 0, 0, 256),
                             cpu_row(CpuWork::kGetBeside, 0, 0, 2.5, 1, 0),
                             cpu_row(CpuWork::kGetDisk, 30'000, 0, 2.5, 1, 0),
                             cpu_row(CpuWork::kRemoveSmall, 0, 0, 0, 0, 256),
                             cpu_row(CpuWork::kRemoveLarge, 0, 0, 0, 0, 8 * 1024),
                             cpu_row(CpuWork::kGetBetween, 40'000, 0, 2.5, 1, 0)};
    rows[0].wall_ns = 250'000 + kWithEnd * 440'000;
    rows[1].nanoseconds = beside.piece.work_ns;
    rows[1].core_wait_ns = std::max(1.0, beside.piece.core_wait_ns);
    rows[1].one_core = gather_share;
    rows[1].wall_ns =
        rows[1].nanoseconds + rows[1].core_wait_ns + kWithEnd * beside.piece.device_wait_ns;
    rows[2].wall_ns = 275'000 + kWithEnd * 440'000 * 1.25;
    rows[3].nanoseconds = beside.get.work_ns;
    rows[3].core_wait_ns = beside.get.core_wait_ns;
    rows[3].wall_ns = rows[3].nanoseconds + rows[3].core_wait_ns + beside.get.device_wait_ns;
    rows[4].wall_ns = 73'125;
    rows[7].wall_ns = 83'125;  // of its own part alone
    DeviceModel found = model;
    found.contention.other_size_latency_ns = 77'000;
    found.cpu.cores.gather_share = {3, 4};
    derive_waits(rows, DiskAccess::kDirect, found);
    REQUIRE(found.latency.read_ns == 40'000);
    REQUIRE(found.latency.sequential_ns == 20'000);
    REQUIRE(found.contention.busy_cores_slowdown.as_double() == 0.25);
    REQUIRE(found.cpu.cores.gather_share.as_double() == gather_share);
    REQUIRE(static_cast<double>(found.contention.other_size_latency_ns) ==
            Approx(more).margin(7'000));
    // Threads share the one core that there is anyway.
    found.cpu.cores.count = 1;
    found.cpu.cores.gather_share = {3, 4};
    derive_waits(rows, DiskAccess::kDirect, found);
    REQUIRE(found.cpu.cores.gather_share.as_double() == 0.75);
    // A system that does not tell how long they wait for a core.
    found.cpu.cores.count = 2;
    rows[1].core_wait_ns = 0;
    derive_waits(rows, DiskAccess::kDirect, found);
    REQUIRE(found.cpu.cores.gather_share.as_double() == 0);
  }
}

DeviceModel two_cores() {
  DeviceModel model;
  model.channel.read_bandwidth = model.channel.write_bandwidth =
      Bytes(1'310'720'000);  // 200 us a request
  model.latency.sequential_ns = 1;
  model.cpu.cores.count = 2;
  return model;
}

TEST_CASE("two clients and two merges give back how large requests slow each other down") {
  DeviceModel model = two_cores();
  const BesideWork work{250'000, 30'000, 0, 0};
  for (const double sharing : {0.0, 0.25, 0.5}) {
    CAPTURE(sharing);
    model.contention.sharing_slowdown = slowdown_of(sharing);
    std::vector<CpuRow> rows{cpu_row(CpuWork::kMergeLarge, 250'000, 1, 0, 0, 256),
                             cpu_row(CpuWork::kMergeMerge, 260'000, 1, 0, 0, 256),
                             cpu_row(CpuWork::kGetDisk, 30'000, 0, 2.5, 1, 0)};
    rows[0].wall_ns = 650'000;
    rows[1].core_wait_ns = 70'000;
    rows[1].wall_ns = 330'000 + device_wait_beside_merge_ns(model, work);
    std::vector<DiskRow> disk;
    for (const DiskWork of : {DiskWork::kSequentialRead, DiskWork::kAppend, DiskWork::kMixed50}) {
      disk.push_back({of, 256 << 10, 2, 5'000 / (1 + sharing)});
      disk.push_back({of, 256 << 10, 4, 9'000});  // more than a store has at once
      disk.push_back({of, 1 << 20, 2, 300});
    }
    DeviceModel found = two_cores();
    derive_sharing(disk, rows, found);
    REQUIRE(found.contention.sharing_slowdown.as_double() == Approx(sharing).margin(0.02));
    found = two_cores();
    found.cpu.cores.count = 1;
    derive_sharing(disk, rows, found);
    REQUIRE(found.contention.sharing_slowdown.as_double() == 0);
  }
}

TEST_CASE("a merge beside a store gives back how long its threads wait for a core") {
  for (const unsigned cores : {2U, 4U}) {
    DeviceModel model = two_cores();
    model.cpu.cores.count = cores;
    model.cpu.costs.flush_entry_ns = 100;
    model.cpu.costs.flush_kib_ns = 400;
    // 256 entries of 1 KiB are a piece of a flush.
    const BesideWork work{250'000, 30'000, 128'000, 256 * 1'500};
    double last_share = -1;
    for (const double wait_share : {0.0, 0.5, 2.0}) {
      CAPTURE(cores, wait_share);
      model.cpu.cores.wait_share = slowdown_of(wait_share);
      const double share = core_waits_beside_store(model, work);
      REQUIRE(share > last_share);
      last_share = share;
      std::vector<CpuRow> rows{cpu_row(CpuWork::kMergeLarge, 250'000, 1, 0, 0, 256),
                               cpu_row(CpuWork::kGetDisk, 30'000, 0, 2.5, 1, 0),
                               cpu_row(CpuWork::kFlushWide, 9'999, 1, 0, 0, 1),
                               cpu_row(CpuWork::kPutStore, 1'500, 0, 0, 0, 1),
                               cpu_row(CpuWork::kMergeStore, 0, 1, 0, 0, 256)};
      rows.back().wall_ns = 1'000'000;
      rows.back().core_wait_ns = 1'000'000 * share;
      DeviceModel found = model;
      found.cpu.cores.wait_share = Decimal(0, 1);
      derive_core_waits(rows, found);
      REQUIRE(found.cpu.cores.wait_share.as_double() == Approx(wait_share).margin(0.13));
      // A system that does not tell: no waits beyond sharing cores.
      rows.back().core_wait_ns = 0;
      derive_core_waits(rows, found);
      REQUIRE(found.cpu.cores.wait_share.as_double() == 0);
    }
  }
}

}  // namespace
}  // namespace lsmlab::engine
