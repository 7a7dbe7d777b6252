// Ranges, ticks, labels and margins of charts, as gnuplot commands.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lsmlab {

struct AxisRange {
  double min = 1;
  double max = 10;
  bool is_log = true;
  /// Position of a value along the axis, 0 to 1.
  [[nodiscard]] double fraction(double value) const;
};

/// A logarithmic range that contains every positive value. It spans at least a factor of
/// `ratio_min`. `padding`: the share of the axis that stays free at either end.
[[nodiscard]] AxisRange log_range(const std::vector<double>& values, double ratio_min,
                                  double padding);

/// The canvas and the margins around the plot, in pixels.
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

/// Margins, border, grid and colours that all charts share.
[[nodiscard]] std::string frame_script(const ChartFrame& frame);
/// Range and labelled ticks (1, 10, 1k, 1M) of axis "x" or "y".
[[nodiscard]] std::string axis_script(const std::string& axis, const AxisRange& range);
/// "1", "1.5", "20k", "10M".
[[nodiscard]] std::string tick_text(double value);
/// The title of axis "x" or "y". `text` may hold any characters.
[[nodiscard]] std::string label_script(const std::string& axis, const std::string& text);
/// Rows of numbers under a name that plots of the script refer to. `rows`: lines with line ends.
[[nodiscard]] std::string data_block(const std::string& name, const std::string& rows);
/// Two columns as such rows, up to the end of the shorter column.
[[nodiscard]] std::string points_block(const std::string& name, const std::vector<double>& x,
                                       const std::vector<double>& y);
/// A linear range from 0 to a little above the largest value.
[[nodiscard]] AxisRange from_zero(const std::vector<double>& values);
/// A legend below the plot with so many entries in each row. Enlarges the frame to hold it.
[[nodiscard]] std::string legend_below(ChartFrame& frame, std::size_t entries,
                                       std::size_t columns = 3);
/// A number in a script: the shortest text, the same in every locale.
[[nodiscard]] std::string script_number(double value);

}  // namespace lsmlab
