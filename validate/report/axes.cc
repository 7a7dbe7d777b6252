#include "validate/report/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "validate/report/gnuplot.h"

namespace lsmlab {
namespace {

// An edited file may hold numbers whose ratio is larger than any double.
constexpr double kShownMin = 1e-30;
constexpr double kShownMax = 1e30;

constexpr int kLinearTicks = 8;

// The mantissas that get a labelled tick. An axis then shows about four to ten labels.
std::vector<double> tick_mantissas(double decades) {
  if (decades > 3) return {1};
  if (decades > 1.3) return {1, 2, 5};
  if (decades > 0.8) return {1, 2, 3, 4, 6, 8};
  if (decades > 0.5) return {1, 1.5, 2, 3, 4, 5, 6, 8};
  return {1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9};
}

std::string log_ticks(const AxisRange& range) {
  const double decades = std::log10(range.max / range.min);
  const auto last = static_cast<int>(std::ceil(std::log10(range.max)));
  const int step = std::max(1, static_cast<int>(decades / 12));
  const auto first = step * static_cast<int>(std::floor(std::log10(range.min) / step));
  std::string ticks;
  const auto add = [&](double value, const std::string& text, int level) {
    if (value < range.min * (1 - 1e-9) || value > range.max * (1 + 1e-9)) return;
    ticks +=
        fmt::format("{}'{}' {} {}", ticks.empty() ? "" : ", ", text, script_number(value), level);
  };
  const std::vector<double> mantissas = tick_mantissas(decades);
  for (int decade = first; decade <= last; decade += step) {
    for (const double mantissa : mantissas) {
      const double value = mantissa * std::pow(10.0, decade);
      add(value, tick_text(value), 0);
    }
    for (int digit = 2; digit <= 9 && decades <= 8 && decades > 0.5; ++digit) {
      if (std::count(mantissas.begin(), mantissas.end(), digit) == 0) {
        add(digit * std::pow(10.0, decade), "", 1);
      }
    }
  }
  return ticks;
}

// A round step (1, 2 or 5 times a power of ten) that divides `length` into at most kLinearTicks
// parts.
double tick_step(double length) {
  const double least = length / kLinearTicks;
  if (!(least > 0) || !std::isfinite(least)) return 1;
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double mantissa : {1.0, 2.0, 5.0}) {
    if (mantissa * power >= least) return mantissa * power;
  }
  return 10 * power;
}

std::string linear_ticks(const AxisRange& range) {
  const double step = tick_step(range.max - range.min);
  const double first = std::ceil(range.min / step);
  std::string ticks;
  for (int i = 0; i <= kLinearTicks; ++i) {
    const double value = (first + i) * step;
    if (value > range.max) break;
    ticks +=
        fmt::format("{}'{}' {}", ticks.empty() ? "" : ", ", tick_text(value), script_number(value));
  }
  return ticks;
}

}  // namespace

double AxisRange::fraction(double value) const {
  if (is_log) return std::log(value / min) / std::log(max / min);
  return (value - min) / (max - min);
}

AxisRange log_range(const std::vector<double>& values, double ratio_min, double padding) {
  AxisRange range{0, 0, true};
  for (const double value : values) {
    if (!(value > 0)) continue;
    const double shown = std::clamp(value, kShownMin, kShownMax);
    range.min = range.min > 0 ? std::min(range.min, shown) : shown;
    range.max = std::max(range.max, shown);
  }
  if (!(range.min > 0)) return {1, 10, true};
  const double ratio = range.max / range.min;
  const double widening = std::max(std::sqrt(std::max(1.0, ratio_min / ratio)),
                                   std::pow(std::max(ratio, ratio_min), padding));
  range.min /= widening;
  range.max *= widening;
  return range;
}

std::string data_block(const std::string& name, const std::string& rows) {
  return fmt::format("${} << EOD\n{}EOD\n", name, rows);
}

std::string script_number(double value) { return fmt::format("{:.10g}", value); }

std::string tick_text(double value) {
  if (value >= 999.5e12) return fmt::format("{:.3g}", value);
  constexpr std::array<const char*, 5> kSuffixes{"", "k", "M", "G", "T"};
  std::size_t suffix = 0;
  while (value >= 999.5 && suffix + 1 < kSuffixes.size()) {
    value /= 1000;
    ++suffix;
  }
  return fmt::format("{:.6g}{}", value, kSuffixes[suffix]);
}

std::string frame_script(const ChartFrame& frame) {
  return fmt::format(
      "set lmargin at screen {}\nset rmargin at screen {}\nset tmargin at screen {}\n"
      "set bmargin at screen {}\nset border 3 lc rgb '#555555' lw 1\n"
      "set xtics out nomirror offset 0,0.3 textcolor rgb '#222222'\n"
      "set ytics out nomirror textcolor rgb '#222222'\nset tics scale 0.6,0.35\n"
      "set grid xtics ytics back lc rgb '#dddddd' lw 1 dt solid\n",
      script_number(frame.left / frame.width), script_number(1 - frame.right / frame.width),
      script_number(1 - frame.top / frame.height), script_number(frame.bottom / frame.height));
}

std::string axis_script(const std::string& axis, const AxisRange& range) {
  std::string script = fmt::format("set {}range [{}:{}]\n", axis, script_number(range.min),
                                   script_number(range.max));
  if (!range.is_log) {
    return script + fmt::format("set {}tics ({})\n", axis, linear_ticks(range));
  }
  return script + fmt::format("set logscale {}\nset {}tics ({})\n", axis, axis, log_ticks(range));
}

std::string label_script(const std::string& axis, const std::string& text) {
  const char* const offset = axis == "x" ? " offset 0,0.9" : "";
  return fmt::format("set {}label {}{}\n", axis, gnuplot_quoted(text), offset);
}

std::string points_block(const std::string& name, const std::vector<double>& x,
                         const std::vector<double>& y) {
  std::string rows;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    rows += script_number(x[i]) + " " + script_number(y[i]) + "\n";
  }
  // gnuplot rejects an empty block.
  if (rows.empty()) rows = "NaN NaN\n";
  return data_block(name, rows);
}

AxisRange from_zero(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, value);
  return {0, largest > 0 ? largest * 1.05 : 1, false};
}

std::string legend_below(ChartFrame& frame, std::size_t entries, std::size_t columns) {
  constexpr double kLegendRowHeight = 19.5;
  const std::size_t rows = (entries + columns - 1) / columns;
  const double height = static_cast<double>(rows) * kLegendRowHeight + 12;
  frame.height += height;
  frame.bottom += height;
  return fmt::format(
      "set key at screen {},{} left top Left reverse vertical maxrows {} samplen 3\n",
      script_number(20 / frame.width), script_number((height - 4) / frame.height), rows);
}

}  // namespace lsmlab
