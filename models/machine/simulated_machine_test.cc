#include "models/machine/simulated_machine.h"

#include "testing/catch.h"
#include "testing/plain_device.h"

namespace lsmlab::simulated_machine_test {
namespace {

TEST_CASE("once processor time is used up, what the machine does ends as much later") {
  DeviceModel model = testing::plain_device(10'000, 1);
  model.cpu.cores.count = 1;
  model.cpu.quota.cores = Decimal{1, 2};
  model.cpu.quota.period_ns = 1'000'000;
  SimulatedMachine machine(model, 1);
  REQUIRE(machine.has_quota());
  CpuQuota::Look look = machine.look_at_quota(0);
  REQUIRE(look.stop_ns == 0);
  machine.begin_plan(0);
  const std::uint64_t end_ns = machine.work(0, 0, 900'000);
  const std::uint64_t request_ns = machine.device().serve(0, testing::read_of(600'000));
  REQUIRE(end_ns == 900'000);
  REQUIRE(request_ns == 610'000);
  std::uint64_t now_ns = 0;
  while (look.stop_ns == 0) {
    now_ns = look.next_ns;
    look = machine.look_at_quota(now_ns);
  }
  REQUIRE(look.next_ns == 1'000'000);
  REQUIRE(now_ns + look.stop_ns == 1'000'000);
  REQUIRE(now_ns > 490'000);
  REQUIRE(now_ns <= 500'000);
  REQUIRE(machine.stops() == 1);
  REQUIRE(machine.stopped_ns() == look.stop_ns);
  REQUIRE(machine.late_ns(end_ns, 0) == look.stop_ns);
  REQUIRE(machine.device().figures().last_done_ns == request_ns + look.stop_ns);
  // The stop counts neither as work of the worker nor as its wait for a core.
  REQUIRE(machine.late_ns(end_ns + look.stop_ns, 0) == 0);
  REQUIRE(machine.worker(0).processor_ns() == 900'000);
  REQUIRE(machine.worker(0).core_wait_ns() == 0);
}

TEST_CASE("a machine has a flash drive where its model says so") {
  DeviceModel model = testing::plain_device(0, 1);
  SimulatedMachine without(model, 1);
  REQUIRE(without.make_flash().has_value());
  REQUIRE(without.flash() == nullptr);
  REQUIRE_FALSE(without.flash_figures(1).has_value());
  model.flash.capacity = Bytes(64 << 20);
  model.flash.shape.pages_per_block = 16;
  SimulatedMachine with(model, 1);
  REQUIRE(with.make_flash().has_value());
  REQUIRE(with.flash() != nullptr);
  REQUIRE(with.flash_figures(1)->host_bytes_written == 0);
}

}  // namespace
}  // namespace lsmlab::simulated_machine_test
