#include "engine/calibration/solve/cores.h"

#include "engine/calibration/solve/figures.h"
#include "engine/calibration/solve/side_by_side_model.h"
#include "testing/catch.h"
#include "testing/random_operations.h"

namespace lsmlab::engine::cores_test {
namespace {

CpuRow row_of(CpuWork work, double nanoseconds, double kib) {
  CpuRow row;
  row.work = work;
  row.nanoseconds = nanoseconds;
  row.kib = kib;
  return row;
}

TEST_CASE("a put beside flushes and merges gives what busy cores cost clients") {
  constexpr double kPutKib = 0.125;
  CpuModel cpu;
  cpu.costs.client_ns = 120;
  cpu.costs.client_kib_ns = 1'024;  // 112 ns for the value
  BusyClientRows rows{row_of(CpuWork::kPut, 500, kPutKib), row_of(CpuWork::kPutBeside, 0, kPutKib),
                      row_of(CpuWork::kLogWrite, 900 + 64 * 200, 64),
                      row_of(CpuWork::kLogBeside, 900 + 64 * 200, 64),
                      row_of(CpuWork::kPutUngathered, 500 + 900, kPutKib)};
  rows.put_beside.nanoseconds = (500 + 120 + 112) * 1.375;
  rows.put_beside.others_busy = 0.5;
  derive_busy_clients(rows, cpu);
  REQUIRE(cpu.cores.busy_slowdown.as_double() == 0.75);
  // The log costs more beside them: that is in the log's cost, and not in the slowdown.
  rows.log_beside.nanoseconds = 900 + 64 * 264;
  rows.put_beside.nanoseconds = (500 + 120 + 112 + 64 * (kPutKib + 28.0 / 1024)) * 1.375;
  derive_busy_clients(rows, cpu);
  REQUIRE(cpu.cores.busy_slowdown.as_double() == 0.75);
  rows.put_beside.nanoseconds = 400;
  derive_busy_clients(rows, cpu);
  REQUIRE(cpu.cores.busy_slowdown.as_double() == 0);
}

TEST_CASE("a merge beside a store gives what busy cores cost merges") {
  CoresModel cores;
  derive_busy_merges({row_of(CpuWork::kMergeLarge, 800, 1), row_of(CpuWork::kMergeStore, 1'100, 1)},
                     cores);
  REQUIRE(cores.merge_busy_slowdown.as_double() == 0.375);
  derive_busy_merges({row_of(CpuWork::kMergeLarge, 800, 1), row_of(CpuWork::kMergeStore, 700, 1)},
                     cores);
  REQUIRE(cores.merge_busy_slowdown.as_double() == 0);
}

TEST_CASE("how often a merge and lookups are on one core is how many threads gather") {
  CoresModel cores;
  cores.count = 2;
  cores.gather_share = {3, 4};
  GatherRows rows{row_of(CpuWork::kMergeGets, 0, 1)};
  rows.merge.core_wait_ns = 1;
  rows.merge.one_core = 0.5;
  derive_gathering(rows, cores);
  REQUIRE(cores.gather_share.as_double() == 0.5);
  // A system that does not tell how long they wait for a core.
  rows.merge.core_wait_ns = 0;
  derive_gathering(rows, cores);
  REQUIRE(cores.gather_share.as_double() == 0);
  // Threads share the one core that there is anyway.
  cores.count = 1;
  cores.gather_share = {3, 4};
  derive_gathering(rows, cores);
  REQUIRE(cores.gather_share.as_double() == 0.75);
}

TEST_CASE("a merge beside a store gives back how long its threads wait for a core") {
  // LSMLAB_CORES_MAX=2 leaves out the machine of four cores.
  const std::uint64_t cores_max = lsmlab::testing::seeds_wanted("LSMLAB_CORES_MAX", 4);
  for (const unsigned count : {2U, 4U}) {
    if (count > cores_max) continue;
    DeviceModel model;
    model.channel.read_bandwidth = model.channel.write_bandwidth =
        Bytes(1'310'720'000);  // 200 us a request
    model.latency.sequential_ns = 1;
    model.cpu.cores.count = count;
    model.cpu.costs.flush_entry_ns = 100;
    model.cpu.costs.flush_kib_ns = 400;
    // 256 entries of 1 KiB are a piece of a flush.
    const BesideWork work{250'000, 30'000, 128'000, 256 * 1'500};
    double last_share = -1;
    for (const double wait_share : {0.0, 0.5, 2.0}) {
      CAPTURE(count, wait_share);
      model.cpu.cores.wait_share = slowdown_of(wait_share);
      const double share = core_waits_beside_store(model, work);
      REQUIRE(share > last_share);
      last_share = share;
      CoreWaitRows rows{row_of(CpuWork::kMergeLarge, 250'000, 256),
                        row_of(CpuWork::kMergeStore, 0, 256), row_of(CpuWork::kGetDisk, 30'000, 0),
                        row_of(CpuWork::kFlushWide, 9'999, 1),
                        row_of(CpuWork::kPutStore, 1'500, 1)};
      rows.merge_beside.wall_ns = 1'000'000;
      rows.merge_beside.core_wait_ns = 1'000'000 * share;
      DeviceModel found = model;
      found.cpu.cores.wait_share = Decimal(0, 1);
      derive_core_waits(rows, found);
      REQUIRE(found.cpu.cores.wait_share.as_double() == Approx(wait_share).margin(0.13));
      // A system that does not tell: no waits beyond sharing cores.
      rows.merge_beside.core_wait_ns = 0;
      derive_core_waits(rows, found);
      REQUIRE(found.cpu.cores.wait_share.as_double() == 0);
    }
  }
}

}  // namespace
}  // namespace lsmlab::engine::cores_test
