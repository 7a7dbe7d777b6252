// Measured devices as files that `--device FILE` reads, and where an experiment gets its own from.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "engine/calibration/calibrate.h"

namespace lsmlab {

/// "AMD EPYC, 2 cores, Linux 6.1; ext4 on /dev/vda at DIR, direct I/O; measured DATE by lsmlab
/// ...".
[[nodiscard]] std::string calibration_words(const engine::Calibration& calibration,
                                            const std::string& directory);

/// Schema "lsmlab.device/1" (docs/time.md): parameters, and every row that they follow from.
[[nodiscard]] std::string device_json_text(const engine::Calibration& calibration,
                                           const std::string& directory);

/// The same of several calibrations: numbers are their means (figure_mean.h), where all have them,
/// else the first's; the rows those of all. REQUIRES: at least two.
[[nodiscard]] std::string mean_device_text(std::span<const nlohmann::ordered_json> devices);

/// Measures the disk under the options' directory, which is made where it is not, and writes the
/// device to `path`; nothing to do where that file is. Returns false where it was stopped. Errors:
/// the calibration's; the file cannot be written.
[[nodiscard]] Result<bool> ensure_device(const std::string& path,
                                         const engine::CalibrateOptions& options);

}  // namespace lsmlab
