#include "sim/device_server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <deque>
#include <filesystem>
#include <fstream>

#include "sim/client_model.h"
#include "sim/cpu_share.h"
#include "sim/event_queue.h"
#include "testing/catch.h"

namespace lsmlab {
namespace {

// A gigabyte a second both ways: a byte a nanosecond.
DeviceModel plain_device(std::uint64_t latency_ns, std::uint64_t parallelism) {
  DeviceModel model;
  model.read_bandwidth = model.write_bandwidth = Bytes(1'000'000'000);
  model.read_latency_ns = model.write_latency_ns = latency_ns;
  model.sequential_latency_ns = latency_ns / 2;
  model.parallelism = parallelism;
  return model;
}

DeviceServer::Request read_of(std::uint64_t bytes) {
  return {DeviceRequest::kRead, bytes, 0, false};
}

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
  model.busy_latency_ns = 4'000;
  DeviceServer device(model);
  REQUIRE(device.serve(0, read_of(1'000)) == 11'000);
  REQUIRE(device.serve(10'999, read_of(1'000)) == 10'999 + 1'000 + 14'000);
  REQUIRE(device.serve(25'999, read_of(1'000)) == 25'999 + 11'000);
  REQUIRE(device.figures().latency_ns == 34'000);
}

TEST_CASE("a file that is removed holds the channel, and what comes meanwhile waits") {
  DeviceModel model = plain_device(10'000, 2);
  model.trim_ns = 500'000;
  model.trim_mib_ns = 1'000'000;
  DeviceServer device(model);
  REQUIRE(device.serve(0, read_of(1'000)) == 11'000);
  REQUIRE(device.trim(2'000, 3 << 19) == 2'000 + 2'000'000);
  REQUIRE(device.serve(3'000, read_of(1'000)) == 2'003'000 + 10'000);
  // A removed byte takes a nanosecond: rounded up.
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
  model.request_ns = 60'000;
  model.busy_latency_ns = 1'000;
  DeviceServer device(model);
  REQUIRE(device.serve(0, read_of(1'000)) == 11'000);  // alone: its transfer
  REQUIRE(device.serve(5'000, read_of(1'000)) == 35'000 + 11'000);
  REQUIRE(device.serve(6'000, read_of(1'000)) == 55'000 + 12'000);
  REQUIRE(device.serve(7'000, read_of(100'000)) == 155'000 + 13'000);  // large: its own transfer
  REQUIRE(device.figures().transfer_ns == 1'000 + 30'000 + 20'000 + 100'000);
}

TEST_CASE("what a request takes longer for other reasons is latency") {
  DeviceServer device(plain_device(10'000, 2));
  REQUIRE(device.serve(0, {DeviceRequest::kRead, 1'000, 7, true, 3'000}) == 1'000 + 5'000 + 3'000);
  REQUIRE(device.figures().latency_ns == 8'000);
}

TEST_CASE("a disk seeks between streams and not within one") {
  DeviceModel model = plain_device(0, 1);
  model.seek_ns = 8'000'000;
  DeviceServer device(model);
  REQUIRE(device.serve(0, {DeviceRequest::kRead, 1'000, 5, false}) == 8'001'000);
  REQUIRE(device.serve(8'001'000, {DeviceRequest::kRead, 1'000, 5, true}) == 8'002'000);
  REQUIRE(device.serve(8'002'000, {DeviceRequest::kWrite, 1'000, 6, true}) == 16'003'000);
  REQUIRE(device.serve(16'003'000, {DeviceRequest::kRead, 1'000, 5, true}) == 24'004'000);
}

TEST_CASE(
    "clients in a loop get what places and latency allow, and never more than the bandwidth") {
  for (const auto& [clients, expected_a_second] :
       {std::pair<std::uint64_t, double>{1, 1e9 / 104'096},
        {4, 4e9 / 104'096},
        {16, 4e9 / 104'096}}) {
    DeviceServer device(plain_device(100'000, 4));
    EventQueue queue;
    for (std::uint32_t i = 0; i < clients; ++i) queue.push(0, 0, i);
    std::uint64_t served = 0;
    std::uint64_t now = 0;
    for (; served < 20'000; ++served) {
      const EventQueue::Event event = queue.pop();
      now = event.time_ns;
      queue.push(device.serve(now, read_of(4096)), 0, event.index);
    }
    const double a_second = static_cast<double>(served) * 1e9 / static_cast<double>(now);
    INFO(clients << " clients");
    // Of four places two share the channel for a moment; that costs some percent.
    REQUIRE(a_second <= expected_a_second * 1.01);
    REQUIRE(a_second >= expected_a_second * 0.95);
  }
}

// Poisson arrivals, one place, equal requests: the mean wait is load * service / (2 (1 - load)).
TEST_CASE("waits at one place are those of the queue M/D/1") {
  constexpr std::uint64_t kServiceNs = 100'000;
  constexpr std::uint64_t kRequests = 1'000'000;
  for (const double load : {0.3, 0.6, 0.8}) {
    DeviceServer device(plain_device(kServiceNs - 4096, 1));
    ClientModel clients;
    clients.arrivals = Arrivals::kPoisson;
    clients.rate = static_cast<std::uint64_t>(std::lround(load * 1e9 / kServiceNs));
    ArrivalTimes arrivals(clients, 7);
    Uint128 waited = 0;
    for (std::uint64_t i = 0; i < kRequests; ++i) {
      const std::uint64_t arrival = arrivals.next_ns();
      waited += device.serve(arrival, read_of(4096)) - arrival - kServiceNs;
    }
    const double mean = static_cast<double>(waited) / kRequests;
    const double expected = load * kServiceNs / (2 * (1 - load));
    INFO("load " << load << ": mean wait " << mean << " ns, expected " << expected);
    REQUIRE(std::abs(mean - expected) < 0.02 * expected);
  }
}

TEST_CASE("a limit on background work spaces its requests") {
  DeviceModel model = plain_device(0, 4);
  model.background_bandwidth = Bytes(100'000'000);
  DeviceServer device(model);
  REQUIRE(device.background_slot(0, 1'000) == 0);
  REQUIRE(device.background_slot(0, 1'000) == 10'000);
  REQUIRE(device.background_slot(5'000, 1'000) == 20'000);
  REQUIRE(device.background_slot(90'000, 1'000) == 90'000);
}

TEST_CASE("events of one time happen in the order in which they were asked for") {
  EventQueue queue;
  REQUIRE(queue.next_time() == EventQueue::kNever);
  for (std::uint32_t i = 0; i < 100; ++i) queue.push(i % 3, 0, i);
  std::uint64_t last_time = 0;
  std::uint32_t last_index = 0;
  for (std::uint32_t i = 0; i < 100; ++i) {
    const EventQueue::Event event = queue.pop();
    REQUIRE(event.time_ns >= last_time);
    if (event.time_ns == last_time && i > 0) REQUIRE(event.index > last_index);
    last_time = event.time_ns;
    last_index = event.index;
  }
  REQUIRE(queue.empty());
}

TEST_CASE("a thread works on the core with the fewest, and those of a core go slower alike") {
  CpuModel model;
  model.cores = 2;
  CpuShare cpu(model);
  const CpuShare::Work first = cpu.begin(1'000);
  const CpuShare::Work second = cpu.begin(1'000);
  const CpuShare::Work third = cpu.begin(1'000);
  REQUIRE(first.duration_ns == 1'000);
  REQUIRE(second.duration_ns == 1'000);
  REQUIRE(second.core != first.core);
  REQUIRE(third.duration_ns == 2'000);
  REQUIRE(cpu.begin(1'000).core != third.core);
  // The other core's two go on as they were.
  cpu.end(first);
  cpu.end(third);
  const CpuShare::Work alone = cpu.begin(1'000);
  REQUIRE(alone.duration_ns == 1'000);
  REQUIRE(alone.core == first.core);
  REQUIRE(cpu.busy_ns() == 5'000);
}

TEST_CASE("work takes longer while other cores work, in proportion to their number") {
  CpuModel model;
  model.cores = 3;
  model.busy_slowdown = Decimal(1, 2);
  CpuShare cpu(model);
  REQUIRE(cpu.begin(1'000).duration_ns == 1'000);
  REQUIRE(cpu.begin(1'000).duration_ns == 1'250);
  const CpuShare::Work third = cpu.begin(1'000);
  REQUIRE(third.duration_ns == 1'500);
  REQUIRE(cpu.begin(1'000).duration_ns == 3'000);
  cpu.end(third);
  REQUIRE(cpu.begin(1'000).duration_ns == 1'500);
  model.merge_busy_slowdown = Decimal(1, 1);
  CpuShare merging(model);
  REQUIRE(merging.begin(1'000, CpuShare::Kind::kMerge).duration_ns == 1'000);
  REQUIRE(merging.begin(1'000, CpuShare::Kind::kMerge).duration_ns == 1'500);
  REQUIRE(merging.share_of_busy(900) == 900);
  model.cores = 5;
  CpuShare larger(model);
  static_cast<void>(larger.begin(1'000));
  REQUIRE(larger.share_of_busy(1'000) == 250);
  model.cores = 1;
  CpuShare single(model);
  REQUIRE(single.begin(1'000).duration_ns == 1'000);
  REQUIRE(single.share_of_busy(1'000) == 0);
  REQUIRE(single.begin(1'000).duration_ns == 2'000);
}

TEST_CASE("arrivals keep their rate, at equal and at random distances and in bursts") {
  ClientModel clients;
  clients.rate = 50'000;
  constexpr std::uint64_t kCount = 500'000;
  for (const Arrivals kind : {Arrivals::kConstant, Arrivals::kPoisson}) {
    clients.arrivals = kind;
    ArrivalTimes arrivals(clients, 3);
    std::uint64_t last = 0;
    for (std::uint64_t i = 0; i < kCount; ++i) {
      const std::uint64_t next = arrivals.next_ns();
      REQUIRE(next >= last);
      last = next;
    }
    const double seconds = static_cast<double>(last) / 1e9;
    REQUIRE(std::abs(seconds - 10) < 0.05);
  }
  clients.arrivals = Arrivals::kBursty;
  clients.on_ms = 10;
  clients.off_ms = 90;
  ArrivalTimes arrivals(clients, 3);
  for (std::uint64_t i = 0; i < 1'500; ++i) {
    const std::uint64_t next = arrivals.next_ns();
    REQUIRE(next == i / 500 * 100'000'000 + i % 500 * 20'000);
  }
}

TEST_CASE("replayed arrivals are those of the file, from its first time on, again and again") {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("lsmlab-times-{}", ::getpid());
  const auto clients_of = [&](const std::string& lines, const std::string& more = "") {
    std::ofstream(path) << lines;
    return make_clients(
        {"replayed", {{"path", path.string()}, {"unit_ns", more.empty() ? "1" : more}}});
  };
  const auto clients = clients_of("# microseconds\n1000\n1000\n1003  # a pause\n1010\n", "1000");
  REQUIRE(clients.has_value());
  ArrivalTimes arrivals(clients.value().model, 1);
  // Ten microseconds hold three distances, so the first time comes again a third of them later.
  const std::uint64_t again = 10'000 + 10'000 / 3;
  for (const std::uint64_t expected :
       {std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{3'000}, std::uint64_t{10'000}, again,
        again, again + 3'000, again + 10'000, 2 * again}) {
    REQUIRE(arrivals.next_ns() == expected);
  }
  REQUIRE(clients_of("5\n4\n").error().message.find("time 4 comes after time 5") !=
          std::string::npos);
  REQUIRE(clients_of("5\nsoon\n").error().message.find(":2: ") != std::string::npos);
  REQUIRE(clients_of("# none\n").error().message.find("holds no times") != std::string::npos);
  std::filesystem::remove(path);
  REQUIRE(make_clients({"replayed", {{"path", path.string()}}}).error().message.find("No such") !=
          std::string::npos);
  REQUIRE(!make_clients({"replayed", {}}).has_value());
}

}  // namespace
}  // namespace lsmlab
