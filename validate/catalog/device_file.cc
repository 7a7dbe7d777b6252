#include "validate/catalog/device_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <variant>
#include <vector>

#include "engine/calibration/solve/derive.h"
#include "models/base/check.h"
#include "models/machine/device_model.h"
#include "traces/io/output_file.h"
#include "validate/results/figure_mean.h"
#include "validate/results/host_json.h"
#include "validate/results/json_values.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kDeviceSchema = "lsmlab.device/1";

// Parameters of DeviceModel that this file treats on their own.
constexpr const char* kQuota = "cpu_quota";
constexpr const char* kQuotaPeriod = "cpu_quota_period_ns";
constexpr const char* kPauseShare = "pause_share";
constexpr const char* kPauseLength = "pause_ns";

std::string access_text(engine::DiskAccess access) {
  switch (access) {
    case engine::DiskAccess::kDirect:
      return "direct I/O";
    case engine::DiskAccess::kBuffered:
      return "buffered I/O";
    case engine::DiskAccess::kBufferedForWant:
      break;
  }
  return "buffered I/O, because the file system refuses direct I/O";
}

std::string text_or_unknown(const Json& value) {
  return value.is_string() ? value.get<std::string>() : std::string("unknown");
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

// The parameters that have a value. A reader of the file has the same default for the others.
ResolvedOptions parameters_of(DeviceModel model) {
  OptionTable table;
  model.declare(table);
  ResolvedOptions options = table.values();
  std::erase_if(options, [](const auto& option) {
    return std::holds_alternative<std::monostate>(option.second);
  });
  return options;
}

// Rounded to a tenth: measurements are no more exact.
double rounded(double figure) { return std::round(figure * 10) / 10; }

Json disk_row_json(const engine::DiskRow& row, const DeviceModel& model) {
  Json json = {
      {"what", engine::disk_work_name(row.work)},
      {"request_bytes", row.request_bytes},
      {"depth", row.depth},
      {"bytes_per_second", std::round(row.bytes_per_second())},
      {"requests_per_second", rounded(row.requests_per_second)},
      {"mean_ns", std::round(row.mean_ns)},
      {"p50_ns", row.p50_ns},
      {"p99_ns", row.p99_ns},
      {"spread", std::round(row.spread * 1000) / 1000},
      {"model_requests_per_second", rounded(engine::model_requests_per_second(model, row))}};
  if (row.alone_per_second > 0) json["alone_per_second"] = rounded(row.alone_per_second);
  return json;
}

Json pauses_json(const engine::DiskPauses& pauses) {
  return {{"what", "pauses of the disk while it is written to"},
          {"seconds", std::round(pauses.seconds * 1000) / 1000},
          {"count", rounded(pauses.pauses)},
          {"paused_seconds", std::round(pauses.paused_seconds * 1e6) / 1e6}};
}

Json quota_json(std::string_view what, const engine::QuotaFigures::Part& part) {
  return {{"what", fmt::format("stops of the machine, {}", what)},
          {"count", part.stops},
          {"stopped_share", std::round(part.stopped_share * 1000) / 1000},
          {"period_seconds", std::round(part.period_seconds * 1e6) / 1e6},
          {"disk_share", std::round(part.disk_share * 1000) / 1000},
          {"disk_cpu_share", std::round(part.disk_cpu_share * 1000) / 1000}};
}

Json cpu_row_json(const engine::CpuRow& row) {
  return {{"what", engine::cpu_work_name(row.work)},
          {"cpu_ns", rounded(row.nanoseconds)},
          {"spread", std::round(row.spread * 1000) / 1000},
          {"entries", row.entries},
          {"tables", row.tables},
          {"blocks", row.blocks},
          {"kib", row.kib},
          {"wall_ns", rounded(row.wall_ns)},
          {"slow_ns", rounded(row.slow_ns)},
          {"others_busy", row.others_busy},
          {"core_wait_ns", rounded(row.core_wait_ns)},
          {"one_core", row.one_core}};
}

// Null if no option has the name.
const OptionInfo* find_option(const std::vector<OptionInfo>& options, const std::string& name) {
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const OptionInfo& option) { return option.name == name; });
  return found == options.end() ? nullptr : &*found;
}

// Only devices with a quota of processor time have these parameters.
bool is_of_quota(const std::string& name) {
  static const std::vector<OptionInfo> quota = declared_by(QuotaModel());
  return find_option(quota, name) != nullptr;
}

// As the parameter's declaration says. A file of another version may have a parameter that no part
// of this version declares.
Averaging averaging_of(const std::string& name) {
  static const std::vector<OptionInfo> all = declared_by(DeviceModel());
  const OptionInfo* option = find_option(all, name);
  return option == nullptr ? Averaging::kMean : option->averaging;
}

struct MeanFigure {
  double value = 0;
  bool is_whole = true;
};

// Nothing if a device lacks the number.
std::optional<MeanFigure> mean_figure(std::span<const Json> devices, const std::string& name) {
  FigureMean mean(averaging_of(name));
  bool is_whole = true;
  bool has_any = false;
  for (const Json& device : devices) {
    const Json& parameters = device["parameters"];
    if (is_of_quota(name) && parameters.value(kQuota, 0.0) == 0) continue;
    const auto found = parameters.find(name);
    if (found == parameters.end() || !found->is_number()) return std::nullopt;
    is_whole = is_whole && found->is_number_integer();
    mean.add(found->get<double>());
    has_any = true;
  }
  if (!has_any) return std::nullopt;
  return MeanFigure{mean.value(), is_whole};
}

