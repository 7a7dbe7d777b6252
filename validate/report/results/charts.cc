#include "validate/report/results/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

#include "validate/report/axes.h"
#include "validate/report/results/shown_figure.h"

namespace lsmlab {
namespace {

// Okabe and Ito's palette without its yellow, which is hard to see on white.
constexpr std::array kColours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                              "#E69F00", "#56B4E9", "#000000"};
// The same colours, dark enough for text.
constexpr std::array kInks{"#00507D", "#954200", "#006F50", "#8F5575",
                           "#946600", "#34708F", "#000000"};
constexpr std::array kDashes{"solid",         "(9,4)", "(2,3)",      "(9,3,2,3)",
                             "(9,3,2,3,2,3)", "(5,3)", "(18,4,4,4)", "(2,7)"};
// gnuplot's point types, filled ones first. The number of symbols and that of colours share no
// factor, so a pair of colour and symbol repeats late.
constexpr std::array kSymbols{7, 5, 9, 13, 11, 15, 6, 4, 8, 12, 10, 14};

constexpr FigureName kFlushes = &ResultFigures::series_flushes;

constexpr double kLabelWidth = 7.0;  // of a character of 12 px: an upper limit
constexpr double kLabelHeight = 14.0;
constexpr std::size_t kLabelCharactersMax = 110;

std::string line_style(const ReportWorkload& workload, const ReportResult& result) {
  const bool has_lone_members =
      std::all_of(workload.families.begin(), workload.families.end(),
                  [](const ReportFamily& family) { return family.members.size() == 1; });
  const std::size_t dash = has_lone_members ? result.family_index : result.variant;
  return fmt::format(
      "lc rgb '{}' dt {} lw 2 pt {} ps 0.75", kColours[result.family_index % kColours.size()],
      kDashes[dash % kDashes.size()], kSymbols[result.family_index % kSymbols.size()]);
}

std::string result_label(const ReportResult& result) {
  return shortened(result.label, kLabelCharactersMax) + (result.complete ? "" : " (incomplete)");
}

struct LegendEntry {
  std::string style;
  std::string text;
};

/// Columns and rows below the plot. add_legend() makes the canvas large enough for them.
struct Legend {
  std::size_t rows = 1;
  std::size_t characters = 1;  // of the longest text
};

constexpr double kLegendRowHeight = 19.5;
constexpr double kLegendSampleWidth = 76;
constexpr double kLegendCharacterWidth = 7.6;

Legend add_legend(ChartFrame& frame, const std::vector<LegendEntry>& entries) {
  Legend legend;
  for (const LegendEntry& entry : entries) {
    legend.characters = std::max(legend.characters, characters_in(entry.text));
  }
  const double column =
      kLegendSampleWidth + kLegendCharacterWidth * static_cast<double>(legend.characters + 3);
  const auto columns =
      static_cast<std::size_t>(std::max(1.0, std::floor((frame.width - 40) / column)));
  legend.rows = std::max<std::size_t>(1, (entries.size() + columns - 1) / columns);
  const double height = static_cast<double>(legend.rows) * kLegendRowHeight + 12;
  frame.height += height;
  frame.bottom += height;
  return legend;
}

std::string legend_script(const ChartFrame& frame, const Legend& legend) {
  // gnuplot assumes that a character is 0.7 em wide, which is too much: a negative width corrects
  // it.
  const double width = -static_cast<double>(legend.characters) * (1 - kLegendCharacterWidth / 9.1);
  const double height = static_cast<double>(legend.rows) * kLegendRowHeight + 8;
  return fmt::format(
      "set key at screen {},{} left top Left reverse vertical maxrows {} samplen 6 width {}\n",
      script_number(20 / frame.width), script_number(height / frame.height), legend.rows,
      script_number(width));
}

std::string legend_plots(const std::vector<LegendEntry>& entries) {
  std::string plots;
  for (const LegendEntry& entry : entries) {
    plots += fmt::format(", \\\n keyentry with linespoints {} title {}", entry.style,
                         gnuplot_quoted(entry.text));
  }
  return plots;
}

struct Curves {
  FigureName column;  // the figure's samples
  FigureName figure;
  std::string description;
  bool is_log = false;
  bool has_floors = false;
};

// The samples that get a symbol: all samples of a short series, otherwise a few, evenly spread over
// the axis. Each curve has its symbols at other places, so that they stay visible where one curve
// covers another.
std::vector<std::size_t> marked_samples(const std::vector<double>& flushes,
                                        const AxisRange& x_range, std::size_t curve) {
  constexpr std::size_t kAllUpTo = 20;
  constexpr int kMarks = 8;
  std::vector<std::size_t> samples;
  if (flushes.size() <= kAllUpTo) {
    for (std::size_t i = 0; i < flushes.size(); ++i) samples.push_back(i);
    return samples;
  }
  const double turn = static_cast<double>(curve) * 0.6180339887;
  const double offset = turn - std::floor(turn);
  std::size_t next = 0;
  for (int mark = 0; mark < kMarks; ++mark) {
    const double target = (mark + offset) / kMarks;
    while (next + 1 < flushes.size() && x_range.fraction(flushes[next]) < target) ++next;
    if (samples.empty() || samples.back() != next) samples.push_back(next);
  }
  return samples;
}

bool can_show(double x, double y, bool is_log) { return x > 0 && (y > 0 || !is_log); }

struct PlotScript {
  std::string data;
  std::string plots;
};

// An empty plot says why it is empty.
std::string empty_note(const PlotScript& script) {
  if (!script.plots.empty()) return "";
  return "set label 'no values above 0' at graph 0.5, graph 0.5 center tc rgb '#555555'\n";
}

void add_curve(PlotScript& script, const ReportResult& result, const Curves& curves,
               const AxisRange& x_range, const LegendEntry& entry) {
  const std::vector<double>& flushes = result.column(kFlushes);
  const std::vector<double>& values = result.column(curves.column);
  const std::size_t curve =
      static_cast<std::size_t>(std::count(script.plots.begin(), script.plots.end(), '\n') / 2);
  const auto row = [&](std::size_t i) {
    if (!can_show(flushes[i], values[i], curves.is_log)) return std::string();
    return script_number(flushes[i]) + " " + script_number(values[i]) + "\n";
  };
  std::string lines;
  std::string marks;
  for (std::size_t i = 0; i < values.size(); ++i) lines += row(i);
  if (lines.empty()) return;
  for (const std::size_t i : marked_samples(flushes, x_range, curve)) marks += row(i);
  script.data += data_block(fmt::format("lines{}", curve), lines);
  script.plots += fmt::format(", \\\n $lines{} using 1:2 with lines {} notitle", curve,
                              entry.style.substr(0, entry.style.find(" pt ")));
  // If all chosen samples are zeros, the curve's first sample gets the symbol.
  if (marks.empty()) marks = lines.substr(0, lines.find('\n') + 1);
  script.data += data_block(fmt::format("marks{}", curve), marks);
  script.plots += fmt::format(", \\\n $marks{} using 1:2 with points {} notitle", curve,
                              entry.style.substr(0, entry.style.find(" dt ")) +
                                  entry.style.substr(entry.style.find(" pt ")));
}

struct FloorMark {
  double value = 0;
  double k = 0;
};

// Only lower bounds for a bound that the policy itself keeps. The others are for the most SSTables
// that each run happened to keep: there is one for each result, and the table shows them.
std::vector<FloorMark> floor_marks(const ReportWorkload& workload) {
  std::set<std::pair<double, double>> marks;
  for (const ReportResult& result : workload.results) {
    if (!result.has_policy_bound || !result.complete) continue;
    const double value = result.figure(&ResultFigures::floor_write_flushed).value_or(0);
    const double k = result.figure(&ResultFigures::floor_k).value_or(0);
    if (value > 0) marks.emplace(value, k);
  }
  std::vector<FloorMark> list;
  for (const auto& [value, k] : marks) list.push_back({value, k});
  return list;
}

std::string floor_script(const std::vector<FloorMark>& marks, const AxisRange& y_range,
                         const ChartFrame& frame) {
  std::string script;
  double last_place = -1e9;
  for (const FloorMark& mark : marks) {
    script += fmt::format(
        "set arrow from graph 0.993, first {0} to graph 1.008, first {0} nohead front lc rgb "
        "'#555555' lw 2\n",
        script_number(mark.value));
    const double place = y_range.fraction(mark.value) * frame.plot_height();
    if (place - last_place < kLabelHeight) continue;
    last_place = place;
    script += fmt::format(
        "set label 'floor, k={:.0f}' at graph 1.014, first {} left font ',12' tc rgb '#333333'\n",
        mark.k, script_number(mark.value));
  }
  return script;
}

AxisRange curve_y_range(const ReportWorkload& workload, const Curves& curves,
                        const std::vector<FloorMark>& floors) {
  std::vector<double> values;
  for (const ReportResult& result : workload.results) {
    const std::vector<double>& column = result.column(curves.column);
    values.insert(values.end(), column.begin(), column.end());
  }
  for (const FloorMark& mark : floors) values.push_back(mark.value);
  if (curves.is_log) return log_range(values, 2, 0.04);
  const double max = values.empty() ? 1 : *std::max_element(values.begin(), values.end());
  return {0, max > 0 ? std::min(max * 1.06, 1e300) : 1, false};
}

AxisRange flushes_range(const ReportWorkload& workload) {
  std::vector<double> flushes;
  for (const ReportResult& result : workload.results) {
    const std::vector<double>& column = result.column(kFlushes);
    flushes.insert(flushes.end(), column.begin(), column.end());
  }
  return log_range(flushes, 2, 0);
}

Chart curve_chart(const ReportWorkload& workload, const Curves& curves) {
  ChartFrame frame;
  const std::size_t count = workload.results.size();
  if (count > 25) frame.height += std::min(400.0, 10.0 * static_cast<double>(count - 25));
  std::vector<LegendEntry> entries;
  for (const ReportResult& result : workload.results) {
    entries.push_back({line_style(workload, result), result_label(result)});
  }
  const Legend legend = add_legend(frame, entries);
  const std::vector<FloorMark> floors =
      curves.has_floors ? floor_marks(workload) : std::vector<FloorMark>{};
  if (!floors.empty()) frame.right = 96;

  const AxisRange x_range = flushes_range(workload);
  const AxisRange y_range = curve_y_range(workload, curves, floors);
  PlotScript script;
  for (std::size_t i = 0; i < count; ++i) {
    add_curve(script, workload.results[i], curves, x_range, entries[i]);
  }
  return {curves.description, static_cast<int>(frame.width), static_cast<int>(frame.height),
          script.data + frame_script(frame) + axis_script("x", x_range) +
              axis_script("y", y_range) + legend_script(frame, legend) +
              floor_script(floors, y_range, frame) + empty_note(script) +
              label_script("x", figure_label(figure_of(kFlushes).descriptor())) +
              label_script("y", figure_label(figure_of(curves.figure).descriptor())) +
              "plot NaN notitle" + script.plots + legend_plots(entries) + "\n"};
}

std::string results_count(const ReportWorkload& workload) {
  const std::size_t count = workload.results.size();
  return fmt::format("{} result{}", count, count == 1 ? "" : "s");
}

/// A rectangle on the canvas, in pixels from its left and top.
struct Box {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;
  [[nodiscard]] bool meets(const Box& other) const {
    return left < other.left + other.width && other.left < left + width &&
           top < other.top + other.height && other.top < top + height;
  }
};

struct PointLabel {
  double x = 0;  // the point, in pixels
  double y = 0;
  std::string text;
  std::string colour;
};

/// The first free place around the point, near places before far ones. If there is none, the chart
/// leaves the label out.
std::optional<Box> free_place(const PointLabel& label, const ChartFrame& frame,
                              const std::vector<Box>& taken) {
  const double width = kLabelWidth * static_cast<double>(characters_in(label.text));
  const double height = kLabelHeight;
  for (const double gap : {8.0, 17.0, 28.0}) {
    const std::array<Box, 8> places{
        Box{label.x + gap, label.y - height / 2, width, height},
        Box{label.x - gap - width, label.y - height / 2, width, height},
        Box{label.x - width / 2, label.y - gap - height, width, height},
        Box{label.x - width / 2, label.y + gap, width, height},
        Box{label.x + gap * 0.7, label.y - gap * 0.7 - height, width, height},
        Box{label.x + gap * 0.7, label.y + gap * 0.7, width, height},
        Box{label.x - gap * 0.7 - width, label.y - gap * 0.7 - height, width, height},
        Box{label.x - gap * 0.7 - width, label.y + gap * 0.7, width, height}};
    for (const Box& place : places) {
      if (place.left < frame.left + 4 || place.left + width > frame.width - 4) continue;
      if (place.top < 2 || place.top + height > frame.height - frame.bottom - 2) continue;
      if (std::none_of(taken.begin(), taken.end(),
                       [&](const Box& box) { return box.meets(place); })) {
        return place;
      }
    }
  }
  return std::nullopt;
}

std::string labels_script(const std::vector<PointLabel>& labels, const ChartFrame& frame) {
  std::vector<Box> taken;
  for (const PointLabel& label : labels) taken.push_back({label.x - 6, label.y - 6, 12, 12});
  std::string script;
  for (const PointLabel& label : labels) {
    if (label.text.empty()) continue;
    const std::optional<Box> place = free_place(label, frame, taken);
    if (!place) continue;
    taken.push_back(*place);
    // The text is narrower than the box reserved for it, so it is aligned towards its point.
    const bool is_right = place->left >= label.x;
    const bool is_left = place->left + place->width <= label.x;
    const double x = place->left + place->width * (is_right ? 0 : is_left ? 1 : 0.5);
    script += fmt::format("set label {} at screen {},{} {} font ',12' tc rgb '{}' front\n",
                          gnuplot_quoted(label.text), script_number(x / frame.width),
                          script_number(1 - (place->top + place->height / 2) / frame.height),
                          is_right  ? "left"
                          : is_left ? "right"
                                    : "center",
                          label.colour);
  }
  return script;
}

// A line joins a family's points in the family's order. They share one entry of the legend.
std::vector<LegendEntry> family_entries(const ReportWorkload& workload) {
  std::vector<LegendEntry> entries;
  for (const ReportFamily& family : workload.families) {
    const ReportResult& first = workload.results[family.members.front()];
    const std::string style =
        fmt::format("lc rgb '{}' lw 1.5 pt {} ps 1", kColours[first.family_index % kColours.size()],
                    kSymbols[first.family_index % kSymbols.size()]);
    const bool is_lone = family.members.size() == 1;
    entries.push_back(
        {style, is_lone ? result_label(first) : shortened(family.name, kLabelCharactersMax)});
  }
  return entries;
}

}  // namespace

