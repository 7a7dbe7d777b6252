#include "validate/results/time_json.h"

#include <fmt/format.h>

#include <array>

#include "validate/results/result_json.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

Json latency_json(const LatencyFigures& latency) {
  return {{"count", latency.count},         {"mean_ns", latency.mean_ns},
          {"p50_ns", latency.p50_ns},       {"p90_ns", latency.p90_ns},
          {"p99_ns", latency.p99_ns},       {"p99.9_ns", latency.p99_9_ns},
          {"p99.99_ns", latency.p99_99_ns}, {"max_ns", latency.max_ns}};
}

Json latencies_json(const OperationLatencies& latencies) {
  Json json = Json::object();
  if (latencies.all) json["all"] = latency_json(*latencies.all);
  if (latencies.puts) json["put"] = latency_json(*latencies.puts);
  if (latencies.deletes) json["delete"] = latency_json(*latencies.deletes);
  if (latencies.gets) json["get"] = latency_json(*latencies.gets);
  if (latencies.scans) json["scan"] = latency_json(*latencies.scans);
  return json;
}

Json stalls_json(const std::vector<StallFigures>& stalls) {
  Json json = Json::array();
  for (const StallFigures& stall : stalls) {
    json.push_back({{"reason", stall.reason},
                    {"count", stall.count},
                    {"nanoseconds", stall.nanoseconds},
                    {"longest_ns", stall.longest_ns}});
  }
  return json;
}

Json device_json(const DeviceFigures& device) {
  return {{"read_requests", device.read_requests},
          {"write_requests", device.write_requests},
          {"bytes_read", number_json(device.bytes_read)},
          {"bytes_written", number_json(device.bytes_written)},
          {"trims", device.trims},
          {"bytes_trimmed", number_json(device.bytes_trimmed)},
          {"pauses", device.pauses},
          {"paused_ns", device.paused_ns},
          {"shared_ns", device.shared_ns},
          {"busy_ns", device.transfer_ns},
          {"latency_ns", number_json(device.latency_ns)},
          {"waited_ns", number_json(device.waited_ns)}};
}

Json flash_json(const FlashFigures& flash) {
  const auto optional = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  return {{"host_bytes_written", number_json(flash.host_bytes_written)},
          {"flash_bytes_written", number_json(flash.flash_bytes_written)},
          {"write_amplification", flash.write_amplification},
          {"uniform_write_amplification", flash.uniform_write_amplification},
          {"erased_blocks", flash.erased_blocks},
          {"erases_max", flash.erases_max},
          {"drive_writes_per_day", optional(flash.drive_writes_per_day)},
          {"years", optional(flash.years)}};
}

Json series_json(const std::vector<TimePoint>& points) {
  Json columns = Json::object();
  const auto column = [&](const char* name, auto member) {
    Json& values = columns[name] = Json::array();
    for (const TimePoint& point : points) values.push_back(number_json(Uint128{point.*member}));
  };
  column("time_ns", &TimePoint::time_ns);
  column("operations", &TimePoint::operations);
  column("device_bytes_read", &TimePoint::device_bytes_read);
  column("device_bytes_written", &TimePoint::device_bytes_written);
  column("device_busy_ns", &TimePoint::device_busy_ns);
  column("stalled_ns", &TimePoint::stalled_ns);
  column("waiting_memtables", &TimePoint::waiting_memtables);
  column("sorted_runs", &TimePoint::sorted_runs);
  column("running_plans", &TimePoint::running_plans);
  column("file_bytes", &TimePoint::file_bytes);
  column("backlog_bytes", &TimePoint::backlog_bytes);
  Json& debt = columns["merge_debt_bytes"] = Json::array();
  for (const TimePoint& point : points) {
    debt.push_back(point.merge_debt_bytes ? Json(*point.merge_debt_bytes) : Json(nullptr));
  }
  return columns;
}

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

// A line for each whose machine had a limit that it met.
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

void add_time_json(const RunResult& result, Json& json) {
  if (result.time) {
    json["latency"] = latencies_json(result.time->latency);
    if (result.time->operations_per_second) {
      json["throughput"] = {{"loading_operations", result.time->loading_operations},
                            {"operations_per_second", *result.time->operations_per_second}};
    }
    if (result.time->stalls) json["stalls"] = stalls_json(*result.time->stalls);
  }
  if (!result.machine) return;
  const MachineSection& machine = *result.machine;
  json["clients"] = options_to_json(machine.client_options);
  json["time"] = {{"simulated_ns", machine.simulated_ns},
                  {"cpu_busy_ns", machine.cpu_busy_ns},
                  {"cpu_stops", machine.cpu_stops},
                  {"cpu_stopped_ns", machine.cpu_stopped_ns},
                  {"peak_file_bytes", machine.peak_file_bytes},
                  {"device", device_json(machine.device_figures)},
                  {"series", series_json(machine.series)}};
  if (machine.flash) json["flash"] = flash_json(*machine.flash);
}

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
