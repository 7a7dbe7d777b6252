#include "validate/report/results/time.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "validate/report/axes.h"
#include "validate/report/results/charts.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

struct TimedResult {
  const ReportResult* shown = nullptr;
  const Json* json = nullptr;
  std::size_t place = 0;  // among the timed results of the workload: its line
};

// NaN where a figure is not known of a moment.
std::vector<double> column_of(const Json& result, const char* name) {
  std::vector<double> values;
  const Json& series = result.at("time").at("series");
  // Results of before have no such column.
  if (!series.contains(name)) return values;
  for (const Json& value : series.at(name)) {
    values.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                     : value.get<double>());
  }
  return values;
}

// A curve goes straight from one known value to the next.
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

std::vector<double> seconds_of(const Json& result) {
  std::vector<double> seconds = column_of(result, "time_ns");
  for (double& value : seconds) value /= 1e9;
  return seconds;
}

// By how much a sum grew in each second, from point to point.
std::vector<double> rate_of(const Json& result, const char* name, double scale) {
  const std::vector<double> seconds = seconds_of(result);
  const std::vector<double> sums = column_of(result, name);
  std::vector<double> rates;
  for (std::size_t i = 0; i < std::min(seconds.size(), sums.size()); ++i) {
    const double before = i == 0 ? 0 : sums[i - 1];
    const double elapsed = seconds[i] - (i == 0 ? 0 : seconds[i - 1]);
    rates.push_back(elapsed > 0 ? (sums[i] - before) / elapsed * scale : 0);
  }
  return rates;
}

struct TimeCurve {
  const char* what;    // for those who cannot see it, and the axis
  const char* format;  // of ticks
  std::function<std::vector<double>(const Json&)> values;
};

Chart over_time(const std::vector<TimedResult>& results, const TimeCurve& curve) {
  ChartFrame frame;
  const std::string key = legend_below(frame, results.size());
  std::vector<double> all_seconds;
  std::vector<double> all_values;
  std::string data;
  std::string plots;
  for (const TimedResult& result : results) {
    std::vector<double> seconds = seconds_of(*result.json);
    std::vector<double> values = curve.values(*result.json);
    keep_known(seconds, values);
    all_seconds.insert(all_seconds.end(), seconds.begin(), seconds.end());
    all_values.insert(all_values.end(), values.begin(), values.end());
    data += points_block(fmt::format("result{}", result.place), seconds, values);
    plots +=
        fmt::format(", \\\n $result{} using 1:2 with lines lw 1.4 {} title {}", result.place,
                    family_line(result.place), gnuplot_quoted(shortened(result.shown->label, 40)));
  }
  return {fmt::format("{} over time, {} results", curve.what, results.size()),
          static_cast<int>(frame.width), static_cast<int>(frame.height),
          data + frame_script(frame) + axis_script("x", from_zero(all_seconds)) +
              axis_script("y", from_zero(all_values)) +
              fmt::format("set format y '{}'\n", curve.format) + key +
              "set xlabel 'seconds' offset 0,0.9\n" +
              fmt::format("set ylabel {}\nplot NaN notitle", gnuplot_quoted(curve.what)) + plots +
              "\n"};
}

constexpr std::array<const char*, 6> kPercentiles{"p50_ns",   "p90_ns",    "p99_ns",
                                                  "p99.9_ns", "p99.99_ns", "max_ns"};
constexpr std::array<const char*, 6> kPercentileNames{"P50",   "P90",    "P99",
                                                      "P99.9", "P99.99", "largest"};

std::vector<double> percentiles_of(const Json& result, const char* operation) {
  std::vector<double> microseconds;
  if (!result.at("latency").contains(operation)) return microseconds;
  for (const char* percentile : kPercentiles) {
    // A logarithmic axis has no 0.
    const double ns = result.at("latency").at(operation).at(percentile).get<double>();
    microseconds.push_back(std::max(ns, 1.0) / 1e3);
  }
  return microseconds;
}

