#include "validate/report/validation/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "validate/report/axes.h"
#include "validate/report/results/charts.h"
#include "validate/report/results/shown_figure.h"

namespace lsmlab {
namespace {

struct Points {
  std::string data;
  std::string plots;
};

// A data block and a plot for each family that has points.
template <class Y>
Points points_by_family(const std::vector<ValidationPoint>& points,
                        const std::vector<std::string>& families, const Y& y_of,
                        double ValidationPoint::*x_of) {
  Points script;
  for (std::size_t family = 0; family < families.size(); ++family) {
    std::vector<double> x;
    std::vector<double> y;
    for (const ValidationPoint& point : points) {
      if (point.family != family) continue;
      x.push_back(point.*x_of);
      y.push_back(y_of(point));
    }
    if (x.empty()) continue;
    script.data += points_block(fmt::format("family{}", family), x, y);
    script.plots +=
        fmt::format(", \\\n $family{} using 1:2 with points {} ps 0.9 title {}", family,
                    family_mark(family), gnuplot_quoted(shortened(families[family], 38)));
  }
  return script;
}

Chart chart_of(const std::string& description, const ChartFrame& frame, const std::string& script) {
  return {description, static_cast<int>(frame.width), static_cast<int>(frame.height), script};
}

// Axis titles of charts of write amplification over operations.
std::string operations_and_write() {
  return label_script("x", figure_label(result_figures().series_operations.descriptor())) +
         label_script("y", figure_label(result_figures().series_write.descriptor()));
}

}  // namespace

Chart measured_over_simulated(const std::string& label, const std::vector<ValidationPoint>& points,
                              const std::vector<std::string>& families,
                              const std::optional<ValidationLine>& fit) {
  ChartFrame frame;
  frame.height = 640;
  const std::string key = legend_below(frame, families.size() + 2);
  std::vector<double> all;
  for (const ValidationPoint& point : points) {
    all.push_back(point.simulated);
    all.push_back(point.measured);
  }
  const AxisRange range = from_zero(all);
  const Points marks = points_by_family(
      points, families, [](const ValidationPoint& point) { return point.measured; },
      &ValidationPoint::simulated);
  std::string plots =
      "plot x with lines lc rgb '#999999' dt (6,4) lw 1.5 title 'simulated = measured'";
  if (fit) {
    plots +=
        fmt::format(", \\\n {}*x+{} with lines lc rgb '#000000' lw 1.2 title 'regression line'",
                    script_number(fit->slope), script_number(fit->intercept));
  }
  return chart_of(fmt::format("Measured over simulated {}, {} cells", label, points.size()), frame,
                  marks.data + frame_script(frame) + axis_script("x", range) +
                      axis_script("y", range) + key + label_script("x", "simulated " + label) +
                      label_script("y", "measured " + label) + plots + marks.plots + "\n");
}

Chart error_over_measured(const std::string& label, const std::vector<ValidationPoint>& points,
                          const std::vector<std::string>& families) {
  ChartFrame frame;
  frame.height = 400;
  const std::string key = legend_below(frame, families.size());
  const auto error = [](const ValidationPoint& point) {
    return point.measured > 0 ? 100 * (point.simulated - point.measured) / point.measured : 0.0;
  };
  std::vector<double> measured;
  double reach = 0.01;
  for (const ValidationPoint& point : points) {
    measured.push_back(point.measured);
    reach = std::max(reach, 1.15 * std::abs(error(point)));
  }
  const Points marks = points_by_family(points, families, error, &ValidationPoint::measured);
  return chart_of(fmt::format("Relative error of simulated {0} over measured {0}", label), frame,
                  marks.data + frame_script(frame) + axis_script("x", from_zero(measured)) +
                      axis_script("y", {-reach, reach, false}) + key +
                      label_script("x", "measured " + label) +
                      label_script("y", "error of the simulation (%)") +
                      "plot 0 with lines lc rgb '#999999' notitle" + marks.plots + "\n");
}

Chart write_over_operations(const std::string& cell, const ValidationCurve& simulated,
                            const ValidationCurve& measured) {
  ChartFrame frame;
  frame.width = 560;
  frame.height = 300;
  const std::string key = legend_below(frame, 2);
  std::vector<double> writes = simulated.write;
  writes.insert(writes.end(), measured.write.begin(), measured.write.end());
  std::vector<double> operations = measured.operations;
  operations.insert(operations.end(), simulated.operations.begin(), simulated.operations.end());
  return chart_of(
      "Write amplification over operations, simulated and measured: " + cell, frame,
      points_block("simulated", simulated.operations, simulated.write) +
          points_block("measured", measured.operations, measured.write) + frame_script(frame) +
          axis_script("x", from_zero(operations)) + axis_script("y", from_zero(writes)) + key +
          operations_and_write() +
          "plot $measured using 1:2 with lines lc rgb '#D55E00' lw 3 title 'measured', "
          "$simulated using 1:2 with lines lc rgb '#0072B2' lw 1.4 title 'simulated'\n");
}

Chart curves_of_cells(const std::string& side, const std::vector<ValidationCell>& cells,
                      double write_max) {
  ChartFrame frame;
  frame.width = 560;
  frame.height = 360;
  const std::string key = legend_below(frame, cells.size(), 1);
  std::vector<double> operations;
  std::string data;
  std::string plots;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const ValidationCurve& curve = cells[i].curve;
    operations.insert(operations.end(), curve.operations.begin(), curve.operations.end());
    data += points_block(fmt::format("cell{}", i), curve.operations, curve.write);
    plots +=
        fmt::format("{}$cell{} using 1:2 with lines {} lw 1.8 title {}", i == 0 ? "" : ", \\\n ", i,
                    family_line(i), gnuplot_quoted(shortened(cells[i].label, 64)));
  }
  return chart_of("Write amplification over operations, " + side, frame,
                  data + frame_script(frame) + axis_script("x", log_range(operations, 10, 0.02)) +
                      axis_script("y", log_range({1, write_max}, 2, 0.04)) + key +
                      operations_and_write() + "plot " + plots + "\n");
}

Chart merge_seconds_over_bytes(const std::string& cell, const std::vector<double>& bytes,
                               const std::vector<double>& seconds, const ValidationLine& fit) {
  ChartFrame frame;
  frame.width = 560;
  frame.height = 320;
  const std::string key = legend_below(frame, 2);
  const double megabyte = 1e6;
  std::vector<double> megabytes;
  for (const double count : bytes) megabytes.push_back(count / megabyte);
  return chart_of(
      "Duration of merges over bytes written: " + cell, frame,
      points_block("merges", megabytes, seconds) + frame_script(frame) +
          axis_script("x", from_zero(megabytes)) + axis_script("y", from_zero(seconds)) + key +
          label_script("x", "written by the merge (MB)") +
          label_script("y", "duration of the merge (s)") +
          fmt::format("plot $merges using 1:2 with points {} ps 0.5 title 'merge', {}*x+{} with "
                      "lines lc rgb '#000000' title 'regression line'\n",
                      family_mark(0), script_number(fit.slope * megabyte),
                      script_number(fit.intercept)));
}

}  // namespace lsmlab
