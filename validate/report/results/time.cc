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

constexpr FigureName kMachineFigures[] = {
    &ResultFigures::throughput, &ResultFigures::simulated_ns, &ResultFigures::peak_file_bytes,
    &ResultFigures::file_bytes, &ResultFigures::flash_write,  &ResultFigures::flash_drive_writes,
    &ResultFigures::flash_years};

using Latency = LatencyResultFigures;

// From left to right.
constexpr ResultFigure Latency::*kPercentiles[] = {
    &Latency::p50, &Latency::p90, &Latency::p99, &Latency::p99_9, &Latency::p99_99, &Latency::max};

// Latencies of all kinds of operations together are in the table only.
constexpr std::string_view kAllOperations = "all";

const FigureGroup& latency_group() { return result_figures().each.p50.group(); }

const Figure& descriptor_of(ResultFigure Latency::*percentile) {
  return (result_figures().each.*percentile).descriptor();
}

ShownUnit latency_unit() { return larger_unit(descriptor_of(kPercentiles[0]), "\xC2\xB5s"); }

// The percentiles of one operation, in the unit that the chart shows. Empty if the result has none.
std::vector<double> percentiles_of(const Json& result, const std::string& operation) {
  std::vector<double> values;
  for_each_instance(latency_group(), result, [&](const std::string& name, const Json& figures) {
    if (name != operation) return;
    for (ResultFigure Latency::*const percentile : kPercentiles) {
      const Json& value = member_of(figures, descriptor_of(percentile).name);
      // A logarithmic axis has no 0.
      if (value.is_number()) {
        values.push_back(std::max(value.get<double>(), 1.0) / latency_unit().size);
      }
    }
  });
  if (values.size() < std::size(kPercentiles)) values.clear();
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
    ticks += fmt::format("{}{} {}", i == 0 ? "" : ", ",
                         gnuplot_quoted(label_of(descriptor_of(kPercentiles[i]))), i);
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
    for_each_instance(latency_group(), *result.json, [&](const std::string& name, const Json&) {
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
      html_escaped(plain_definition(latency_group())),
      group_table(workload, results, latency_group(), RowOrder::kByInstance)));
  const std::string stalls =
      group_table(workload, results, result_figures().stalled.group(), RowOrder::kByResult);
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
    if (!has_group(json, latency_group())) continue;
    timed.push_back({&result, &json, timed.size()});
    if (has_group(json, result_figures().simulated_ns.group())) simulated.push_back(timed.back());
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
