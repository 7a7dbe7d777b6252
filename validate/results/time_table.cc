#include "validate/results/time_table.h"

#include <fmt/format.h>

#include <optional>

#include "models/base/quantity_text.h"
#include "validate/results/result_figure.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

using Latency = LatencyResultFigures;

constexpr Latency ResultFigures::*kOperations[] = {&ResultFigures::puts, &ResultFigures::gets,
                                                   &ResultFigures::scans};
constexpr ResultFigure Latency::*kPercentiles[] = {&Latency::p50, &Latency::p99, &Latency::p99_9};

std::string latency_text(const Json& result, const ResultFigure& latency) {
  const std::optional<double> ns = latency.number(result);
  if (!ns) return "-";
  if (*ns < 10'000) return fmt::format("{:.0f} ns", *ns);
  if (*ns < 10'000'000) return fmt::format("{:.0f} us", *ns / 1e3);
  return fmt::format("{:.0f} ms", *ns / 1e6);
}

// A part of the simulated time, in percent; "-" for a run in real time.
std::string share_text(const Json& result, const ResultFigure& part) {
  const double whole_ns = result_figures().simulated_ns.number(result).value_or(0);
  if (whole_ns == 0) return "-";
  return fmt::format("{:.0f} %", 100 * part.number(result).value_or(0) / whole_ns);
}

// A line for each machine that used up its quota of processor time.
std::string stops_text(std::span<const Json> results) {
  const ResultFigure& stopped = result_figures().cpu_stopped_ns;
  std::string lines;
  for (const Json& result : results) {
    if (stopped.number(result).value_or(0) == 0) continue;
    lines += fmt::format(
        "{}: the machine paused for {} of the time, because its processor time was used up "
        "(cpu_quota)\n",
        result.at("policy").at("label").get<std::string>(), share_text(result, stopped));
  }
  return lines;
}

// A line for each run whose operations waited for a free client: their latencies are long although
// no writer stalled for long.
std::string delays_text(std::span<const Json> results) {
  const ResultFigures& figures = result_figures();
  std::string lines;
  for (const Json& result : results) {
    const double delayed = figures.delayed.number(result).value_or(0);
    if (delayed == 0) continue;
    lines += fmt::format(
        "{}: {} operations arrived while no client was free, and waited {:.1f} ms for one on "
        "average, {:.1f} ms at most; their latencies count from the arrival\n",
        result.at("policy").at("label").get<std::string>(),
        grouped_text(static_cast<std::uint64_t>(delayed)),
        figures.delayed_ns.number(result).value_or(0) / delayed / 1e6,
        figures.delay_longest_ns.number(result).value_or(0) / 1e6);
  }
  return lines;
}

std::string throughput_text(const Json& result) {
  const std::optional<double> rate = result_figures().throughput.number(result);
  return rate ? fmt::format("{:.0f}", *rate) : "-";
}

std::string time_row(const Json& result, std::size_t width) {
  const ResultFigures& figures = result_figures();
  std::string row = fmt::format("{:<{}} {:>11}", result.at("policy").at("label").get<std::string>(),
                                width, throughput_text(result));
  for (const auto operation : kOperations) {
    for (const auto percentile : kPercentiles) {
      row += fmt::format(" {:>8}", latency_text(result, figures.*operation.*percentile));
    }
  }
  return row + fmt::format(" {:>10.2f} {:>7}\n", figures.stalled.sum(result) / 1e9,
                           share_text(result, figures.device_busy_ns));
}

}  // namespace

std::string time_table(std::span<const Json> results, std::size_t width) {
  std::string rows;
  for (const Json& result : results) {
    const ResultFigures& figures = result_figures();
    const bool has_clock =
        has_group(result, figures.each.p50.group()) && has_group(result, figures.stalled.group());
    if (has_clock) rows += time_row(result, width);
  }
  if (rows.empty()) return "";
  std::string header = fmt::format("\n{:<{}} {:>11}", "policy", width, "client op/s");
  for (const auto operation : kOperations) {
    const Latency& latency = result_figures().*operation;
    for (const auto percentile : kPercentiles) {
      const std::string& label = label_of((latency.*percentile).descriptor());
      header += fmt::format(" {:>8}", fmt::format("{} {}", latency.operation, label));
    }
  }
  return header + fmt::format(" {:>10} {:>7}\n", "stalled s", "device") + rows +
         delays_text(results) + stops_text(results);
}

}  // namespace lsmlab