std::optional<Chart> latency_chart(const std::vector<TimedResult>& results, const char* operation) {
  ChartFrame frame;
  const std::string key = legend_below(frame, results.size());
  std::string data;
  std::string plots;
  std::vector<double> all;
  for (const TimedResult& result : results) {
    const std::vector<double> values = percentiles_of(*result.json, operation);
    if (values.empty()) continue;
    all.insert(all.end(), values.begin(), values.end());
    data += points_block(fmt::format("result{}", result.place), {0, 1, 2, 3, 4, 5}, values);
    plots += fmt::format(", \\\n $result{} using 1:2 with linespoints lw 1.4 ps 0.7 {} title {}",
                         result.place, family_line(result.place),
                         gnuplot_quoted(shortened(result.shown->label, 40)));
  }
  if (all.empty()) return std::nullopt;
  std::string ticks;
  for (std::size_t i = 0; i < kPercentileNames.size(); ++i) {
    ticks += fmt::format("{}'{}' {}", i == 0 ? "" : ", ", kPercentileNames[i], i);
  }
  return Chart{fmt::format("Latency of a {} by percentile, logarithmic", operation),
               static_cast<int>(frame.width), static_cast<int>(frame.height),
               data + frame_script(frame) + axis_script("x", {-0.3, 5.3, false}) +
                   fmt::format("set xtics ({})\n", ticks) +
                   axis_script("y", log_range(all, 10, 0.05)) + key +
                   "set xlabel 'percentile' offset 0,0.9\n"
                   "set ylabel 'microseconds'\nplot NaN notitle" +
                   plots + "\n"};
}

std::string latency_cell(const Json& result, const char* operation, const char* percentile) {
  if (!result.at("latency").contains(operation)) return "<td>-</td>";
  const double ns = result.at("latency").at(operation).at(percentile).get<double>();
  return fmt::format("<td>{:.1f}</td>", ns / 1e3);
}

std::string stalls_text(const Json& result) {
  std::string text;
  if (!result.contains("stalls")) return text;
  for (const Json& stall : result.at("stalls")) {
    if (stall.at("count").get<std::uint64_t>() == 0) continue;
    text += fmt::format("{}{}: {} in {:.2f} s", text.empty() ? "" : "; ",
                        html_escaped(stall.at("reason").get<std::string>()),
                        stall.at("count").get<std::uint64_t>(),
                        stall.at("nanoseconds").get<double>() / 1e9);
    if (!stall.contains("longest_ns")) continue;
    text += fmt::format(", longest {:.1f} ms", stall.at("longest_ns").get<double>() / 1e6);
  }
  return text.empty() ? "none" : text;
}

std::string flash_text(const Json& result) {
  if (!result.contains("flash")) return "-";
  const Json& flash = result.at("flash");
  std::string text = fmt::format("{:.3f}", flash.at("write_amplification").get<double>());
  if (flash.at("years").is_number()) {
    text += fmt::format("; {:.1f} years", flash.at("years").get<double>());
  }
  return text;
}

// The most that files took at once, of running plans' outputs too, over what is left at the end.
std::string peak_text(const Json& result) {
  if (!result.contains("time")) return "-";
  const Json::json_pointer left("/final/file_bytes");
  const double peak = result.at("time").at("peak_file_bytes").get<double>();
  std::string text = fmt::format("{:.1f} MB", peak / 1e6);
  const double bytes = result.contains(left) ? result.at(left).get<double>() : 0;
  if (bytes > 0) text += fmt::format("; {:.2f} times", peak / bytes);
  return text;
}

std::vector<const char*> operations_of(const std::vector<TimedResult>& results) {
  std::vector<const char*> operations;
  for (const char* operation : {"put", "get", "scan"}) {
    const bool has_any = std::any_of(results.begin(), results.end(), [&](const auto& result) {
      return result.json->at("latency").contains(operation);
    });
    if (has_any) operations.push_back(operation);
  }
  if (operations.size() > 1) operations.push_back("all");
  return operations;
}

