// The machine that a simulated store and its clients run on: device, processor, the background
// workers' threads, flash wear, and the limit of processor time. Store and clients share one
// object. Not thread safe.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/base/error.h"
#include "models/machine/cpu_quota.h"
#include "models/machine/cpu_share.h"
#include "models/machine/device_model.h"
#include "models/machine/device_server.h"
#include "models/machine/flash_wear.h"
#include "models/machine/slowdown.h"
#include "models/machine/worker_thread.h"

namespace lsmlab {

class SimulatedMachine {
 public:
  SimulatedMachine(const DeviceModel& model, std::size_t workers)
      : model_(model),
        device_(model),
        cpu_(model.cpu),
        quota_(model.cpu),
        busy_cores_slowdown_(scaled_slowdown(model.contention.busy_cores_slowdown)),
        wait_share_(scaled_slowdown(model.cpu.cores.wait_share)),
        merge_part_slowdown_(scaled_slowdown(model.cpu.cores.merge_part_slowdown)),
        workers_(workers) {}

  /// Makes the flash drive, with the model's other data on it, if the model has flash. Errors: the
  /// geometry's faults.
  [[nodiscard]] Result<void> make_flash() {
    if (!model_.flash.capacity) return success();
    flash_.emplace(BOOST_OUTCOME_TRYX(FlashWearMeter::create(model_)));
    return success();
  }

  [[nodiscard]] const DeviceModel& model() const { return model_; }
  [[nodiscard]] const WorkCosts& costs() const { return model_.cpu.costs; }
  [[nodiscard]] DeviceServer& device() { return device_; }
  [[nodiscard]] const DeviceServer& device() const { return device_; }
  [[nodiscard]] CpuShare& cpu() { return cpu_; }
  /// Null if the model has no flash.
  [[nodiscard]] FlashWearMeter* flash() { return flash_ ? &*flash_ : nullptr; }
  [[nodiscard]] std::optional<FlashFigures> flash_figures(std::uint64_t nanoseconds) const {
    if (!flash_) return std::nullopt;
    return flash_->figures(nanoseconds);
  }

  /// The slowdown of a request that a thread waits for, given how many other cores work now;
  /// kSlowdownBits.
  [[nodiscard]] std::uint64_t request_slowdown() const {
    return cpu_.of_busy_cores(busy_cores_slowdown_);
  }

  /// By which a merge's work takes longer for each further thread that divides it; kSlowdownBits.
  [[nodiscard]] std::uint64_t merge_part_slowdown() const { return merge_part_slowdown_; }

  [[nodiscard]] std::size_t workers() const { return workers_.size(); }
  [[nodiscard]] const WorkerThread& worker(std::uint32_t index) const { return workers_[index]; }
  void add_worker() { workers_.emplace_back(); }
  /// The worker begins a plan, on a thread of its own.
  void begin_plan(std::uint32_t index) { workers_[index] = {}; }
  /// Begins work. Returns when it is done, unless another thread joins the core meanwhile.
  [[nodiscard]] std::uint64_t work(std::uint64_t now_ns, std::uint32_t index,
                                   std::uint64_t work_ns) {
    return workers_[index].begin_work(now_ns, cpu_, work_ns);
  }
  /// Begins a request. Returns when it is done, unless another one shares the channel with it.
  [[nodiscard]] std::uint64_t transfer(std::uint64_t now_ns, std::uint32_t index,
                                       const ServedRequest& request) {
    return workers_[index].begin_request(now_ns, device_, request);
  }
  /// How much longer the worker's work or request takes, or the worker then waits for a core. 0: it
  /// is done.
  [[nodiscard]] std::uint64_t late_ns(std::uint64_t now_ns, std::uint32_t index) {
    return workers_[index].late_ns(now_ns, cpu_, device_, wait_share_);
  }

  [[nodiscard]] bool has_quota() const { return quota_.is_limited(); }
  /// Looks at the used processor time. If it is used up, pauses the whole machine for stop_ns from
  /// now on. REQUIRES: as for CpuQuota::look().
  [[nodiscard]] CpuQuota::Look look_at_quota(std::uint64_t now_ns) {
    const CpuQuota::Look look =
        quota_.look(now_ns, cpu_.cores_ns(now_ns), device_.at_work_ns(now_ns));
    if (look.stop_ns > 0) stand_still(now_ns, look.stop_ns);
    return look;
  }
  /// How often and for how long the processor time was used up.
  [[nodiscard]] std::uint64_t stops() const { return stops_; }
  [[nodiscard]] std::uint64_t stopped_ns() const { return stopped_ns_; }

 private:
  void stand_still(std::uint64_t now_ns, std::uint64_t stop_ns) {
    ++stops_;
    stopped_ns_ += stop_ns;
    device_.stand_still(now_ns, stop_ns);
    cpu_.stand_still(now_ns, stop_ns);
    for (WorkerThread& worker : workers_) worker.stand_still(stop_ns);
  }

  const DeviceModel model_;
  DeviceServer device_;
  CpuShare cpu_;
  CpuQuota quota_;
  const std::uint64_t busy_cores_slowdown_;
  const std::uint64_t wait_share_;
  const std::uint64_t merge_part_slowdown_;
  std::vector<WorkerThread> workers_;
  std::optional<FlashWearMeter> flash_;
  std::uint64_t stops_ = 0;
  std::uint64_t stopped_ns_ = 0;
};

}  // namespace lsmlab
