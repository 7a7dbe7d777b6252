// Ranges, ticks and margins of charts, in gnuplot's terms.
#pragma once

#include <string>
#include <vector>

namespace lsmlab {

struct AxisRange {
  double min = 1;
  double max = 10;
  bool is_log = true;
  /// Place of a value along the axis, 0 to 1.
  [[nodiscard]] double fraction(double value) const;
};

/// Holds every positive value, and at least a factor of `ratio_min`; `padding` is a share of the
/// axis at either end.
[[nodiscard]] AxisRange log_range(const std::vector<double>& values, double ratio_min,
                                  double padding);

/// Where the plot lies on the canvas, in pixels from its edges.
struct ChartFrame {
  double width = 1120;
  double height = 480;
  double left = 72;
  double right = 24;
  double top = 14;
  double bottom = 56;
  [[nodiscard]] double plot_width() const { return width - left - right; }
  [[nodiscard]] double plot_height() const { return height - top - bottom; }
};

/// Margins, border, grid and fonts that all charts share.
[[nodiscard]] std::string frame_script(const ChartFrame& frame);
/// Range and labelled ticks (1, 10, 1k, 1M) of axis "x" or "y".
[[nodiscard]] std::string axis_script(const std::string& axis, const AxisRange& range);
/// "1", "1.5", "20k", "10M".
[[nodiscard]] std::string tick_text(double value);
/// Rows of numbers under a name, for plots of a script. `rows`: lines with their ends.
[[nodiscard]] std::string data_block(const std::string& name, const std::string& rows);
/// The same of two columns, as far as both go.
[[nodiscard]] std::string points_block(const std::string& name, const std::vector<double>& x,
                                       const std::vector<double>& y);
/// A linear axis from 0 to a little above the largest.
[[nodiscard]] AxisRange from_zero(const std::vector<double>& values);
/// A legend below the plot, a row for every three entries; makes room for it.
[[nodiscard]] std::string legend_below(ChartFrame& frame, std::size_t entries);
/// A number in a script: the shortest text, the same in every locale.
[[nodiscard]] std::string script_number(double value);

}  // namespace lsmlab
