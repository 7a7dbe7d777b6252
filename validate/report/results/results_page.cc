#include "validate/report/results/results_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "validate/judge/forgetting.h"
#include "validate/report/gnuplot.h"
#include "validate/report/page.h"
#include "validate/report/results/charts.h"
#include "validate/report/results/cost.h"
#include "validate/report/results/data.h"
#include "validate/report/results/table.h"
#include "validate/report/results/time.h"
#include "validate/report/results/traffic.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kAgainstCaption =
    "A point for each result, over its whole run. Results in the lower left are better in both. A "
    "line joins the points of a policy in the order of the parameter next to them.";
constexpr const char* kStackCaption =
    "A column for each flush shows the SSTables that exist after it, the oldest at the bottom. "
    "Numbers are sizes, where they fit. A bold number marks an SSTable that did not exist after "
    "the previous flush.";

std::string definition_of(FigureName name) {
  return plain_definition(figure_of(name).descriptor());
}

std::string write_caption(const ReportWorkload& workload) {
  const bool has_marks =
      std::any_of(workload.results.begin(), workload.results.end(), [](const ReportResult& result) {
        return result.has_policy_bound && result.figure(&ResultFigures::floor_write_flushed);
      });
  const std::string text = definition_of(&ResultFigures::write_flushed) +
                           " Each point covers the run up to that flush. Symbols help to tell the "
                           "lines apart.";
  if (!has_marks) return text;
  return text + " Marks on the right are the lower bound (floor): " +
         definition_of(&ResultFigures::floor_write_flushed);
}

std::string joined(const std::set<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) {
    if (!text.empty()) all += (all.empty() ? "" : ", ") + text;
  }
  return all.empty() ? "unknown" : all;
}

void add_header(ReportPage& page, const std::vector<ReportWorkload>& workloads,
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
      "<h1>{}</h1>\n<p class=\"lead\">The cost of merge policies of log-structured merge-trees in "
      "writes, reads and space. Made by lsmlab.</p>\n<dl class=\"facts\">\n",
      html_escaped(title)));
  page.fact("Results", std::to_string(results));
  page.fact(workloads.size() == 1 ? "Workload" : "Workloads", names);
  page.fact("Source", html_escaped(joined(how)));
  page.fact(seed_numbers.size() == 1 ? "Seed" : "Seeds", seeds);
  page.fact("Version", "lsmlab " + html_escaped(joined(versions)));
  page.text("</dl>\n");
}

void add_stacks(ReportPage& page, const ReportWorkload& workload) {
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

void add_deletes(ReportPage& page, const ReportWorkload& workload, std::span<const Json> results) {
  const bool has_deletes = std::any_of(
      workload.results.begin(), workload.results.end(), [&](const ReportResult& result) {
        return figure_of(&ResultFigures::deletes_present).number(results[result.number - 1]) >
                   0.0 ||
               figure_of(&ResultFigures::deletes_gone).number(results[result.number - 1]) > 0.0;
      });
  if (!has_deletes) return;
  constexpr FigureName kFigures[] = {&ResultFigures::write,          &ResultFigures::merges,
                                     &ResultFigures::deletes_gone,   &ResultFigures::deletes_p50,
                                     &ResultFigures::deletes_p99,    &ResultFigures::deletes_max,
                                     &ResultFigures::deletes_present};
  page.text(fmt::format("<h3>How fast deletes are forgotten</h3>\n<p class=\"parameters\">{}</p>\n",
                        html_escaped(forgetting_words())) +
            chosen_table(workload, results, kFigures));
}

void add_workload(ReportPage& page, const ReportWorkload& workload, std::span<const Json> results,
                  std::size_t number) {
  page.text(fmt::format("<section id=\"workload-{}\">\n<h2>Workload {}</h2>\n", number,
                        html_escaped(workload_text(workload))));
  page.text("<h3>Write amplification over flushes</h3>\n");
  page.figure("", write_caption(workload), write_over_flushes(workload));
  page.text("<h3>Write against mean read amplification</h3>\n");
  page.figure("labelled", kAgainstCaption, write_against_read(workload));
  page.text("<h3>Mean sorted runs over flushes</h3>\n");
  page.figure("", definition_of(&ResultFigures::read_mean), runs_over_flushes(workload));
  if (std::optional<Chart> space = space_over_flushes(workload)) {
    page.text("<h3>Transient space over flushes</h3>\n");
    page.figure("", definition_of(&ResultFigures::space_transient), std::move(*space));
  }
  add_stacks(page, workload);
  add_traffic_section(page, workload, results);
  add_deletes(page, workload, results);
  add_time_section(page, workload, results);
  add_cost_section(page, workload, results);
  page.text("</section>\n");
}

// The inputs of a run. They are enough to repeat it.
Json inputs_of(const Json& result) {
  Json inputs;
  for (const char* member :
       {"source", "policy", "workload", "device", "mode", "resolution", "seed"}) {
    if (result.contains(member)) inputs[member] = result[member];
  }
  return inputs;
}

void add_inputs(ReportPage& page, std::span<const Json> results,
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

void add_figures(ReportPage& page, const std::vector<ReportWorkload>& workloads,
                 std::span<const Json> results) {
  page.text("<section>\n<h2>Main figures</h2>\n" + figures_table(workloads, results) +
            "<h3>Definitions</h3>\n" + figure_definitions(results));
  for (const ReportWorkload& workload : workloads) {
    page.text(fmt::format("<details>\n<summary>Every figure: {}</summary>\n{}</details>\n",
                          html_escaped(workload_text(workload)),
                          every_figure_table(workload, results)));
  }
  page.text("</section>\n");
}

Result<std::string> page_of(std::span<const Json> results, const std::string& title) {
  auto workloads = BOOST_OUTCOME_TRYX(read_report_data(results));
  ReportPage page;
  page.begin(title);
  add_header(page, workloads, title);
  page.text("</header>\n<main>\n");
  for (std::size_t i = 0; i < workloads.size(); ++i)
    add_workload(page, workloads[i], results, i + 1);
  add_figures(page, workloads, results);
  add_inputs(page, results, workloads);
  return page.finish();
}

}  // namespace

Result<void> check_report_input(std::span<const Json> results) {
  BOOST_OUTCOME_TRYV(read_report_data(results));
  return success();
}

Result<std::string> make_report(std::span<const Json> results, const std::string& title) {
  if (results.empty()) return input_error("report: there are no results to show");
  // Members are checked one by one. Whatever else the JSON library refuses is a fault of the input
  // too.
  try {
    return page_of(results, title);
  } catch (const Json::exception& fault) {
    return input_error(fmt::format("report: the results cannot be read: {}", fault.what()));
  }
}

}  // namespace lsmlab