// The mean length of all pauses of the devices, in whole nanoseconds.
std::uint64_t mean_pause_ns(std::span<const Json> devices) {
  double share = 0;
  double pauses = 0;  // per nanosecond
  for (const Json& device : devices) {
    const Json& parameters = device["parameters"];
    const double own_share = parameters.value(kPauseShare, 0.0);
    const double own_ns = parameters.value(kPauseLength, 0.0);
    if (own_share == 0 || own_ns == 0) continue;
    share += own_share;
    pauses += own_share / own_ns;
  }
  return pauses == 0 ? 0 : static_cast<std::uint64_t>(std::llround(share / pauses));
}

}  // namespace

std::string calibration_words(const engine::Calibration& calibration,
                              const std::string& directory) {
  const Json machine = machine_json();
  return fmt::format("{}, {} cores, Linux {}; {}{}, {}; measured {} by lsmlab {}",
                     text_or_unknown(machine["cpu"]), calibration.model.cpu.cores.count,
                     text_or_unknown(machine["kernel"]),
                     calibration.storage.empty() ? "" : calibration.storage + " at ", directory,
                     access_text(calibration.access), today(), text_or_unknown(machine["version"]));
}

std::string device_json_text(const engine::Calibration& calibration, const std::string& directory) {
  Json measured = Json::array();
  for (const engine::DiskRow& row : calibration.disk) {
    measured.push_back(disk_row_json(row, calibration.model));
  }
  measured.push_back(pauses_json(calibration.pauses));
  measured.push_back(quota_json("all cores at work", calibration.quota.cores));
  measured.push_back(
      quota_json("all cores and the disk at work", calibration.quota.cores_and_disk));
  measured.push_back(
      quota_json("all cores but one, and the disk", calibration.quota.idle_and_disk));
  for (const engine::CpuRow& row : calibration.cpu) measured.push_back(cpu_row_json(row));
  const Json device = {{"schema", kDeviceSchema},
                       {"description", calibration_words(calibration, directory)},
                       {"parameters", options_to_json(parameters_of(calibration.model))},
                       {"measured", measured}};
  return device.dump(1) + "\n";
}

std::string device_json_text(const DeviceModel& model, const std::string& description) {
  const Json device = {{"schema", kDeviceSchema},
                       {"description", description},
                       {"parameters", options_to_json(parameters_of(model))}};
  return device.dump(1) + "\n";
}

std::vector<std::string> numeric_device_parameters() {
  std::vector<std::string> names;
  for (const auto& [name, value] : parameters_of(DeviceModel())) {
    const bool is_number =
        std::holds_alternative<std::uint64_t>(value) || std::holds_alternative<double>(value);
    if (is_number) names.push_back(name);
  }
  return names;
}

const JsonShape& measured_device_shape() {
  static const JsonShape shape = [] {
    JsonShape own;
    own.add("description", JsonKind::kText, true);
    own.add("parameters", JsonKind::kObject, true);
    own.add("parameters/*", JsonKind::kScalar);
    for (const std::string& name : numeric_device_parameters()) {
      own.add("parameters/" + name, JsonKind::kNumber);
    }
    own.add("measured", JsonKind::kList);
    return own;
  }();
  return shape;
}

std::string mean_device_text(std::span<const Json> devices) {
  CHECK(devices.size() > 1);
  Json mean = devices.front();
  for (auto& [name, own] : mean["parameters"].items()) {
    const std::optional<MeanFigure> figure = mean_figure(devices, name);
    if (!figure) continue;
    own = figure->is_whole ? Json(std::llround(figure->value))
                           : Json(std::round(figure->value * 1000) / 1000);
  }
  Json& parameters = mean["parameters"];
  // Some calibrations do not meet the quota, and some meet another cause of pauses. The majority
  // decides.
  const auto is_unlimited = [](const Json& device) {
    return device["parameters"].value(kQuota, 0.0) == 0;
  };
  if (2 * static_cast<std::size_t>(std::count_if(devices.begin(), devices.end(), is_unlimited)) >
      devices.size()) {
    for (auto& [name, own] : parameters.items()) {
      if (is_of_quota(name) && name != kQuotaPeriod) own = 0.0;
    }
  }
  if (parameters.value(kQuota, 0.0) > 0 && parameters.contains(kPauseShare)) {
    parameters[kPauseShare] = 0.0;  // the quota causes the pauses
  }
  const bool has_pauses = parameters.value(kPauseShare, 0.0) > 0;
  if (parameters.contains(kPauseLength)) {
    parameters[kPauseLength] = has_pauses ? mean_pause_ns(devices) : 0;
  }
  mean["description"] = fmt::format("mean of {} calibrations: {}", devices.size(),
                                    text_or_unknown(devices.front()["description"]));
  for (const Json& device : devices.subspan(1)) {
    for (const Json& row : device.value("measured", Json::array())) mean["measured"].push_back(row);
  }
  return mean.dump(1) + "\n";
}

Result<bool> ensure_device(const std::string& path, const engine::CalibrateOptions& options) {
  std::error_code code;
  if (std::filesystem::exists(path, code)) return true;
  const std::string& directory = options.directory;
  std::filesystem::create_directories(directory, code);
  if (code) {
    return machine_error(fmt::format("{}: cannot be created: {}", directory, code.message()));
  }
  const engine::Calibration calibration = BOOST_OUTCOME_TRYX(engine::calibrate(options));
  if (!calibration.is_complete) return false;
  BOOST_OUTCOME_TRYV(write_output(path, device_json_text(calibration, directory)));
  return true;
}

}  // namespace lsmlab
