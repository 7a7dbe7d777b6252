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

// Its policy aside, what a cell must share with another to be held against it.
bool is_rival(const Json& a, const Json& b) {
  return a.at("group") == b.at("group") && a.at("workload") == b.at("workload");
}

// The first of its group on the same workload; itself, where it is the first.
const Json& first_rival(const Json& cells, const Json& cell) {
  for (const Json& other : cells) {
    if (is_rival(other, cell)) return other;
  }
  return cell;
}

std::string fixed(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

std::string microseconds(const Json& cell, const char* operation, const char* figure) {
  const auto ns = number_at(cell, fmt::format("/latency/{}/{}", operation, figure));
  return ns ? fmt::format("{:.1f}", *ns / 1000) : "-";
}

// How many times the first's; nothing where either has none, or the first has 0.
std::string times_first(const Json& cell, const Json& first, const std::string& pointer) {
  const auto own = number_at(cell, pointer);
  const auto other = number_at(first, pointer);
  if (!own || !other || *other == 0) return "-";
  return fmt::format("{:.3f}", *own / *other);
}

double merge_bytes(const Json& result) {
  return result.at("totals").at("merge_bytes_read").get<double>() +
         result.at("totals").at("merge_bytes_written").get<double>();
}

// Data blocks that a lookup asks for, in memory or not; nothing without lookups.
std::optional<double> blocks_per_get(const Json& result) {
  double lookups = 0;
  double blocks = 0;
  for (const char* kind : {"gets_found", "gets_absent"}) {
    lookups += number_at(result, fmt::format("/reads/{}/count", kind)).value_or(0);
    blocks += number_at(result, fmt::format("/reads/{}/blocks_fetched", kind)).value_or(0);
  }
  return lookups > 0 ? std::optional(blocks / lookups) : std::nullopt;
}

// Of the merges' durations; nothing where there were none. Percentiles by nearest rank.
Json merge_durations(const Json& result) {
  std::vector<double> ns;
  if (const auto times = result.find("merge_times"); times != result.end()) {
    for (const Json& value : times->at("nanoseconds")) ns.push_back(value.get<double>());
  }
  if (ns.empty()) return nullptr;
  std::sort(ns.begin(), ns.end());
  double sum = 0;
  for (const double value : ns) sum += value;
  const auto percentile = [&](std::size_t part) { return ns[(ns.size() * part + 99) / 100 - 1]; };
  return {{"count", ns.size()},       {"mean_ns", sum / static_cast<double>(ns.size())},
          {"p50_ns", percentile(50)}, {"p90_ns", percentile(90)},
          {"p99_ns", percentile(99)}, {"max_ns", ns.back()}};
}

std::string milliseconds(const Json& cell, const std::string& pointer) {
  const auto ns = number_at(cell, pointer);
  return ns ? fmt::format("{:.1f}", *ns / 1e6) : "-";
}

// "get" or "scan": of which of the two there are more.
const char* read_kind(const Json& cell) {
  const auto gets = number_at(cell, "/latency/get/count");
  const auto scans = number_at(cell, "/latency/scan/count");
  return scans.value_or(0) > gets.value_or(0) ? "scan" : "get";
}

std::vector<std::string> row_of(const Json& cell, const Json& first) {
  const char* const read = read_kind(cell);
  const auto rate = number_at(cell, "/throughput/operations_per_second");
  std::vector<std::string> row{cell.at("group").get<std::string>(),
                               cell.at("spec").get<std::string>(),
                               workload_words(cell.at("workload")),
                               fixed(number_at(cell, "/figures/write"), 3),
                               fmt::format("{:.2f}", cell.at("merge_bytes").get<double>() / 1e9),
                               times_first(cell, first, "/merge_bytes"),
                               times_first(cell, first, "/figures/file_bytes"),
                               fixed(rate, 0),
                               times_first(cell, first, "/throughput/operations_per_second")};
  for (const char* figure : {"mean_ns", "p99.9_ns", "p99.99_ns"}) {
    row.push_back(microseconds(cell, "put", figure));
    row.push_back(microseconds(cell, read, figure));
  }
  row.push_back(milliseconds(cell, "/latency/put/max_ns"));
  for (const char* figure : {"p90_ns", "p99_ns", "p99.9_ns", "p99.99_ns"}) {
    row.push_back(microseconds(cell, "all", figure));
  }
  row.push_back(fixed(number_at(cell, "/figures/blocks_per_get"), 3));
  for (const char* figure : {"mean_ns", "p90_ns", "p99_ns", "max_ns"}) {
    row.push_back(milliseconds(cell, fmt::format("/merges/{}", figure)));
  }
  return row;
}

}  // namespace

Json simulated_cell_json(const ExperimentCell& cell, const Json& result) {
  const std::vector<double> figures = figures_of(result);
  Json json{{"group", cell.group},
            {"spec", spec_text(cell.spec.policy)},
            {"policy", result.at("policy")},
            {"workload", result.at("workload")},
            {"seed", result.at("seed")},
            {"figures", Json::object()},
            {"merge_bytes", merge_bytes(result)},
            {"merges", merge_durations(result)}};
  for (std::size_t i = 0; i < figures.size(); ++i) {
    json["figures"][compared_figures()[i].name] = figures[i];
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
  return "\nsimulated only; x first: times the figure of the group's first policy on the "
         "workload\n" +
         aligned_text(rows, kTexts);
}

}  // namespace lsmlab