std::string family_mark(std::size_t family) {
  return fmt::format("lc rgb '{}' pt {}", kColours[family % kColours.size()],
                     kSymbols[family % kSymbols.size()]);
}

std::string family_curve(std::size_t family) {
  return fmt::format("{} pt {}", family_line(family), kSymbols[family % kSymbols.size()]);
}

std::string family_colour(std::size_t family) { return kColours[family % kColours.size()]; }

std::string family_line(std::size_t family) {
  return fmt::format("lc rgb '{}' dt {}", kColours[family % kColours.size()],
                     kDashes[family % kDashes.size()]);
}

Chart write_over_flushes(const ReportWorkload& workload) {
  return curve_chart(workload, {&ResultFigures::series_write_flushed, &ResultFigures::write_flushed,
                                "Write amplification over flushes, both axes logarithmic, " +
                                    results_count(workload),
                                true, true});
}

Chart runs_over_flushes(const ReportWorkload& workload) {
  // On a linear axis one policy that never merges would press all other curves flat.
  constexpr FigureName kColumn = &ResultFigures::series_read_mean;
  std::vector<double> ends;
  for (const ReportResult& result : workload.results) {
    const std::vector<double>& column = result.column(kColumn);
    if (!column.empty()) ends.push_back(*std::max_element(column.begin(), column.end()));
  }
  std::sort(ends.begin(), ends.end());
  const bool is_log = !ends.empty() && ends.back() > 8 * ends[ends.size() / 2];
  return curve_chart(
      workload, {kColumn, &ResultFigures::read_mean,
                 fmt::format("Mean sorted runs over flushes, {}, {}",
                             is_log ? "both axes logarithmic" : "flushes on a logarithmic axis",
                             results_count(workload)),
                 is_log, false});
}

