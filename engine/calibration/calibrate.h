// Measures a disk, and this machine's processor at the work of a store, and finds the device model
// (models/machine/device_model.h) that gives what was measured.
//
// rows/ declares what is measured, measure/ fills it, solve/ derives each part of the model from
// its rows.
//
// Disk: closed loops of `depth` clients on one scratch file. A client sends its next request when
// the last one is done. Every row is measured in rounds spread over the run, so that a disturbance
// meets few of a row's rounds. The mean of a disk row's rounds counts, as throughput follows all
// that a machine does; without rounds of more than twice the median, and without pauses, which the
// model has apart. In the model such a loop of n clients runs at
//   min(1 / transfer, min(n, parallelism) / (transfer + latency))   requests a second
// with a latency that is busy_latency longer for each other request in service. The figures are
// solved from that.
//
// Bandwidths are those of a store's requests by two and four clients: read in sequence, appended to
// a new file each, and both in turn. On many disks many clients' large requests, and requests that
// overwrite, are faster, but no store makes them.
//
// Processor: time that one thread uses, so that neither the disk nor the load of others counts, for
// the work of a store in stepped mode whose blocks are all cached. Each file of solve/ has the
// formula that it solves.
//
// Threading: one thread calls; the disk's clients are threads within.
#pragma once

#include <string>

#include "engine/calibration/rows/calibrate_options.h"
#include "engine/calibration/rows/rows.h"
#include "models/base/error.h"
#include "models/machine/device_model.h"

namespace lsmlab::engine {

struct Calibration : Measurements {
  bool is_complete = false;  // false: it was stopped, and nothing else counts
  DeviceModel model;
  std::string storage;  // "ext4 on /dev/vda"; empty where the system does not tell
};

/// Works in a directory of its own within the given one, and removes it on every outcome. The
/// process keeps the memory that it frees from then on. Errors: there is no such directory, or it
/// may not be written (input); too little space, I/O (machine).
/// REQUIRES: file_bytes >= kCalibrateFileBytesMin, seconds > 0.
[[nodiscard]] Result<Calibration> calibrate(const CalibrateOptions& options);

}  // namespace lsmlab::engine
