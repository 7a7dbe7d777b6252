#include "validate/results/time_table.h"

#include <fmt/format.h>

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

std::string latency_text(const Json& result, const char* operation, const char* figure) {
  if (!result.contains("latency") || !result.at("latency").contains(operation)) return "-";
  const double ns = result.at("latency").at(operation).at(figure).get<double>();
  if (ns < 10'000) return fmt::format("{:.0f} ns", ns);
  if (ns < 10'000'000) return fmt::format("{:.0f} us", ns / 1e3);
  return fmt::format("{:.0f} ms", ns / 1e6);
}

double stalled_seconds(const Json& result) {
  double ns = 0;
  for (const Json& stall : result.at("stalls")) ns += stall.at("nanoseconds").get<double>();
  return ns / 1e9;
}

// Of the simulated time; "-" where the time was real.
std::string busy_text(const Json& result) {
  if (!result.contains("time")) return "-";
  const Json& time = result.at("time");
  const double whole = time.at("simulated_ns").get<double>();
  if (whole == 0) return "-";
  return fmt::format("{:.0f} %", 100 * time.at("device").at("busy_ns").get<double>() / whole);
}

// A line for each machine that met its limit of processor time.
std::string stops_text(std::span<const Json> results) {
  std::string lines;
  for (const Json& result : results) {
    if (!result.contains("time")) continue;
    const Json& time = result.at("time");
    const double stopped = time.value("cpu_stopped_ns", 0.0);
    if (stopped == 0) continue;
    lines += fmt::format(
        "{}: the machine stood still for {:.0f} % of the time, its processor time being used up "
        "(cpu_quota)\n",
        result.at("policy").at("label").get<std::string>(),
        100 * stopped / time.at("simulated_ns").get<double>());
  }
  return lines;
}

std::string throughput_text(const Json& result) {
  if (!result.contains("throughput")) return "-";
  return fmt::format("{:.0f}", result.at("throughput").at("operations_per_second").get<double>());
}

std::string time_row(const Json& result, std::size_t width) {
  const char* const operations[] = {"put", "get", "scan"};
  std::string row = fmt::format("{:<{}} {:>11}", result.at("policy").at("label").get<std::string>(),
                                width, throughput_text(result));
  for (const char* operation : operations) {
    for (const char* figure : {"p50_ns", "p99_ns", "p99.9_ns"}) {
      row += fmt::format(" {:>8}", latency_text(result, operation, figure));
    }
  }
  return row + fmt::format(" {:>10.2f} {:>7}\n", stalled_seconds(result), busy_text(result));
}

}  // namespace

std::string time_table(std::span<const Json> results, std::size_t width) {
  std::string rows;
  for (const Json& result : results) {
    if (result.contains("latency") && result.contains("stalls")) rows += time_row(result, width);
  }
  if (rows.empty()) return "";
  std::string header = fmt::format("\n{:<{}} {:>11}", "policy", width, "client op/s");
  for (const char* operation : {"put", "get", "scan"}) {
    for (const char* figure : {"P50", "P99", "P99.9"}) {
      header += fmt::format(" {:>8}", fmt::format("{} {}", operation, figure));
    }
  }
  return header + fmt::format(" {:>10} {:>7}\n", "stalled s", "device") + rows +
         stops_text(results);
}

}  // namespace lsmlab
