// The machine of a simulated run with a clock: the storage device, and the cost of the store's work
// on a processor. `lsmlab calibrate` measures the figures of a real machine; configs/devices/ has
// presets.
//
// A request occupies one of the device's `parallelism` places. The single channel transfers
// requests in the order of arrival (large ones alternate, sharing_effect.h). A request is done one
// latency after its transfer:
//
//   start  = when a place is free        end of transfer = max(start, channel free) + transfer
//   done   = end of transfer + latency   the place is held from start to done
//
// The latency is busy_latency_ns longer for each other request in service at the start, and
// other_size_latency_ns longer for each of these of the other size (large: half of request_bytes or
// more). If others are in service, the transfer takes at least request_ns divided by their number,
// this one included.
//
// So one request at a time reaches a rate of 1 / (transfer + latency). Many reach the bandwidth or
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
  /// What `lsmlab calibrate` derives, for all parts: each parameter is in exactly one row.
  [[nodiscard]] static std::vector<CalibrationRow> calibration();
};

/// A device model with its name, as a run uses and reports it.
struct ConfiguredDevice {
  std::string name;
  std::string label;
  ResolvedOptions options;
  DeviceModel model;
};

/// Errors: all unknown parameters and all values out of range, each by name.
[[nodiscard]] Result<ConfiguredDevice> make_device(const std::string& name,
                                                   const Parameters& parameters);

}  // namespace lsmlab