std::optional<Chart> space_over_flushes(const ReportWorkload& workload) {
  constexpr FigureName kColumn = &ResultFigures::series_space_transient;
  double least = 0;
  double most = 0;
  for (const ReportResult& result : workload.results) {
    const std::vector<double>& column = result.column(kColumn);
    if (result.figure(&ResultFigures::merges).value_or(0) == 0 || column.empty()) continue;
    const double end = column.back();
    least = most > 0 ? std::min(least, end) : end;
    most = std::max(most, end);
  }
  if (most <= least * 1.05) return std::nullopt;
  return curve_chart(workload,
                     {kColumn, &ResultFigures::space_transient,
                      "Transient space over flushes, " + results_count(workload), false, false});
}

Chart write_against_read(const ReportWorkload& workload) {
  constexpr FigureName kRead = &ResultFigures::read_mean;
  constexpr FigureName kWrite = &ResultFigures::write_flushed;
  ChartFrame frame;
  frame.right = 40;
  frame.height += std::min(240.0, 6.0 * static_cast<double>(workload.results.size()));
  const std::vector<LegendEntry> entries = family_entries(workload);
  const Legend legend = add_legend(frame, entries);
  std::vector<double> reads;
  std::vector<double> writes;
  for (const ReportResult& result : workload.results) {
    reads.push_back(result.figure(kRead).value_or(0));
    writes.push_back(result.figure(kWrite).value_or(0));
  }
  const AxisRange x_range = log_range(writes, 2, 0.05);
  const AxisRange y_range = log_range(reads, 2, 0.06);

  PlotScript script;
  std::vector<PointLabel> labels;
  for (std::size_t i = 0; i < workload.families.size(); ++i) {
    std::string rows;
    for (const std::size_t member : workload.families[i].members) {
      if (!can_show(reads[member], writes[member], true)) continue;
      rows += script_number(writes[member]) + " " + script_number(reads[member]) + "\n";
      labels.push_back({frame.left + x_range.fraction(writes[member]) * frame.plot_width(),
                        frame.top + (1 - y_range.fraction(reads[member])) * frame.plot_height(),
                        shortened(workload.results[member].variant_text, 30),
                        kInks[workload.results[member].family_index % kInks.size()]});
    }
    if (rows.empty()) continue;
    script.data += data_block(fmt::format("family{}", i), rows);
    script.plots +=
        fmt::format(", \\\n $family{} using 1:2 with linespoints {} notitle", i, entries[i].style);
  }
  return {"Write amplification against mean read amplification, both axes logarithmic, " +
              results_count(workload),
          static_cast<int>(frame.width), static_cast<int>(frame.height),
          script.data + frame_script(frame) + axis_script("x", x_range) +
              axis_script("y", y_range) + legend_script(frame, legend) +
              labels_script(labels, frame) + empty_note(script) +
              label_script("x", figure_label(figure_of(kWrite).descriptor())) +
              label_script("y", figure_label(figure_of(kRead).descriptor())) + "plot NaN notitle" +
              script.plots + legend_plots(entries) + "\n"};
}

}  // namespace lsmlab
