// The processor of a simulated run. A thread that begins to work goes to the core with the fewest,
// or where those gather that waited for the device; those of one core share it alike, as a
// scheduler with a queue for each core has it, and all go slower the more cores work, as they share
// caches, memory and often execution units. How long a piece of work takes is reckoned when it
// begins, and grows by what those take that come to its core later: who waited for its end asks
// left_ns() and waits on. Not thread safe.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "models/base/check.h"
#include "models/base/units.h"
#include "models/machine/cpu_model.h"
#include "models/machine/slowdown.h"

namespace lsmlab {

class CpuShare {
 public:
  explicit CpuShare(const CpuModel& model)
      : cores_(model.cores.count),
        slowdowns_{slowdown_per_core(model.cores.busy_slowdown, model.cores.count),
                   slowdown_per_core(model.cores.merge_busy_slowdown, model.cores.count)},
        gather_share_(scaled_slowdown(model.cores.gather_share)) {}

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
  /// REQUIRES: it is over, by left_ns().
  void end(std::uint64_t now_ns, const Work& work) {
    const std::uint32_t at = places_[work.place].core;
    CHECK(at != kNone);
    Core& core = cores_[at];
    if (core.places.size() > 1) work_on(now_ns, core);
    core.places.erase(std::find(core.places.begin(), core.places.end(), work.place));
    places_[work.place] = {first_free_, 0, kNone};
    first_free_ = work.place;
    if (!core.places.empty()) return;
    cores_ns(now_ns);
    --busy_cores_;
    core.idle_since_ns = now_ns;
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
  /// For which cores have worked until now, of all of them. REQUIRES: no less than any time before.
  std::uint64_t cores_ns(std::uint64_t now_ns) {
    cores_ns_ += busy_cores_ * (now_ns - noted_ns_);
    noted_ns_ = now_ns;
    return cores_ns_;
  }
  /// Nobody works from now on for so long: what is under way ends as much later.
  void stand_still(std::uint64_t now_ns, std::uint64_t stop_ns) {
    cores_ns(now_ns);
    noted_ns_ += stop_ns;
    for (Core& core : cores_) {
      if (core.places.empty()) continue;
      core.worked_until_ns += stop_ns;
      core.busy_since_ns += stop_ns;
      for (const std::uint32_t place : core.places) places_[place].end_ns += stop_ns;
    }
  }

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
    const std::uint64_t others = busy_cores_ - (core.places.empty() ? 0 : 1);
    busy_ns_ += work_ns;
    std::uint64_t duration_ns = work_ns;
    if (others > 0 && slowdown > 0) {
      constexpr std::uint64_t kOne = std::uint64_t{1} << kSlowdownBits;
      const Uint128 scaled = Uint128{work_ns} * (kOne + others * slowdown);
      duration_ns = static_cast<std::uint64_t>((scaled + kOne - 1) >> kSlowdownBits);
    }
    const std::uint32_t place = take_place();
    places_[place] = {now_ns + duration_ns, duration_ns, at};
    if (core.places.empty()) {
      cores_ns(now_ns);
      ++busy_cores_;
      if (core.idle_since_ns != now_ns) core.busy_since_ns = now_ns;
      core.worked_until_ns = now_ns;
      core.places.push_back(place);
    } else {
      join(now_ns, core, place);
    }
    return {places_[place].end_ns - now_ns, place, duration_ns};
  }

  struct Core {
    std::vector<std::uint32_t> places;  // of the threads that work, who has least left first
    std::uint64_t worked_until_ns = 0;  // left_ns of these is of then
    std::uint64_t busy_since_ns = 0;    // without a pause
    std::uint64_t idle_since_ns = 0;
  };
  // Of a thread that works; of those that are free, the next one instead of an end.
  struct Place {
    std::uint64_t end_ns = 0;
    std::uint64_t left_ns = 0;  // of its work
    std::uint32_t core = 0;
  };
  static constexpr std::uint32_t kNone = 0xffff'ffff;

