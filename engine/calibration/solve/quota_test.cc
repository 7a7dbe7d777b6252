#include "engine/calibration/solve/quota.h"

#include <algorithm>

#include "testing/catch.h"

namespace lsmlab::engine::quota_test {
namespace {

// What a machine with such a limit shows: of each period it runs until it has used it up.
QuotaFigures figures_of(double cores, double quota, double device, double idle) {
  constexpr double kDisk = 0.8;  // of the time in which it runs, of each a request is under way
  constexpr double kDiskCpu = 0.2;
  const auto part = [&](double used, bool has_disk) {
    QuotaFigures::Part of;
    const double runs = std::min(1.0, quota / used);
    of.stopped_share = 1 - runs;
    of.stops = runs < 1 ? 8 : 0;
    of.period_seconds = runs < 1 ? 0.1 : 0;
    if (has_disk) {
      of.disk_share = kDisk * runs;
      of.disk_cpu_share = kDiskCpu * runs;
    }
    return of;
  };
  return {part(cores, false), part(cores + device * kDisk, true),
          part(cores - 1 + kDiskCpu + device * kDisk + idle * (1 - kDiskCpu) * kDisk, true)};
}

TEST_CASE("a limit that a machine was made with is found, and what counts against it") {
  CpuModel cpu;
  cpu.cores.count = 2;
  derive_quota(figures_of(2, 2, 1, 0.75), cpu);
  REQUIRE(cpu.quota.cores.as_double() == 2);
  REQUIRE(cpu.quota.device.as_double() == 1);
  REQUIRE(cpu.quota.idle.as_double() == 0.75);
  REQUIRE(cpu.quota.period_ns == 100'000'000);
  // Where work alone meets it, it need not be the number of cores.
  cpu.cores.count = 8;
  derive_quota(figures_of(8, 5.5, 0.25, 0), cpu);
  REQUIRE(cpu.quota.cores.as_double() == 5.5);
  REQUIRE(cpu.quota.device.as_double() == 0.25);
  REQUIRE(cpu.quota.idle.as_double() == 0);
}

TEST_CASE("a machine that stands still now and then has no limit") {
  CpuModel cpu;
  cpu.cores.count = 2;
  QuotaFigures figures = figures_of(2, 3, 1, 1);
  REQUIRE(figures.cores_and_disk.stops == 0);
  derive_quota(figures, cpu);
  REQUIRE(cpu.quota.cores.numerator() == 0);
  figures.cores_and_disk = {2, 0.2, 0.1, 0.5, 0.1};
  derive_quota(figures, cpu);
  REQUIRE(cpu.quota.cores.numerator() == 0);
  figures.cores_and_disk = {9, 0.01, 0.1, 0.5, 0.1};
  derive_quota(figures, cpu);
  REQUIRE(cpu.quota.cores.numerator() == 0);
}

}  // namespace
}  // namespace lsmlab::engine::quota_test
