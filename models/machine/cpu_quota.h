// A limit on processor time, as hosts have it for virtual machines and systems for containers
// (Linux: cpu.max): so much in each period, of all cores together; once it is used up everything
// stands still until the next period. What a host does itself to carry out the device's requests
// may count as well, and that it looks whether an idle core has to go on. Not thread safe.
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

  /// A stop comes up to a microsecond of all cores and the device at work too early.
  struct Look {
    std::uint64_t next_ns = 0;  // when to look again
    std::uint64_t stop_ns = 0;  // for how long everything stands still from now on, until then
  };
  /// `worked_ns`: for which cores worked so far, of all of them; `device_ns`: for which the device
  /// was at work. REQUIRES: limited; called when it was told to, for the first time at 0.
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
    // Sooner than all could use it up, until it is too little to be looked for. In each period
    // there is something, and who has it until nearly the end of one is not stopped.
    const std::uint64_t sure_ns = std::max(left_ns / fastest_, is_new ? kGrainNs : 0);
    const std::uint64_t rest_ns = period_end_ns_ - now_ns;
    if (sure_ns >= kGrainNs || rest_ns < kShortestNs) {
      return {now_ns + std::min(rest_ns, std::max(sure_ns, kGrainNs)), 0};
    }
    return {period_end_ns_, rest_ns};
  }

 private:
  // Since the last look. A core is taken to idle while the device is at work as much as otherwise.
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
  static constexpr std::uint64_t kShortestNs = 10'000;  // of a stop

  const std::uint64_t period_ns_;
  const std::uint64_t budget_ns_;     // of a period; 0: there is no limit
  const std::uint64_t device_share_;  // kSlowdownBits
  const std::uint64_t idle_share_;    // likewise
  const std::uint64_t cores_;
  const std::uint64_t fastest_;  // nanoseconds that can be used in one, at most
  std::uint64_t period_end_ns_ = 0;
  std::uint64_t used_ns_ = 0;  // since the period began
  std::uint64_t last_ns_ = 0;  // of the last look, as the next two
  std::uint64_t last_worked_ns_ = 0;
  std::uint64_t last_device_ns_ = 0;
};

}  // namespace lsmlab
