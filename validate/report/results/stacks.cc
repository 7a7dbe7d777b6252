#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "validate/report/axes.h"
#include "validate/report/results/charts.h"
#include "validate/report/results/shown_figure.h"

namespace lsmlab {
namespace {

constexpr std::size_t kNarrowFlushesMax = 24;
constexpr double kColumnShare = 0.86;  // of the distance between two flushes

struct StackUnit {
  double bytes = 1;
  std::string y_label;
};

// The size of a flush if all flushes have the same size: every SSTable is then a whole number of
// flushes.
StackUnit stack_unit(const ReportResult& result, double bytes_max) {
  const std::vector<double>& flushed = result.column(&ResultFigures::series_bytes_flushed);
  bool is_constant = flushed.size() == result.stacks.size() && !flushed.empty() && flushed[0] > 0;
  for (std::size_t i = 0; is_constant && i < flushed.size(); ++i) {
    is_constant = flushed[i] == flushed[0] * static_cast<double>(i + 1);
  }
  if (is_constant) return {flushed[0], "flushes of " + byte_count_text(flushed[0])};
  constexpr std::array kNames{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t power = 0;
  double bytes = 1;
  while (power + 1 < kNames.size() && bytes_max / (bytes * 1024) >= 10) {
    bytes *= 1024;
    ++power;
  }
  return {bytes, fmt::format("size ({})", kNames[power])};
}

std::string units_text(double units) {
  const bool is_whole = std::abs(units - std::round(units)) < 0.05;
  return units < 10 && !is_whole ? fmt::format("{:.1f}", units) : fmt::format("{:.0f}", units);
}

// Deeper levels are darker. `shade`: 0 to 1.
std::string colour_of(double shade) {
  const auto mix = [&](int light, int dark) {
    return static_cast<int>(std::lround(light + shade * (dark - light)));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(0xEA, 0x0B), mix(0xF3, 0x4A), mix(0xFA, 0x86));
}

// If there are several levels, their legend is above the plot.
ChartFrame stack_frame(const ReportResult& result, bool has_legend) {
  ChartFrame frame;
  frame.width = is_wide_stack(result) ? 1120 : 550;
  frame.height = is_wide_stack(result) ? 420 : 330;
  frame.left = 58;
  frame.right = 10;
  frame.bottom = 50;
  frame.top = has_legend ? 36 : 12;
  if (!has_legend) frame.height -= 24;
  return frame;
}

/// The levels of a result in ascending order, with their shades.
struct Levels {
  std::vector<std::uint64_t> numbers;
  [[nodiscard]] std::size_t index_of(std::uint64_t level) const {
    return static_cast<std::size_t>(std::lower_bound(numbers.begin(), numbers.end(), level) -
                                    numbers.begin());
  }
  [[nodiscard]] double shade(std::size_t index) const {
    if (numbers.size() < 2) return 0.12;
    return static_cast<double>(index) / static_cast<double>(numbers.size() - 1);
  }
};

Levels levels_of(const ReportResult& result) {
  Levels levels;
  for (const ReportStack& stack : result.stacks) {
    levels.numbers.insert(levels.numbers.end(), stack.levels.begin(), stack.levels.end());
  }
  std::sort(levels.numbers.begin(), levels.numbers.end());
  levels.numbers.erase(std::unique(levels.numbers.begin(), levels.numbers.end()),
                       levels.numbers.end());
  return levels;
}

const char* text_colour(double shade) { return shade > 0.5 ? "#ffffff" : "#111111"; }

struct StackDrawing {
  ChartFrame frame;
  StackUnit unit;
  AxisRange y_range;
  Levels levels;
  std::vector<std::string> rows;  // rectangles by level
  std::string labels;
};

// How many SSTables existed after the previous flush too: as many of the oldest as have the same
// sizes after both.
std::size_t unchanged_count(const ReportResult& result, std::size_t flush) {
  if (flush == 0) return 0;
  const std::vector<double>& now = result.stacks[flush].bytes;
  const std::vector<double>& before = result.stacks[flush - 1].bytes;
  const auto ends = std::mismatch(now.begin(), now.end(), before.begin(), before.end());
  return static_cast<std::size_t>(ends.first - now.begin());
}

/// The rectangles of one flush, and the numbers that fit into them.
void add_column(StackDrawing& drawing, const ReportResult& result, std::size_t flush) {
  constexpr double kDigitWidth = 7.2;
  constexpr double kTextHeight = 12.5;
  const ReportStack& stack = result.stacks[flush];
  const double x = static_cast<double>(flush) + 1;
  const double column_width =
      drawing.frame.plot_width() / static_cast<double>(result.stacks.size()) * kColumnShare;
  const std::size_t unchanged = unchanged_count(result, flush);
  double bottom = 0;
  for (std::size_t i = 0; i < stack.bytes.size(); ++i) {
    const double units = stack.bytes[i] / drawing.unit.bytes;
    const std::size_t level = drawing.levels.index_of(stack.levels[i]);
    drawing.rows[level] +=
        fmt::format("{} {} {} {} {} {}\n", script_number(x), script_number(bottom + units / 2),
                    script_number(x - kColumnShare / 2), script_number(x + kColumnShare / 2),
                    script_number(bottom), script_number(bottom + units));
    const std::string text = units_text(units);
    const double height = units / drawing.y_range.max * drawing.frame.plot_height();
    if (height >= kTextHeight && static_cast<double>(text.size()) * kDigitWidth <= column_width) {
      drawing.labels +=
          fmt::format("set label '{}' at first {}, first {} center font '{}' tc rgb '{}' front\n",
                      text, script_number(x), script_number(bottom + units / 2),
                      i < unchanged ? "sans-serif,12" : "sans-serif:Bold,12",
                      text_colour(drawing.levels.shade(level)));
    }
    bottom += units;
  }
}

// Drawn by hand above the plot: gnuplot's own legend would need a line for each level.
std::string level_legend(const StackDrawing& drawing) {
  const Levels& levels = drawing.levels;
  if (levels.numbers.size() < 2) return "";
  const ChartFrame& frame = drawing.frame;
  const double middle = 1 - 16 / frame.height;
  std::string script = fmt::format("set label 'level' at screen {},{} left\n",
                                   script_number(frame.left / frame.width), script_number(middle));
  double x = frame.left + 42;
  for (std::size_t i = 0; i < levels.numbers.size() && x < frame.width - 40; ++i) {
    script += fmt::format(
        "set object rect from screen {},{} to screen {},{} fs solid border lc rgb '#333333' fc rgb "
        "'{}'\nset label '{}' at screen {},{} left\n",
        script_number(x / frame.width), script_number(middle - 6.5 / frame.height),
        script_number((x + 13) / frame.width), script_number(middle + 6.5 / frame.height),
        colour_of(levels.shade(i)), levels.numbers[i], script_number((x + 18) / frame.width),
        script_number(middle));
    x += 34 + 8 * static_cast<double>(fmt::formatted_size("{}", levels.numbers[i]));
  }
  return script;
}

std::string stack_plots(const StackDrawing& drawing) {
  std::string data;
  std::string plots;
  for (std::size_t level = 0; level < drawing.rows.size(); ++level) {
    data += fmt::format("$level{} << EOD\n{}EOD\n", level, drawing.rows[level]);
    plots += fmt::format(
        ", \\\n $level{} using 1:2:3:4:5:6 with boxxyerror fs solid border lc rgb '#333333' fc rgb "
        "'{}' lw 0.8 notitle",
        level, colour_of(drawing.levels.shade(level)));
  }
  return data + "plot NaN notitle" + plots + "\n";
}

}  // namespace

bool is_wide_stack(const ReportResult& result) { return result.stacks.size() > kNarrowFlushesMax; }

Chart stack_over_time(const ReportResult& result, double bytes_max) {
  StackDrawing drawing;
  drawing.unit = stack_unit(result, bytes_max);
  drawing.y_range = {0, bytes_max > 0 ? bytes_max / drawing.unit.bytes * 1.02 : 1, false};
  drawing.levels = levels_of(result);
  drawing.frame = stack_frame(result, drawing.levels.numbers.size() > 1);
  drawing.rows.resize(drawing.levels.numbers.size());
  for (std::size_t flush = 0; flush < result.stacks.size(); ++flush) {
    add_column(drawing, result, flush);
  }
  const std::size_t flushes = result.stacks.size();
  return {fmt::format("The stack of SSTables after each of {} flushes, {}", flushes, result.label),
          static_cast<int>(drawing.frame.width), static_cast<int>(drawing.frame.height),
          frame_script(drawing.frame) +
              fmt::format("set grid noxtics\nset xrange [0.4:{}.6]\nset xtics {} out\n", flushes,
                          flushes <= 32 ? "1,1" : "4,4") +
              axis_script("y", drawing.y_range) + label_script("x", "flush") +
              label_script("y", drawing.unit.y_label) + level_legend(drawing) + drawing.labels +
              stack_plots(drawing)};
}

}  // namespace lsmlab
