#include "sim/device_server.h"

#include <algorithm>

#include "models/check.h"

namespace lsmlab {
namespace {

// A mix is what was transferred over about so many large requests.
constexpr std::uint64_t kMixRequests = 64;

}  // namespace

DeviceServer::DeviceServer(const DeviceModel& model)
    : model_(model),
      times_(model),
      is_mix_free_(model.mixed_bandwidth_25.value() == 0 && model.mixed_bandwidth_50.value() == 0 &&
                   model.mixed_bandwidth_75.value() == 0),
      places_(model.parallelism, 0) {}

void DeviceServer::note_mix(const Request& request) {
  recent_bytes_[static_cast<std::size_t>(request.kind)] += request.bytes;
  if (recent_bytes_[0] + recent_bytes_[1] < kMixRequests * model_.request_bytes.value()) return;
  recent_bytes_[0] /= 2;
  recent_bytes_[1] /= 2;
}

std::uint64_t DeviceServer::serve(std::uint64_t now_ns, const Request& request) {
  CHECK(now_ns >= last_arrival_ns_);
  last_arrival_ns_ = now_ns;
  std::uint64_t read_share = 0;
  if (!is_mix_free_) {
    note_mix(request);
    const std::uint64_t recent = recent_bytes_[0] + recent_bytes_[1];
    if (recent > 0)
      read_share = static_cast<std::uint64_t>(Uint128{recent_bytes_[0]} * 256 / recent);
  }
  const bool is_read = request.kind == DeviceRequest::kRead;
  std::uint64_t latency = is_read ? model_.read_latency_ns : model_.write_latency_ns;
  if (request.goes_on) latency = model_.sequential_latency_ns;
  if (request.stream != last_stream_ || !request.goes_on) latency += model_.seek_ns;
  last_stream_ = request.stream;
  std::pop_heap(places_.begin(), places_.end(), std::greater<>());
  const std::uint64_t start = std::max(now_ns, places_.back());
  if (figures_.last_done_ns > start) latency += model_.busy_latency_ns;
  const std::uint64_t transfer = times_.nanoseconds(request.kind, request.bytes, read_share);
  channel_free_ns_ = std::max(start, channel_free_ns_) + transfer;
  const std::uint64_t done = channel_free_ns_ + latency;
  places_.back() = done;
  std::push_heap(places_.begin(), places_.end(), std::greater<>());

  (is_read ? figures_.read_requests : figures_.write_requests) += 1;
  (is_read ? figures_.bytes_read : figures_.bytes_written) += request.bytes;
  figures_.transfer_ns += transfer;
  figures_.latency_ns += latency;
  figures_.waited_ns += done - now_ns - transfer - latency;
  figures_.last_done_ns = std::max(figures_.last_done_ns, done);
  return done;
}

std::uint64_t DeviceServer::background_slot(std::uint64_t now_ns, std::uint64_t bytes) {
  const std::uint64_t rate = model_.background_bandwidth.value();
  if (rate == 0) return now_ns;
  const std::uint64_t slot = std::max(now_ns, background_free_ns_);
  background_free_ns_ =
      slot + static_cast<std::uint64_t>((Uint128{bytes} * 1'000'000'000 + rate - 1) / rate);
  return slot;
}

}  // namespace lsmlab
