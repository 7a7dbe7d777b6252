#include "validate/judge/merge_times.h"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "validate/judge/regression.h"
#include "validate/judge/timed_figures.h"
#include "validate/judge/validation_words.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kNanosecondsPerSecond = 1e9;

// Merges of results, and which of them began while the workload still loaded the store. Later
// merges run concurrently with lookups and take longer.
class TimedMerges {
 public:
  void add(const Json& result) {
    const ResultFigures& figures = result_figures();
    const std::vector<double> bytes = figures.merge_writes.numbers(result);
    std::vector<double> seconds = figures.merge_ns.numbers(result);
    if (bytes.size() != seconds.size()) return;
    for (double& duration : seconds) duration /= kNanosecondsPerSecond;
    const std::vector<double> began = figures.merge_begins.numbers(result);
    const double loading = figures.loading_operations.number(result).value_or(0);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes_.push_back(bytes[i]);
      seconds_.push_back(seconds[i]);
      is_loading_.push_back(began.size() == bytes.size() && began[i] < loading);
    }
  }

  [[nodiscard]] const std::vector<double>& bytes() const { return bytes_; }
  [[nodiscard]] const std::vector<double>& seconds() const { return seconds_; }
  [[nodiscard]] std::optional<LinearFit> line() const { return fit_line(bytes_, seconds_); }

  /// The seconds that lines through these merges predict for each of the others. Merges while
  /// loading have one line and later merges another; where either has too few merges, the line
  /// through all serves. Empty without a line.
  [[nodiscard]] std::vector<double> predict(const TimedMerges& others) const {
    const std::optional<LinearFit> all = line();
    if (!all) return {};
    const std::array lines{line_of(false).value_or(*all), line_of(true).value_or(*all)};
    std::vector<double> seconds;
    for (std::size_t i = 0; i < others.bytes_.size(); ++i) {
      const LinearFit& line = lines[others.is_loading_[i] ? 1 : 0];
      seconds.push_back(line.slope * others.bytes_[i] + line.intercept);
    }
    return seconds;
  }

 private:
  [[nodiscard]] std::optional<LinearFit> line_of(bool is_loading) const {
    constexpr std::size_t kMergesLeast = 5;
    std::vector<double> bytes;
    std::vector<double> seconds;
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      if (is_loading_[i] != is_loading) continue;
      bytes.push_back(bytes_[i]);
      seconds.push_back(seconds_[i]);
    }
    if (bytes.size() < kMergesLeast) return std::nullopt;
    return fit_line(bytes, seconds);
  }

  std::vector<double> bytes_;
  std::vector<double> seconds_;
  std::vector<bool> is_loading_;
};

}  // namespace

std::optional<Json> merge_time_fit(const Json& result) {
  TimedMerges merges;
  merges.add(result);
  const std::optional<LinearFit> fit = merges.line();
  if (!fit) return std::nullopt;
  return Json{{"policy", result.at("policy").value("label", "")},
              {"workload", result.at("workload").value("name", "")},
              {"merges", merges.bytes().size()},
              {"seconds_per_byte", fit->slope},
              {"seconds_per_merge", fit->intercept},
              {"r_squared", fit->r_squared},
              {"bytes_written", merges.bytes()},
              {"seconds", merges.seconds()}};
}

PredictedMergeTimes predicted_merge_times(const Json& simulated, const Json& measured) {
  TimedMerges model;
  model.add(simulated);
  TimedMerges merges;
  merges.add(measured);
  if (!merges.line()) return {};
  PredictedMergeTimes times{model.predict(merges), merges.seconds()};
  if (times.predicted.empty()) return {};
  return times;
}

std::optional<double> merge_time_ceiling(const std::vector<std::span<const Json>>& measured_runs) {
  std::vector<double> by_line;
  std::vector<double> measured;
  for (const std::span<const Json> runs : measured_runs) {
    TimedMerges merges;
    for (const Json& run : runs) merges.add(run);
    const std::vector<double> seconds = merges.predict(merges);
    if (seconds.empty()) continue;
    by_line.insert(by_line.end(), seconds.begin(), seconds.end());
    measured.insert(measured.end(), merges.seconds().begin(), merges.seconds().end());
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
    const TimedFigures& figures = named_timed_figures();
    for (const JudgedFigure* part :
         {&figures.merge_processor, &figures.merge_core_wait, &figures.merge_device}) {
      const double simulated = number(time.at("simulated").value(part->name, Json()));
      const double measured = number(time.at("measured").value(part->name, Json()));
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
