#include "validate/runs/calibrated_groups.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "traces/io/output_file.h"
#include "traces/io/text_file.h"
#include "validate/catalog/catalog.h"
#include "validate/catalog/device_file.h"
#include "validate/results/json_shape.h"
#include "validate/results/json_text.h"
#include "validate/runs/validation_runs.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

// The files of a cell's disk measurements: one before the first run and one after each. Their names
// follow from the names of the runs, which follow from all inputs of the runs.
std::vector<std::string> files_of_cell(const std::string& directory, const ExperimentGroup& group,
                                       const std::vector<std::string>& runs) {
  std::string text =
      fmt::format("{} {}", group.calibrate_seconds, group.cells.front().spec.options.direct_io);
  for (const std::string& run : runs) text += ' ' + run;
  const std::string stem =
      fmt::format("{}/{:016x}", directory, XXH3_64bits(text.data(), text.size()));
  std::vector<std::string> files;
  for (std::size_t i = 0; i <= runs.size(); ++i) {
    files.push_back(fmt::format("{}.{}.json", stem, i));
  }
  return files;
}

// Whether each run's result is younger than the measurement before it and older than the one after.
// Files with the right names may come from a time when the cell had more or fewer runs.
bool is_one_time(const std::vector<std::string>& files, const Measurements& found,
                 const ResultDirectory& results) {
  std::error_code ignored;
  const auto written = [&](const std::string& path) {
    return std::filesystem::last_write_time(path, ignored);
  };
  for (std::size_t i = 0; i < found.names.size(); ++i) {
    const auto run = written(results.result_path(found.names[i]));
    if (written(files[i]) > run || run > written(files[i + 1])) return false;
  }
  return true;
}

// Measurements and the runs between them belong together: those of another day say nothing about
// each other. If any is missing, all are removed.
void forget_parts(const std::vector<std::string>& files, const Measurements& found,
                  const ResultDirectory& results) {
  std::error_code ignored;
  const bool are_measured = std::all_of(files.begin(), files.end(), [&](const std::string& path) {
    return std::filesystem::exists(path, ignored);
  });
  if (found.are_there && are_measured && is_one_time(files, found, results)) return;
  for (const std::string& path : files) std::filesystem::remove(path, ignored);
  for (const std::string& name : found.names) results.forget(name);
}

Result<bool> measure_disk(const std::string& path, const ExperimentGroup& group,
                          const ValidationOptions& options) {
  engine::CalibrateOptions calibrate;
  calibrate.directory = options.scratch;
  calibrate.seconds = group.calibrate_seconds;
  calibrate.file_bytes = engine::usual_file_bytes(calibrate.seconds);
  calibrate.is_buffered = !group.cells.front().spec.options.direct_io;
  calibrate.stop = options.stop;
  if (options.on_progress) {
    calibrate.on_progress = [&](std::string_view what) {
      ValidationProgress progress;
      progress.measuring = fmt::format("the disk: {}", what);
      options.on_progress(progress);
    };
  }
  return ensure_device(path, calibrate);
}

Result<Json> read_device_json(const std::string& path) {
  const auto text = BOOST_OUTCOME_TRYX(read_text_file(path, kDataBytesMax));
  Result<Json> json = parse_json(text);
  if (!json) return in_context(path, json.error());
  if (const auto fault = shape_fault(json.value(), measured_device_shape().rows())) {
    return input_error(fmt::format("{}: not a device of 'lsmlab calibrate': {}", path, *fault));
  }
  return json;
}

// Writes the mean of all measurements of a group's cells. A measurement between two cells counts
// for both.
Result<void> write_mean(const std::string& path, const ExperimentGroup& group) {
  std::vector<Json> devices;
  for (const ExperimentCell& cell : group.cells) {
    for (const std::string& measured : cell.calibrations) {
      devices.push_back(BOOST_OUTCOME_TRYX(read_device_json(measured)));
    }
  }
  return write_output(path, mean_device_text(devices));
}

// Measures the disk, then runs a cell's stores and measures the disk after each run.
class CalibratedCells {
 public:
  CalibratedCells(const Experiment& experiment, const ResultDirectory& results,
                  const ValidationOptions& options)
      : experiment_(experiment), results_(results), options_(options) {}

