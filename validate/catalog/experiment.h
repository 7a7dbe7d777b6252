// An experiment lists policies and workloads to simulate and measure, the store to measure, and
// bounds on the differences (docs/validation.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/error.h"
#include "models/base/spec.h"
#include "validate/catalog/run_spec.h"

namespace lsmlab {

/// A group's device with this name means the disk on which the stores run, measured when it is
/// first needed.
inline constexpr const char* kCalibratedDevice = "calibrated";

/// Bounds that must hold; a bound that is not set is not checked.
struct ExperimentBounds {
  std::optional<double> write_error;  // relative error of each cell's write amplification, at most
  std::optional<double> r_squared;    // of write amplification over the group's cells, at least
  bool has_same_logs = false;         // plan logs are identical
  // For cells with a clock: the relative error of operations per second; the factor between
  // simulated and measured 99th percentile of puts; and whether the simulation must order two
  // policies correctly if one measures more than 10 % faster.
  std::optional<double> throughput_error;
  std::optional<double> put_p99_factor;
  bool has_right_order = false;
  // R^2 of the times of the group's merges, regressed on the simulated times for their bytes, at
  // least.
  std::optional<double> merge_time_r_squared;
  // For cells of two resolutions, besides write_error: the relative error of the number of merges,
  // of the bytes of live entries, and of the largest space.
  std::optional<double> merges_error;
  std::optional<double> live_bytes_error;
  std::optional<double> space_transient_error;
};

/// One seed of a cell whose two simulations are compared.
struct ResolutionPair {
  ResolvedRun by_range;
  ResolvedRun by_key;
};

/// One policy on one workload: simulated, and also measured if the source is a store.
struct ExperimentCell {
  std::string group;
  RunSpec spec;  // of the run that is measured, or simulated if nothing is measured
  std::optional<Spec> device = {};  // of the cell's simulation; set if it has a clock
  // With device "calibrated", simulated->device is set once the disk has been
  // measured (validate/runs/calibrated_groups.h).
  std::optional<ResolvedRun> simulated = {};
  std::optional<ResolvedRun> measured = {};
  std::uint64_t runs = 1;  // number of runs of the store; their mean is compared
  // With device "calibrated", paths of device files: one measured before the first run, and one
  // after each run.
  std::vector<std::string> calibrations = {};
  // Of a cell that compares resolution range with resolution key, one for each of `runs` seeds. It
  // has neither `simulated` nor `measured`.
  std::vector<ResolutionPair> pairs = {};
};

/// Whether the cell's device is the disk on which its store runs.
[[nodiscard]] bool is_calibrated(const ExperimentCell& cell);

struct ExperimentGroup {
  std::string name;
  std::uint64_t calibrate_seconds =
      60;  // duration of each disk measurement, before a cell's first run and after each run
  ExperimentBounds bounds;
  std::vector<ExperimentCell> cells;
};

struct Experiment {
  std::string name;
  std::string description;
  std::vector<ExperimentGroup> groups;
  [[nodiscard]] std::size_t cell_count() const;
};

/// Reads an experiment of configs/experiments by its name, or a JSON file by its path. Errors: an
/// unknown name, with the nearest one; an unreadable file; not an experiment, with the member at
/// fault; a SPEC that names nothing or has a bad parameter.
[[nodiscard]] Result<Experiment> read_experiment(const std::string& name_or_path);

struct ExperimentInfo {
  std::string name;
  std::string description;
};
[[nodiscard]] std::vector<ExperimentInfo> experiment_presets();

}  // namespace lsmlab
