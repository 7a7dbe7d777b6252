// Compares clients, events and the device of a run with a clock with closed forms of queueing
// theory.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <deque>
#include <filesystem>
#include <fstream>
#include <optional>

#include "models/base/random.h"
#include "models/machine/device_server.h"
#include "sim/timed/event_queue.h"
#include "testing/catch.h"
#include "testing/plain_device.h"
#include "traces/workloads/client_model.h"

namespace lsmlab::timed_parts_test {
namespace {

using testing::plain_device;
using testing::read_of;

TEST_CASE(
    "clients in a loop get what places and latency allow, and never more than the bandwidth") {
  for (const auto& [clients, expected_a_second] :
       {std::pair<std::uint64_t, double>{1, 1e9 / 104'096},
        {4, 4e9 / 104'096},
        {16, 4e9 / 104'096}}) {
    DeviceServer device(plain_device(100'000, 4));
    EventQueue queue;
    for (std::uint32_t i = 0; i < clients; ++i) queue.push(0, EventKind::kClient, i);
    std::uint64_t served = 0;
    std::uint64_t now = 0;
    for (; served < 20'000; ++served) {
      const EventQueue::Event event = queue.pop();
      now = event.time_ns;
      queue.push(device.serve(now, read_of(4096)), EventKind::kClient, event.index);
    }
    const double a_second = static_cast<double>(served) * 1e9 / static_cast<double>(now);
    INFO(clients << " clients");
    // Requests of two of the four places sometimes meet at the channel, which costs some percent.
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

TEST_CASE("events of one time happen in the order in which they were asked for") {
  EventQueue queue;
  REQUIRE(queue.next_time() == EventQueue::kNever);
  for (std::uint32_t i = 0; i < 100; ++i) queue.push(i % 3, EventKind::kClient, i);
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
  // Between bursts 333 a second: 529.97 operations in a round. Each comes in the first nanosecond
  // until which that many are due.
  clients.off_rate = 333;
  const auto due = [](std::uint64_t ns) {  // times 10^9
    const std::uint64_t in_round = ns % 100'000'000;
    const std::uint64_t in_burst = std::min<std::uint64_t>(in_round, 10'000'000);
    return Uint128{ns / 100'000'000} * 529'970'000'000 + Uint128{in_burst} * 50'000 +
           Uint128{in_round - in_burst} * 333;
  };
  ArrivalTimes with_valleys(clients, 3);
  for (std::uint64_t i = 0; i < 60'000; ++i) {
    const std::uint64_t next = with_valleys.next_ns();
    REQUIRE(due(next + 1) > Uint128{i} * 1'000'000'000);
    REQUIRE(due(next) <= Uint128{i} * 1'000'000'000);
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
  // The mean distance is 10 us / 3, so the first time comes again 10 us / 3 after the last one.
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
}  // namespace lsmlab::timed_parts_test
