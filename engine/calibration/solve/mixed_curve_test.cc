#include "engine/calibration/solve/mixed_curve.h"

#include "testing/catch.h"

namespace lsmlab::engine::mixed_curve_test {
namespace {

// Clients that get so many bytes a second together, and nearly as many alone.
StreamRows clients(DiskWork work, double bytes_per_second) {
  const auto row = [&](std::uint64_t bytes, unsigned depth) {
    DiskRow of{work, bytes, depth};
    of.requests_per_second = bytes_per_second / static_cast<double>(bytes);
    return of;
  };
  return {row(256 << 10, 1), row(1 << 20, 1), {row(256 << 10, 2), row(256 << 10, 4)}};
}

DeviceModel model_with_channel() {
  DeviceModel model;
  model.channel.read_bandwidth = Bytes(2'048'000'000);
  model.channel.write_bandwidth = Bytes(1'024'000'000);
  return model;
}

TEST_CASE("clients that read and append by turns give the mixed curve back") {
  DeviceModel model = model_with_channel();
  derive_mixed_curve({clients(DiskWork::kMixed25, 900e6), clients(DiskWork::kMixed50, 1'000e6),
                      clients(DiskWork::kMixed75, 1'500e6)},
                     model);
  REQUIRE(model.mixed.bandwidth_25 == Bytes(900'000'000));
  REQUIRE(model.mixed.bandwidth_50 == Bytes(1'000'000'000));
  REQUIRE(model.mixed.bandwidth_75 == Bytes(1'500'000'000));
}

TEST_CASE("a mixed bandwidth of a disturbed disk stays within what a device accepts") {
  DeviceModel model = model_with_channel();
  derive_mixed_curve({clients(DiskWork::kMixed25, 1e6), clients(DiskWork::kMixed50, 1'000e6),
                      clients(DiskWork::kMixed75, 90e9)},
                     model);
  REQUIRE(model.mixed.bandwidth_25 == Bytes(16'000'001));  // a 64th of the channel's least
  REQUIRE(model.mixed.bandwidth_75 == Bytes(4 * 2'048'000'000ULL));
  REQUIRE(model.validate().empty());
}

TEST_CASE("a mixed curve is raised with the channel, but for what was not measured") {
  DeviceModel model = model_with_channel();
  model.mixed.bandwidth_25 = Bytes(1'000'000'000);
  model.mixed.bandwidth_75 = Bytes(4 * 2'048'000'000ULL);
  raise_mixed_curve(1.5, model);
  REQUIRE(model.mixed.bandwidth_25 == Bytes(1'500'000'000));
  REQUIRE(model.mixed.bandwidth_50.value() == 0);
  REQUIRE(model.mixed.bandwidth_75 == Bytes(4 * 2'048'000'000ULL));
}

}  // namespace
}  // namespace lsmlab::engine::mixed_curve_test
