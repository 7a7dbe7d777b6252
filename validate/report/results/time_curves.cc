#include "validate/report/results/time_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "models/base/check.h"
#include "validate/report/axes.h"
#include "validate/report/results/charts.h"
#include "validate/report/results/shown_figure.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

enum class CurveOf {
  kValue,   // the figure itself
  kGrowth,  // its growth per second, of a sum since the beginning
  kShare,   // the same of a sum of times: a share of the time
};

struct TimeCurve {
  const char* title;
  FigureName figure;
  CurveOf of;
};

constexpr TimeCurve kCurves[] = {
    {"Throughput", &ResultFigures::time_operations, CurveOf::kGrowth},
    {"Busy device", &ResultFigures::time_device_busy_ns, CurveOf::kShare},
    {"Device reads", &ResultFigures::time_device_bytes_read, CurveOf::kGrowth},
    {"Device writes", &ResultFigures::time_device_bytes_written, CurveOf::kGrowth},
    {"Stalls of writers", &ResultFigures::time_stalled_ns, CurveOf::kShare},
    {"Sorted runs", &ResultFigures::time_sorted_runs, CurveOf::kValue},
    {"Space on disk", &ResultFigures::time_file_bytes, CurveOf::kValue},
    {"Merge debt", &ResultFigures::time_merge_debt_bytes, CurveOf::kValue},
};
constexpr FigureName kTime = &ResultFigures::time_samples_ns;

// NaN where the result does not know the figure at a moment.
std::vector<double> column_of(const Json& result, FigureName figure) {
  std::vector<double> values;
  // Results of earlier versions lack some columns: their value is null, which has no elements.
  for (const Json& value : figure_of(figure).json(result)) {
    values.push_back(value.is_number() ? value.get<double>()
                                       : std::numeric_limits<double>::quiet_NaN());
  }
  return values;
}

std::vector<double> seconds_of(const Json& result) {
  std::vector<double> seconds = column_of(result, kTime);
  const double second = larger_unit(figure_of(kTime).descriptor(), "s").size;
  for (double& value : seconds) value /= second;
  return seconds;
}

// Removes the moments at which the value is not known, so that the curve goes straight from one
// known value to the next.
void keep_known(std::vector<double>& seconds, std::vector<double>& values) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < std::min(seconds.size(), values.size()); ++i) {
    if (std::isnan(values[i])) continue;
    seconds[kept] = seconds[i];
    values[kept++] = values[i];
  }
  seconds.resize(kept);
  values.resize(kept);
}

// The growth of a sum per second, from sample to sample, times `scale`.
std::vector<double> growth_of(const std::vector<double>& seconds, const std::vector<double>& sums,
                              double scale) {
  std::vector<double> rates;
  for (std::size_t i = 0; i < std::min(seconds.size(), sums.size()); ++i) {
    const double before = i == 0 ? 0 : sums[i - 1];
    const double elapsed = seconds[i] - (i == 0 ? 0 : seconds[i - 1]);
    rates.push_back(elapsed > 0 ? (sums[i] - before) / elapsed * scale : 0);
  }
  return rates;
}

std::vector<double> values_of(const Json& result, const TimeCurve& curve) {
  std::vector<double> values = column_of(result, curve.figure);
  switch (curve.of) {
    case CurveOf::kValue:
      break;
    case CurveOf::kGrowth:
      return growth_of(seconds_of(result), values, 1);
    case CurveOf::kShare: {
      const double percent = 100 / larger_unit(figure_of(curve.figure).descriptor(), "s").size;
      return growth_of(seconds_of(result), values, percent);
    }
  }
  return values;
}

std::string y_label(const TimeCurve& curve) {
  const Figure& figure = figure_of(curve.figure).descriptor();
  switch (curve.of) {
    case CurveOf::kValue:
      break;
    case CurveOf::kGrowth:
      return figure.name == figure.unit
                 ? figure.name + " per second"
                 : fmt::format("{} ({} per second)", figure.name, figure.unit);
    case CurveOf::kShare:
      return figure.name + " (% of the time)";
  }
  return figure_label(figure);
}

std::string caption(const TimeCurve& curve) {
  const std::string definition = plain_definition(figure_of(curve.figure).descriptor());
  switch (curve.of) {
    case CurveOf::kValue:
      break;
    case CurveOf::kGrowth:
      return definition + " The curve shows the growth per second, from sample to sample.";
    case CurveOf::kShare:
      return definition +
             " The curve shows the growth from sample to sample: 100 % is one second per second.";
  }
  return definition;
}

Chart over_time(const std::vector<TimedResult>& results, const TimeCurve& curve) {
  ChartFrame frame;
  const std::string key = legend_below(frame, results.size());
  std::vector<double> all_seconds;
  std::vector<double> all_values;
  std::string data;
  std::string plots;
  for (const TimedResult& result : results) {
    std::vector<double> seconds = seconds_of(*result.json);
    std::vector<double> values = values_of(*result.json, curve);
    keep_known(seconds, values);
    all_seconds.insert(all_seconds.end(), seconds.begin(), seconds.end());
    all_values.insert(all_values.end(), values.begin(), values.end());
    data += points_block(fmt::format("result{}", result.place), seconds, values);
    plots +=
        fmt::format(", \\\n $result{} using 1:2 with lines lw 1.4 {} title {}", result.place,
                    family_line(result.place), gnuplot_quoted(shortened(result.shown->label, 40)));
  }
  const std::size_t count = results.size();
  return {fmt::format("{} over time, {} result{}", curve.title, count, count == 1 ? "" : "s"),
          static_cast<int>(frame.width), static_cast<int>(frame.height),
          data + frame_script(frame) + axis_script("x", from_zero(all_seconds)) +
              axis_script("y", from_zero(all_values)) + key +
              label_script("x", "simulated time (s)") + label_script("y", y_label(curve)) +
              "plot NaN notitle" + plots + "\n"};
}

}  // namespace

void add_time_curves(ReportPage& page, const std::vector<TimedResult>& results) {
  page.text(
      "<h3>Over time</h3>\n<p class=\"parameters\">From the beginning of the run until all merges "
      "are done.</p>\n");
  for (const TimeCurve& curve : kCurves) {
    CHECK(figure_of(curve.figure).group().shape == GroupShape::kColumns);
    std::vector<double> all;
    for (const TimedResult& result : results) {
      const std::vector<double> column = column_of(*result.json, curve.figure);
      all.insert(all.end(), column.begin(), column.end());
    }
    if (all.empty()) continue;
    page.text(fmt::format("<h4>{}</h4>\n", curve.title));
    const bool is_zero = std::all_of(all.begin(), all.end(),
                                     [](double value) { return value == 0 || std::isnan(value); });
    if (is_zero) {
      page.text(fmt::format("<p class=\"parameters\">{} It is 0 in every sample.</p>\n",
                            html_escaped(plain_definition(figure_of(curve.figure).descriptor()))));
      continue;
    }
    page.figure("", caption(curve), over_time(results, curve));
  }
}

}  // namespace lsmlab
