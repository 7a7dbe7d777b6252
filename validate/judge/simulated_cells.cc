#include "validate/judge/simulated_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "validate/judge/cell_figures.h"
#include "validate/judge/validation_words.h"
#include "validate/results/json_text.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

// Whether two cells are compared: they share group and workload, and their policies may differ.
bool is_rival(const Json& a, const Json& b) {
  return a.at("group") == b.at("group") && a.at("workload") == b.at("workload");
}

// The first cell of the group on the same workload, which may be the cell itself.
const Json& first_rival(const Json& cells, const Json& cell) {
  for (const Json& other : cells) {
    if (is_rival(other, cell)) return other;
  }
  return cell;
}

std::string fixed(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

// A time that a cell holds in nanoseconds.
std::string scaled(const std::optional<double>& ns, double unit) {
  return ns ? fmt::format("{:.1f}", *ns / unit) : "-";
}

std::string microseconds(const Json& cell, const ResultFigure& figure) {
  return scaled(figure.number(cell), 1e3);
}

// The cell's value divided by the first's; "-" where either has none, or the first has 0.
std::string times_first(const std::optional<double>& own, const std::optional<double>& first) {
  if (!own || !first || *first == 0) return "-";
  return fmt::format("{:.3f}", *own / *first);
}

double merge_bytes(const Json& result) {
  const ResultFigures& figures = result_figures();
  return figures.merge_bytes_read.number(result).value_or(0) +
         figures.merge_bytes_written.number(result).value_or(0);
}

// Data blocks per lookup, from the cache or the device; nothing without lookups.
std::optional<double> blocks_per_get(const Json& result) {
  const ResultFigures& figures = result_figures();
  double lookups = 0;
  double blocks = 0;
  for (const ResultFigure* count : {&figures.gets_found, &figures.gets_absent}) {
    lookups += count->number(result).value_or(0);
  }
  for (const ResultFigure* fetched :
       {&figures.found_blocks_fetched, &figures.absent_blocks_fetched}) {
    blocks += fetched->number(result).value_or(0);
  }
  return lookups > 0 ? std::optional(blocks / lookups) : std::nullopt;
}

// Durations of merges, percentiles by nearest rank; null without merges.
Json merge_durations(const Json& result) {
  std::vector<double> ns = result_figures().merge_ns.numbers(result);
  if (ns.empty()) return nullptr;
  std::sort(ns.begin(), ns.end());
  double sum = 0;
  for (const double value : ns) sum += value;
  const auto percentile = [&](std::size_t part) { return ns[(ns.size() * part + 99) / 100 - 1]; };
  return {{"count", ns.size()},       {"mean_ns", sum / static_cast<double>(ns.size())},
          {"p50_ns", percentile(50)}, {"p90_ns", percentile(90)},
          {"p99_ns", percentile(99)}, {"max_ns", ns.back()}};
}

// Gets or scans, whichever are more.
const LatencyResultFigures& read_latencies(const Json& cell) {
  const ResultFigures& figures = result_figures();
  const double gets = figures.gets.count.number(cell).value_or(0);
  const double scans = figures.scans.count.number(cell).value_or(0);
  return scans > gets ? figures.scans : figures.gets;
}

// A cell's value of a figure that validations compare.
std::optional<double> judged(const Json& cell, const JudgedFigure& figure) {
  return number_at(cell, "/figures/" + figure.name);
}

std::vector<std::string> row_of(const Json& cell, const Json& first) {
  using Latency = LatencyResultFigures;
  const ResultFigures& figures = result_figures();
  const Latency& reads = read_latencies(cell);
  const auto rate = figures.throughput.number(cell);
  std::vector<std::string> row{
      cell.at("group").get<std::string>(),
      cell.at("spec").get<std::string>(),
      workload_words(cell.at("workload")),
      fixed(judged(cell, write_figure()), 3),
      fmt::format("{:.2f}", cell.at("merge_bytes").get<double>() / 1e9),
      times_first(number_at(cell, "/merge_bytes"), number_at(first, "/merge_bytes")),
      times_first(judged(cell, file_bytes_figure()), judged(first, file_bytes_figure())),
      fixed(rate, 0),
      times_first(rate, figures.throughput.number(first))};
  for (const auto percentile : {&Latency::mean, &Latency::p99_9, &Latency::p99_99}) {
    row.push_back(microseconds(cell, figures.puts.*percentile));
    row.push_back(microseconds(cell, reads.*percentile));
  }
  row.push_back(scaled(figures.puts.max.number(cell), 1e6));
  for (const auto percentile : {&Latency::p90, &Latency::p99, &Latency::p99_9, &Latency::p99_99}) {
    row.push_back(microseconds(cell, figures.all.*percentile));
  }
  row.push_back(fixed(number_at(cell, "/figures/blocks_per_get"), 3));
  for (const char* duration : {"mean_ns", "p90_ns", "p99_ns", "max_ns"}) {
    row.push_back(scaled(number_at(cell, fmt::format("/merges/{}", duration)), 1e6));
  }
  return row;
}

}  // namespace

Json simulated_cell_json(const ExperimentCell& cell, const Json& result) {
  Json json{{"group", cell.group},
            {"spec", spec_text(cell.spec.policy)},
            {"policy", result.at("policy")},
            {"workload", result.at("workload")},
            {"seed", result.at("seed")},
            {"figures", Json::object()},
            {"merge_bytes", merge_bytes(result)},
            {"merges", merge_durations(result)}};
  for (const JudgedFigure& figure : compared_figures()) {
    json["figures"][figure.name] = figure.read(result);
  }
  if (const auto blocks = blocks_per_get(result)) json["figures"]["blocks_per_get"] = *blocks;
  for (const char* member : {"device", "clients", "throughput", "latency", "stalls"}) {
    if (result.contains(member)) json[member] = result.at(member);
  }
  return json;
}

std::vector<std::vector<std::string>> simulated_rows(const Json& validation) {
  const auto cells = validation.find("simulations");
  if (cells == validation.end() || cells->empty()) return {};
  std::vector<std::vector<std::string>> rows{
      {"group",      "policy",    "workload",   "write",      "merged GB",
       "x first",    "files x",   "op/s",       "x first",    "put us",
       "read us",    "put P99.9", "read P99.9", "put P99.99", "read P99.99",
       "put max ms", "all P90",   "all P99",    "all P99.9",  "all P99.99",
       "blocks/get", "merge ms",  "merge P90",  "merge P99",  "merge max"}};
  for (const Json& cell : *cells) rows.push_back(row_of(cell, first_rival(*cells, cell)));
  return rows;
}

std::string simulated_text(const Json& validation) {
  const auto rows = simulated_rows(validation);
  if (rows.empty()) return "";
  constexpr std::size_t kTexts = 3;
  return "\nsimulated only; x first: the figure divided by that of the group's first policy on "
         "the same workload\n" +
         aligned_text(rows, kTexts);
}

}  // namespace lsmlab
