// Writes measured devices as files that `--device FILE` reads, and measures the device of an
// experiment.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "engine/calibration/calibrate.h"

namespace lsmlab {

/// A description: "AMD EPYC, 2 cores, Linux 6.1; ext4 on /dev/vda at DIR, direct I/O; measured DATE
/// by lsmlab ...".
[[nodiscard]] std::string calibration_words(const engine::Calibration& calibration,
                                            const std::string& directory);

/// The JSON text of a device, with schema "lsmlab.device/1" (docs/time.md): its parameters, and
/// every measured row from which they follow.
[[nodiscard]] std::string device_json_text(const engine::Calibration& calibration,
                                           const std::string& directory);

/// The JSON text of the mean of several calibrations. A number is the mean (figure_mean.h) if all
/// calibrations have it, else that of the first. The rows are those of all. REQUIRES: at least two.
[[nodiscard]] std::string mean_device_text(std::span<const nlohmann::ordered_json> devices);

/// Measures the disk under the options' directory, which is created if needed, and writes the
/// device to `path`. Does nothing if that file exists. Returns false if it was stopped. Errors:
/// those of the calibration; the file cannot be written.
[[nodiscard]] Result<bool> ensure_device(const std::string& path,
                                         const engine::CalibrateOptions& options);

}  // namespace lsmlab
