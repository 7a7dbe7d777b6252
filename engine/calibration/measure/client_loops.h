// Clients in a closed loop, a thread each.
#pragma once

#include <functional>

#include "engine/calibration/measure/measure.h"
#include "models/accounting/latency_histogram.h"

namespace lsmlab::engine {

/// What one client did; of several, from the first request to the end of the last: a client on its
/// own would count for too much where all begin at once and each has few.
struct ClientLoop {
  LatencyHistogram latencies;
  CalibrateClock::time_point begin;
  CalibrateClock::time_point end;
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(end - begin).count();
  }
};

/// Requests that took ten times as long as usual, and 5 ms: that long the disk stood still, for all
/// clients at once, so they count for one of them.
struct StoodStill {
  double pauses = 0;
  double seconds = 0;  // that these took longer than usual
};
[[nodiscard]] StoodStill stood_still(const LatencyHistogram& latencies, std::uint64_t usual_ns,
                                     unsigned clients);

/// `work(i, loop)` of so many clients, begun together, all at an end on return. Errors: the first
/// client's that failed.
[[nodiscard]] Result<ClientLoop> run_clients(
    unsigned count, const std::function<Result<void>(unsigned, ClientLoop&)>& work);

/// Makes one request and notes how long it took.
template <class Request>
[[nodiscard]] Result<void> timed_request(ClientLoop& loop, const Request& request) {
  const CalibrateClock::time_point asked = CalibrateClock::now();
  BOOST_OUTCOME_TRYV(request());
  loop.end = CalibrateClock::now();
  loop.latencies.add(static_cast<std::uint64_t>((loop.end - asked).count()));
  return success();
}

}  // namespace lsmlab::engine
