#include "validate/report/page.h"

#include <fmt/format.h>

#include <utility>

namespace lsmlab {
namespace {

constexpr const char* kStyle = R"css(
:root { color-scheme: light; }
body { margin: 0 auto; padding: 1.5rem 1.5rem 4rem; max-width: 1200px; box-sizing: border-box;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  color: #1a1a1a; background: #fff; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.3rem; margin: 2.8rem 0 .6rem; padding-top: .7rem; border-top: 1px solid #bbb;
  overflow-wrap: anywhere; }
h3 { font-size: 1.05rem; margin: 2rem 0 .2rem; }
h4 { font-size: .95rem; margin: 1.2rem 0 .2rem; }
p, dd, figcaption { max-width: 105ch; }
.lead { margin: 0 0 1.2rem; color: #444; }
.facts, .definitions { display: grid; grid-template-columns: max-content 1fr;
  gap: .25rem 1.2rem; margin: 0; }
.facts dt, .definitions dt { color: #444; }
.facts dd, .definitions dd { margin: 0; overflow-wrap: anywhere; }
.definitions { font-size: .92rem; margin-bottom: .8rem; }
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
td.word, thead th.word { text-align: left; }
td.words, thead th.words { white-space: normal; text-align: left; min-width: 6.5rem; }
thead th.group { text-align: center; border-bottom: 1px solid #999; }
thead th .unit { font-weight: 400; color: #555; }
thead th { vertical-align: bottom; font-weight: 600; border-bottom: 2px solid #555; }
th[scope="row"] { font-weight: 400; text-align: left; min-width: 8.2rem; overflow-wrap: anywhere; }
thead tr:first-child th:first-child, th[scope="rowgroup"] { text-align: left; }
th[scope="rowgroup"] { padding-top: .9rem; font-weight: 600; background: #f4f6f8;
  overflow-wrap: anywhere; }
td b { font-weight: 700; }
td.incomplete, tr.worst td, tr.worst th[scope="row"], li.broken { font-weight: 600; color: #a23b00; }
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

}  // namespace

void ReportPage::begin(const std::string& title) {
  text(
      fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<header>\n",
                  html_escaped(title), kStyle));
}

void ReportPage::fact(const std::string& name, const std::string& html) {
  text(fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, html));
}

void ReportPage::figure(const std::string& html_class, const std::string& caption, Chart chart) {
  text(fmt::format(
      "<figure{}>\n{}<div class=\"chart\">",
      html_class.empty() ? "" : fmt::format(" class=\"{}\"", html_class),
      caption.empty() ? "" : fmt::format("<figcaption>{}</figcaption>\n", html_escaped(caption))));
  charts_.push_back(std::move(chart));
  parts_.emplace_back("</div>\n</figure>\n");
}

Result<std::string> ReportPage::finish() {
  text("</main>\n</body>\n</html>\n");
  auto drawn = BOOST_OUTCOME_TRYX(draw_charts(charts_));
  std::string html = parts_.front();
  for (std::size_t i = 0; i < drawn.size(); ++i) html += drawn[i] + parts_[i + 1];
  return html;
}

}  // namespace lsmlab
