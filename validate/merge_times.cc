#include "validate/merge_times.h"

#include <vector>

#include "validate/regression.h"

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

}  // namespace lsmlab
