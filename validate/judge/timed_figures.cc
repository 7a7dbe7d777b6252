#include "validate/judge/timed_figures.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "validate/results/result_figure.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

// Mean and 99th percentile of the durations of merges.
std::pair<double, double> merge_ns(const Json& result) {
  std::vector<double> times = result_figures().merge_ns.numbers(result);
  if (times.empty()) return {0, 0};
  std::sort(times.begin(), times.end());
  const double sum = std::accumulate(times.begin(), times.end(), 0.0);
  return {sum / static_cast<double>(times.size()), times[(times.size() * 99 - 1) / 100]};
}

double merge_rate(const Json& result) {
  const double seconds = result_figures().merge_ns.sum(result) / 1e9;
  return seconds > 0 ? result_figures().merge_writes.sum(result) / seconds : 0;
}

// The time of merges for each KiB that they read: work, wait for a core, wait for the device. 0
// where the result does not split the time.
std::array<double, 3> merge_parts(const Json& result) {
  const ResultFigures& figures = result_figures();
  const bool is_split = !figures.merge_processor_ns.numbers(result).empty() &&
                        !figures.merge_core_wait_ns.numbers(result).empty();
  const double kib = figures.merge_reads.sum(result) / 1024;
  if (!is_split || kib == 0) return {};
  const double processor = figures.merge_processor_ns.sum(result);
  const double core_wait = figures.merge_core_wait_ns.sum(result);
  const double device = figures.merge_ns.sum(result) - processor - core_wait;
  return {processor / kib, core_wait / kib, device / kib};
}

// A figure that is computed from several figures of a result.
JudgedFigure derived(FigureDescriptor descriptor, double (*read)(const Json&)) {
  return {std::move(descriptor), read};
}

TimedFigures make_named_figures() {
  using enum Averaging;
  using enum InValidations;
  const ResultFigures& figures = result_figures();
  return {
      .throughput = judged_figure("operations_per_second", figures.throughput, kInAll),
      .put_p99 = judged_figure("put_p99_ns", figures.puts.p99, kInAll),
      .put_p99_99 = judged_figure("put_p99.99_ns", figures.puts.p99_99),
      .put_max = judged_figure("put_max_ns", figures.puts.max),
      .get_p99 = judged_figure("get_p99_ns", figures.gets.p99, kInAll),
      .stalled =
          derived({"stalled_ns", "ns", kMean, "Time that writers waited, for any reason.", true},
                  [](const Json& result) { return result_figures().stalled.sum(result); }),
      .merge_rate = derived({"merge_bytes_per_second", "bytes/s", kRate,
                             "Bytes that merges write a second, while they run.", true},
                            merge_rate),
      .merge_mean = derived({"merge_mean_ns", "ns", kMean, "Mean duration of a merge."},
                            [](const Json& result) { return merge_ns(result).first; }),
      .merge_processor = derived({"merge_processor_ns_per_kib", "ns/KiB", kMean,
                                  "Time that merges' threads worked / KiB that merges read."},
                                 [](const Json& result) { return merge_parts(result)[0]; }),
      .merge_core_wait =
          derived({"merge_core_wait_ns_per_kib", "ns/KiB", kMean,
                   "Time that merges' threads waited for a core / KiB that merges read."},
                  [](const Json& result) { return merge_parts(result)[1]; }),
      .merge_device =
          derived({"merge_device_ns_per_kib", "ns/KiB", kMean,
                   "Time that merges' threads waited for the device / KiB that merges read."},
                  [](const Json& result) { return merge_parts(result)[2]; }),
  };
}

std::vector<JudgedFigure> all_figures() {
  using enum Averaging;
  const ResultFigures& figures = result_figures();
  const TimedFigures& own = named_timed_figures();
  return {
      own.throughput,
      judged_figure("put_mean_ns", figures.puts.mean),
      judged_figure("put_p50_ns", figures.puts.p50),
      own.put_p99,
      judged_figure("put_p99.9_ns", figures.puts.p99_9),
      judged_figure("get_mean_ns", figures.gets.mean),
      own.get_p99,
      own.merge_rate,
      own.stalled,
      own.merge_mean,
      derived({"merge_p99_ns", "ns", kMedian, "99th percentile of the durations of merges."},
              [](const Json& result) { return merge_ns(result).second; }),
      own.put_p99_99,
      own.put_max,
      judged_figure("get_p99.9_ns", figures.gets.p99_9),
      judged_figure("get_p99.99_ns", figures.gets.p99_99),
      judged_figure("scan_mean_ns", figures.scans.mean),
      judged_figure("scan_p99_ns", figures.scans.p99),
      judged_figure("scan_p99.9_ns", figures.scans.p99_9),
      judged_figure("all_p90_ns", figures.all.p90),
      judged_figure("all_p99_ns", figures.all.p99),
      judged_figure("all_p99.9_ns", figures.all.p99_9),
      judged_figure("all_p99.99_ns", figures.all.p99_99),
      own.merge_processor,
      own.merge_core_wait,
      own.merge_device,
  };
}

}  // namespace

const TimedFigures& named_timed_figures() {
  static const TimedFigures figures = make_named_figures();
  return figures;
}

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
