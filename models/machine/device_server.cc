#include "models/machine/device_server.h"

#include <algorithm>

#include "models/base/check.h"

namespace lsmlab {
namespace {

template <typename... Effects>
std::tuple<Effects...> make_effects(const DeviceModel& model,
                                    const std::tuple<Effects...>* /*of*/) {
  return {Effects(model)...};
}

}  // namespace

DeviceServer::DeviceServer(const DeviceModel& model)
    : queue_(model.queue),
      effects_(make_effects(model, static_cast<const DeviceEffects*>(nullptr))),
      state_(model.queue.parallelism) {}

void DeviceServer::arrive(std::uint64_t now_ns) {
  CHECK(now_ns >= state_.last_arrival_ns);
  state_.last_arrival_ns = now_ns;
}

std::uint64_t DeviceServer::serve(std::uint64_t now_ns, const Request& request) {
  arrive(now_ns);
  DeviceFigures& figures = state_.figures;
  Service service{request, now_ns, figures.last_done_ns, queue_.is_large(request.bytes)};
  for_each_effect([&](auto& effect) {
    if constexpr (requires { effect.serve(state_, service); }) effect.serve(state_, service);
  });
  effect<PlaceEffect>().hold(state_, service);

  const bool is_read = request.kind == DeviceRequest::kRead;
  (is_read ? figures.read_requests : figures.write_requests) += request.requests;
  (is_read ? figures.bytes_read : figures.bytes_written) += request.bytes;
  figures.transfer_ns += service.transfer_ns;
  figures.latency_ns += service.latency_ns;
  figures.waited_ns += service.done_ns - now_ns - service.transfer_ns - service.latency_ns;
  figures.last_done_ns = std::max(figures.last_done_ns, service.done_ns);
  state_.note_at_work(service.start_ns, service.last_done_before_ns);
  return service.done_ns;
}

std::uint64_t DeviceServer::trim(std::uint64_t now_ns, std::uint64_t bytes) {
  arrive(now_ns);
  const std::uint64_t last_done_before_ns = state_.figures.last_done_ns;
  const std::uint64_t free_ns = std::max(now_ns, state_.channel_free_ns);
  const std::uint64_t start_ns = effect<PauseEffect>().after(state_, free_ns);
  const std::uint64_t done_ns = effect<TrimEffect>().trim(state_, now_ns, start_ns, bytes);
  state_.note_at_work(free_ns, last_done_before_ns);
  return done_ns;
}

void DeviceServer::stand_still(std::uint64_t now_ns, std::uint64_t stop_ns) {
  const auto delay = [&](std::uint64_t& time_ns) {
    if (time_ns > now_ns) time_ns += stop_ns;
  };
  for (DeviceState::Place& place : state_.places) delay(place.free_ns);
  delay(state_.unshared_until_ns);
  delay(state_.channel_free_ns);
  delay(state_.figures.last_done_ns);
  for_each_effect([&](auto& effect) {
    if constexpr (requires { effect.stand_still(delay); }) effect.stand_still(delay);
  });
}

void DeviceServer::check_conservation() const {
  const DeviceFigures& figures = state_.figures;
  DeviceAccount account;
  std::apply([&](const auto&... effect) { (effect.account(figures, account), ...); }, effects_);
  // Each request's time is rounded up. The sums here are rounded down.
  const Uint128 slack = account.rounded + 4;
  CHECK(figures.transfer_ns + slack >= account.held_least_ns);
  CHECK(figures.transfer_ns <= account.held_most_ns + slack);
  CHECK(figures.latency_ns == account.latency_ns);
}

}  // namespace lsmlab