std::string time_rows(const std::vector<TimedResult>& results) {
  const std::vector<const char*> operations = operations_of(results);
  std::string html =
      "<div class=\"scroll\">\n<table>\n<thead><tr><th scope=\"col\">policy</th><th "
      "scope=\"col\">operations/s</th>";
  for (const char* operation : operations) {
    for (const char* name : kPercentileNames) {
      html += fmt::format("<th scope=\"col\">{} {}, µs</th>", operation, name);
    }
  }
  html +=
      "<th scope=\"col\">writers held up</th><th scope=\"col\">files at most; over those at the "
      "end</th><th scope=\"col\">flash: write amplification</th>"
      "</tr></thead>\n<tbody>\n";
  for (const TimedResult& result : results) {
    const Json& json = *result.json;
    const std::string throughput =
        json.contains("throughput")
            ? fmt::format("{:.0f}", json.at("throughput").at("operations_per_second").get<double>())
            : "-";
    html += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td>",
                        html_escaped(result.shown->label), throughput);
    for (const char* operation : operations) {
      for (const char* percentile : kPercentiles) html += latency_cell(json, operation, percentile);
    }
    html += fmt::format("<td>{}</td><td>{}</td><td>{}</td></tr>\n", stalls_text(json),
                        peak_text(json), flash_text(json));
  }
  return html + "</tbody>\n</table>\n</div>\n";
}

void add_curves(ReportPage& page, const std::vector<TimedResult>& results) {
  const TimeCurve curves[] = {
      {"operations a second", "%.0s%c",
       [](const Json& result) { return rate_of(result, "operations", 1); }},
      {"device busy, % of the time", "%.0f",
       [](const Json& result) { return rate_of(result, "device_busy_ns", 1e-7); }},
      {"bytes a second that the device reads", "%.1s%c",
       [](const Json& result) { return rate_of(result, "device_bytes_read", 1); }},
      {"bytes a second that the device writes", "%.1s%c",
       [](const Json& result) { return rate_of(result, "device_bytes_written", 1); }},
      {"writers held up, % of the time of one", "%.0f",
       [](const Json& result) { return rate_of(result, "stalled_ns", 1e-7); }},
      {"sorted runs", "%.0f", [](const Json& result) { return column_of(result, "sorted_runs"); }},
      {"bytes of files on disk", "%.1s%c",
       [](const Json& result) { return column_of(result, "file_bytes"); }},
      {"bytes that merges have still to read and write", "%.1s%c",
       [](const Json& result) { return column_of(result, "merge_debt_bytes"); }},
  };
  for (const TimeCurve& curve : curves) {
    const bool has_values = std::any_of(results.begin(), results.end(), [&](const auto& result) {
      return !curve.values(*result.json).empty();
    });
    if (!has_values) continue;
    page.text(fmt::format("<h3>Over time: {}</h3>\n", html_escaped(curve.what)));
    page.figure("", "From the beginning of the run until all merges were done.",
                over_time(results, curve));
  }
}

}  // namespace

void add_time_section(ReportPage& page, const ReportWorkload& workload,
                      std::span<const Json> results) {
  std::vector<TimedResult> timed;
  std::vector<TimedResult> simulated;
  for (const ReportResult& result : workload.results) {
    const Json& json = results[result.number - 1];
    if (!json.contains("latency")) continue;
    timed.push_back({&result, &json, timed.size()});
    if (json.contains("time")) simulated.push_back(timed.back());
  }
  if (timed.empty()) return;
  page.text("<h3>Throughput, latencies and stalls</h3>\n" + time_rows(timed));
  for (const char* operation : {"put", "get", "scan"}) {
    std::optional<Chart> chart = latency_chart(timed, operation);
    if (!chart) continue;
    page.text(fmt::format("<h3>Latency of a {}, by percentile</h3>\n", operation));
    page.figure("", "In an open loop latencies count from the arrival.", std::move(*chart));
  }
  if (!simulated.empty()) add_curves(page, simulated);
}

}  // namespace lsmlab
