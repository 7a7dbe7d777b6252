#include "validate/advise/advice_chart.h"

#include <fmt/format.h>

#include <algorithm>

#include "validate/report/axes.h"
#include "validate/report/gnuplot.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kPanelWidth = 720;
constexpr const char* kColours[] = {"#1b6ca8", "#d1495b", "#2e933c", "#edae49", "#7b4b94",
                                    "#00798c", "#8d6a4f", "#5b8e7d", "#b56576", "#666666"};

struct Points {
  std::vector<double> x;
  std::vector<double> y;
};

void add_point(Points& points, const Json& result, const AdvisedFigure& x, const AdvisedFigure& y) {
  const auto at_x = figure_of(result, x);
  const auto at_y = figure_of(result, y);
  if (!at_x || !at_y) return;
  points.x.push_back(*at_x);
  points.y.push_back(*at_y);
}

// The figures with which the front was chosen.
const Json& shown_result(const Advice& advice, const Candidate& candidate) {
  return advice.is_front_exact ? candidate.result() : candidate.coarse;
}

class Panel {
 public:
  Panel(const AdviceQuestion& question, const Advice& advice, const AdvisedFigure& x)
      : question_(question), advice_(advice), x_(x), y_(question.front.front()) {}

  Chart chart() {
    add_candidates();
    Points front = points_of(advice_.front);
    // Of more than two figures the front is no line in this plane.
    const char* const lines = question_.front.size() == 2 ? "linespoints" : "points";
    add("front", front, fmt::format("with {} lc rgb '#000000' lw 1.5 pt 6 ps 1.1", lines),
        "Pareto front");
    if (question_.today) {
      add("today", points_of({0}), "with points lc rgb '#000000' pt 3 ps 1.8 lw 2", "today");
    }
    if (advice_.best) {
      add("best", points_of({*advice_.best}), "with points lc rgb '#000000' pt 4 ps 2.2 lw 2",
          "best");
    }
    ChartFrame frame;
    frame.width = kPanelWidth;
    const std::string legend = legend_below(frame, entries_, 3);
    std::string script = frame_script(frame) + legend;
    script += axis_script("x", from_zero(all_x_)) + axis_script("y", from_zero(all_y_));
    script += label_script("x", x_.name) + label_script("y", y_.name);
    script += data_ + "plot " + plots_ + "\n";
    return {fmt::format("{} against {} of every candidate, and the Pareto front", y_.name, x_.name),
            kPanelWidth, static_cast<int>(frame.height), script};
  }

 private:
  [[nodiscard]] Points points_of(const std::vector<std::size_t>& places) const {
    Points points;
    for (const std::size_t place : places) {
      const Candidate& candidate = advice_.candidate(place);
      add_point(points, shown_result(advice_, candidate), x_, y_);
    }
    return points;
  }

  void add_candidates() {
    std::vector<std::string> names;
    for (const PolicySpace& space : advice_.plan.spaces) {
      if (std::find(names.begin(), names.end(), space.policy.name) == names.end()) {
        names.push_back(space.policy.name);
      }
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      Points points;
      for (const Candidate& candidate : advice_.plan.candidates) {
        if (candidate.spec.name != names[i] || !candidate.is_tried()) continue;
        add_point(points, shown_result(advice_, candidate), x_, y_);
      }
      add(fmt::format("policy{}", i), points,
          fmt::format("with points lc rgb '{}' pt 7 ps 0.6", kColours[i % std::size(kColours)]),
          names[i]);
    }
  }

  void add(const std::string& name, const Points& points, const std::string& style,
           const std::string& title) {
    data_ += points_block(name, points.x, points.y);
    plots_ += fmt::format("{}${} using 1:2 {} title {}", plots_.empty() ? "" : ", \\\n ", name,
                          style, gnuplot_quoted(title));
    all_x_.insert(all_x_.end(), points.x.begin(), points.x.end());
    all_y_.insert(all_y_.end(), points.y.begin(), points.y.end());
    ++entries_;
  }

  const AdviceQuestion& question_;
  const Advice& advice_;
  const AdvisedFigure& x_;
  const AdvisedFigure& y_;
  std::string data_;
  std::string plots_;
  std::size_t entries_ = 0;
  std::vector<double> all_x_;
  std::vector<double> all_y_;
};

}  // namespace

Result<std::string> advice_svg(const AdviceQuestion& question, const Advice& advice) {
  std::vector<Chart> charts;
  int height = 0;
  for (std::size_t i = 1; i < question.front.size(); ++i) {
    charts.push_back(Panel(question, advice, question.front[i]).chart());
    height = std::max(height, charts.back().height);
  }
  const auto drawn = BOOST_OUTCOME_TRYX(draw_charts(charts));
  const int width = kPanelWidth * static_cast<int>(charts.size());
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" font-family=\"sans-serif\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      width, height);
  constexpr std::string_view kOpen = "<svg ";
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    svg += fmt::format("<svg x=\"{}\" width=\"{}\" height=\"{}\" {}\n",
                       kPanelWidth * static_cast<int>(i), kPanelWidth, charts[i].height,
                       drawn[i].substr(kOpen.size()));
  }
  return svg + "</svg>\n";
}

}  // namespace lsmlab
