#include "models/machine/worker_thread.h"

#include "testing/catch.h"
#include "testing/plain_device.h"

namespace lsmlab::worker_thread_test {
namespace {

using testing::plain_device;

CpuModel two_cores() {
  CpuModel model;
  model.cores.count = 2;
  return model;
}
constexpr std::uint64_t kHalf = std::uint64_t{1} << (kSlowdownBits - 1);

// A request that takes one nanosecond per byte, and then 100 ns of latency.
DeviceServer::Request shared_read_of(std::uint64_t bytes) {
  DeviceServer::Request request = testing::read_of(bytes);
  request.stream = 7;
  request.shares = true;
  return request;
}

TEST_CASE("a worker's time is its work, what it waits for a core, and for the rest the device") {
  CpuShare cpu(two_cores());
  DeviceServer device(plain_device(100, 4));
  WorkerThread worker;
  // The worker has a core of its own.
  REQUIRE(worker.begin_work(0, cpu, 4'000) == 4'000);
  REQUIRE(worker.late_ns(4'000, cpu, device, kHalf) == 0);
  REQUIRE(worker.processor_ns() == 4'000);
  REQUIRE(worker.begin_request(4'000, device, shared_read_of(1'000)) == 5'100);
  // The worker gets an idle core at once, although the other core is busy.
  static_cast<void>(cpu.begin(0, 1'000'000));
  REQUIRE(worker.late_ns(5'100, cpu, device, kHalf) == 0);
  REQUIRE(worker.core_wait_ns() == 0);

  // Two threads join the cores in turn. The worker is delayed by the work of the one on its core.
  REQUIRE(worker.begin_work(5'100, cpu, 2'000) == 7'100);
  static_cast<void>(cpu.begin(5'100, 1'000));
  static_cast<void>(cpu.begin(5'100, 1'000));
  REQUIRE(worker.late_ns(7'100, cpu, device, kHalf) == 1'000);
  REQUIRE(worker.late_ns(8'100, cpu, device, kHalf) == 0);
  REQUIRE(worker.processor_ns() == 6'000);
  REQUIRE(worker.core_wait_ns() == 1'000);
}

TEST_CASE("who waited for the device waits for a core by its work since then, once") {
  CpuShare cpu(two_cores());
  DeviceServer device(plain_device(100, 4));
  WorkerThread worker;
  REQUIRE(worker.begin_work(0, cpu, 4'000) == 4'000);
  REQUIRE(worker.late_ns(4'000, cpu, device, kHalf) == 0);
  // When the request is done, both cores have been busy for longer than half of the worker's work.
  static_cast<void>(cpu.begin(4'000, 1'000'000));
  static_cast<void>(cpu.begin(4'000, 1'000'000));
  REQUIRE(worker.begin_request(4'000, device, shared_read_of(9'900)) == 14'000);
  REQUIRE(worker.late_ns(14'000, cpu, device, kHalf) == 2'000);
  REQUIRE(worker.late_ns(16'000, cpu, device, kHalf) == 0);
  REQUIRE(worker.core_wait_ns() == 2'000);
  // The worker has not worked since, so it does not wait for a core after the next request.
  REQUIRE(worker.begin_request(16'000, device, shared_read_of(900)) == 17'000);
  REQUIRE(worker.late_ns(17'000, cpu, device, kHalf) == 0);
  REQUIRE(worker.processor_ns() == 4'000);
}

TEST_CASE("who waited for the device gathers, and stays") {
  CpuModel model = two_cores();
  model.cores.gather_share = Decimal(1, 1);
  CpuShare cpu(model);
  DeviceServer device(plain_device(100, 4));
  WorkerThread worker;
  static_cast<void>(cpu.begin(0, 1'000'000));
  REQUIRE(worker.begin_request(0, device, shared_read_of(900)) == 1'000);
  REQUIRE(worker.late_ns(1'000, cpu, device, 0) == 0);
  REQUIRE(worker.begin_work(1'000, cpu, 400) == 1'800);
  REQUIRE(worker.late_ns(1'800, cpu, device, 0) == 0);
  REQUIRE(worker.processor_ns() == 400);
  REQUIRE(worker.core_wait_ns() == 400);
  REQUIRE(worker.begin_work(1'900, cpu, 400) == 2'700);
}

}  // namespace
}  // namespace lsmlab::worker_thread_test
