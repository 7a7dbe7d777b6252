// The processor of a simulated run. A thread that begins work goes to the core with the fewest
// threads, or to the core on which threads gather that waited for the device. The threads of a core
// share it equally, as with a scheduler that has one queue per core. The more cores work, the
// slower is all work, because cores share caches, memory and often execution units. begin() returns
// how long work takes unless other threads join its core later. So its caller asks left_ns() at the
// announced end, and waits on if time is left. Not thread safe.
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

  /// Work of a thread, from begin() to end().
  struct Work {
    std::uint64_t duration_ns = 0;  // as computed when it began
    std::uint32_t place = 0;
    std::uint64_t alone_ns = 0;  // duration on a core of its own
  };

  /// What a thread's next work depends on.
  struct Thread {
    bool has_waited = false;  // for the device, since its last work
    std::optional<std::uint32_t> gathered_core;
  };

  /// Begins work. Its duration is rounded up.
  [[nodiscard]] Work begin(std::uint64_t now_ns, std::uint64_t work_ns, Kind kind = Kind::kClient) {
    return begin_at(core_for(now_ns), now_ns, work_ns, kind);
  }
  /// The same for a thread that may have waited for the device.
  [[nodiscard]] Work begin(std::uint64_t now_ns, std::uint64_t work_ns, Kind kind, Thread& thread) {
    if (gather_share_ > 0) gather(now_ns, thread);
    const std::uint32_t at = thread.gathered_core ? *thread.gathered_core : core_for(now_ns);
    return begin_at(at, now_ns, work_ns, kind);
  }
  /// Time that work which was due to end now still needs, because other threads joined its core. 0:
  /// it is done.
  [[nodiscard]] std::uint64_t left_ns(std::uint64_t now_ns, const Work& work) const {
    return places_[work.place].end_ns - now_ns;
  }
  /// REQUIRES: left_ns() is 0.
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
  /// Whether work that begins now continues, alone, on the core on which work has just ended.
  [[nodiscard]] bool goes_on_alone(std::uint64_t now_ns) const {
    const Core& last = cores_[last_idle_core_];
    return last.places.empty() && last.idle_since_ns == now_ns;
  }
  /// How long such work takes.
  [[nodiscard]] std::uint64_t alone_ns(std::uint64_t work_ns, Kind kind) const {
    return slowed_ns(work_ns, busy_cores_, kind);
  }
  /// Does such work at once: a client's pieces, each begun when the last one ended. `work_ns`: the
  /// sum of the pieces, which take alone_ns() each. REQUIRES: goes_on_alone(begin_ns); no other
  /// work begins or ends before `end_ns`.
  void work_alone(std::uint64_t begin_ns, std::uint64_t end_ns, std::uint64_t work_ns) {
    cores_ns(begin_ns);
    ++busy_cores_;
    cores_ns(end_ns);
    --busy_cores_;
    busy_ns_ += work_ns;
    cores_[last_idle_core_].idle_since_ns = end_ns;
  }
  /// Scales a slowdown by the share of the other cores that work now. `whole`: the slowdown while
  /// all other cores work.
  [[nodiscard]] std::uint64_t of_busy_cores(std::uint64_t whole) const {
    const std::uint64_t others = cores_.size() - 1;
    if (others == 0) return 0;
    return busy_cores_ >= others ? whole : whole * busy_cores_ / others;
  }
  /// How long a thread that could continue now waits for a core. It gets an idle core at once. If
  /// all cores are busy, the scheduler queues it behind another thread for as long as that has
  /// already worked, but at most for `most`. Which thread is a matter of chance, so the wait is the
  /// mean over all cores.
  [[nodiscard]] std::uint64_t wait_ns(std::uint64_t now_ns, std::uint64_t most) const {
    if (most == 0 || cores_.size() == 1 || busy_cores_ < cores_.size()) return 0;
    std::uint64_t sum = 0;
    for (const Core& core : cores_) sum += std::min(most, now_ns - core.busy_since_ns);
    return sum / cores_.size();
  }
  /// All work begun so far, on all cores, as the time that it takes a thread alone.
  [[nodiscard]] std::uint64_t busy_ns() const { return busy_ns_; }
  /// Sum over all cores of the time that they have worked until now. REQUIRES: times do not
  /// decrease from call to call.
  std::uint64_t cores_ns(std::uint64_t now_ns) {
    cores_ns_ += busy_cores_ * (now_ns - noted_ns_);
    noted_ns_ = now_ns;
    return cores_ns_;
  }
  /// Pauses all threads from now on for stop_ns: running work ends that much later.
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
  // Slowdown for each other core that works; together they make the whole slowdown.
  static std::uint64_t slowdown_per_core(const Decimal& slowdown, std::uint64_t cores) {
    const std::uint64_t others = cores > 1 ? cores - 1 : 1;
    return scaled_slowdown(slowdown) / others;
  }

  // The time of work while so many other cores work.
  [[nodiscard]] std::uint64_t slowed_ns(std::uint64_t work_ns, std::uint64_t others,
                                        Kind kind) const {
    const std::uint64_t slowdown = slowdowns_[static_cast<std::size_t>(kind)];
    if (others == 0 || slowdown == 0) return work_ns;
    constexpr std::uint64_t kOne = std::uint64_t{1} << kSlowdownBits;
    const Uint128 scaled = Uint128{work_ns} * (kOne + others * slowdown);
    return static_cast<std::uint64_t>((scaled + kOne - 1) >> kSlowdownBits);
  }

  [[nodiscard]] Work begin_at(std::uint32_t at, std::uint64_t now_ns, std::uint64_t work_ns,
                              Kind kind) {
    Core& core = cores_[at];
    const std::uint64_t others = busy_cores_ - (core.places.empty() ? 0 : 1);
    busy_ns_ += work_ns;
    const std::uint64_t duration_ns = slowed_ns(work_ns, others, kind);
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
    std::vector<std::uint32_t> places;  // of its working threads, by work left, least first
    std::uint64_t worked_until_ns = 0;  // their left_ns is the work left at this time
    std::uint64_t busy_since_ns = 0;    // without a pause since then
    std::uint64_t idle_since_ns = 0;
  };
  // Belongs to a working thread. In a free place, end_ns is the number of the next free place.
  struct Place {
    std::uint64_t end_ns = 0;
    std::uint64_t left_ns = 0;  // of its work
    std::uint32_t core = 0;
  };
  static constexpr std::uint32_t kNone = 0xffff'ffff;

  // gather_share of the threads that waited for the device continue on the first core that is idle
  // or has been busy for less than a tick. They stay there until the core has been busy for a tick:
  // then the scheduler moves a thread away from it.
  void gather(std::uint64_t now_ns, Thread& thread) {
    if (thread.gathered_core && !is_shared(now_ns, *thread.gathered_core)) {
      thread.gathered_core.reset();
    }
    if (!std::exchange(thread.has_waited, false)) return;
    thread.gathered_core.reset();
    // This sequence spreads the chosen threads evenly, but not in fixed turns, because threads wake
    // in turn themselves.
    gather_turn_ += 0x9e37'79b9'7f4a'7c15;
    if (gather_turn_ >> (64 - kSlowdownBits) >= gather_share_) return;
    for (std::uint32_t at = 0; at < cores_.size() && !thread.gathered_core; ++at) {
      if (is_shared(now_ns, at)) thread.gathered_core = at;
    }
  }
  [[nodiscard]] bool is_shared(std::uint64_t now_ns, std::uint32_t at) const {
    constexpr std::uint64_t kTickNs = 4'000'000;  // at which many schedulers balance cores
    return cores_[at].places.empty() || now_ns - cores_[at].busy_since_ns < kTickNs;
  }

  // A thread that continues just when work on a core ended stays on that core. Others go to the
  // core with the fewest threads, and to equally busy cores in turn. Otherwise a thread with a core
  // of its own, such as a client, would share it with all newcomers or with none.
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
  // Updates the work left of each thread of a core. All threads have equal parts of the core. A
  // thread that is done leaves its part to the others. A remainder of less than a nanosecond per
  // thread is kept for the next update.
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
  // Adds a thread to a busy core, whose other threads then end later.
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
  std::uint64_t cores_ns_ = 0;  // as of noted_ns_
  std::uint64_t noted_ns_ = 0;
};

}  // namespace lsmlab
