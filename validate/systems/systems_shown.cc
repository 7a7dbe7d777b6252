// The comparison of systems as text, JSON and picture.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/base/quantity_text.h"
#include "validate/report/axes.h"
#include "validate/report/gnuplot.h"
#include "validate/systems/compared_systems.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kRead = 2;
constexpr std::size_t kSpace = 3;
constexpr int kWidth = 960;
constexpr int kHeight = 600;

std::string value_text(const std::optional<double>& value) {
  if (!value) return "-";
  if (*value >= 100) return fmt::format("{:.0f}", *value);
  return *value > 0 && *value < 0.1 ? fmt::format("{:.2g}", *value) : fmt::format("{:.2f}", *value);
}

// Without the ending that most of them have.
std::string short_name(const std::string& name) {
  constexpr std::string_view kEnding = "-defaults";
  return name.ends_with(kEnding) ? name.substr(0, name.size() - kEnding.size()) : name;
}

}  // namespace

std::string systems_text(const SystemsQuestion& question, std::span<const SystemFigures> figures) {
  std::string text =
      fmt::format("{}, memtables of {}; every system with its defaults, scaled to that\n\n",
                  spec_text(question.workload), bytes_text(question.memtable.value()));
  text += fmt::format("{:<26}", "system");
  for (const SystemFigure& figure : kSystemFigures) text += fmt::format(" {:>12}", figure.name);
  text += "\n";
  for (const SystemFigures& row : figures) {
    text += fmt::format("{:<26}", short_name(row.system.name));
    for (const auto& value : row.values) text += fmt::format(" {:>12}", value_text(value));
    text += row.complete ? "\n" : "  (stopped early)\n";
  }
  text += "\n";
  for (const SystemFigure& figure : kSystemFigures) {
    text += fmt::format("{}: {}\n", figure.name, figure.meaning);
  }
  return text;
}

Json systems_json(const SystemsQuestion& question, std::span<const SystemFigures> figures) {
  Json rows = Json::array();
  for (const SystemFigures& row : figures) {
    Json values = Json::object();
    for (std::size_t i = 0; i < kSystemFigures.size(); ++i) {
      values[kSystemFigures[i].path] =
          row.values[i] ? Json(*row.values[i] * kSystemFigures[i].unit) : Json(nullptr);
    }
    rows.push_back({{"system", row.system.name},
                    {"policy", spec_text(row.system.policy)},
                    {"complete", row.complete},
                    {"figures", std::move(values)}});
  }
  return {
      {"schema", "lsmlab.systems/1"},
      {"workload", spec_text(question.workload)},
      {"device", question.device.name.empty() ? Json(nullptr) : Json(spec_text(question.device))},
      {"memtable_bytes", question.memtable.value()},
      {"systems", std::move(rows)}};
}

Result<std::string> systems_svg(const SystemsQuestion& question,
                                std::span<const SystemFigures> figures) {
  std::string data = "$systems << EOD\n";
  std::vector<double> xs;
  std::vector<double> ys;
  for (const SystemFigures& row : figures) {
    if (!row.values[0] || !row.values[kRead] || !row.values[kSpace]) continue;
    xs.push_back(*row.values[0]);
    ys.push_back(*row.values[kRead]);
    // The area is the space: a store without dead data has a circle of size 1.
    data += fmt::format("{} {} {} \"{}\"\n", xs.back(), ys.back(),
                        1.4 * std::sqrt(std::max(*row.values[kSpace], 0.0)),
                        short_name(row.system.name));
  }
  data += "EOD\n";
  ChartFrame frame;
  frame.width = kWidth;
  frame.height = kHeight;
  std::string script = frame_script(frame) + "unset key\n";
  script += axis_script("x", log_range(xs, 4, 0.08)) + axis_script("y", log_range(ys, 4, 0.08));
  script += label_script("x", "write amplification") +
            label_script("y", "sorted runs that a lookup may visit, mean");
  script += data +
            "set label 'area of a circle: space amplification' at graph 0.99,0.97 right\n"
            "plot $systems using 1:2:3 with points lc rgb '#1b6ca8' pt 6 lw 1.5 ps variable, \\\n"
            " $systems every 2::0 using 1:2:4 with labels left offset char 1.2,0.5 font ',10', \\\n"
            " $systems every 2::1 using 1:2:4 with labels left offset char 1.2,-0.5 font ',10'\n";
  const std::vector<Chart> charts{
      {fmt::format("read against write amplification of {} systems on {}", xs.size(),
                   spec_text(question.workload)),
       kWidth, kHeight, script}};
  const auto drawn = BOOST_OUTCOME_TRYX(draw_charts(charts));
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" font-family=\"sans-serif\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n"
      "{2}\n</svg>\n",
      kWidth, kHeight, drawn.front());
}

}  // namespace lsmlab
