// The effects of a simulated device, in the order in which they act on a request. An effect is a
// class of a file of its own, with:
//
//   Effect(const DeviceModel&)
//   void account(const DeviceFigures&, DeviceAccount&) const   its conservation rule: it adds what
//                                                              it answers for, and checks the rest
//   void serve(DeviceState&, Service&)                         optional: changes a request's times
//   void stand_still(delay)                                    optional: delay(time) for its times
//
// A new effect is that file and its test, the parameters in a part of DeviceModel, and an entry
// here.
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

// The first three say what a request takes and when it may begin, the last of those that serve
// when it is done.
using DeviceEffects =
    std::tuple<TransferEffect, LatencyEffect, PlaceEffect, BusyCoresEffect, ContentionEffect,
               PauseEffect, SharingEffect, TrimEffect, BackgroundEffect>;

}  // namespace lsmlab
