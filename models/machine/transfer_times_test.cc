#include "models/machine/transfer_times.h"

#include <cmath>

#include "testing/catch.h"

namespace lsmlab::transfer_times_test {
namespace {

TEST_CASE("a transfer takes its bytes at the bandwidth, rounded up to whole nanoseconds") {
  DeviceModel model;
  model.channel.read_bandwidth = Bytes(1'000'000'000);
  model.channel.write_bandwidth = Bytes(250'000'000);
  const TransferTimes times(model);
  REQUIRE(times.nanoseconds(DeviceRequest::kRead, 4096, 256) == 4096);
  REQUIRE(times.nanoseconds(DeviceRequest::kWrite, 4096, 0) == 4 * 4096);
  REQUIRE(times.nanoseconds(DeviceRequest::kRead, 0, 0) == 0);
  model.channel.read_bandwidth = Bytes(3'000'000'000);
  REQUIRE(TransferTimes(model).nanoseconds(DeviceRequest::kRead, 4, 256) == 2);  // 1.33
}

TEST_CASE("a limit on requests is the least time that one holds the channel") {
  DeviceModel model;
  model.channel.read_bandwidth = Bytes(1'000'000'000);
  model.queue.requests_per_second = 3'000;
  const TransferTimes times(model);
  REQUIRE(times.nanoseconds(DeviceRequest::kRead, 4096, 256) == 333'334);
  REQUIRE(times.nanoseconds(DeviceRequest::kRead, 1'000'000, 256) == 1'000'000);
}

TEST_CASE("a measured mix takes the time that its bandwidth says, and is interpolated between") {
  DeviceModel model;
  model.channel.read_bandwidth = Bytes(2'000'000'000);
  model.channel.write_bandwidth = Bytes(1'000'000'000);
  model.mixed.bandwidth_25 = Bytes(800'000'000);
  model.mixed.bandwidth_50 = Bytes(1'000'000'000);
  const TransferTimes times(model);
  const auto mix = [&](std::uint64_t reads, std::uint64_t writes) {
    const std::uint64_t share = 256 * reads / (reads + writes);
    return times.nanoseconds(DeviceRequest::kRead, reads << 20, share) +
           times.nanoseconds(DeviceRequest::kWrite, writes << 20, share);
  };
  const auto is_near = [](std::uint64_t ns, double expected) {
    return std::abs(static_cast<double>(ns) - expected) < expected * 1e-4;
  };
  REQUIRE(is_near(mix(1, 3), 4 * 1048576 / 0.8));
  REQUIRE(is_near(mix(2, 2), 4 * 1048576 / 1.0));
  REQUIRE(is_near(mix(3, 1), 3 * 1048576 / 2.0 + 1048576));  // no figure: one after the other
  REQUIRE(is_near(mix(4, 0), 4 * 1048576 / 2.0));
  REQUIRE(is_near(mix(0, 4), 4 * 1048576 / 1.0));
  // Between 25 % reads (1.4286 times as long as one after the other) and 50 % (1.3333 times).
  REQUIRE(is_near(mix(3, 5), (3 * 1048576 / 2.0 + 5 * 1048576) * (10.0 / 7 + 4.0 / 3) / 2));
}

}  // namespace
}  // namespace lsmlab::transfer_times_test
