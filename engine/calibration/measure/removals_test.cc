#include "engine/calibration/measure/removals.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <vector>

#include "testing/catch.h"
#include "testing/engine/scratch_directory.h"

namespace lsmlab::engine::removals_test {
namespace {

using testing::ScratchDirectory;

TEST_CASE("removals that were held up give the excess to all files that were written") {
  // Four removals take 2 ms, one takes 102 ms. Up to ten times the median, 20 ms, is usual. The
  // excess is 82 ms.
  const RemovalTimes times = removal_times(std::vector<double>{2e6, 2e6, 102e6, 2e6, 2e6}, 20);
  REQUIRE(times.usual_ns == (4 * 2e6 + 20e6) / 5);
  REQUIRE(times.longer_ns == 82e6 / 20);

  const RemovalTimes even = removal_times(std::vector<double>{1e6, 3e6, 8e6}, 3);
  REQUIRE(even.usual_ns == 4e6);
  REQUIRE(even.longer_ns == 0);

  const RemovalTimes none = removal_times({}, 7);
  REQUIRE(none.usual_ns == 0);
  REQUIRE(none.longer_ns == 0);
}

TEST_CASE("removals are measured in little time, and leave no file behind") {
  const bool is_buffered = GENERATE(false, true);
  CAPTURE(is_buffered);
  const ScratchDirectory scratch;
  CalibrateOptions options;
  options.file_bytes = kCalibrateFileBytesMin;
  options.is_buffered = is_buffered;
  RemovalFigures figures;
  {
    RemovalMeasurement removal(scratch.path(), options);
    REQUIRE(removal.fill().has_value());
    figures = removal.measure(std::chrono::milliseconds(1)).value();
    std::uint64_t bytes = 0;
    for (const auto& file : std::filesystem::directory_iterator(scratch.path())) {
      bytes += file.file_size();
    }
    REQUIRE(bytes > 0);
    REQUIRE(bytes <= removal_scratch_bytes(options.file_bytes).value());
  }
  REQUIRE(figures.small.work == CpuWork::kRemoveSmall);
  REQUIRE(figures.small.kib == 256);
  REQUIRE(figures.large.work == CpuWork::kRemoveLarge);
  REQUIRE(figures.large.kib == 8 * 1024);
  for (const CpuRow& row : {figures.small, figures.large}) {
    REQUIRE(row.nanoseconds > 0);
    REQUIRE(row.wall_ns > 0);
  }
  REQUIRE(std::filesystem::is_empty(scratch.path()));
}

TEST_CASE("removals that are stopped at once, and in a directory that is not there") {
  const ScratchDirectory scratch;
  const std::atomic<bool> stop = true;
  CalibrateOptions options;
  options.stop = &stop;
  RemovalMeasurement removal(scratch.path(), options);
  REQUIRE(removal.fill().has_value());
  const auto stopped = removal.measure(std::chrono::hours(1));
  REQUIRE(stopped.has_value());
  REQUIRE(stopped.value().large.wall_ns == 0);
  REQUIRE(std::filesystem::is_empty(scratch.path()));

  options.stop = nullptr;
  RemovalMeasurement nowhere(scratch.path() + "/none", options);
  const auto missing = nowhere.fill();
  REQUIRE(missing.has_error());
  REQUIRE(missing.error().message.find("none") != std::string::npos);
}

}  // namespace
}  // namespace lsmlab::engine::removals_test
