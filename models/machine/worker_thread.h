// A thread of a flush or merge. It works on the processor, waits for the device, and then for a
// core (CpuShare::wait_ns). Other threads and requests may delay it. So its caller asks late_ns()
// at each announced end. Not thread safe.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "models/machine/cpu_share.h"
#include "models/machine/device_server.h"
#include "models/machine/slowdown.h"

namespace lsmlab {

class WorkerThread {
 public:
  /// Begins work. Returns when it is done, unless another thread joins the core meanwhile.
  /// REQUIRES: the thread is idle.
  [[nodiscard]] std::uint64_t begin_work(std::uint64_t now_ns, CpuShare& cpu, std::uint64_t work_ns,
                                         CpuShare::Kind kind = CpuShare::Kind::kMerge) {
    work_ = cpu.begin(now_ns, work_ns, kind, on_cpu_);
    work_begin_ns_ = now_ns;
    worked_ns_ += work_ns;
    return now_ns + work_->duration_ns;
  }

  /// Begins a request. Returns when it is done, unless another one shares the channel with it.
  /// REQUIRES: as above.
  [[nodiscard]] std::uint64_t begin_request(std::uint64_t now_ns, DeviceServer& device,
                                            const DeviceServer::Request& request) {
    stream_ = request.stream;
    return device.serve(now_ns, request);
  }

  /// How much longer its work or request takes, or the thread then waits for a core. 0: it is done.
  /// `wait_share`: that of CoresModel, in kSlowdownBits.
  [[nodiscard]] std::uint64_t late_ns(std::uint64_t now_ns, CpuShare& cpu, DeviceServer& device,
                                      std::uint64_t wait_share) {
    if (work_) {
      if (const std::uint64_t left = cpu.left_ns(now_ns, *work_); left > 0) return left;
      const CpuShare::Work work = *std::exchange(work_, std::nullopt);
      processor_ns_ += work.alone_ns;
      core_wait_ns_ += now_ns - work_begin_ns_ - work.alone_ns;
      cpu.end(now_ns, work);
      return 0;
    }
    if (!stream_) return 0;
    if (const std::uint64_t late = device.late_ns(*stream_); late > 0) return late;
    stream_.reset();
    on_cpu_.has_waited = true;
    const Uint128 most = Uint128{std::exchange(worked_ns_, 0)} * wait_share;
    const std::uint64_t wait =
        cpu.wait_ns(now_ns, static_cast<std::uint64_t>(most >> kSlowdownBits));
    core_wait_ns_ += wait;
    return wait;
  }

  /// The machine pauses for stop_ns.
  void stand_still(std::uint64_t stop_ns) {
    if (work_) work_begin_ns_ += stop_ns;
  }

  /// processor_ns(): the time of all finished work on a core of its own. core_wait_ns(): all waits
  /// for a core, because other threads shared the core or all cores were busy after a request.
  [[nodiscard]] std::uint64_t processor_ns() const { return processor_ns_; }
  [[nodiscard]] std::uint64_t core_wait_ns() const { return core_wait_ns_; }

 private:
  std::optional<CpuShare::Work> work_;   // running work
  std::optional<std::uint64_t> stream_;  // stream of the request that it waits for
  CpuShare::Thread on_cpu_;
  std::uint64_t work_begin_ns_ = 0;
  std::uint64_t worked_ns_ = 0;  // since it last waited for the device
  std::uint64_t processor_ns_ = 0;
  std::uint64_t core_wait_ns_ = 0;
};

}  // namespace lsmlab
