// Writes measured devices as files that `--device FILE` reads, and measures the device of an
// experiment.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "engine/calibration/calibrate.h"
#include "validate/results/json_shape.h"

namespace lsmlab {

/// A description: "AMD EPYC, 2 cores, Linux 6.1; ext4 on /dev/vda at DIR, direct I/O; measured DATE
/// by lsmlab ...".
[[nodiscard]] std::string calibration_words(const engine::Calibration& calibration,
                                            const std::string& directory);

/// The JSON text of a device, with schema "lsmlab.device/1" (docs/time.md): its parameters, and
/// every measured row from which they follow.
[[nodiscard]] std::string device_json_text(const engine::Calibration& calibration,
                                           const std::string& directory);

/// The same of a device of which only parameters are known: nothing was measured.
[[nodiscard]] std::string device_json_text(const DeviceModel& model,
                                           const std::string& description);

/// The parameters that DeviceModel declares as numbers, in the order of declaration.
[[nodiscard]] std::vector<std::string> numeric_device_parameters();

/// The members that mean_device_text() and readers of a device's parameters need: every parameter
/// that DeviceModel declares as a number is a number.
[[nodiscard]] const JsonShape& measured_device_shape();

/// The JSON text of the mean of several calibrations. A number is averaged as its declaration says
/// (OptionInfo::averaging) if all calibrations have it; otherwise it is that of the first. The rows
/// are those of all. REQUIRES: at least two devices of measured_device_shape().
[[nodiscard]] std::string mean_device_text(std::span<const nlohmann::ordered_json> devices);

/// Measures the disk under the options' directory, which is created if needed, and writes the
/// device to `path`. Does nothing if that file exists. Returns false if it was stopped. Errors:
/// those of the calibration; the file cannot be written.
[[nodiscard]] Result<bool> ensure_device(const std::string& path,
                                         const engine::CalibrateOptions& options);

}  // namespace lsmlab
