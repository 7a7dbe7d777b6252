#include "engine/calibration/solve/channel.h"

#include "testing/catch.h"

namespace lsmlab::engine::channel_test {
namespace {

constexpr std::uint64_t kRequest = 256 << 10;
constexpr std::uint64_t kMib = 1 << 20;

// Clients of a channel that takes transfer_ns for a request of 256 KiB, each request done
// latency_ns after its transfer.
StreamRows clients(DiskWork work, double transfer_ns, double latency_ns) {
  const auto row = [&](std::uint64_t bytes, unsigned depth) {
    const double transfer = transfer_ns * static_cast<double>(bytes) / kRequest;
    DiskRow of{work, bytes, depth};
    of.requests_per_second = 1e9 * std::min(1 / transfer, depth / (transfer + latency_ns));
    return of;
  };
  return {row(kRequest, 1), row(kMib, 1), {row(kRequest, 2), row(kRequest, 4)}};
}

TEST_CASE("clients that fill the channel give its bandwidths back") {
  DeviceModel model;
  // 262,144 bytes in 131,072 ns and 262,144 ns: 2 and 1 GB a second.
  derive_channel({clients(DiskWork::kSequentialRead, 131'072, 90'000),
                  clients(DiskWork::kAppend, 262'144, 40'000)},
                 model);
  REQUIRE(model.channel.read_bandwidth == Bytes(2'000'000'000));
  REQUIRE(model.channel.write_bandwidth == Bytes(1'000'000'000));
}

TEST_CASE("where latency keeps clients from filling the channel, larger requests tell it") {
  DeviceModel model;
  derive_channel({clients(DiskWork::kSequentialRead, 131'072, 1'000'000),
                  clients(DiskWork::kAppend, 131'072, 1'000'000)},
                 model);
  REQUIRE(static_cast<double>(model.channel.read_bandwidth.value()) ==
          Approx(2'000'000'000).epsilon(0.001));
  REQUIRE(static_cast<double>(model.channel.write_bandwidth.value()) ==
          Approx(2'000'000'000).epsilon(0.001));
}

TEST_CASE("the channel's rows are those of one client and of a store's clients") {
  std::vector<DiskRow> table;
  for (const DiskWork work : {DiskWork::kSequentialRead, DiskWork::kAppend}) {
    for (const std::uint64_t bytes : {kRequest, kMib}) {
      for (const unsigned depth : {1U, 2U, 4U, 8U}) table.push_back({work, bytes, depth});
    }
  }
  const ChannelRows rows = channel_rows(table, Bytes(kRequest));
  REQUIRE(rows.reads.alone.work == DiskWork::kSequentialRead);
  REQUIRE(rows.appends.large.work == DiskWork::kAppend);
  REQUIRE(rows.appends.large.request_bytes == kMib);
  REQUIRE(rows.reads.together.size() == 2);
  REQUIRE(rows.reads.together[0].depth == 2);
  REQUIRE(rows.reads.together[1].depth == 4);
}

TEST_CASE("a channel that merges show to be faster has both bandwidths raised") {
  ChannelModel channel;
  raise_channel(1.25, channel);
  REQUIRE(channel.read_bandwidth == Bytes(2'500'000'000));
  REQUIRE(channel.write_bandwidth == Bytes(1'250'000'000));
}

}  // namespace
}  // namespace lsmlab::engine::channel_test