  // Of those who waited for the device, its share goes to the first core that no thread has had for
  // long without a pause, as one that has is moved away from it, and stays there until then.
  void gather(std::uint64_t now_ns, Thread& thread) {
    if (thread.gathered_core && !is_shared(now_ns, *thread.gathered_core)) {
      thread.gathered_core.reset();
    }
    if (!std::exchange(thread.has_waited, false)) return;
    thread.gathered_core.reset();
    // Spread evenly, and not by turns: threads wake by turns themselves.
    gather_turn_ += 0x9e37'79b9'7f4a'7c15;
    if (gather_turn_ >> (64 - kSlowdownBits) >= gather_share_) return;
    for (std::uint32_t at = 0; at < cores_.size() && !thread.gathered_core; ++at) {
      if (is_shared(now_ns, at)) thread.gathered_core = at;
    }
  }
  [[nodiscard]] bool is_shared(std::uint64_t now_ns, std::uint32_t at) const {
    constexpr std::uint64_t kTickNs = 4'000'000;  // of many schedulers, at which they balance
    return cores_[at].places.empty() || now_ns - cores_[at].busy_since_ns < kTickNs;
  }

  // A thread that goes on where it has just ended something stays; others go to the core with the
  // fewest, of several that work alike to the next one in turn: whoever has a core to itself, a
  // client say, would otherwise keep it from all that come later, or from none.
  [[nodiscard]] std::uint32_t core_for(std::uint64_t now_ns) {
    const Core& last = cores_[last_idle_core_];
    if (last.places.empty() && last.idle_since_ns == now_ns) return last_idle_core_;
    const auto count = static_cast<std::uint32_t>(cores_.size());
    std::uint32_t core = next_core_;
    std::uint32_t at = core;
    for (std::uint32_t i = 1; i < count && !cores_[core].places.empty(); ++i) {
      at = at + 1 == count ? 0 : at + 1;
      if (cores_[at].places.size() < cores_[core].places.size()) core = at;
    }
    if (!cores_[core].places.empty()) next_core_ = core + 1 == count ? 0 : core + 1;
    return core;
  }
  // Brings what is left of each thread's work up to now: each has as much of the core as the
  // others, and who is done leaves its part to them. Less than a nanosecond each is kept for later.
  void work_on(std::uint64_t now_ns, Core& core) {
    std::uint64_t elapsed_ns = now_ns - core.worked_until_ns;
    std::uint64_t each_ns = 0;
    std::uint64_t sharing = core.places.size();
    for (const std::uint32_t place : core.places) {
      const std::uint64_t next_ns = places_[place].left_ns - each_ns;
      if (elapsed_ns < next_ns * sharing) {
        each_ns += elapsed_ns / sharing;
        elapsed_ns %= sharing;
        break;
      }
      each_ns += next_ns;
      elapsed_ns -= next_ns * sharing;
      if (--sharing == 0) elapsed_ns = 0;
    }
    core.worked_until_ns = now_ns - elapsed_ns;
    for (const std::uint32_t place : core.places) {
      places_[place].left_ns -= std::min(places_[place].left_ns, each_ns);
    }
  }
  // A thread comes to others, which all end later then.
  void join(std::uint64_t now_ns, Core& core, std::uint32_t newcomer) {
    work_on(now_ns, core);
    const auto has_less = [&](std::uint32_t a, std::uint32_t b) {
      return places_[a].left_ns < places_[b].left_ns;
    };
    core.places.insert(std::upper_bound(core.places.begin(), core.places.end(), newcomer, has_less),
                       newcomer);
    std::uint64_t end_ns = core.worked_until_ns;
    std::uint64_t each_ns = 0;
    std::uint64_t sharing = core.places.size();
    for (const std::uint32_t place : core.places) {
      end_ns += (places_[place].left_ns - each_ns) * sharing--;
      each_ns = places_[place].left_ns;
      places_[place].end_ns = std::max(now_ns, end_ns);
    }
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
  std::uint64_t gather_turn_ = 0;
  std::uint64_t busy_cores_ = 0;
  std::uint64_t busy_ns_ = 0;
  std::uint64_t cores_ns_ = 0;  // until noted_ns_
  std::uint64_t noted_ns_ = 0;
};

}  // namespace lsmlab
