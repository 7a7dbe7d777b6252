#include "validate/merge_times.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "validate/regression.h"
#include "validate/validation_words.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kNanosecondsPerSecond = 1e9;

std::vector<double> column_of(const Json& times, const char* name, double unit) {
  std::vector<double> column;
  const auto found = times.find(name);
  if (found == times.end() || !found->is_array()) return column;
  for (const Json& value : *found) {
    if (value.is_number()) column.push_back(value.get<double>() / unit);
  }
  return column;
}

}  // namespace

std::optional<Json> merge_time_fit(const Json& result) {
  const auto times = result.find("merge_times");
  if (times == result.end()) return std::nullopt;
  const std::vector<double> bytes = column_of(*times, "bytes_written", 1);
  const std::vector<double> seconds = column_of(*times, "nanoseconds", kNanosecondsPerSecond);
  if (bytes.size() != seconds.size()) return std::nullopt;
  const std::optional<LinearFit> fit = fit_line(bytes, seconds);
  if (!fit) return std::nullopt;
  return Json{{"policy", result.at("policy").value("label", "")},
              {"workload", result.at("workload").value("name", "")},
              {"merges", bytes.size()},
              {"seconds_per_byte", fit->slope},
              {"seconds_per_merge", fit->intercept},
              {"r_squared", fit->r_squared},
              {"bytes_written", bytes},
              {"seconds", seconds}};
}

PredictedMergeTimes predicted_merge_times(const Json& simulated, const Json& measured) {
  PredictedMergeTimes times;
  const std::optional<Json> line = merge_time_fit(simulated);
  const std::optional<Json> merges = merge_time_fit(measured);
  if (!line || !merges) return times;
  const double per_byte = line->at("seconds_per_byte").get<double>();
  const double per_merge = line->at("seconds_per_merge").get<double>();
  for (const Json& bytes : merges->at("bytes_written")) {
    times.predicted.push_back(per_byte * bytes.get<double>() + per_merge);
  }
  for (const Json& seconds : merges->at("seconds")) {
    times.measured.push_back(seconds.get<double>());
  }
  return times;
}

std::optional<double> merge_time_ceiling(const std::vector<std::span<const Json>>& measured_runs) {
  std::vector<double> by_line;
  std::vector<double> measured;
  for (const std::span<const Json> runs : measured_runs) {
    std::vector<double> bytes;
    std::vector<double> seconds;
    for (const Json& run : runs) {
      const std::optional<Json> merges = merge_time_fit(run);
      if (!merges) continue;
      for (const Json& value : merges->at("bytes_written")) bytes.push_back(value.get<double>());
      for (const Json& value : merges->at("seconds")) seconds.push_back(value.get<double>());
    }
    const std::optional<LinearFit> line = fit_line(bytes, seconds);
    if (!line) continue;
    for (const double value : bytes) by_line.push_back(line->slope * value + line->intercept);
    measured.insert(measured.end(), seconds.begin(), seconds.end());
  }
  const std::optional<LinearFit> fit = fit_line(by_line, measured);
  if (!fit) return std::nullopt;
  return fit->prediction_r_squared;
}

std::vector<std::vector<std::string>> merge_part_rows(const Json& validation) {
  std::vector<std::vector<std::string>> rows;
  for (const Json& cell : validation.at("cells")) {
    if (!cell.contains("time") || !cell.at("time").is_object()) continue;
    const Json& time = cell.at("time");
    std::vector<std::string> row{cell.at("policy").value("label", ""),
                                 workload_words(cell.at("workload"))};
    double simulated_ns = 0;
    double measured_ns = 0;
    for (const char* part :
         {"merge_processor_ns_per_kib", "merge_core_wait_ns_per_kib", "merge_device_ns_per_kib"}) {
      const double simulated = time.at("simulated").value(part, 0.0);
      const double measured = time.at("measured").value(part, 0.0);
      row.push_back(fmt::format("{:.0f}", simulated));
      row.push_back(fmt::format("{:.0f}", measured));
      simulated_ns += simulated;
      measured_ns += measured;
    }
    if (simulated_ns == 0 || measured_ns == 0) continue;
    row.push_back(percent_words(simulated_ns / measured_ns - 1));
    rows.push_back(std::move(row));
  }
  if (rows.empty()) return rows;
  rows.insert(rows.begin(), {"policy", "workload", "working, simulated", "measured",
                             "waiting for a core, simulated", "measured",
                             "for the device, simulated", "measured", "error of the sum"});
  return rows;
}

}  // namespace lsmlab
