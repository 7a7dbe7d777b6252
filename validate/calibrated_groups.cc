#include "validate/calibrated_groups.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <cmath>
#include <filesystem>

#include "traces/text_file.h"
#include "validate/device_json.h"
#include "validate/json_text.h"
#include "validate/validation_runs.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

struct DeviceFiles {
  std::string before;
  std::string after;
  std::string mean;
};

// Named by the runs that they are measured around, as these are by all that they follow from.
DeviceFiles files_of_cell(const std::string& directory, const ExperimentGroup& group,
                          const std::vector<std::string>& runs) {
  std::string text = fmt::format("{} {}", group.calibrate_seconds, group.cells.front().direct_io);
  for (const std::string& run : runs) text += ' ' + run;
  const std::string stem =
      fmt::format("{}/{:016x}", directory, XXH3_64bits(text.data(), text.size()));
  return {stem + ".before.json", stem + ".after.json", stem + ".json"};
}

// Measurements and what is measured between them are one: of another day they say nothing of each
// other. Where any is missing nothing stays.
void forget_parts(const DeviceFiles& files, const Measurements& found,
                  const ResultDirectory& results) {
  std::error_code ignored;
  const bool are_measured = std::filesystem::exists(files.before, ignored) &&
                            std::filesystem::exists(files.after, ignored);
  if (found.are_there && are_measured) return;
  for (const std::string& path : {files.before, files.after, files.mean}) {
    std::filesystem::remove(path, ignored);
  }
  for (const std::string& name : found.names) results.forget(name);
}

bool is_calibrated(const ExperimentCell& cell) {
  return cell.device && cell.device->name == kCalibratedDevice;
}

Result<bool> measure_disk(const std::string& path, const ExperimentGroup& group,
                          const ValidationOptions& options) {
  engine::CalibrateOptions calibrate;
  calibrate.directory = options.scratch;
  calibrate.seconds = group.calibrate_seconds;
  calibrate.is_buffered = !group.cells.front().direct_io;
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
  const auto text = BOOST_OUTCOME_TRYX(read_text_file(path));
  Result<Json> json = parse_json(text);
  const bool is_device = json && json.value().is_object() && json.value().contains("parameters") &&
                         json.value()["parameters"].is_object() &&
                         json.value().contains("description") &&
                         json.value()["description"].is_string();
  if (!is_device) return input_error(fmt::format("{}: not a device of 'lsmlab calibrate'", path));
  return json;
}

Result<void> write_mean(const DeviceFiles& files) {
  const auto before = BOOST_OUTCOME_TRYX(read_device_json(files.before));
  const auto after = BOOST_OUTCOME_TRYX(read_device_json(files.after));
  return write_device(files.mean, mean_device_text(before, after));
}

// The disk measured, a cell's stores, and the disk again.
class CalibratedCells {
 public:
  CalibratedCells(const Experiment& experiment, const ResultDirectory& results,
                  const ValidationOptions& options)
      : experiment_(experiment), results_(results), options_(options) {}

  /// False where it was stopped.
  [[nodiscard]] Result<bool> run(const ExperimentGroup& group, ExperimentCell& cell) {
    ExperimentGroup alone{group.name, group.calibrate_seconds, group.bounds, {cell}};
    const Experiment one{experiment_.name, experiment_.description, {alone}};
    const auto found = BOOST_OUTCOME_TRYX(find_measurements(one, results_, options_));
    const DeviceFiles files = files_of_cell(options_.devices, alone, found.names);
    forget_parts(files, found, results_);
    // What was measured just now after another one's runs.
    std::error_code ignored;
    if (!last_.empty() && last_group_ == group.name) {
      std::filesystem::copy_file(last_, files.before, ignored);
    }
    bool goes_on = BOOST_OUTCOME_TRYX(measure_disk(files.before, alone, options_));
    if (!goes_on) return false;
    Experiment measured = one;
    measured.groups.front().cells.front().device->name = files.before;
    goes_on = BOOST_OUTCOME_TRYX(do_measurements(measured, results_, options_));
    if (!goes_on) return false;
    const bool is_new = !std::filesystem::exists(files.after, ignored);
    goes_on = BOOST_OUTCOME_TRYX(measure_disk(files.after, alone, options_));
    if (!goes_on) return false;
    last_ = is_new ? files.after : "";
    last_group_ = group.name;
    BOOST_OUTCOME_TRYV(write_mean(files));
    cell.device->name = files.mean;
    return true;
  }

 private:
  const Experiment& experiment_;
  const ResultDirectory& results_;
  const ValidationOptions& options_;
  std::string last_;  // device file; empty where it is of an earlier time
  std::string last_group_;
};

}  // namespace

Result<bool> run_calibrated_groups(Experiment& experiment, const ResultDirectory& results,
                                   const ValidationOptions& options) {
  const Experiment asked = experiment;
  CalibratedCells cells(asked, results, options);
  for (ExperimentGroup& group : experiment.groups) {
    for (ExperimentCell& cell : group.cells) {
      if (!is_calibrated(cell)) continue;
      std::error_code code;
      std::filesystem::create_directories(options.devices, code);
      if (code) {
        return machine_error(
            fmt::format("{}: cannot be made: {}", options.devices, code.message()));
      }
      const bool goes_on = BOOST_OUTCOME_TRYX(cells.run(group, cell));
      if (!goes_on) return false;
    }
  }
  return true;
}

Result<Json> calibrations_json(const Experiment& experiment) {
  Json calibrations = Json::array();
  for (const ExperimentGroup& group : experiment.groups) {
    for (const ExperimentCell& cell : group.cells) {
      if (!cell.device) continue;
      const std::string& mean = cell.device->name;
      constexpr std::string_view kEnd = ".json";
      if (!mean.ends_with(kEnd)) continue;
      // The mean's file stands beside the two that it is of.
      const std::string stem = mean.substr(0, mean.size() - kEnd.size());
      std::error_code ignored;
      if (!std::filesystem::exists(stem + ".after.json", ignored)) continue;
      const auto before = BOOST_OUTCOME_TRYX(read_device_json(stem + ".before.json"));
      const auto after = BOOST_OUTCOME_TRYX(read_device_json(stem + ".after.json"));
      calibrations.push_back({{"group", group.name},
                              {"policy", spec_text(cell.policy)},
                              {"workload", spec_text(cell.workload)},
                              {"before", before["parameters"]},
                              {"after", after["parameters"]}});
    }
  }
  return calibrations;
}

std::string calibrations_text(const Json& validation) {
  if (!validation.contains("calibrations")) return "";
  std::string text;
  for (const Json& calibration : validation["calibrations"]) {
    std::string changes;
    for (const char* name : {"read_bandwidth", "write_bandwidth", "read_latency_ns", "cpu_put_ns",
                             "cpu_merge_kib_ns"}) {
      const double before = calibration["before"].value(name, 0.0);
      const double after = calibration["after"].value(name, 0.0);
      if (before <= 0) continue;
      changes += fmt::format("{}{} {:+.0f} %", changes.empty() ? "" : ", ", name,
                             100 * (after / before - 1));
    }
    text += fmt::format("  {}, {}: {}\n", calibration.value("group", ""),
                        calibration.value("policy", ""), changes);
  }
  if (text.empty()) return text;
  return "\nthe disk and the processor after a store's runs, against before:\n" + text;
}

}  // namespace lsmlab
