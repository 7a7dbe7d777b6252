// A limit on processor time, as hosts set it for virtual machines and systems for containers
// (Linux: cpu.max). All cores together have a budget in each period. Once it is used up, everything
// pauses until the next period. A host may also charge its own work for the device's requests, and
// its polling for idle cores. Not thread safe.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/base/check.h"
#include "models/base/units.h"
#include "models/machine/cpu_model.h"
#include "models/machine/slowdown.h"

namespace lsmlab {

class CpuQuota {
 public:
  explicit CpuQuota(const CpuModel& model)
      : period_ns_(model.quota.period_ns),
        budget_ns_(static_cast<std::uint64_t>(Uint128{model.quota.cores.numerator()} * period_ns_ /
                                              model.quota.cores.denominator())),
        device_share_(scaled_slowdown(model.quota.device)),
        idle_share_(scaled_slowdown(model.quota.idle)),
        cores_(model.cores.count),
        fastest_(model.cores.count + 1 + (device_share_ >> kSlowdownBits)) {}

  [[nodiscard]] bool is_limited() const { return budget_ns_ > 0; }

  /// The result of a look. A stop may begin too early, by up to a microsecond of all cores and the
  /// device at work.
  struct Look {
    std::uint64_t next_ns = 0;  // when to look again
    std::uint64_t stop_ns = 0;  // how long everything pauses from now on; 0: no pause
  };
  /// `worked_ns`: the sum over all cores of the time that they worked so far; `device_ns`: the time
  /// that the device worked. REQUIRES: is_limited(); called first at 0, then at each next_ns.
  [[nodiscard]] Look look(std::uint64_t now_ns, std::uint64_t worked_ns, std::uint64_t device_ns) {
    used_ns_ += used_since_ns(now_ns, worked_ns, device_ns);
    last_ns_ = now_ns;
    last_worked_ns_ = worked_ns;
    last_device_ns_ = device_ns;
    const bool is_new = now_ns >= period_end_ns_;
    if (is_new) {
      period_end_ns_ = (now_ns / period_ns_ + 1) * period_ns_;
      used_ns_ = 0;
    }
    const std::uint64_t left_ns = budget_ns_ - std::min(budget_ns_, used_ns_);
    // The next look is before cores and device together can use up the rest, unless that is too
    // soon. Each period begins with at least a grain. If the budget lasts until nearly the end of a
    // period, nothing is stopped.
    const std::uint64_t sure_ns = std::max(left_ns / fastest_, is_new ? kGrainNs : 0);
    const std::uint64_t rest_ns = period_end_ns_ - now_ns;
    if (sure_ns >= kGrainNs || rest_ns < kShortestNs) {
      return {now_ns + std::min(rest_ns, std::max(sure_ns, kGrainNs)), 0};
    }
    return {period_end_ns_, rest_ns};
  }

 private:
  // Budget used since the last look. Assumes that cores are idle while the device works as often as
  // at other times.
  [[nodiscard]] std::uint64_t used_since_ns(std::uint64_t now_ns, std::uint64_t worked_ns,
                                            std::uint64_t device_ns) const {
    CHECK(now_ns >= last_ns_ && worked_ns >= last_worked_ns_ && device_ns >= last_device_ns_);
    const std::uint64_t elapsed_ns = now_ns - last_ns_;
    const std::uint64_t cores_ns = worked_ns - last_worked_ns_;
    const std::uint64_t at_work_ns = device_ns - last_device_ns_;
    Uint128 used = Uint128{at_work_ns} * device_share_;
    if (elapsed_ns > 0) {
      const std::uint64_t all_ns = cores_ * elapsed_ns;
      used += Uint128{all_ns - std::min(all_ns, cores_ns)} * at_work_ns / elapsed_ns * idle_share_;
    }
    return cores_ns + static_cast<std::uint64_t>(used >> kSlowdownBits);
  }

  static constexpr std::uint64_t kGrainNs = 1'000;
  static constexpr std::uint64_t kShortestNs = 10'000;  // shortest stop

  const std::uint64_t period_ns_;
  const std::uint64_t budget_ns_;     // in a period; 0: no limit
  const std::uint64_t device_share_;  // kSlowdownBits
  const std::uint64_t idle_share_;    // kSlowdownBits
  const std::uint64_t cores_;
  const std::uint64_t fastest_;  // most nanoseconds of budget that one nanosecond can use
  std::uint64_t period_end_ns_ = 0;
  std::uint64_t used_ns_ = 0;  // since the period began
  std::uint64_t last_ns_ = 0;  // these three: as of the last look
  std::uint64_t last_worked_ns_ = 0;
  std::uint64_t last_device_ns_ = 0;
};

}  // namespace lsmlab
