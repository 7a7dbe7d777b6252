// Clients in a closed loop: each runs in a thread of its own.
#pragma once

#include <functional>

#include "engine/calibration/measure/measure.h"
#include "models/accounting/latency_histogram.h"

namespace lsmlab::engine {

/// The requests of one client, or of several together. For several, the time is that from the first
/// request to the end of the last one. Times of single clients would be too short if all begin at
/// once and each makes few requests.
struct ClientLoop {
  LatencyHistogram latencies;
  CalibrateClock::time_point begin;
  CalibrateClock::time_point end;
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(end - begin).count();
  }
};

/// Pauses of the disk: requests that took at least ten times as long as usual, and at least 5 ms. A
/// pause stops all clients at once, so the figures are divided by the number of clients.
struct StoodStill {
  double pauses = 0;
  double seconds = 0;  // by which these requests took longer than usual
};
[[nodiscard]] StoodStill stood_still(const LatencyHistogram& latencies, std::uint64_t usual_ns,
                                     unsigned clients);

/// Runs `work(i, loop)` for each client i in a thread of its own. All begin together; all have
/// ended on return. Errors: that of the first client that failed.
[[nodiscard]] Result<ClientLoop> run_clients(
    unsigned count, const std::function<Result<void>(unsigned, ClientLoop&)>& work);

/// Makes one request and records how long it took.
template <class Request>
[[nodiscard]] Result<void> timed_request(ClientLoop& loop, const Request& request) {
  const CalibrateClock::time_point asked = CalibrateClock::now();
  BOOST_OUTCOME_TRYV(request());
  loop.end = CalibrateClock::now();
  loop.latencies.add(static_cast<std::uint64_t>((loop.end - asked).count()));
  return success();
}

}  // namespace lsmlab::engine
