#include "validate/report/results/results_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "models/accounting/figures.h"
#include "validate/report/gnuplot.h"
#include "validate/report/page.h"
#include "validate/report/results/charts.h"
#include "validate/report/results/cost.h"
#include "validate/report/results/data.h"
#include "validate/report/results/table.h"
#include "validate/report/results/time.h"
#include "validate/results/json_shape.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

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

// What is shown of a result with a clock, besides what every result has (result_shape.cc).
constexpr JsonMember kShownTimes[] = {
    {"latency/*/p50_ns", JsonKind::kNumber, true},
    {"latency/*/p90_ns", JsonKind::kNumber, true},
    {"latency/*/p99_ns", JsonKind::kNumber, true},
    {"latency/*/p99.9_ns", JsonKind::kNumber, true},
    {"latency/*/p99.99_ns", JsonKind::kNumber, true},
    {"latency/*/max_ns", JsonKind::kNumber, true},
    {"time/peak_file_bytes", JsonKind::kNumber, true},
    {"flash/years", JsonKind::kNumberOrNull, true},
};

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
      "<h1>{}</h1>\n<p class=\"lead\">What merge policies of log-structured merge-trees cost in "
      "writes, reads and space, as told by lsmlab.</p>\n<dl class=\"facts\">\n",
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

void add_workload(ReportPage& page, const ReportWorkload& workload, std::span<const Json> results,
                  std::size_t number) {
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
  add_time_section(page, workload, results);
  add_cost_section(page, workload, results);
  page.text("</section>\n");
}

// Groups that the page defines; the names of the first stand on it without its path.
constexpr const char* kAmplification = "amplification";
constexpr const char* kFloor = "floor";

void add_definitions(ReportPage& page) {
  page.text("<h3>What the figures mean</h3>\n<dl class=\"definitions\">\n");
  for (const FigureGroup& group : figure_groups()) {
    const bool is_shown = group.path == kAmplification || group.path == kFloor;
    if (!is_shown) continue;
    for (const Figure& figure : group.figures) {
      if (figure.type != FigureType::kNumber) continue;
      const std::string path = figure_path(group, figure);
      const std::string& name = group.path == kAmplification ? figure.name : path;
      page.text(fmt::format("<dt>{}</dt><dd>{}</dd>\n", html_escaped(name),
                            html_escaped(plain_definition(figure))));
    }
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

Result<std::string> page_of(std::span<const Json> results, const std::string& title) {
  auto workloads = BOOST_OUTCOME_TRYX(read_report_data(results));
  ReportPage page;
  page.begin(title);
  add_header(page, workloads, title);
  page.text("</header>\n<main>\n");
  for (std::size_t i = 0; i < workloads.size(); ++i)
    add_workload(page, workloads[i], results, i + 1);
  page.text("<section>\n<h2>All figures</h2>\n");
  page.text(figures_table(workloads));
  add_definitions(page);
  page.text("</section>\n");
  add_inputs(page, results, workloads);
  return page.finish();
}

}  // namespace

Result<void> check_report_input(std::span<const Json> results) {
  BOOST_OUTCOME_TRYV(read_report_data(results));
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto fault = shape_fault(results[i], kShownTimes);
    if (fault) return input_error(fmt::format("result {}: {}", i + 1, *fault));
  }
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
