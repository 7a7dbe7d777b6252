#include "engine/calibrate_clients.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <string>
#include <system_error>
#include <thread>

namespace lsmlab::engine {

StoodStill stood_still(const LatencyHistogram& latencies, std::uint64_t usual_ns,
                       unsigned clients) {
  constexpr std::uint64_t kTimesLonger = 10;
  constexpr std::uint64_t kLeastNs = 5'000'000;
  const LatencyHistogram::Tail tail = latencies.above(std::max(kLeastNs, kTimesLonger * usual_ns));
  const double longer_ns = static_cast<double>(tail.sum_ns) -
                           static_cast<double>(tail.count) * static_cast<double>(usual_ns);
  return {static_cast<double>(tail.count) / clients, longer_ns / 1e9 / clients};
}

Result<ClientLoop> run_clients(unsigned count,
                               const std::function<Result<void>(unsigned, ClientLoop&)>& work) {
  std::vector<ClientLoop> loops(count);
  std::vector<Result<void>> outcomes(count, success());
  std::latch start(count);
  std::atomic<bool> are_all_there{true};
  std::vector<std::thread> threads;
  const auto client = [&](unsigned i) {
    start.arrive_and_wait();
    if (!are_all_there) return;
    loops[i].begin = loops[i].end = CalibrateClock::now();
    outcomes[i] = work(i, loops[i]);
  };
  std::string fault;
  try {
    for (unsigned i = 0; i < count; ++i) threads.emplace_back(client, i);
  } catch (const std::system_error& refused) {
    fault = refused.what();
    are_all_there = false;
    start.count_down(count - static_cast<unsigned>(threads.size()));
  }
  for (std::thread& thread : threads) thread.join();
  if (!are_all_there) return machine_error(fmt::format("no thread for a client: {}", fault));
  ClientLoop all = std::move(loops.front());
  for (unsigned i = 0; i < count; ++i) {
    BOOST_OUTCOME_TRYV(outcomes[i]);
    if (i == 0) continue;
    all.latencies.merge(loops[i].latencies);
    all.begin = std::min(all.begin, loops[i].begin);
    all.end = std::max(all.end, loops[i].end);
  }
  return all;
}

}  // namespace lsmlab::engine
