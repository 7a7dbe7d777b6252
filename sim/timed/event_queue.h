// Events of a simulated clock, in the order of (time, sequence number). Two events of the same time
// happen in the order in which they were pushed, so a run has one outcome.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "models/base/check.h"
#include "models/base/last_time.h"

namespace lsmlab {

/// What happens at an event.
enum class EventKind : std::uint32_t {
  kWorker,     // the background worker number `index` continues
  kClient,     // the client number `index` continues
  kSync,       // the log is durable
  kWriteBack,  // a piece of the log is old enough to be written
  kTrim,       // a removed file is trimmed
  kSample,     // the curves over time get a point
  kQuota,      // the used processor time is compared with its limit
  kLook        // what clients transfer is measured, for the scheduling of merges
};

class EventQueue {
 public:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  struct Event {
    std::uint64_t time_ns = 0;
    std::uint64_t sequence = 0;
    EventKind kind = EventKind::kWorker;
    std::uint32_t index = 0;  // of the worker or client; 0 for other kinds
  };

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] std::size_t size() const { return heap_.size(); }
  /// Time of the next event; kNever if there is none.
  [[nodiscard]] std::uint64_t next_time() const {
    return heap_.empty() ? kNever : heap_.front().time_ns;
  }
  void push(std::uint64_t time_ns, EventKind kind, std::uint32_t index = 0) {
    heap_.push_back({time_ns, ++sequence_, kind, index});
    std::push_heap(heap_.begin(), heap_.end(), IsLater{});
  }
  /// REQUIRES: not empty.
  [[nodiscard]] Event pop() {
    CHECK(!heap_.empty());
    std::pop_heap(heap_.begin(), heap_.end(), IsLater{});
    const Event event = heap_.back();
    heap_.pop_back();
    return event;
  }
  /// Pauses the machine from now on for stop_ns. Events for which `is_work(event)` holds come
  /// stop_ns later. All others are timers: those due during the pause come at its end.
  template <typename IsWork>
  void stand_still(std::uint64_t now_ns, std::uint64_t stop_ns, const IsWork& is_work) {
    for (Event& event : heap_) {
      event.time_ns =
          is_work(event) ? event.time_ns + stop_ns : std::max(event.time_ns, now_ns + stop_ns);
    }
    std::make_heap(heap_.begin(), heap_.end(), IsLater{});
  }

 private:
  // A functor, because the heap would call a function through a pointer for every comparison.
  struct IsLater {
    [[nodiscard]] bool operator()(const Event& a, const Event& b) const {
      return a.time_ns != b.time_ns ? a.time_ns > b.time_ns : a.sequence > b.sequence;
    }
  };

  std::vector<Event> heap_;
  std::uint64_t sequence_ = 0;
};

}  // namespace lsmlab
