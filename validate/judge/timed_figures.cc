#include "validate/judge/timed_figures.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "validate/results/json_text.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

double sum_of(const Json& numbers) {
  double sum = 0;
  for (const Json& number : numbers) sum += number.get<double>();
  return sum;
}

// Mean and 99th percentile of the merges' times.
std::pair<double, double> merge_ns(const Json& result) {
  if (!result.contains("merge_times")) return {0, 0};
  std::vector<double> times;
  for (const Json& ns : result.at("merge_times").at("nanoseconds")) {
    times.push_back(ns.get<double>());
  }
  if (times.empty()) return {0, 0};
  std::sort(times.begin(), times.end());
  const double sum = std::accumulate(times.begin(), times.end(), 0.0);
  return {sum / static_cast<double>(times.size()), times[(times.size() * 99 - 1) / 100]};
}

// Bytes that merges write a second, while they run.
double merge_rate(const Json& result) {
  if (!result.contains("merge_times")) return 0;
  const Json& times = result.at("merge_times");
  const double seconds = sum_of(times.at("nanoseconds")) / 1e9;
  return seconds > 0 ? sum_of(times.at("bytes_written")) / seconds : 0;
}

// Of the merges' time, by what their threads did, for each KiB that they read.
std::array<double, 3> merge_parts(const Json& result) {
  const auto found = result.find("merge_times");
  if (found == result.end() || !found->contains("processor_ns") ||
      !found->contains("core_wait_ns")) {
    return {};
  }
  const double kib = sum_of(found->at("bytes_read")) / 1024;
  if (kib == 0) return {};
  const double processor = sum_of(found->at("processor_ns"));
  const double core_wait = sum_of(found->at("core_wait_ns"));
  const double device = sum_of(found->at("nanoseconds")) - processor - core_wait;
  return {processor / kib, core_wait / kib, device / kib};
}

double stalled_ns(const Json& result) {
  double sum = 0;
  if (!result.contains("stalls")) return sum;
  for (const Json& stall : result.at("stalls")) sum += stall.at("nanoseconds").get<double>();
  return sum;
}

// What follows from several figures of a result.
JudgedFigure derived(FigureDescriptor descriptor, double (*read)(const Json&)) {
  return {std::move(descriptor), read};
}

std::vector<JudgedFigure> all_figures() {
  using enum Averaging;
  return {
      judged_figure("operations_per_second", "/throughput/operations_per_second"),
      judged_figure("put_mean_ns", "/latency/put/mean_ns"),
      judged_figure("put_p50_ns", "/latency/put/p50_ns"),
      judged_figure("put_p99_ns", "/latency/put/p99_ns"),
      judged_figure("put_p99.9_ns", "/latency/put/p99.9_ns"),
      judged_figure("get_mean_ns", "/latency/get/mean_ns"),
      judged_figure("get_p99_ns", "/latency/get/p99_ns"),
      derived({"merge_bytes_per_second", "bytes/s", kRate,
               "Bytes that merges write a second, while they run."},
              merge_rate),
      derived({"stalled_ns", "ns", kMean, "Time that writers waited, for any reason."}, stalled_ns),
      derived({"merge_mean_ns", "ns", kMean, "Mean duration of a merge."},
              [](const Json& result) { return merge_ns(result).first; }),
      derived({"merge_p99_ns", "ns", kMedian, "99th percentile of merges' durations."},
              [](const Json& result) { return merge_ns(result).second; }),
      judged_figure("put_p99.99_ns", "/latency/put/p99.99_ns"),
      judged_figure("put_max_ns", "/latency/put/max_ns"),
      judged_figure("get_p99.9_ns", "/latency/get/p99.9_ns"),
      judged_figure("get_p99.99_ns", "/latency/get/p99.99_ns"),
      judged_figure("scan_mean_ns", "/latency/scan/mean_ns"),
      judged_figure("scan_p99_ns", "/latency/scan/p99_ns"),
      judged_figure("scan_p99.9_ns", "/latency/scan/p99.9_ns"),
      judged_figure("all_p90_ns", "/latency/all/p90_ns"),
      judged_figure("all_p99_ns", "/latency/all/p99_ns"),
      judged_figure("all_p99.9_ns", "/latency/all/p99.9_ns"),
      judged_figure("all_p99.99_ns", "/latency/all/p99.99_ns"),
      derived({"merge_processor_ns_per_kib", "ns/KiB", kMean,
               "Time that merges' threads worked / KiB that merges read."},
              [](const Json& result) { return merge_parts(result)[0]; }),
      derived({"merge_core_wait_ns_per_kib", "ns/KiB", kMean,
               "Time that merges' threads waited for a core / KiB that merges read."},
              [](const Json& result) { return merge_parts(result)[1]; }),
      derived({"merge_device_ns_per_kib", "ns/KiB", kMean,
               "Time that merges' threads waited for the device / KiB that merges read."},
              [](const Json& result) { return merge_parts(result)[2]; }),
  };
}

}  // namespace

const std::vector<JudgedFigure>& timed_figures() {
  static const std::vector<JudgedFigure> figures = all_figures();
  return figures;
}

std::vector<double> timed_figures_of(const Json& result) {
  return read_all(timed_figures(), result);
}

std::vector<WrongOrder> wrong_orders(const std::vector<double>& simulated,
                                     const std::vector<double>& measured, double gap) {
  std::vector<WrongOrder> wrong;
  for (std::size_t a = 0; a < measured.size(); ++a) {
    for (std::size_t b = 0; b < measured.size(); ++b) {
      if (measured[a] > measured[b] * (1 + gap) && simulated[a] <= simulated[b]) {
        wrong.push_back({a, b});
      }
    }
  }
  return wrong;
}

}  // namespace lsmlab
