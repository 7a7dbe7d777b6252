#include "validate/report/results/time.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "validate/report/axes.h"
#include "validate/report/results/charts.h"
#include "validate/report/results/shown_figure.h"
#include "validate/report/results/table.h"
#include "validate/report/results/time_curves.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMachineFigures[] = {"throughput.operations_per_second",
                                                "time.simulated_ns",
                                                "time.peak_file_bytes",
                                                "final.file_bytes",
                                                "flash.write_amplification",
                                                "flash.drive_writes_per_day",
                                                "flash.years"};

// From left to right. The "*" stands for the operation.
constexpr std::string_view kPercentiles[] = {"latency.*.p50_ns",    "latency.*.p90_ns",
                                             "latency.*.p99_ns",    "latency.*.p99.9_ns",
                                             "latency.*.p99.99_ns", "latency.*.max_ns"};

// Latencies of all kinds of operations together are in the table only.
constexpr std::string_view kAllOperations = "all";

// The definition without its point: "99th percentile".
std::string tick_name(std::string_view path) {
  std::string text = plain_definition(figure_at(path));
  if (text.ends_with('.')) text.pop_back();
  return text;
}

ShownUnit latency_unit() { return larger_unit(figure_at(kPercentiles[0]), "\xC2\xB5s"); }

// The percentiles of one operation, in the unit that the chart shows. Empty if the result has none.
std::vector<double> percentiles_of(const Json& result, const std::string& operation) {
  std::vector<double> values;
  const Json* latency = group_json(result, group_of(kPercentiles[0]).path);
  if (latency == nullptr) return values;
  const Json& figures = member_of(*latency, operation);
  if (figures.is_null()) return values;
  for (const std::string_view path : kPercentiles) {
    const Json& value = member_of(figures, figure_at(path).name);
    if (!value.is_number()) return {};
    // A logarithmic axis has no 0.
    values.push_back(std::max(value.get<double>(), 1.0) / latency_unit().size);
  }
  return values;
}

std::optional<Chart> latency_chart(const std::vector<TimedResult>& results,
                                   const std::string& operation) {
  ChartFrame frame;
  const std::string key = legend_below(frame, results.size());
  const std::size_t count = std::size(kPercentiles);
  std::vector<double> places;
  std::string ticks;
  for (std::size_t i = 0; i < count; ++i) {
    places.push_back(static_cast<double>(i));
    ticks +=
        fmt::format("{}{} {}", i == 0 ? "" : ", ", gnuplot_quoted(tick_name(kPercentiles[i])), i);
  }
  std::string data;
  std::string plots;
  std::vector<double> all;
  for (const TimedResult& result : results) {
    const std::vector<double> values = percentiles_of(*result.json, operation);
    if (values.empty()) continue;
    all.insert(all.end(), values.begin(), values.end());
    data += points_block(fmt::format("result{}", result.place), places, values);
    plots += fmt::format(", \\\n $result{} using 1:2 with linespoints lw 1.4 ps 0.7 {} title {}",
                         result.place, family_curve(result.place),
                         gnuplot_quoted(shortened(result.shown->label, 40)));
  }
  if (all.empty()) return std::nullopt;
  return Chart{
      fmt::format("Latency by percentile, logarithmic: {}", operation),
      static_cast<int>(frame.width), static_cast<int>(frame.height),
      data + frame_script(frame) +
          axis_script("x", {-0.3, static_cast<double>(count) - 0.7, false}) +
          fmt::format("set xtics ({})\n", ticks) + axis_script("y", log_range(all, 10, 0.05)) +
          key +
          label_script("y", fmt::format("latency of {} ({})", operation, latency_unit().name)) +
          "plot NaN notitle" + plots + "\n"};
}

// The kinds of operations of all results, in the order in which results have them.
std::vector<std::string> operations_of(const std::vector<TimedResult>& results) {
  std::vector<std::string> operations;
  for (const TimedResult& result : results) {
    for_each_instance(
        group_of(kPercentiles[0]), *result.json, [&](const std::string& name, const Json&) {
          if (name == kAllOperations) return;
          if (std::find(operations.begin(), operations.end(), name) == operations.end()) {
            operations.push_back(name);
          }
        });
  }
  return operations;
}

void add_tables(ReportPage& page, const ReportWorkload& workload, std::span<const Json> results) {
  page.text("<h3>Throughput, space and wear</h3>\n" +
            chosen_table(workload, results, kMachineFigures));
  page.text(fmt::format(
      "<h3>Latencies</h3>\n<p class=\"parameters\">{} If clients arrive at a given rate "
      "(an open loop), a latency includes the wait since the arrival.</p>\n{}",
      html_escaped(plain_text(group_at("latency").definition)),
      group_table(workload, results, "latency", RowOrder::kByInstance)));
  const std::string stalls = group_table(workload, results, "stalls", RowOrder::kByResult);
  page.text(
      fmt::format("<h3>Stalls of writers</h3>\n{}",
                  stalls.empty() ? "<p class=\"parameters\">No writer stalled.</p>\n" : stalls));
}

}  // namespace

void add_time_section(ReportPage& page, const ReportWorkload& workload,
                      std::span<const Json> results) {
  std::vector<TimedResult> timed;
  std::vector<TimedResult> simulated;
  for (const ReportResult& result : workload.results) {
    const Json& json = results[result.number - 1];
    if (group_json(json, "latency") == nullptr) continue;
    timed.push_back({&result, &json, timed.size()});
    if (group_json(json, "time") != nullptr) simulated.push_back(timed.back());
  }
  if (timed.empty()) return;
  add_tables(page, workload, results);
  for (const std::string& operation : operations_of(timed)) {
    std::optional<Chart> chart = latency_chart(timed, operation);
    if (!chart) continue;
    page.text(fmt::format("<h4>Latency by percentile: {}</h4>\n", html_escaped(operation)));
    page.figure("", "", std::move(*chart));
  }
  if (!simulated.empty()) add_time_curves(page, simulated);
}

}  // namespace lsmlab
