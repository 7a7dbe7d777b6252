#include "validate/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "models/result.h"
#include "validate/report_charts.h"
#include "validate/report_data.h"
#include "validate/report_gnuplot.h"
#include "validate/report_table.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kStyle = R"css(
:root { color-scheme: light; }
body { margin: 0 auto; padding: 1.5rem 1.5rem 4rem; max-width: 1200px; box-sizing: border-box;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  color: #1a1a1a; background: #fff; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.3rem; margin: 2.8rem 0 .6rem; padding-top: .7rem; border-top: 1px solid #bbb; }
h3 { font-size: 1.05rem; margin: 2rem 0 .2rem; }
p, dd, figcaption { max-width: 105ch; }
.lead { margin: 0 0 1.2rem; color: #444; }
.facts, .definitions { display: grid; grid-template-columns: max-content 1fr;
  gap: .25rem 1.2rem; margin: 0; }
.facts dt, .definitions dt { color: #444; }
.facts dd, .definitions dd { margin: 0; overflow-wrap: anywhere; }
.definitions { font-size: .92rem; }
.parameters { font-size: .95rem; margin: 0; overflow-wrap: anywhere; max-width: none; }
code, pre, .definitions dt { font-size: .88em;
  font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
figure { margin: 0 0 1.2rem; break-inside: avoid; }
figcaption { font-size: .92rem; color: #444; margin: 0 0 .4rem; }
.chart { overflow-x: auto; }
.chart svg { display: block; width: 100%; height: auto; min-width: 640px; background: #fff; }
.chart svg text {
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
.labelled svg text { paint-order: stroke; stroke: #fff; stroke-width: 3px; stroke-linejoin: round; }
.stacks { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .4rem 1.5rem;
  margin-top: .8rem; }
.stacks figure { margin: 0; min-width: 0; }
.stacks .wide { grid-column: 1 / -1; }
.stacks .chart svg { min-width: 460px; }
.stacks figcaption { font-weight: 600; color: #1a1a1a; overflow-wrap: anywhere; margin: 0; }
@media (max-width: 900px) { .stacks { grid-template-columns: minmax(0, 1fr); } }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 12px; line-height: 1.35;
  font-variant-numeric: tabular-nums; }
th, td { padding: .28rem .3rem; text-align: right; vertical-align: baseline;
  border-bottom: 1px solid #e2e2e2; }
td { white-space: nowrap; }
thead th { vertical-align: bottom; font-weight: 600; border-bottom: 2px solid #555; }
th[scope="row"] { font-weight: 400; text-align: left; min-width: 8.2rem; overflow-wrap: anywhere; }
thead th:first-child, th[scope="rowgroup"] { text-align: left; }
th[scope="rowgroup"] { padding-top: .9rem; font-weight: 600; background: #f4f6f8;
  overflow-wrap: anywhere; }
td b { font-weight: 700; }
td.incomplete { font-weight: 600; color: #a23b00; }
details { margin: .5rem 0; }
summary { cursor: pointer; overflow-wrap: anywhere; }
pre { margin: .4rem 0 1rem; padding: .6rem .8rem; background: #f4f6f8; overflow-x: auto;
  line-height: 1.4; }
@media print {
  body { max-width: none; padding: 0; font-size: 11pt; }
  h2, h3 { break-after: avoid; }
  tr { break-inside: avoid; }
  .chart, .scroll { overflow: visible; }
  .chart svg, .stacks .chart svg { min-width: 0; }
  table { font-size: 8pt; }
}
)css";

constexpr const char* kWriteCaption =
    "SSTable bytes written (flushes and merges) over bytes flushed, up to each flush. Symbols only "
    "tell lines apart.";
constexpr const char* kFloorCaption =
    " Ticks on the right: the least that any eager stable schedule of at most k SSTables could "
    "have written by the last flush.";
constexpr const char* kAgainstCaption =
    "One point a result, over its whole run; the lower left is better in both. Points of one "
    "policy are joined "
    "in the order of the parameter beside them.";
constexpr const char* kRunsCaption =
    "Sorted runs that a point lookup may have to visit, mean over the flushes so far.";
constexpr const char* kSpaceCaption =
    "Largest total of files on disk, inputs and outputs of a running merge included, over bytes "
    "flushed by then.";
constexpr const char* kStackCaption =
    "A column for each flush: the SSTables after it, oldest at the bottom, with their sizes where "
    "there is "
    "room. Bold: not there after the flush before.";

/// HTML with places for charts, which gnuplot draws all at once when the page is otherwise done.
class Page {
 public:
  void text(const std::string& html) { parts_.back() += html; }

  void figure(const std::string& html_class, const std::string& caption, Chart chart) {
    text(fmt::format("<figure{}>\n<figcaption>{}</figcaption>\n<div class=\"chart\">",
                     html_class.empty() ? "" : fmt::format(" class=\"{}\"", html_class),
                     html_escaped(caption)));
    charts_.push_back(std::move(chart));
    parts_.emplace_back("</div>\n</figure>\n");
  }

  [[nodiscard]] Result<std::string> finish() const {
    auto drawn = BOOST_OUTCOME_TRYX(draw_charts(charts_));
    std::string html = parts_.front();
    for (std::size_t i = 0; i < drawn.size(); ++i) html += drawn[i] + parts_[i + 1];
    return html;
  }

 private:
  std::vector<std::string> parts_{""};  // one more than charts
  std::vector<Chart> charts_;
};

std::string joined(const std::set<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) {
    if (!text.empty()) all += (all.empty() ? "" : ", ") + text;
  }
  return all.empty() ? "unknown" : all;
}

void add_fact(Page& page, const std::string& name, const std::string& html) {
  page.text(fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, html));
}

void add_header(Page& page, const std::vector<ReportWorkload>& workloads,
                const std::string& title) {
  std::set<std::string> versions;
  std::set<std::string> how;
  std::string seeds;
  std::string names;
  std::set<std::uint64_t> seed_numbers;
  std::size_t results = 0;
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    results += workloads[i].results.size();
    seed_numbers.insert(workloads[i].seed);
    names += fmt::format("{}<a href=\"#workload-{}\">{}</a>", i == 0 ? "" : "<br>", i + 1,
                         html_escaped(workload_text(workloads[i])));
    for (const ReportResult& result : workloads[i].results) {
      versions.insert(result.version);
      how.insert(
          fmt::format("{} ({}, {} resolution)", result.source, result.mode, result.resolution));
    }
  }
  for (const std::uint64_t seed : seed_numbers)
    seeds += fmt::format("{}{}", seeds.empty() ? "" : ", ", seed);
  page.text(fmt::format(
      "<h1>{}</h1>\n<p class=\"lead\">What merge policies of log-structured merge-trees cost in "
      "writes, reads and space, as told by lsmlab.</p>\n<dl class=\"facts\">\n",
      html_escaped(title)));
  add_fact(page, "Results", std::to_string(results));
  add_fact(page, workloads.size() == 1 ? "Workload" : "Workloads", names);
  add_fact(page, "Source", html_escaped(joined(how)));
  add_fact(page, seed_numbers.size() == 1 ? "Seed" : "Seeds", seeds);
  add_fact(page, "Version", "lsmlab " + html_escaped(joined(versions)));
  page.text("</dl>\n");
}

void add_stacks(Page& page, const ReportWorkload& workload) {
  std::vector<const ReportResult*> shown;
  double bytes_max = 0;
  for (const ReportResult& result : workload.results) {
    if (result.stacks.empty() || result.stacks.size() > kStackFlushesMax) continue;
    shown.push_back(&result);
    for (const ReportStack& stack : result.stacks) {
      double bytes = 0;
      for (const double size : stack.bytes) bytes += size;
      bytes_max = std::max(bytes_max, bytes);
    }
  }
  if (shown.empty()) return;
  page.text(fmt::format(
      "<h3>The stack over time</h3>\n<p class=\"parameters\">{}</p>\n<div class=\"stacks\">\n",
      kStackCaption));
  for (const ReportResult* result : shown) {
    page.figure(is_wide_stack(*result) ? "wide" : "", result->label,
                stack_over_time(*result, bytes_max));
  }
  page.text("</div>\n");
}

void add_workload(Page& page, const ReportWorkload& workload, std::size_t number) {
  const bool has_floors =
      std::any_of(workload.results.begin(), workload.results.end(), [](const ReportResult& result) {
        return result.floor && result.floor->is_policy_bound && result.floor->write_flushed;
      });
  page.text(fmt::format("<section id=\"workload-{}\">\n<h2>Workload {}</h2>\n", number,
                        html_escaped(workload_text(workload))));
  page.text("<h3>Write amplification over flushes</h3>\n");
  page.figure("", std::string(kWriteCaption) + (has_floors ? kFloorCaption : ""),
              write_over_flushes(workload));
  page.text("<h3>Write against mean read amplification</h3>\n");
  page.figure("labelled", kAgainstCaption, write_against_read(workload));
  page.text("<h3>Mean sorted runs over flushes</h3>\n");
  page.figure("", kRunsCaption, runs_over_flushes(workload));
  if (std::optional<Chart> space = space_over_flushes(workload)) {
    page.text("<h3>Transient space over flushes</h3>\n");
    page.figure("", kSpaceCaption, std::move(*space));
  }
  add_stacks(page, workload);
  page.text("</section>\n");
}

void add_definitions(Page& page) {
  page.text("<h3>What the figures mean</h3>\n<dl class=\"definitions\">\n");
  for (const FigureDefinition& figure : figure_definitions()) {
    page.text(fmt::format("<dt>{}</dt><dd>{}</dd>\n", html_escaped(figure.name),
                          html_escaped(figure.definition)));
  }
  page.text("</dl>\n");
}

// What a run was given: enough to run it again.
Json inputs_of(const Json& result) {
  Json inputs;
  for (const char* member :
       {"source", "policy", "workload", "device", "mode", "resolution", "seed"}) {
    if (result.contains(member)) inputs[member] = result[member];
  }
  return inputs;
}

void add_inputs(Page& page, std::span<const Json> results,
                const std::vector<ReportWorkload>& workloads) {
  page.text(
      "<section>\n<h2>Inputs</h2>\n<details>\n<summary>Policy and workload of each result, as "
      "JSON</summary>\n");
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    for (const ReportResult& result : workloads[i].results) {
      const std::string place = workloads.size() == 1 ? "" : fmt::format(", workload {}", i + 1);
      page.text(fmt::format(
          "<h3>{}. {}{}</h3>\n<pre>{}</pre>\n", result.number, html_escaped(result.label), place,
          html_escaped(inputs_of(results[result.number - 1])
                           .dump(2, ' ', false, Json::error_handler_t::replace))));
    }
  }
  page.text("</details>\n</section>\n");
}

Result<std::string> page_of(std::span<const Json> results, const std::string& title) {
  auto workloads = BOOST_OUTCOME_TRYX(read_report_data(results));
  Page page;
  page.text(
      fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<header>\n",
                  html_escaped(title), kStyle));
  add_header(page, workloads, title);
  page.text("</header>\n<main>\n");
  for (std::size_t i = 0; i < workloads.size(); ++i) add_workload(page, workloads[i], i + 1);
  page.text("<section>\n<h2>All figures</h2>\n");
  page.text(figures_table(workloads));
  add_definitions(page);
  page.text("</section>\n");
  add_inputs(page, results, workloads);
  page.text("</main>\n</body>\n</html>\n");
  return page.finish();
}

}  // namespace

Result<void> check_report_input(std::span<const Json> results) {
  BOOST_OUTCOME_TRYV(read_report_data(results));
  return success();
}

Result<std::string> make_report(std::span<const Json> results, const std::string& title) {
  if (results.empty()) return input_error("report: there are no results to show");
  // Members are checked one by one; what the JSON library still finds wrong is the input's fault
  // too.
  try {
    return page_of(results, title);
  } catch (const Json::exception& fault) {
    return input_error(fmt::format("report: the results cannot be read: {}", fault.what()));
  }
}

}  // namespace lsmlab
