// Measures a disk, and this machine's processor at the work of a store. Then it finds the device
// model (models/machine/device_model.h) that predicts the measured figures.
//
// rows/ declares what is measured, measure/ fills in the rows, and solve/ derives each part of the
// model from its rows.
//
// Disk: `depth` clients in a closed loop use one scratch file. A client sends its next request when
// the last one is done. Each row is measured in rounds that are spread over the run, so that a
// disturbance meets few of a row's rounds. The mean of a disk row's rounds counts, because
// throughput follows all that a machine does. It leaves out rounds of more than twice the median,
// and pauses, which are a part of the model themselves. In the model such a loop of n clients
// reaches
//   min(1 / transfer, min(n, parallelism) / (transfer + latency))   requests a second
// with a latency that is busy_latency longer for each other request in service. The parameters are
// solved from that.
//
// Bandwidths are those of a store's requests by two and four clients, which read in sequence,
// append to a new file each, or do both in turn. On many disks large requests of many clients, and
// requests that overwrite, are faster, but no store makes them.
//
// Processor: the time that one thread uses, so that neither the disk nor other load counts. The
// work is that of a store in stepped mode whose blocks are all cached. Each file of solve/ has the
// formula that it solves.
//
// Threading: one thread calls. The clients of the disk are threads of the calibration.
#pragma once

#include <string>

#include "engine/calibration/rows/calibrate_options.h"
#include "engine/calibration/rows/rows.h"
#include "models/base/error.h"
#include "models/machine/device_model.h"

namespace lsmlab::engine {

struct Calibration : Measurements {
  bool is_complete = false;  // false: the run was stopped, and no other member is valid
  DeviceModel model;
  std::string storage;  // such as "ext4 on /dev/vda"; empty if the system does not tell
};

/// Works in a new directory within the given one, and always removes it. From then on the process
/// keeps memory that it frees. Errors: the directory does not exist or is not writable (input); too
/// little space, I/O (machine). REQUIRES: file_bytes >= kCalibrateFileBytesMin, seconds > 0.
[[nodiscard]] Result<Calibration> calibrate(const CalibrateOptions& options);

}  // namespace lsmlab::engine
