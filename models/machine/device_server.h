// The device of a simulated run: requests in the order of their arrival, as
// models/machine/device_model.h has it. Large ones of workers share the channel: a large one that
// comes while they are transferred has its turns too, so they take longer than was told when they
// came. Not thread safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/accounting/run_result.h"
#include "models/machine/device_model.h"
#include "models/machine/transfer_times.h"

namespace lsmlab {

class DeviceServer {
 public:
  explicit DeviceServer(const DeviceModel& model);

  struct Request {
    DeviceRequest kind = DeviceRequest::kRead;
    std::uint64_t bytes = 0;
    std::uint64_t stream = 0;  // whose it is; the device seeks between streams
    bool goes_on = false;      // where the stream's last request ended
    // By which transfer and latency take longer, as more latency; kSlowdownBits.
    std::uint64_t slowdown = 0;
    // Later large ones have a share of the channel meanwhile: whoever waits asks late_ns(). The
    // stream has no other request under way.
    bool shares = false;
  };
  /// When a request that arrives now is done, if no other takes a share from it. REQUIRES: times do
  /// not fall from call to call.
  [[nodiscard]] std::uint64_t serve(std::uint64_t now_ns, const Request& request);

  /// By how much the stream's request that shares takes longer than was told so far.
  [[nodiscard]] std::uint64_t late_ns(std::uint64_t stream);

  /// When a file of so many bytes is trimmed that is removed now: it takes no place, but the
  /// channel. REQUIRES: as serve().
  [[nodiscard]] std::uint64_t trim(std::uint64_t now_ns, std::uint64_t bytes);

  /// When a request of background work may be issued: now, but for the model's limit.
  [[nodiscard]] std::uint64_t background_slot(std::uint64_t now_ns, std::uint64_t bytes);

  /// Everything stands still from now on for so long: what is under way is done as much later.
  void stand_still(std::uint64_t now_ns, std::uint64_t stop_ns);
  /// For which it had a request or trim until now.
  [[nodiscard]] std::uint64_t at_work_ns(std::uint64_t now_ns) const {
    const std::uint64_t done_ns = figures_.last_done_ns;
    return at_work_ns_ - (done_ns > now_ns ? done_ns - now_ns : 0);
  }

  /// The channel was held for bytes over bandwidths, sharing, trims and pauses, to a nanosecond a
  /// request: on models where a request's time follows from others', as their fastest and slowest
  /// mixes take at least and at most. Latencies are those of the requests of each kind.
  void check_conservation() const;

  [[nodiscard]] const DeviceFigures& figures() const { return figures_; }
  /// That the channel was held until now; figures() has what is still to come in as well.
  [[nodiscard]] std::uint64_t busy_ns(std::uint64_t now_ns) const {
    const std::uint64_t ahead = channel_free_ns_ > now_ns ? channel_free_ns_ - now_ns : 0;
    return figures_.transfer_ns - std::min(figures_.transfer_ns, ahead);
  }

 private:
  void note_mix(const Request& request);
  /// What began then is done, and everything before it.
  void note_at_work(std::uint64_t start_ns, std::uint64_t last_done_before_ns);
  /// When the channel can be had that is free from then on: later where the device stands still.
  [[nodiscard]] std::uint64_t after_pause(std::uint64_t free_ns);
  struct Place {
    std::uint64_t free_ns = 0;
    bool is_large = false;  // the request that holds it until then
    bool operator>(const Place& other) const { return free_ns > other.free_ns; }
  };
  // The last large request of a stream whose requests share.
  struct Shared {
    std::uint64_t stream = 0;
    std::uint64_t transfer_ns = 0;     // alone
    std::uint64_t transferred_ns = 0;  // when the channel is done with it
    std::uint64_t turns = 1;           // of which one is its own
    bool is_slowed = false;            // by others, from which on it is for all of its time
    std::uint64_t done_ns = 0;
    std::uint64_t late_ns = 0;  // not yet told
  };
  void note_shared(std::uint64_t stream, std::uint64_t transfer_ns, std::uint64_t done_ns,
                   bool is_slowed);
  /// A large request that starts then takes its turns from those that share. For how much longer it
  /// holds the channel as they slow each other down.
  [[nodiscard]] std::uint64_t share_channel(std::uint64_t start_ns, std::uint64_t transfer_ns);
  struct Others {
    std::uint64_t count = 0;
    std::uint64_t of_other_size = 0;
  };
  /// Requests that are not done then. REQUIRES: the place that is being taken is the last.
  [[nodiscard]] Others others_at(std::uint64_t start_ns, bool is_large) const;

  const DeviceModel model_;
  const TransferTimes times_;
  const std::uint64_t sharing_slowdown_;  // kSlowdownBits
  const std::uint64_t pause_cycle_ns_;    // from one pause to the next; 0: there are none
  std::optional<std::uint64_t> last_write_ns_;
  bool is_mix_free_ = false;             // the mix changes no time
  std::vector<Place> places_;            // a heap, the first free at the front
  std::vector<Shared> shared_;           // of each stream
  std::uint64_t unshared_until_ns_ = 0;  // a trim or pause: what is transferred before has no turns
  std::uint64_t channel_free_ns_ = 0;
  std::uint64_t background_free_ns_ = 0;
  std::uint64_t last_arrival_ns_ = 0;
  std::uint64_t last_stream_ = 0;
  std::uint64_t recent_bytes_[2] = {0, 0};  // by kind, of the last few requests' worth
  // What latencies follow from, for check_conservation().
  std::uint64_t begun_[2] = {0, 0};  // requests by kind that did not go on
  std::uint64_t gone_on_ = 0;
  std::uint64_t seeks_ = 0;
  std::uint64_t at_work_ns_ = 0;  // until all is done
  Uint128 slower_ns_ = 0;         // for others beside them, and for busy cores
  DeviceFigures figures_;
};

}  // namespace lsmlab
