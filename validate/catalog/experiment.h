// Experiments: which policies and workloads are simulated and measured side by side, on which
// store, and how far the figures may be apart (docs/validation.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/error.h"
#include "models/base/spec.h"
#include "validate/catalog/run_spec.h"

namespace lsmlab {

/// As a device of a group: the disk that the stores stand on, measured when it is first needed.
inline constexpr const char* kCalibratedDevice = "calibrated";

/// What must hold; what is not given is not asked.
struct ExperimentBounds {
  std::optional<double> write_error;  // of every cell's write amplification, relative
  std::optional<double> r_squared;    // at least, of write amplification over the group's cells
  bool has_same_logs = false;         // plan logs are identical
  // Of cells with a clock: operations a second, relative; the factor between 99th percentiles of
  // puts; that the simulation ranks two policies right wherever one measures more than 10 % faster.
  std::optional<double> throughput_error;
  std::optional<double> put_p99_factor;
  bool has_right_order = false;
  // At least, of the time of the group's merges on what the simulation gives for their bytes.
  std::optional<double> merge_time_r_squared;
};

/// One policy on one workload: simulated, and measured where a store is the source.
struct ExperimentCell {
  std::string group;
  RunSpec spec;  // the source is the simulator where nothing is measured
  // With device "calibrated" there is no simulation before the disk has been measured.
  std::optional<ResolvedRun> simulated = {};
  std::optional<ResolvedRun> measured = {};
  std::uint64_t runs = 1;  // of the store; their mean is compared
  // With device "calibrated", device files: one measured before the first run, and one after each.
  std::vector<std::string> calibrations = {};
};

/// Simulates the cell on the device of a file. Errors: the file is no device.
[[nodiscard]] Result<void> simulate_on(const std::string& device_file, ExperimentCell& cell);
/// The cell's simulation with the plans of a log forced on it, without a clock. Errors: the log
/// cannot be read.
[[nodiscard]] Result<ResolvedRun> simulation_with_forced_plans(const std::string& log,
                                                               const ExperimentCell& cell);

struct ExperimentGroup {
  std::string name;
  std::uint64_t calibrate_seconds =
      60;  // that the disk is measured for, before a cell's first run and after each
  ExperimentBounds bounds;
  std::vector<ExperimentCell> cells;
};

struct Experiment {
  std::string name;
  std::string description;
  std::vector<ExperimentGroup> groups;
  [[nodiscard]] std::size_t cell_count() const;
};

/// Of configs/experiments by its name, or a path to a JSON file. Errors: unknown, with the nearest
/// name; unreadable; not an experiment, with the member; a SPEC that names nothing or has a bad
/// parameter.
[[nodiscard]] Result<Experiment> read_experiment(const std::string& name_or_path);

struct ExperimentInfo {
  std::string name;
  std::string description;
};
[[nodiscard]] std::vector<ExperimentInfo> experiment_presets();

}  // namespace lsmlab
