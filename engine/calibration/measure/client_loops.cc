#include "engine/calibration/measure/client_loops.h"

#include <algorithm>
#include <atomic>
#include <latch>
#include <thread>

#include "engine/files/caught.h"

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
  std::atomic<bool> is_called_off{false};
  std::vector<std::thread> threads;
  threads.reserve(count);
  const Result<void> begun = caught("a calibration's clients", [&]() -> Result<void> {
    for (unsigned i = 0; i < count; ++i) {
      threads.emplace_back([&, i] {
        start.arrive_and_wait();
        if (is_called_off.load()) return;
        loops[i].begin = loops[i].end = CalibrateClock::now();
        outcomes[i] = caught("a calibration's client", [&] { return work(i, loops[i]); });
      });
    }
    return success();
  });
  if (!begun) {
    is_called_off.store(true);
    start.count_down(static_cast<std::ptrdiff_t>(count - threads.size()));
  }
  for (std::thread& thread : threads) thread.join();
  BOOST_OUTCOME_TRYV(begun);
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
