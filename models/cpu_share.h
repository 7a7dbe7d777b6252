// The processor of a simulated run. A thread that begins to work goes to the core with the fewest;
// those of one core share it alike, as a scheduler with a queue for each core has it, and all go
// slower the more cores work, as they share caches, memory and often execution units. How long a
// piece of work takes is reckoned when it begins, and grows by what those take that come to its
// core later: who waited for its end asks left_ns() and waits on. Not thread safe.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "models/check.h"
#include "models/device.h"
#include "models/units.h"

namespace lsmlab {

class CpuShare {
 public:
  explicit CpuShare(const CpuModel& model)
      : cores_(model.cores),
        slowdowns_{slowdown_per_core(model.busy_slowdown, model.cores),
                   slowdown_per_core(model.merge_busy_slowdown, model.cores)},
        gather_share_(scaled_slowdown(model.gather_share)) {}

  enum class Kind { kClient, kMerge };

  /// A piece of work, from begin() to end().
  struct Work {
    std::uint64_t duration_ns = 0;  // as reckoned when it began
    std::uint32_t place = 0;
    std::uint64_t alone_ns = 0;  // that it takes on a core of its own
  };

  /// What a thread's next piece of work asks of those before.
  struct Thread {
    bool has_waited = false;  // for the device, since it worked last
    std::optional<std::uint32_t> gathered_core;
  };

  /// A thread begins; how long this much work takes it, rounded up, and where.
  [[nodiscard]] Work begin(std::uint64_t now_ns, std::uint64_t work_ns, Kind kind = Kind::kClient) {
    return begin_at(core_for(now_ns), now_ns, work_ns, kind);
  }
  /// The same of one that may have waited for the device.
  [[nodiscard]] Work begin(std::uint64_t now_ns, std::uint64_t work_ns, Kind kind, Thread& thread) {
    if (gather_share_ > 0) gather(now_ns, thread);
    const std::uint32_t at = thread.gathered_core ? *thread.gathered_core : core_for(now_ns);
    return begin_at(at, now_ns, work_ns, kind);
  }
  /// Of work that was to be over by now: what others that came to its core took meanwhile.
  [[nodiscard]] std::uint64_t left_ns(std::uint64_t now_ns, const Work& work) const {
    return places_[work.place].end_ns - now_ns;
  }
  void end(std::uint64_t now_ns, const Work& work) {
    const std::uint32_t at = places_[work.place].core;
    CHECK(at != kNone);
    places_[work.place] = {first_free_, kNone};
    first_free_ = work.place;
    if (--cores_[at].threads > 0) return;
    --busy_cores_;
    cores_[at].idle_since_ns = now_ns;
    last_idle_core_ = at;
  }
  /// What a thread loses now that waits, of what it loses while all other cores work: the share of
  /// them that do.
  [[nodiscard]] std::uint64_t of_busy_cores(std::uint64_t whole) const {
    const std::uint64_t others = cores_.size() - 1;
    if (others == 0) return 0;
    return busy_cores_ >= others ? whole : whole * busy_cores_ / others;
  }
  /// That a thread which could go on now waits for a core. An idle one is had at once; where all
  /// are taken it is left behind another thread, as long as that has been at work already, `most`
  /// at most: behind whose is a matter of chance, so it waits for the mean of the cores.
  [[nodiscard]] std::uint64_t wait_ns(std::uint64_t now_ns, std::uint64_t most) const {
    if (most == 0 || cores_.size() == 1 || busy_cores_ < cores_.size()) return 0;
    std::uint64_t sum = 0;
    for (const Core& core : cores_) sum += std::min(most, now_ns - core.busy_since_ns);
    return sum / cores_.size();
  }
  /// Work done, of all cores, as it would take one thread alone.
  [[nodiscard]] std::uint64_t busy_ns() const { return busy_ns_; }

 private:
  // With all other cores at work it is the whole slowdown.
  static std::uint64_t slowdown_per_core(const Decimal& slowdown, std::uint64_t cores) {
    const std::uint64_t others = cores > 1 ? cores - 1 : 1;
    return scaled_slowdown(slowdown) / others;
  }

