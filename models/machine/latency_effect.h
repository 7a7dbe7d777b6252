// A request's latency by its kind: a read, a write, or a request that continues where its stream's
// last one ended. A request that does not continue where the device's last one ended also seeks.
//
// Rule: all latencies sum up to those of the counted requests of each kind, and of the counted
// seeks.
#pragma once

#include <cstdint>

#include "models/base/check.h"
#include "models/machine/device_model.h"
#include "models/machine/device_state.h"

namespace lsmlab {

class LatencyEffect {
 public:
  explicit LatencyEffect(const DeviceModel& model)
      : model_(model.latency), seek_ns_(model.contention.seek_ns) {}

  void serve(DeviceState& /*state*/, Service& service) {
    const ServedRequest& request = service.request;
    const bool is_read = request.kind == DeviceRequest::kRead;
    std::uint64_t latency_ns = is_read ? model_.read_ns : model_.write_ns;
    if (request.goes_on) latency_ns = model_.sequential_ns;
    ++(request.goes_on ? gone_on_ : begun_[static_cast<std::size_t>(request.kind)]);
    if (request.stream != last_stream_ || !request.goes_on) {
      latency_ns += seek_ns_;
      ++seeks_;
    }
    if (request.requests > 1) latency_ns += latency_of_more(request);
    last_stream_ = request.stream;
    service.latency_ns = latency_ns;
  }

  void account(const DeviceFigures& figures, DeviceAccount& account) const {
    CHECK(begun_[0] + begun_[1] + gone_on_ == figures.read_requests + figures.write_requests);
    account.latency_ns += Uint128{begun_[0]} * model_.read_ns +
                          Uint128{begun_[1]} * model_.write_ns +
                          Uint128{gone_on_} * model_.sequential_ns + Uint128{seeks_} * seek_ns_;
  }

 private:
  // Of all requests that this one stands for, except the first. If it comes from another stream
  // than the device's last one, so do they.
  [[nodiscard]] std::uint64_t latency_of_more(const ServedRequest& request) {
    const std::uint64_t more = request.requests - 1;
    gone_on_ += more;
    if (request.stream == last_stream_) return more * model_.sequential_ns;
    seeks_ += more;
    return more * (model_.sequential_ns + seek_ns_);
  }

  const LatencyModel model_;
  const std::uint64_t seek_ns_;
  std::uint64_t last_stream_ = 0;
  std::uint64_t begun_[2] = {0, 0};  // requests by kind, without those in gone_on_
  std::uint64_t gone_on_ = 0;
  std::uint64_t seeks_ = 0;
};

}  // namespace lsmlab
