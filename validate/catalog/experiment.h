// Experiments: which policies and workloads are simulated and measured side by side, on which
// store, and how far the figures may be apart (docs/validation.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/error.h"
#include "models/base/spec.h"

namespace lsmlab {

/// Where measured figures come from.
enum class MeasuredStore { kEngine, kRocksdb, kLeveldb };
[[nodiscard]] const char* store_name(MeasuredStore store);

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

/// One policy on one workload, simulated and, where there is a store, measured.
struct ExperimentCell {
  std::string group;
  Spec policy;  // with the layout of the store's files
  Spec workload;
  std::optional<MeasuredStore> store = MeasuredStore::kEngine;  // nothing: simulated only
  bool is_stepped = true;
  // Simulated with a clock on this device, where the store runs threaded on what it stands for.
  std::optional<Spec> device = {};
  Spec clients{"closed", {}};  // of what is simulated only; a store has one in a closed loop
  unsigned merge_threads = 1;
  Parameters stalls = {};  // what is not as in the policy's system (models/execution/write_stall.h)
  bool direct_io = false;  // of our engine, around the page cache
  std::uint64_t runs = 1;  // of the store; their mean is compared
  // On the disk at hand, once it was measured: device files, one of before the first run and one of
  // after each.
  std::vector<std::string> calibrations = {};
  std::uint64_t seed = 1;
};

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
