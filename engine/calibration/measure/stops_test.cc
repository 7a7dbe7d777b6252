#include "engine/calibration/measure/stops.h"

#include <algorithm>
#include <filesystem>
#include <thread>
#include <vector>

#include "testing/catch.h"
#include "testing/engine/scratch_directory.h"

namespace lsmlab::engine::stops_test {
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
  // The gaps 30 to 33 and 32 to 40 have only one millisecond in common.
  REQUIRE(both.size() == 2);
  REQUIRE(both[0].begin == gap(72, 0).begin);
  REQUIRE(both[0].end == gap(0, 101).end);
  REQUIRE(both[1].begin == gap(169, 0).begin);
  REQUIRE(both[1].end == gap(0, 198).end);
  // A gap that another thread has in two pieces counts once.
  REQUIRE(common_gaps({{gap(0, 40), gap(42, 100)}, {gap(0, 100)}}).size() == 1);
  const std::vector<Gap> of_three = common_gaps({{gap(0, 30)}, {gap(6, 30)}, {gap(3, 33)}});
  REQUIRE(of_three.size() == 1);
  REQUIRE(of_three[0].begin == gap(3, 0).begin);
  REQUIRE(of_three[0].end == gap(0, 31).end);
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
}  // namespace lsmlab::engine::stops_test
