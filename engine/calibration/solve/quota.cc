#include "engine/calibration/solve/quota.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/calibration/solve/figures.h"

namespace lsmlab::engine {

void derive_quota(const QuotaFigures& figures, CpuModel& cpu) {
  constexpr double kLeastShare = 0.02;  // less is what other machines take now and then
  constexpr std::uint64_t kLeastStops = 3;
  constexpr double kMillisecond = 1e-3;
  const auto is_limited = [](const QuotaFigures::Part& part) {
    return part.stops >= kLeastStops && part.stopped_share >= kLeastShare;
  };
  const auto cores = static_cast<double>(cpu.cores.count);
  const QuotaFigures::Part& all = figures.cores_and_disk;
  const bool cores_are = is_limited(figures.cores);
  if (!cores_are && !is_limited(all)) return;
  // Where work alone is not stopped there is as much as it can use.
  const double quota = cores_are ? cores * (1 - figures.cores.stopped_share) : cores;
  const auto used = [&](const QuotaFigures::Part& part) {
    return quota / (1 - part.stopped_share);
  };
  const auto disk = [](const QuotaFigures::Part& part) {
    return part.disk_share / (1 - part.stopped_share);
  };
  constexpr double kLeastDisk = 0.1;  // less tells nothing of what it needs
  double device = 0;
  if (disk(all) >= kLeastDisk) device = std::max(0.0, (used(all) - cores) / disk(all));
  const QuotaFigures::Part& idle = figures.idle_and_disk;
  double idle_share = 0;
  if (cpu.cores.count > 1 && is_limited(idle) && disk(idle) >= kLeastDisk) {
    const double disk_cpu = idle.disk_cpu_share / (1 - idle.stopped_share);
    const double idle_cores = std::max(kLeastDisk, 1 - disk_cpu) * disk(idle);
    const double polled = used(idle) - (cores - 1) - disk_cpu - device * disk(idle);
    idle_share = std::clamp(polled / idle_cores, 0.0, 1.0);
  }
  const double period = (cores_are ? figures.cores : all).period_seconds;
  constexpr std::uint32_t kParts = 1000;
  cpu.quota.cores = {static_cast<std::uint32_t>(std::llround(quota * kParts)), kParts};
  cpu.quota.device = slowdown_of(device);
  cpu.quota.idle = slowdown_of(idle_share);
  if (period <= 0) return;
  const std::uint64_t milliseconds_whole = whole(period / kMillisecond);
  cpu.quota.period_ns = std::clamp<std::uint64_t>(milliseconds_whole, 1, 10'000) * 1'000'000;
}

}  // namespace lsmlab::engine
