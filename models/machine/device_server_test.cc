#include "models/machine/device_server.h"

#include "models/machine/slowdown.h"
#include "testing/catch.h"
#include "testing/plain_device.h"

namespace lsmlab::device_server_test {
namespace {

using testing::plain_device;
using testing::read_of;

TEST_CASE("a request alone takes its transfer and its latency") {
  DeviceServer device(plain_device(80'000, 4));
  REQUIRE(device.serve(1'000, read_of(4096)) == 1'000 + 4096 + 80'000);
  REQUIRE(device.serve(500'000, {DeviceRequest::kWrite, 100, 7, true}) == 500'000 + 100 + 40'000);
}

TEST_CASE("requests at once share the channel in the order of arrival, and wait for a place") {
  DeviceServer device(plain_device(10'000, 2));
  REQUIRE(device.serve(0, read_of(1'000)) == 11'000);
  REQUIRE(device.serve(0, read_of(1'000)) == 12'000);
  // Both places are taken until 11,000.
  REQUIRE(device.serve(0, read_of(1'000)) == 11'000 + 1'000 + 10'000);
  const DeviceFigures& figures = device.figures();
  REQUIRE(figures.transfer_ns == 3'000);
  REQUIRE(figures.latency_ns == 30'000);
  REQUIRE(figures.waited_ns == 1'000 + 11'000);
}

TEST_CASE("a request that begins while others are being served takes longer, one alone does not") {
  DeviceModel model = plain_device(10'000, 3);
  model.contention.busy_latency_ns = 4'000;
  DeviceServer device(model);
  REQUIRE(device.serve(0, read_of(1'000)) == 11'000);
  REQUIRE(device.serve(10'999, read_of(1'000)) == 10'999 + 1'000 + 14'000);
  REQUIRE(device.serve(25'999, read_of(1'000)) == 25'999 + 11'000);
  REQUIRE(device.figures().latency_ns == 34'000);
}

TEST_CASE("large requests that share the channel slow each other down, small ones do not") {
  DeviceModel model = plain_device(10'000, 3);
  model.queue.request_bytes = Bytes(8'000);
  DeviceServer device(model);
  const auto share = [&](std::uint64_t now_ns, std::uint64_t bytes, std::uint64_t stream) {
    return device.serve(now_ns, {DeviceRequest::kRead, bytes, stream, false, 0, true});
  };
  REQUIRE(share(0, 8'000, 1) == 18'000);
  REQUIRE(share(6'000, 8'000, 2) == 26'000);
  REQUIRE(device.late_ns(1) == 2'000);  // the rest of its transfer takes twice as long
  REQUIRE(share(9'000, 4'000, 3) == 30'000);
  REQUIRE(device.late_ns(1) == 500);    // every second turn was its own
  REQUIRE(device.late_ns(2) == 4'000);  // the transfer of the new request
  // A small request takes no turns from them. It starts when the first place is free, whose request
  // is late by now.
  REQUIRE(device.serve(10'000, read_of(1'000)) == 20'500 + 1'000 + 10'000);
  for (const std::uint64_t stream : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}}) {
    REQUIRE(device.late_ns(stream) == 0);
  }
  // Waits of the second and the first request; of the third, the first and the second; of the small
  // one.
  REQUIRE(device.figures().waited_ns == 2'000 + 2'000 + 7'000 + 500 + 4'000 + 10'500);
  device.check_conservation();
}

TEST_CASE("while large requests share the channel it is slower, for both, by the model's share") {
  DeviceModel model = plain_device(10'000, 4);
  model.queue.request_bytes = Bytes(8'000);
  model.contention.sharing_slowdown = Decimal{1, 4};
  DeviceServer device(model);
  const auto share = [&](std::uint64_t now_ns, std::uint64_t bytes, std::uint64_t stream) {
    return device.serve(now_ns, {DeviceRequest::kRead, bytes, stream, false, 0, true});
  };
  REQUIRE(share(0, 8'000, 1) == 18'000);
  // Both alternate for 4,000 ns, which takes 1,000 ns longer.
  REQUIRE(share(6'000, 8'000, 2) == 8'000 + 8'000 + 1'000 + 10'000);
  REQUIRE(device.late_ns(1) == 2'000 + 1'000);
  REQUIRE(device.figures().shared_ns == 1'000);
  REQUIRE(device.figures().transfer_ns == 17'000);
  REQUIRE(device.busy_ns(6'000) == 6'000);
  REQUIRE(device.figures().waited_ns == 3'000 + 3'000);
  // The turns of a third request become slower; those of the others are slow already. 800 ns of the
  // first request are left, and three requests now share its turns. Of the second request more is
  // left than the third one has.
  REQUIRE(share(9'000, 4'000, 3) == 17'000 + 4'000 + 1'000 + 10'000);
  REQUIRE(device.late_ns(1) == 800 + 200);
  REQUIRE(device.late_ns(2) == 4'000 + 1'000);
  REQUIRE(device.figures().shared_ns == 2'000);
  // A small request does not share the channel, nor does one that arrives after all transfers.
  REQUIRE(device.serve(10'000, read_of(1'000)) == 23'000 + 10'000);
  REQUIRE(share(33'000, 4'000, 1) == 33'000 + 4'000 + 10'000);
  REQUIRE(device.late_ns(3) == 0);
  REQUIRE(device.figures().shared_ns == 2'000);
  device.check_conservation();
}

TEST_CASE("what shares the channel has no turns before a trim or pause, and gives but its own") {
  DeviceModel model = plain_device(10'000, 4);
  model.queue.request_bytes = Bytes(8'000);
  model.trims.file_ns = 2'000'000;
  DeviceServer device(model);
  const auto share = [&](std::uint64_t now_ns, std::uint64_t bytes, std::uint64_t stream) {
    return device.serve(now_ns, {DeviceRequest::kRead, bytes, stream, false, 0, true});
  };
  REQUIRE(share(0, 8'000, 1) == 18'000);
  REQUIRE(device.trim(1'000, 0) == 2'008'000);
  REQUIRE(share(2'000, 4'000, 2) == 2'022'000);
  REQUIRE(device.late_ns(1) == 0);
  REQUIRE(share(3'000, 8'000, 3) == 2'030'000);
  REQUIRE(device.late_ns(1) == 0);
  REQUIRE(device.late_ns(2) == 4'000);
  device.check_conservation();
}

TEST_CASE("a request beside one of the other size takes longer still, on both sides") {
  DeviceModel model = plain_device(10'000, 4);
  model.queue.request_bytes = Bytes(8'000);
  model.contention.busy_latency_ns = 1'000;
  model.contention.other_size_latency_ns = 5'000;
  DeviceServer device(model);
  REQUIRE(device.serve(0, read_of(4'000)) == 14'000);                // large
  REQUIRE(device.serve(1'000, read_of(3'999)) == 7'999 + 16'000);    // one other, large
  REQUIRE(device.serve(2'000, read_of(1)) == 8'000 + 17'000);        // two others, one large
  REQUIRE(device.serve(3'000, read_of(8'000)) == 16'000 + 23'000);   // three others, two small
  REQUIRE(device.serve(39'000, read_of(1'000)) == 40'000 + 10'000);  // alone
}

DeviceModel pausing_device() {
  DeviceModel model = plain_device(0, 2);
  model.pauses.length_ns = 1'000'000;
  model.pauses.share = Decimal{1, 5};
  return model;
}

constexpr DeviceServer::Request kWrite{DeviceRequest::kWrite, 40'000, 1, true};

TEST_CASE("a device that pauses stands still for its share of the time, while it is written to") {
  const DeviceModel model = pausing_device();
  REQUIRE(model.pauses.interval_ns() == 4'000'000);
  DeviceServer written(model);
  std::uint64_t now = 0;
  std::uint64_t writes = 0;
  for (; now < 1'000'000'000; ++writes) now = written.serve(now, kWrite);
  // The device pauses in the last millisecond of every five. A hundred writes fit before each
  // pause, and the last write waits for the end of a pause.
  REQUIRE(written.figures().pauses == 200);
  REQUIRE(written.figures().paused_ns == 200'000'000);
  REQUIRE(writes == 20'001);
  written.check_conservation();

  DeviceServer read(model);
  for (now = 0; now < 100'000'000;) now = read.serve(now, read_of(1'000));
  REQUIRE(read.figures().pauses == 0);
}

TEST_CASE("what comes during a pause waits for its end, and what comes later does not") {
  DeviceServer device(pausing_device());
  REQUIRE(device.serve(3'990'000, kWrite) == 4'030'000);  // began before the pause
  REQUIRE(device.serve(4'600'000, read_of(1'000)) == 5'001'000);
  REQUIRE(device.serve(4'700'000, read_of(1'000)) == 5'002'000);
  REQUIRE(device.trim(4'800'000, 1) == 5'002'000);
  REQUIRE(device.figures().pauses == 1);
  REQUIRE(device.figures().paused_ns == 400'000);
  // Reads without concurrent writes meet no pause. A later write does not make up for pauses of
  // that time.
  REQUIRE(device.serve(14'500'000, read_of(1'000)) == 14'501'000);
  REQUIRE(device.serve(51'000'000, kWrite) == 51'040'000);
  REQUIRE(device.serve(54'500'000, read_of(1'000)) == 55'001'000);
  device.check_conservation();
}

TEST_CASE("the rarest pauses a device may have do not overflow") {
  DeviceModel model = pausing_device();
  model.pauses.length_ns = 60'000'000'000;
  model.pauses.share = Decimal{1, 1'000'000'000};
  REQUIRE(model.pauses.interval_ns() == std::uint64_t{1} << 61);
  DeviceServer device(model);
  REQUIRE(device.serve(0, kWrite) == 40'000);
}

TEST_CASE("a file that is removed holds the channel, and what comes meanwhile waits") {
  DeviceModel model = plain_device(10'000, 2);
  model.trims.file_ns = 500'000;
  model.trims.mib_ns = 1'000'000;
  DeviceServer device(model);
  REQUIRE(device.serve(0, read_of(1'000)) == 11'000);
  REQUIRE(device.trim(2'000, 3 << 19) == 2'000 + 2'000'000);
  REQUIRE(device.serve(3'000, read_of(1'000)) == 2'003'000 + 10'000);
  // A removed byte takes a nanosecond, rounded up.
  REQUIRE(device.trim(2'003'000, 1) == 2'003'000 + 500'001);
  const DeviceFigures& figures = device.figures();
  REQUIRE(figures.trims == 2);
  REQUIRE(figures.bytes_trimmed == (3 << 19) + 1);
  REQUIRE(figures.transfer_ns == 2'502'001);
  REQUIRE(figures.last_done_ns == 2'503'001);
  device.check_conservation();
}

TEST_CASE("small requests hold the channel only beside others, and the longer the fewer they are") {
  DeviceModel model = plain_device(10'000, 4);
  model.contention.request_ns = 60'000;
  model.contention.busy_latency_ns = 1'000;
  DeviceServer device(model);
  REQUIRE(device.serve(0, read_of(1'000)) == 11'000);  // alone: its transfer
  REQUIRE(device.serve(5'000, read_of(1'000)) == 35'000 + 11'000);
  REQUIRE(device.serve(6'000, read_of(1'000)) == 55'000 + 12'000);
  REQUIRE(device.serve(7'000, read_of(100'000)) == 155'000 + 13'000);  // large: its own transfer
  REQUIRE(device.figures().transfer_ns == 1'000 + 30'000 + 20'000 + 100'000);
}

TEST_CASE("what a request takes longer for other reasons is latency") {
  DeviceServer device(plain_device(10'000, 2));
  const std::uint64_t half = scaled_slowdown({1, 2});
  REQUIRE(device.serve(0, {DeviceRequest::kRead, 1'000, 7, true, half}) == 1'000 + 5'000 + 3'000);
  REQUIRE(device.figures().latency_ns == 8'000);
  REQUIRE(device.figures().transfer_ns == 1'000);
}

TEST_CASE("a disk seeks between streams and not within one") {
  DeviceModel model = plain_device(0, 1);
  model.contention.seek_ns = 8'000'000;
  DeviceServer device(model);
  REQUIRE(device.serve(0, {DeviceRequest::kRead, 1'000, 5, false}) == 8'001'000);
  REQUIRE(device.serve(8'001'000, {DeviceRequest::kRead, 1'000, 5, true}) == 8'002'000);
  REQUIRE(device.serve(8'002'000, {DeviceRequest::kWrite, 1'000, 6, true}) == 16'003'000);
  REQUIRE(device.serve(16'003'000, {DeviceRequest::kRead, 1'000, 5, true}) == 24'004'000);
}

TEST_CASE("joined requests of a stream take as long as one after another") {
  for (const std::uint64_t requests_per_second : {0U, 50'000U}) {
    DeviceModel model = plain_device(10'000, 2);
    model.queue.requests_per_second = requests_per_second;
    model.contention.seek_ns = 3'000;
    DeviceServer single(model);
    std::uint64_t now_ns = 0;
    for (const std::uint64_t bytes : {3'333U, 3'333U, 3'334U}) {
      now_ns = single.serve(now_ns, {DeviceRequest::kRead, bytes, 0, now_ns > 0});
    }
    DeviceServer joined(model);
    REQUIRE(joined.serve(0, {.bytes = 10'000, .requests = 3}) == now_ns);
    REQUIRE(joined.figures() == single.figures());
    // Requests from another stream seek, and so do those that follow between the requests of both.
    const std::uint64_t end_ns = joined.serve(now_ns, {.bytes = 300, .stream = 1, .requests = 3});
    const std::uint64_t transfer_ns = requests_per_second > 0 ? 3 * 20'000 : 300;
    REQUIRE(end_ns - now_ns == transfer_ns + 10'000 + 2 * 5'000 + 3 * 3'000);
    joined.check_conservation();
  }
}

TEST_CASE("a limit on background work spaces its requests") {
  DeviceModel model = plain_device(0, 4);
  model.queue.background_bandwidth = Bytes(100'000'000);
  DeviceServer device(model);
  REQUIRE(device.background_slot(0, 1'000, true) == 0);
  REQUIRE(device.background_slot(0, 1'000, true) == 10'000);
  REQUIRE(device.background_slot(5'000, 1'000, true) == 20'000);
  REQUIRE(device.background_slot(90'000, 1'000, true) == 90'000);
}

TEST_CASE(
    "while it stands still requests under way are done as much later, and it is not at work") {
  DeviceServer device(plain_device(10'000, 2));
  REQUIRE(device.serve(0, read_of(1'000)) == 11'000);
  REQUIRE(device.serve(500, read_of(2'000)) == 1'000 + 2'000 + 10'000);
  REQUIRE(device.at_work_ns(12'000) == 12'000);
  // The first request is done, the second is not. The channel is free.
  device.stand_still(12'000, 50'000);
  REQUIRE(device.at_work_ns(62'000) == 12'000);
  REQUIRE(device.at_work_ns(63'000) == 13'000);
  REQUIRE(device.serve(62'100, read_of(1'000)) == 62'100 + 11'000);
  // Both places are taken. The first of them is free at 63,000.
  REQUIRE(device.serve(62'200, read_of(1'000)) == 63'100 + 1'000 + 10'000);
  REQUIRE(device.serve(100'000, read_of(1'000)) == 111'000);
  REQUIRE(device.at_work_ns(111'000) == 12'000 + (74'100 - 62'000) + 11'000);
  // If the channel is held, the next request waits longer by the stop.
  REQUIRE(device.serve(200'000, read_of(4'000)) == 214'000);
  device.stand_still(201'000, 9'000);
  REQUIRE(device.serve(210'500, read_of(1'000)) == 213'000 + 1'000 + 10'000);
  device.check_conservation();
}

}  // namespace
}  // namespace lsmlab::device_server_test