  /// False if it was stopped.
  [[nodiscard]] Result<bool> run(const ExperimentGroup& group, ExperimentCell& cell) {
    ExperimentGroup alone{group.name, group.calibrate_seconds, group.bounds, {cell}};
    const Experiment one{experiment_.name, experiment_.description, {alone}};
    const Measurements found = find_measurements(one, results_, options_);
    // A stop may have cut the search short.
    if (options_.stop != nullptr && options_.stop->load()) return false;
    const std::vector<std::string> files = files_of_cell(options_.devices, alone, found.names);
    forget_parts(files, found, results_);
    std::error_code ignored;
    const bool is_new = !std::filesystem::exists(files.back(), ignored);
    if (is_new && !last_.empty() && last_group_ == group.name) {
      // Reuse the measurement just made after another cell's runs.
      const auto text = BOOST_OUTCOME_TRYX(read_text_file(last_, kDataBytesMax));
      BOOST_OUTCOME_TRYV(write_output(files.front(), text));
    }
    bool goes_on = BOOST_OUTCOME_TRYX(measure_disk(files.front(), alone, options_));
    if (!goes_on) return false;
    Experiment so_far = one;
    ExperimentCell& runs = so_far.groups.front().cells.front();
    for (std::size_t number = 1; number <= cell.runs; ++number) {
      runs.runs = number;  // the earlier runs have their results
      goes_on = BOOST_OUTCOME_TRYX(do_measurements(so_far, results_, options_));
      if (!goes_on) return false;
      goes_on = BOOST_OUTCOME_TRYX(measure_disk(files[number], alone, options_));
      if (!goes_on) return false;
    }
    last_ = is_new ? files.back() : "";
    last_group_ = group.name;
    cell.calibrations = files;
    return true;
  }

 private:
  const Experiment& experiment_;
  const ResultDirectory& results_;
  const ValidationOptions& options_;
  std::string last_;  // the last device file; empty if an earlier validation measured it
  std::string last_group_;
};

}  // namespace

Result<bool> run_calibrated_groups(Experiment& experiment, const ResultDirectory& results,
                                   const ValidationOptions& options) {
  const Experiment asked = experiment;
  CalibratedCells cells(asked, results, options);
  for (std::size_t number = 1; number <= experiment.groups.size(); ++number) {
    ExperimentGroup& group = experiment.groups[number - 1];
    // All cells of a group have the same device.
    if (group.cells.empty() || !is_calibrated(group.cells.front())) continue;
    std::error_code code;
    std::filesystem::create_directories(options.devices, code);
    if (code) {
      return machine_error(
          fmt::format("{}: cannot create the directory: {}", options.devices, code.message()));
    }
    for (ExperimentCell& cell : group.cells) {
      const bool goes_on = BOOST_OUTCOME_TRYX(cells.run(group, cell));
      if (!goes_on) return false;
    }
    const std::string mean = fmt::format("{}/group-{}.json", options.devices, number);
    BOOST_OUTCOME_TRYV(write_mean(mean, group));
    const ConfiguredDevice device = BOOST_OUTCOME_TRYX(device_of_spec(Spec{mean, {}}));
    for (ExperimentCell& cell : group.cells) cell.simulated->device = device;
  }
  return true;
}

Result<Json> calibrations_json(const Experiment& experiment) {
  Json calibrations = Json::array();
  for (const ExperimentGroup& group : experiment.groups) {
    for (const ExperimentCell& cell : group.cells) {
      if (cell.calibrations.empty()) continue;
      Json parameters = Json::array();
      for (const std::string& path : cell.calibrations) {
        const auto device = BOOST_OUTCOME_TRYX(read_device_json(path));
        parameters.push_back(device["parameters"]);
      }
      calibrations.push_back({{"group", group.name},
                              {"policy", spec_text(cell.spec.policy)},
                              {"workload", spec_text(cell.spec.workload)},
                              {"parameters", parameters}});
    }
  }
  return calibrations;
}

namespace {

// A parameter is named if it changed by this share or more.
constexpr double kNamedChange = 0.1;

// "read_bandwidth +12 %; 40 parameters by less than 10 %": how much each parameter that a device
// declares as a number differs between calibrations. One that is 0 in any of them has no ratio.
std::string changes_text(const Json& calibrations) {
  std::string named;
  std::size_t others = 0;
  for (const std::string& name : numeric_device_parameters()) {
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    for (const Json& parameters : calibrations) {
      const double figure = parameters.value(name, 0.0);
      least = std::min(least, figure);
      most = std::max(most, figure);
    }
    if (least <= 0 || least > most) continue;
    const double change = most / least - 1;
    if (change < kNamedChange) {
      ++others;
      continue;
    }
    named += fmt::format("{}{} {:+.0f} %", named.empty() ? "" : ", ", name, 100 * change);
  }
  if (others == 0) return named;
  return fmt::format("{}{}{} parameter{} by less than {:.0f} %", named, named.empty() ? "" : "; ",
                     others, others == 1 ? "" : "s", 100 * kNamedChange);
}

}  // namespace

std::string calibrations_text(const Json& validation) {
  if (!validation.contains("calibrations")) return "";
  std::string text;
  for (const Json& calibration : validation["calibrations"]) {
    text += fmt::format("  {}, {}: {}\n", calibration.value("group", ""),
                        calibration.value("policy", ""),
                        changes_text(calibration.value("parameters", Json::array())));
  }
  if (text.empty()) return text;
  return "\nhow much the disk and the processor changed around each store's runs (largest value "
         "compared with smallest):\n" +
         text;
}

}  // namespace lsmlab
