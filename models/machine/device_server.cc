#include "models/machine/device_server.h"

#include <algorithm>
#include <utility>

#include "models/base/check.h"
#include "models/machine/slowdown.h"

namespace lsmlab {
namespace {

// A mix is what was transferred over about so many large requests.
constexpr std::uint64_t kMixRequests = 64;

std::uint64_t cycle_ns(const DeviceModel& model) {
  const std::optional<std::uint64_t> interval = model.pauses.interval_ns();
  return interval ? *interval + model.pauses.length_ns : 0;
}

}  // namespace

DeviceServer::DeviceServer(const DeviceModel& model)
    : model_(model),
      times_(model),
      sharing_slowdown_(scaled_slowdown(model.contention.sharing_slowdown)),
      pause_cycle_ns_(cycle_ns(model)),
      is_mix_free_(!model.mixed.is_given()),
      places_(model.queue.parallelism) {}

void DeviceServer::note_mix(const Request& request) {
  recent_bytes_[static_cast<std::size_t>(request.kind)] += request.bytes;
  if (recent_bytes_[0] + recent_bytes_[1] < kMixRequests * model_.queue.request_bytes.value())
    return;
  recent_bytes_[0] /= 2;
  recent_bytes_[1] /= 2;
}

std::uint64_t DeviceServer::after_pause(std::uint64_t free_ns) {
  // Each cycle ends with its pause. Reads that nobody writes beside meet none.
  if (pause_cycle_ns_ == 0 || !last_write_ns_) return free_ns;
  if (last_arrival_ns_ - *last_write_ns_ >= pause_cycle_ns_) return free_ns;
  const std::uint64_t left = pause_cycle_ns_ - free_ns % pause_cycle_ns_;
  if (left > model_.pauses.length_ns) return free_ns;
  ++figures_.pauses;
  figures_.paused_ns += left;
  figures_.transfer_ns += left;
  unshared_until_ns_ = free_ns + left;
  return unshared_until_ns_;
}

DeviceServer::Others DeviceServer::others_at(std::uint64_t start_ns, bool is_large) const {
  Others others;
  if (figures_.last_done_ns <= start_ns) return others;
  // Without the place that is being taken, the last of the heap.
  for (auto place = places_.begin(); place != places_.end() - 1; ++place) {
    if (place->free_ns <= start_ns) continue;
    ++others.count;
    if (place->is_large != is_large) ++others.of_other_size;
  }
  return others;
}

void DeviceServer::note_shared(std::uint64_t stream, std::uint64_t transfer_ns,
                               std::uint64_t done_ns, bool is_slowed) {
  const auto known = std::find_if(shared_.begin(), shared_.end(),
                                  [&](const Shared& shared) { return shared.stream == stream; });
  CHECK(known == shared_.end() || known->late_ns == 0);
  Shared& shared = known != shared_.end() ? *known : shared_.emplace_back();
  shared = {stream, transfer_ns, channel_free_ns_, 1, is_slowed, done_ns, 0};
}

std::uint64_t DeviceServer::share_channel(std::uint64_t start_ns, std::uint64_t transfer_ns) {
  const auto slower_ns = [&](std::uint64_t turns_ns) {
    return static_cast<std::uint64_t>(Uint128{turns_ns} * sharing_slowdown_ >> kSlowdownBits);
  };
  // However many share the channel, each one's turns are slower once: those of the new one, and of
  // who had the channel alone so far.
  std::uint64_t own_turns_ns = 0;
  std::uint64_t longer_ns = 0;
  for (Shared& shared : shared_) {
    if (shared.transferred_ns <= std::max(start_ns, unshared_until_ns_)) continue;
    std::uint64_t left = (shared.transferred_ns - start_ns) / shared.turns;
    if (shared.is_slowed) {
      constexpr std::uint64_t kAlone = std::uint64_t{1} << kSlowdownBits;
      left = static_cast<std::uint64_t>(Uint128{left} * kAlone / (kAlone + sharing_slowdown_));
    }
    // It may still wait for the channel itself.
    const std::uint64_t turns_ns = std::min({left, shared.transfer_ns, transfer_ns});
    own_turns_ns = std::max(own_turns_ns, turns_ns);
    std::uint64_t lost = turns_ns + slower_ns(turns_ns);
    if (!shared.is_slowed) {
      longer_ns += slower_ns(turns_ns);
      lost += slower_ns(turns_ns);
    }
    const auto place = std::find_if(places_.begin(), places_.end(), [&](const Place& held) {
      return held.is_large && held.free_ns == shared.done_ns;
    });
    // Who takes a place starts when it is free: this one is not, at the start.
    CHECK(place != places_.end());
    shared.turns += 1;
    shared.is_slowed = sharing_slowdown_ > 0;
    shared.transferred_ns += lost;
    shared.done_ns += lost;
    shared.late_ns += lost;
    place->free_ns += lost;
    figures_.waited_ns += lost;
    figures_.last_done_ns = std::max(figures_.last_done_ns, shared.done_ns);
  }
  longer_ns += slower_ns(own_turns_ns);
  figures_.shared_ns += longer_ns;
  figures_.transfer_ns += longer_ns;
  return longer_ns;
}

std::uint64_t DeviceServer::late_ns(std::uint64_t stream) {
  for (Shared& shared : shared_) {
    if (shared.stream == stream) return std::exchange(shared.late_ns, 0);
  }
  return 0;
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
  if (!is_read) last_write_ns_ = now_ns;
  std::uint64_t latency = is_read ? model_.latency.read_ns : model_.latency.write_ns;
  if (request.goes_on) latency = model_.latency.sequential_ns;
  ++(request.goes_on ? gone_on_ : begun_[static_cast<std::size_t>(request.kind)]);
  if (request.stream != last_stream_ || !request.goes_on) {
    latency += model_.contention.seek_ns;
    ++seeks_;
  }
  last_stream_ = request.stream;
  const std::uint64_t last_done_before_ns = figures_.last_done_ns;
  std::pop_heap(places_.begin(), places_.end(), std::greater<>());
  const std::uint64_t start = std::max(now_ns, places_.back().free_ns);
  const bool is_large = model_.queue.is_large(request.bytes);
  std::uint64_t transfer = times_.nanoseconds(request.kind, request.bytes, read_share);
  const std::uint64_t usual_latency = latency;
  if (request.slowdown > 0) {
    latency +=
        static_cast<std::uint64_t>(Uint128{transfer + latency} * request.slowdown >> kSlowdownBits);
  }
  if (model_.contention.busy_latency_ns > 0 || model_.contention.other_size_latency_ns > 0 ||
      model_.contention.request_ns > 0) {
    const Others others = others_at(start, is_large);
    latency += model_.contention.busy_latency_ns * others.count +
               model_.contention.other_size_latency_ns * others.of_other_size;
    if (others.count > 0)
      transfer = std::max(transfer, model_.contention.request_ns / (1 + others.count));
  }
  channel_free_ns_ = after_pause(std::max(start, channel_free_ns_)) + transfer;
  const std::uint64_t longer = is_large ? share_channel(start, transfer) : 0;
  channel_free_ns_ += longer;
  const std::uint64_t done = channel_free_ns_ + latency;
  places_.back() = {done, is_large};
  if (is_large) {
    if (request.shares) note_shared(request.stream, transfer, done, longer > 0);
    std::make_heap(places_.begin(), places_.end(), std::greater<>());
  } else {
    std::push_heap(places_.begin(), places_.end(), std::greater<>());
  }

  (is_read ? figures_.read_requests : figures_.write_requests) += 1;
  (is_read ? figures_.bytes_read : figures_.bytes_written) += request.bytes;
  figures_.transfer_ns += transfer;
  figures_.latency_ns += latency;
  slower_ns_ += latency - usual_latency;
  figures_.waited_ns += done - now_ns - transfer - latency;
  figures_.last_done_ns = std::max(figures_.last_done_ns, done);
  note_at_work(start, last_done_before_ns);
  return done;
}

std::uint64_t DeviceServer::trim(std::uint64_t now_ns, std::uint64_t bytes) {
  CHECK(now_ns >= last_arrival_ns_);
  last_arrival_ns_ = now_ns;
  const std::uint64_t transfer = model_.trims.hold_ns(bytes);
  const std::uint64_t free_ns = std::max(now_ns, channel_free_ns_);
  const std::uint64_t start = after_pause(free_ns);
  channel_free_ns_ = start + transfer;
  unshared_until_ns_ = channel_free_ns_;
  const std::uint64_t last_done_before_ns = figures_.last_done_ns;
  ++figures_.trims;
  figures_.bytes_trimmed += bytes;
  figures_.transfer_ns += transfer;
  figures_.waited_ns += start - now_ns;
  figures_.last_done_ns = std::max(figures_.last_done_ns, channel_free_ns_);
  note_at_work(free_ns, last_done_before_ns);
  return channel_free_ns_;
}

void DeviceServer::note_at_work(std::uint64_t start_ns, std::uint64_t last_done_before_ns) {
  const std::uint64_t begin_ns = std::max(start_ns, last_done_before_ns);
  if (figures_.last_done_ns > begin_ns) at_work_ns_ += figures_.last_done_ns - begin_ns;
}

void DeviceServer::stand_still(std::uint64_t now_ns, std::uint64_t stop_ns) {
  const auto delay = [&](std::uint64_t& time_ns) {
    if (time_ns > now_ns) time_ns += stop_ns;
  };
  for (Place& place : places_) delay(place.free_ns);
  for (Shared& shared : shared_) {
    delay(shared.transferred_ns);
    delay(shared.done_ns);
  }
  delay(unshared_until_ns_);
  delay(channel_free_ns_);
  delay(figures_.last_done_ns);
}

std::uint64_t DeviceServer::background_slot(std::uint64_t now_ns, std::uint64_t bytes) {
  const std::uint64_t rate = model_.queue.background_bandwidth.value();
  if (rate == 0) return now_ns;
  const std::uint64_t slot = std::max(now_ns, background_free_ns_);
  background_free_ns_ =
      slot + static_cast<std::uint64_t>((Uint128{bytes} * 1'000'000'000 + rate - 1) / rate);
  return slot;
}

void DeviceServer::check_conservation() const {
  const std::uint64_t requests = figures_.read_requests + figures_.write_requests;
  const TransferTimes::Range transfers = times_.range_of(
      figures_.bytes_read, figures_.bytes_written, requests, model_.contention.request_ns);
  const Uint128 aside = Uint128{figures_.trims} * model_.trims.file_ns +
                        (figures_.bytes_trimmed * model_.trims.mib_ns >> 20) + figures_.paused_ns +
                        figures_.shared_ns;
  // Each is rounded up, the sums here down.
  const Uint128 slack = Uint128{requests} + figures_.trims + 4;
  CHECK(figures_.transfer_ns + slack >= transfers.least_ns + aside);
  CHECK(figures_.transfer_ns <= transfers.most_ns + aside + slack);
  CHECK(figures_.latency_ns == Uint128{begun_[0]} * model_.latency.read_ns +
                                   Uint128{begun_[1]} * model_.latency.write_ns +
                                   Uint128{gone_on_} * model_.latency.sequential_ns +
                                   Uint128{seeks_} * model_.contention.seek_ns + slower_ns_);
}

}  // namespace lsmlab
