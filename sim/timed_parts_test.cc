// Clients, cores, events and the device of a run with a clock, against queueing's closed forms.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <deque>
#include <filesystem>
#include <fstream>
#include <optional>

#include "models/cpu_share.h"
#include "models/device_server.h"
#include "sim/client_model.h"
#include "sim/event_queue.h"
#include "testing/catch.h"
#include "testing/plain_device.h"
#include "traces/random.h"

namespace lsmlab {
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

TEST_CASE("a thread works on the core with the fewest, and those of a core share it") {
  CpuModel model;
  model.cores = 2;
  CpuShare cpu(model);
  const CpuShare::Work first = cpu.begin(0, 1'000);
  const CpuShare::Work second = cpu.begin(0, 1'000);
  REQUIRE(first.duration_ns == 1'000);
  REQUIRE(second.duration_ns == 1'000);
  // Half a core until it is done; then the first one has lost as much.
  const CpuShare::Work third = cpu.begin(400, 100);
  REQUIRE(third.duration_ns == 200);
  REQUIRE(cpu.left_ns(600, third) == 0);
  cpu.end(600, third);
  REQUIRE(cpu.left_ns(1'000, second) == 0);
  REQUIRE(cpu.left_ns(1'000, first) == 100);
  cpu.end(1'000, second);
  const CpuShare::Work alone = cpu.begin(1'000, 700);
  REQUIRE(alone.duration_ns == 700);
  REQUIRE(cpu.left_ns(1'100, first) == 0);
  cpu.end(1'100, first);
  REQUIRE(cpu.busy_ns() == 2'800);
  // The one that was there before is done first, and the newcomer goes on alone.
  const CpuShare::Work fourth = cpu.begin(1'100, 50);
  const CpuShare::Work fifth = cpu.begin(1'120, 1'000);
  REQUIRE(cpu.left_ns(1'150, fourth) == 0);
  REQUIRE(cpu.left_ns(1'700, alone) == 580);
  REQUIRE(fifth.duration_ns == 1'580);
}

TEST_CASE("those who find all cores taken join them in turn, and no core is spared") {
  CpuModel model;
  model.cores = 2;
  CpuShare cpu(model);
  // Two that each have a core to themselves lose to every other newcomer.
  const CpuShare::Work first = cpu.begin(0, 1'000'000);
  const CpuShare::Work second = cpu.begin(0, 1'000'000);
  for (std::uint64_t i = 0; i < 100; ++i) {
    const std::uint64_t now_ns = 1'000 * i;
    const CpuShare::Work newcomer = cpu.begin(now_ns, 10);
    REQUIRE(newcomer.duration_ns == 20);
    cpu.end(now_ns + 20, newcomer);
  }
  REQUIRE(cpu.left_ns(1'000'000, first) == 500);
  REQUIRE(cpu.left_ns(1'000'000, second) == 500);
}

TEST_CASE("who waited finds a core the later, the longer others have had all of them") {
  CpuModel model;
  model.cores = 2;
  CpuShare cpu(model);
  REQUIRE(cpu.wait_ns(0, 500) == 0);
  const CpuShare::Work first = cpu.begin(1'000, 100);
  // A core is idle.
  REQUIRE(cpu.wait_ns(1'040, 500) == 0);
  // It goes on at once.
  cpu.end(1'100, first);
  const CpuShare::Work second = cpu.begin(1'100, 1'000);
  REQUIRE(cpu.wait_ns(1'300, 500) == 0);
  // The mean of 300 and 40, of 500 and 240, of 500 twice: the first core has had no pause.
  const CpuShare::Work third = cpu.begin(1'260, 1'000);
  REQUIRE(cpu.wait_ns(1'300, 500) == 170);
  REQUIRE(cpu.wait_ns(1'500, 500) == (500 + 240) / 2);
  REQUIRE(cpu.wait_ns(1'900, 500) == 500);
  REQUIRE(cpu.wait_ns(1'900, 0) == 0);
  cpu.end(2'100, second);
  REQUIRE(cpu.wait_ns(2'100, 500) == 0);
  // After a pause it is as if it had not worked.
  const CpuShare::Work fourth = cpu.begin(2'101, 100);
  REQUIRE(cpu.wait_ns(2'111, 500) == (500 + 10) / 2);
  cpu.end(2'201, fourth);
  cpu.end(2'260, third);
  model.cores = 1;
  CpuShare single(model);
  static_cast<void>(single.begin(0, 1'000));
  REQUIRE(single.wait_ns(1'000, 500) == 0);
}

TEST_CASE("threads that always work get all cores and no more") {
  struct Thread {
    std::uint64_t next_ns = 0;
    std::optional<CpuShare::Work> work;
  };
  constexpr std::uint64_t kEndNs = 1'000'000'000;
  std::uint64_t seed = 0;
  for (const auto& [cores, count] : {std::pair{2, 3}, {2, 4}, {3, 5}, {1, 2}}) {
    CAPTURE(cores, count, ++seed);
    CpuModel model;
    model.cores = static_cast<std::uint64_t>(cores);
    CpuShare cpu(model);
    SplitMix64 random(seed);
    std::vector<Thread> threads(static_cast<std::size_t>(count));
    for (;;) {
      const auto next =
          std::min_element(threads.begin(), threads.end(),
                           [](const Thread& a, const Thread& b) { return a.next_ns < b.next_ns; });
      const std::uint64_t now_ns = next->next_ns;
      if (now_ns >= kEndNs) break;
      if (next->work) {
        const std::uint64_t left_ns = cpu.left_ns(now_ns, *next->work);
        next->next_ns += left_ns;
        if (left_ns > 0) continue;
        cpu.end(now_ns, *next->work);
      }
      // Some are a client's, some a merge's.
      const bool is_short = next == threads.begin();
      next->work = cpu.begin(now_ns, 1 + random.below(is_short ? 2'000 : 500'000));
      next->next_ns += next->work->duration_ns;
    }
    const double share = static_cast<double>(cpu.busy_ns()) / kEndNs;
    REQUIRE(share == Approx(cores).epsilon(0.01));
  }
}

TEST_CASE("work takes longer while other cores work, in proportion to their number") {
  CpuModel model;
  model.cores = 3;
  model.busy_slowdown = Decimal(1, 2);
  CpuShare cpu(model);
  REQUIRE(cpu.begin(0, 1'000).duration_ns == 1'000);
  REQUIRE(cpu.begin(0, 1'000).duration_ns == 1'250);
  const CpuShare::Work third = cpu.begin(0, 1'000);
  REQUIRE(third.duration_ns == 1'500);
  REQUIRE(cpu.begin(0, 1'000).duration_ns == 1'500 + 1'000);
  cpu.end(0, third);
  REQUIRE(cpu.begin(0, 1'000).duration_ns == 1'500);
  model.merge_busy_slowdown = Decimal(1, 1);
  CpuShare merging(model);
  REQUIRE(merging.begin(0, 1'000, CpuShare::Kind::kMerge).duration_ns == 1'000);
  REQUIRE(merging.begin(0, 1'000, CpuShare::Kind::kMerge).duration_ns == 1'500);
  REQUIRE(merging.of_busy_cores(900) == 900);
  model.cores = 5;
  CpuShare larger(model);
  static_cast<void>(larger.begin(0, 1'000));
  REQUIRE(larger.of_busy_cores(1'000) == 250);
  model.cores = 1;
  CpuShare single(model);
  REQUIRE(single.begin(0, 1'000).duration_ns == 1'000);
  REQUIRE(single.of_busy_cores(1'000) == 0);
  REQUIRE(single.begin(0, 1'000).duration_ns == 2'000);
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
