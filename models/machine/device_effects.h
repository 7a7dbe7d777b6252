// The effects of a simulated device, in the order in which they act on a request. An effect is a
// class in its own file, with:
//
//   Effect(const DeviceModel&)
//   void account(const DeviceFigures&, DeviceAccount&) const   its conservation rule: it adds the
//                                                              time that it accounts for, and
//                                                              checks its other figures
//   void serve(DeviceState&, Service&)                         optional: changes a request's times
//   void stand_still(delay)                                    optional: calls delay(time) for each
//                                                              time that it keeps
//
// To add an effect: write that file and its test, declare its parameters in a part of DeviceModel,
// and list it here.
#pragma once

#include <tuple>

#include "models/machine/background_effect.h"
#include "models/machine/busy_cores_effect.h"
#include "models/machine/contention_effect.h"
#include "models/machine/latency_effect.h"
#include "models/machine/pause_effect.h"
#include "models/machine/place_effect.h"
#include "models/machine/sharing_effect.h"
#include "models/machine/transfer_effect.h"
#include "models/machine/trim_effect.h"

namespace lsmlab {

// The first three set a request's transfer, latency and start. SharingEffect sets its end.
using DeviceEffects =
    std::tuple<TransferEffect, LatencyEffect, PlaceEffect, BusyCoresEffect, ContentionEffect,
               PauseEffect, SharingEffect, TrimEffect, BackgroundEffect>;

}  // namespace lsmlab
