#include "models/machine/transfer_effect.h"

#include "testing/catch.h"
#include "testing/plain_device.h"

namespace lsmlab::transfer_effect_test {
namespace {

TEST_CASE("transfers of a mix lie between what the fastest and the slowest mix take") {
  DeviceModel model = testing::plain_device(0, 1);
  model.queue.request_bytes = Bytes(1'000);
  model.mixed.bandwidth_50 = Bytes(500'000'000);
  TransferEffect effect(model);
  DeviceState state(1);
  std::uint64_t held_ns = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    const ServedRequest request{i % 2 == 0 ? DeviceRequest::kRead : DeviceRequest::kWrite, 1'000};
    Service service{request};
    effect.serve(state, service);
    held_ns += service.transfer_ns;
  }
  REQUIRE(held_ns > 700'000);  // half of the bandwidth, as soon as the mix is half reads
  DeviceFigures figures;
  figures.read_requests = figures.write_requests = 200;
  figures.bytes_read = figures.bytes_written = 200'000;
  DeviceAccount account;
  effect.account(figures, account);
  REQUIRE(account.held_least_ns == 400'000);
  REQUIRE(account.held_most_ns == 800'000);
  REQUIRE(held_ns >= account.held_least_ns);
  REQUIRE(held_ns <= account.held_most_ns);
  REQUIRE(account.rounded == 400);
}

}  // namespace
}  // namespace lsmlab::transfer_effect_test
