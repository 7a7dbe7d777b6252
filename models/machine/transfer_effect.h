// A request's transfer: its bytes divided by the bandwidth, which depends on the mix of recent
// requests.
//
// Rule: all transfers together take at least what the run's bytes take in the fastest mix, and at
// most what they take in the slowest.
#pragma once

#include <cstdint>

#include "models/machine/device_model.h"
#include "models/machine/device_state.h"

namespace lsmlab {

class TransferEffect {
 public:
  explicit TransferEffect(const DeviceModel& model)
      : times_(model),
        is_mixed_(model.mixed.is_given()),
        mix_bytes_(kMixRequests * model.queue.request_bytes.value()) {}

  void serve(DeviceState& /*state*/, Service& service) {
    const ServedRequest& request = service.request;
    std::uint64_t read_share = 0;
    if (is_mixed_) {
      note(request);
      const std::uint64_t recent = recent_bytes_[0] + recent_bytes_[1];
      if (recent > 0) {
        read_share = static_cast<std::uint64_t>(Uint128{recent_bytes_[0]} * 256 / recent);
      }
    }
    std::uint64_t last_bytes = request.bytes;
    if (request.requests > 1) {
      const std::uint64_t more = request.requests - 1;
      const std::uint64_t each = request.bytes / request.requests;
      service.transfer_ns = more * times_.nanoseconds(request.kind, each, read_share);
      last_bytes -= more * each;
    }
    service.transfer_ns += times_.nanoseconds(request.kind, last_bytes, read_share);
  }

  void account(const DeviceFigures& figures, DeviceAccount& account) const {
    const std::uint64_t requests = figures.read_requests + figures.write_requests;
    const TransferTimes::Range range =
        times_.range_of(figures.bytes_read, figures.bytes_written, requests);
    account.held_least_ns += range.least_ns;
    account.held_most_ns += range.most_ns;
    account.rounded += requests;
  }

 private:
  // The mix is that of recent bytes: those of about so many large requests.
  static constexpr std::uint64_t kMixRequests = 64;

  void note(const ServedRequest& request) {
    recent_bytes_[static_cast<std::size_t>(request.kind)] += request.bytes;
    if (recent_bytes_[0] + recent_bytes_[1] < mix_bytes_) return;
    recent_bytes_[0] /= 2;
    recent_bytes_[1] /= 2;
  }

  const TransferTimes times_;
  const bool is_mixed_;  // false: the mix changes no time
  const std::uint64_t mix_bytes_;
  std::uint64_t recent_bytes_[2] = {0, 0};  // by kind; halved when they reach mix_bytes_
};

}  // namespace lsmlab
