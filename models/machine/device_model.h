// What a simulated run needs to know of the machine to keep a clock: the storage device and the
// cost of the store's work on a processor. Figures of a real machine come from `lsmlab calibrate`;
// configs/devices/ has some to begin with.
//
// A request takes a place at the device (`parallelism` of them), is transferred over its one
// channel in the order of arrival (large ones by turns, device_server.h), and is done a latency
// after it:
//
//   start  = when a place is free        end of transfer = max(start, channel free) + transfer
//   done   = end of transfer + latency   the place is held from start to done
//
// where the latency is longer by busy_latency_ns for each other request that is not done at the
// start, by other_size_latency_ns for each of the other size of them (large: of half of
// request_bytes or more), and the transfer at least request_ns divided by all of them where there
// are others.
//
// So one request at a time runs at 1 / (transfer + latency), many at the bandwidth or at
// parallelism / latency, whichever is less. Pure; times in integer nanoseconds.
#pragma once

#include <string>
#include <vector>

#include "models/base/options.h"
#include "models/machine/channel_model.h"
#include "models/machine/cpu_model.h"
#include "models/machine/durability_model.h"
#include "models/machine/flash_model.h"
#include "models/machine/latency_model.h"
#include "models/machine/model_part.h"
#include "models/machine/pause_model.h"
#include "models/machine/queue_model.h"

namespace lsmlab {

struct DeviceModel {
  ChannelModel channel;
  MixedCurve mixed;
  LatencyModel latency;
  ContentionModel contention;
  SyncModel sync;
  TrimModel trims;
  PauseModel pauses;
  WritebackModel writeback;
  QueueModel queue;
  CpuModel cpu;
  FlashModel flash;

  /// Calls visit(part) for each of them, in the order in which results show their parameters.
  template <typename Self, typename Visit>
  static void for_each_part(Self& self, const Visit& visit) {
    visit(self.channel);
    visit(self.mixed);
    visit(self.latency);
    visit(self.contention);
    visit(self.sync);
    visit(self.trims);
    visit(self.pauses);
    visit(self.writeback);
    visit(self.queue);
    CpuModel::for_each_part(self.cpu, visit);
    visit(self.flash);
  }

  void declare(OptionTable& table);
  /// Every fault.
  [[nodiscard]] std::vector<std::string> validate() const;
  /// What `lsmlab calibrate` solves, of all parts: each parameter stands in one row.
  [[nodiscard]] static std::vector<CalibrationRow> calibration();
};

/// A device model by name, as a run uses and reports it.
struct ConfiguredDevice {
  std::string name;
  std::string label;
  ResolvedOptions options;
  DeviceModel model;
};

/// Errors: unknown parameters, values out of range, each named.
[[nodiscard]] Result<ConfiguredDevice> make_device(const std::string& name,
                                                   const Parameters& parameters);

}  // namespace lsmlab
