#include "engine/calibrate_quota.h"

#include <algorithm>
#include <filesystem>
#include <thread>
#include <vector>

#include "engine/testing/scratch_directory.h"
#include "testing/catch.h"

namespace lsmlab::engine {
namespace {

using std::chrono::milliseconds;

Gap gap(int begin_ms, int end_ms) {
  return {CalibrateClock::time_point(milliseconds(begin_ms)),
          CalibrateClock::time_point(milliseconds(end_ms))};
}

TEST_CASE("the machine stood still where no thread came to the clock") {
  REQUIRE(common_gaps({{gap(10, 20)}, {}}).empty());
  const std::vector<Gap> both =
      common_gaps({{gap(10, 20), gap(30, 33), gap(70, 100), gap(170, 200)},
                   {gap(1, 4), gap(32, 40), gap(74, 102), gap(150, 160), gap(168, 196)}});
  // 30 to 33 and 32 to 40 have but a millisecond in common.
  REQUIRE(both.size() == 2);
  REQUIRE(both[0].begin == gap(72, 0).begin);
  REQUIRE(both[0].end == gap(0, 101).end);
  REQUIRE(both[1].begin == gap(169, 0).begin);
  REQUIRE(both[1].end == gap(0, 198).end);
  // One of them in two pieces counts once.
  REQUIRE(common_gaps({{gap(0, 40), gap(42, 100)}, {gap(0, 100)}}).size() == 1);
  const std::vector<Gap> of_three = common_gaps({{gap(0, 30)}, {gap(6, 30)}, {gap(3, 33)}});
  REQUIRE(of_three.size() == 1);
  REQUIRE(of_three[0].begin == gap(3, 0).begin);
  REQUIRE(of_three[0].end == gap(0, 31).end);
}

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
  cpu.cores = 2;
  derive_quota(figures_of(2, 2, 1, 0.75), cpu);
  REQUIRE(cpu.quota.as_double() == 2);
  REQUIRE(cpu.quota_device.as_double() == 1);
  REQUIRE(cpu.quota_idle.as_double() == 0.75);
  REQUIRE(cpu.quota_period_ns == 100'000'000);
  // Where work alone meets it, it need not be the number of cores.
  cpu.cores = 8;
  derive_quota(figures_of(8, 5.5, 0.25, 0), cpu);
  REQUIRE(cpu.quota.as_double() == 5.5);
  REQUIRE(cpu.quota_device.as_double() == 0.25);
  REQUIRE(cpu.quota_idle.as_double() == 0);
}

TEST_CASE("a machine that stands still now and then has no limit") {
  CpuModel cpu;
  cpu.cores = 2;
  QuotaFigures figures = figures_of(2, 3, 1, 1);
  REQUIRE(figures.cores_and_disk.stops == 0);
  derive_quota(figures, cpu);
  REQUIRE(cpu.quota.numerator() == 0);
  figures.cores_and_disk = {2, 0.2, 0.1, 0.5, 0.1};
  derive_quota(figures, cpu);
  REQUIRE(cpu.quota.numerator() == 0);
  figures.cores_and_disk = {9, 0.01, 0.1, 0.5, 0.1};
  derive_quota(figures, cpu);
  REQUIRE(cpu.quota.numerator() == 0);
}

TEST_CASE("looking for a limit leaves no file, and its shares are of the time") {
  for (const bool is_direct : {true, false}) {
    const testing::ScratchDirectory directory;
    const auto measured = measure_quota(directory.path(), CalibrateOptions(),
                                        std::chrono::milliseconds(1), is_direct);
    REQUIRE(measured.has_value());
    const QuotaFigures& figures = measured.value();
    for (const QuotaFigures::Part& part :
         {figures.cores, figures.cores_and_disk, figures.idle_and_disk}) {
      REQUIRE(part.stopped_share >= 0);
      REQUIRE(part.stopped_share < 1);
      REQUIRE(part.disk_share + part.disk_cpu_share < 1.01);
    }
    REQUIRE(figures.cores.disk_cpu_share == 0);
    const bool is_used = is_direct && std::thread::hardware_concurrency() > 1;
    REQUIRE((figures.cores_and_disk.disk_cpu_share > 0) == is_used);
    REQUIRE(std::filesystem::is_empty(directory.path()));
  }
}

}  // namespace
}  // namespace lsmlab::engine
