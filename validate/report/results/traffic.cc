#include "validate/report/results/traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/shortened.h"
#include "validate/report/axes.h"
#include "validate/report/results/charts.h"
#include "validate/report/results/shown_figure.h"
#include "validate/report/results/table.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLabelCharacters = 26;
constexpr double kBarHeight = 26;

/// One part of every bar: a level or a reason.
struct BarPart {
  std::string name;
  std::vector<double> bytes;  // by result
};

std::vector<BarPart> bar_parts(const ReportWorkload& workload, std::span<const Json> results,
                               const ResultFigure& figure) {
  std::vector<BarPart> parts;
  for (std::size_t i = 0; i < workload.results.size(); ++i) {
    for_each_instance(
        figure.group(), results[workload.results[i].number - 1],
        [&](const std::string& name, const Json& object) {
          auto part = std::find_if(parts.begin(), parts.end(),
                                   [&](const BarPart& other) { return other.name == name; });
          if (part == parts.end()) {
            part = parts.insert(part, {name, std::vector<double>(workload.results.size())});
          }
          const Json& value = member_of(object, figure.name());
          if (value.is_number()) part->bytes[i] += std::max(0.0, value.get<double>());
        });
  }
  std::erase_if(parts, [](const BarPart& part) {
    return std::all_of(part.bytes.begin(), part.bytes.end(),
                       [](double bytes) { return bytes == 0; });
  });
  return parts;
}

// A bar for each result, the first on top; its parts follow each other from left to right.
Chart bars_of(const ReportWorkload& workload, const std::vector<BarPart>& parts,
              const ResultFigure& figure) {
  const std::size_t count = workload.results.size();
  ChartFrame frame;
  frame.width = 560;
  frame.left = 190;
  frame.height = 76 + kBarHeight * static_cast<double>(count);
  const std::string key = legend_below(frame, parts.size());
  std::vector<double> ends(count);
  std::string data;
  std::string plots;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    std::string rows;
    for (std::size_t i = 0; i < count; ++i) {
      const double begin = ends[i];
      const double y = static_cast<double>(count - i);
      ends[i] += parts[p].bytes[i];
      rows += fmt::format("{} {} {} {} {} {}\n", script_number(begin), script_number(y),
                          script_number(begin), script_number(ends[i]), script_number(y - 0.36),
                          script_number(y + 0.36));
    }
    data += data_block(fmt::format("part{}", p), rows);
    plots += fmt::format(
        ", \\\n $part{0} using 1:2:3:4:5:6 with boxxyerror fs solid border lc rgb '#333333' fc rgb "
        "'{1}' lw 0.6 notitle, \\\n keyentry with boxes fs solid fc rgb '{1}' title {2}",
        p, family_colour(p), gnuplot_quoted(parts[p].name));
  }
  std::string ticks;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string label = shortened(workload.results[i].label, kLabelCharacters);
    ticks += fmt::format("{}{} {}", i == 0 ? "" : ", ", gnuplot_quoted(label), count - i);
  }
  const AxisRange range = from_zero(ends);
  return {fmt::format("{}, {} result{}: {}", figure.group().path, count, count == 1 ? "" : "s",
                      figure_label(figure.descriptor())),
          static_cast<int>(frame.width), static_cast<int>(frame.height),
          data + frame_script(frame) + axis_script("x", range) +
              axis_script("y", {0.4, static_cast<double>(count) + 0.6, false}) +
              fmt::format("set ytics ({})\nset grid noytics\n", ticks) + key +
              label_script("x", figure_label(figure.descriptor())) + "plot NaN notitle" + plots +
              "\n"};
}

}  // namespace

void add_traffic_section(ReportPage& page, const ReportWorkload& workload,
                         std::span<const Json> results) {
  constexpr FigureName kFigures[] = {&ResultFigures::level_bytes_written,
                                     &ResultFigures::reason_bytes_written};
  constexpr const char* kTitles[] = {"By level", "By reason"};
  std::string tables;
  bool has_begun = false;
  for (std::size_t i = 0; i < std::size(kFigures); ++i) {
    const ResultFigure& figure = figure_of(kFigures[i]);
    const std::string table = group_table(workload, results, figure.group(), RowOrder::kByResult);
    const std::vector<BarPart> parts = bar_parts(workload, results, figure);
    if (table.empty() || parts.empty()) continue;
    if (!has_begun) {
      page.text("<h3>Bytes by level and by reason</h3>\n<div class=\"stacks\">\n");
      has_begun = true;
    }
    page.figure("", fmt::format("{}. {}", kTitles[i], plain_definition(figure.descriptor())),
                bars_of(workload, parts, figure));
    tables +=
        fmt::format("<details>\n<summary>{}: all figures</summary>\n<p>{}</p>\n{}</details>\n",
                    kTitles[i], html_escaped(plain_definition(figure.group())), table);
  }
  if (has_begun) page.text("</div>\n" + tables);
}

}  // namespace lsmlab