  [[nodiscard]] Work begin_at(std::uint32_t at, std::uint64_t now_ns, std::uint64_t work_ns,
                              Kind kind) {
    const std::uint64_t slowdown = slowdowns_[static_cast<std::size_t>(kind)];
    Core& core = cores_[at];
    const std::uint64_t others = busy_cores_ - (core.threads == 0 ? 0 : 1);
    busy_ns_ += work_ns;
    std::uint64_t duration_ns = work_ns;
    if (others > 0 && slowdown > 0) {
      constexpr std::uint64_t kOne = std::uint64_t{1} << kSlowdownBits;
      const Uint128 scaled = Uint128{work_ns} * (kOne + others * slowdown);
      duration_ns = static_cast<std::uint64_t>((scaled + kOne - 1) >> kSlowdownBits);
    }
    const std::uint64_t alone_ns = duration_ns;
    if (core.threads++ > 0) {
      duration_ns += share(now_ns, at, duration_ns);
    } else {
      ++busy_cores_;
      if (core.idle_since_ns != now_ns) core.busy_since_ns = now_ns;
    }
    const std::uint32_t place = take_place();
    places_[place] = {now_ns + duration_ns, at};
    return {duration_ns, place, alone_ns};
  }

  struct Core {
    std::uint64_t threads = 0;        // that work
    std::uint64_t busy_since_ns = 0;  // without a pause
    std::uint64_t idle_since_ns = 0;
  };
  // Of a thread that works; of those that are free, the next one instead of an end.
  struct Place {
    std::uint64_t end_ns = 0;
    std::uint32_t core = 0;
  };
  static constexpr std::uint32_t kNone = 0xffff'ffff;

  // Of those who waited for the device, its share goes to the first core that no thread has had for
  // long without a pause, as one that has is moved away from it, and stays there until then.
  void gather(std::uint64_t now_ns, Thread& thread) {
    constexpr std::uint64_t kOne = std::uint64_t{1} << kSlowdownBits;
    if (thread.gathered_core && !is_shared(now_ns, *thread.gathered_core)) {
      thread.gathered_core.reset();
    }
    if (!std::exchange(thread.has_waited, false)) return;
    thread.gathered_core.reset();
    gather_credit_ += gather_share_;
    if (gather_credit_ < kOne) return;
    gather_credit_ -= kOne;
    for (std::uint32_t at = 0; at < cores_.size() && !thread.gathered_core; ++at) {
      if (is_shared(now_ns, at)) thread.gathered_core = at;
    }
  }
  [[nodiscard]] bool is_shared(std::uint64_t now_ns, std::uint32_t at) const {
    constexpr std::uint64_t kTickNs = 4'000'000;  // of many schedulers, at which they balance
    return cores_[at].threads == 0 || now_ns - cores_[at].busy_since_ns < kTickNs;
  }

  // A thread that goes on where it has just ended something stays; others go to the core with the
  // fewest, of several that work alike to the next one in turn: whoever has a core to itself, a
  // client say, would otherwise keep it from all that come later, or from none.
  [[nodiscard]] std::uint32_t core_for(std::uint64_t now_ns) {
    const Core& last = cores_[last_idle_core_];
    if (last.threads == 0 && last.idle_since_ns == now_ns) return last_idle_core_;
    const auto count = static_cast<std::uint32_t>(cores_.size());
    std::uint32_t core = next_core_;
    std::uint32_t at = core;
    for (std::uint32_t i = 1; i < count && cores_[core].threads > 0; ++i) {
      at = at + 1 == count ? 0 : at + 1;
      if (cores_[at].threads < cores_[core].threads) core = at;
    }
    if (cores_[core].threads > 0) next_core_ = core + 1 == count ? 0 : core + 1;
    return core;
  }
  // Two that share a core each lose as much as the shorter one has to do. Returns what a newcomer
  // loses, and has those that are there lose it.
  [[nodiscard]] std::uint64_t share(std::uint64_t now_ns, std::uint32_t core,
                                    std::uint64_t duration_ns) {
    std::uint64_t lost_ns = 0;
    for (Place& place : places_) {
      if (place.core != core) continue;
      const std::uint64_t both_ns = std::min(duration_ns, place.end_ns - now_ns);
      place.end_ns += both_ns;
      lost_ns += both_ns;
    }
    return lost_ns;
  }
  [[nodiscard]] std::uint32_t take_place() {
    if (first_free_ == kNone) {
      places_.push_back({});
      return static_cast<std::uint32_t>(places_.size() - 1);
    }
    const std::uint32_t place = first_free_;
    first_free_ = static_cast<std::uint32_t>(places_[place].end_ns);
    return place;
  }

  std::vector<Core> cores_;
  std::uint32_t last_idle_core_ = 0;
  std::uint32_t next_core_ = 0;
  std::vector<Place> places_;
  std::uint32_t first_free_ = kNone;
  std::array<std::uint64_t, 2> slowdowns_;  // by Kind
  std::uint64_t gather_share_ = 0;          // kSlowdownBits
  std::uint64_t gather_credit_ = 0;         // of those that woke, not yet a whole one
  std::uint64_t busy_cores_ = 0;
  std::uint64_t busy_ns_ = 0;
};

}  // namespace lsmlab
