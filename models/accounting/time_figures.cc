// The figures of runs with a clock: latencies, rate, stalls, and the simulated machine.
#include "models/accounting/figures.h"
#include "models/accounting/run_result.h"

namespace lsmlab {
namespace {

using enum Averaging;

const MachineSection* machine_of(const RunResult& run) {
  return run.machine ? &*run.machine : nullptr;
}

FigureGroup latency_group() {
  return figure_objects<LatencyFigures>(
      {"latency", GroupShape::kNamed,
       "Time of the client's call, by kind of operation: `put`, `delete`, `get`, `scan`, and `all` "
       "kinds together. A kind that did not occur is missing.",
       Comparing::kWhereBothHave},
      {{{"count", "operations", kMean,
         "Operations of this kind whose latency counts: those after the loading of the store."},
        &LatencyFigures::count},
       {{"mean_ns", "ns", kMean, "Latencies of these operations, summed / `count`.", false, "mean"},
        &LatencyFigures::mean_ns},
       {{"p50_ns", "ns", kMedian,
         "Latency that half of these operations do not exceed: the median.", false, "P50"},
        &LatencyFigures::p50_ns},
       {{"p90_ns", "ns", kMedian, "Latency that 90 % of these operations do not exceed.", false,
         "P90"},
        &LatencyFigures::p90_ns},
       {{"p99_ns", "ns", kMedian, "Latency that 99 % of these operations do not exceed.", false,
         "P99"},
        &LatencyFigures::p99_ns},
       {{"p99.9_ns", "ns", kMedian, "Latency that 99.9 % of these operations do not exceed.", false,
         "P99.9"},
        &LatencyFigures::p99_9_ns},
       {{"p99.99_ns", "ns", kMedian, "Latency that 99.99 % of these operations do not exceed.",
         false, "P99.99"},
        &LatencyFigures::p99_99_ns},
       {{"max_ns", "ns", kMean, "Latency of the slowest of these operations.", false, "largest"},
        &LatencyFigures::max_ns}},
      [](const RunResult& run) -> std::optional<std::vector<FigureInstance>> {
        if (!run.time) return std::nullopt;
        std::vector<FigureInstance> instances;
        const auto add = [&](const char* name, const std::optional<LatencyFigures>& latency) {
          if (latency) instances.push_back({name, &*latency});
        };
        const OperationLatencies& latencies = run.time->latency;
        add("all", latencies.all);
        add("put", latencies.puts);
        add("delete", latencies.deletes);
        add("get", latencies.gets);
        add("scan", latencies.scans);
        return instances;
      });
}

FigureGroup throughput_group() {
  return figure_object<TimeSection>(
      {"throughput", GroupShape::kObject,
       "Rate of the operations that follow the loading of the store.", Comparing::kWhereBothHave},
      {{{"loading_operations", "operations", kMean,
         "Operations that load the store, such as the inserts of `ycsb-b`. Rate and latencies "
         "leave them out."},
        &TimeSection::loading_operations},
       {{"operations_per_second", "operations/s", kRate,
         "Operations after the loading / the time that they took.", true},
        // A result has the group only where this has a value.
        [](const TimeSection& time) { return *time.operations_per_second; }}},
      [](const RunResult& run) {
        return run.time && run.time->operations_per_second ? &*run.time : nullptr;
      });
}

FigureGroup stalls_group() {
  return figure_objects<StallFigures>(
      {"stalls", GroupShape::kList, "Stalls of writers, by reason."},
      {{{"reason", "", kNone, "Why writers waited, in the words of the stall rules.", true},
        &StallFigures::reason},
       {{"count", "stalls", kMean, "Stalls for this reason in the whole run.", true},
        &StallFigures::count},
       {{"nanoseconds", "ns", kMean,
         "Time that writers waited for this reason, summed over stalls.", true},
        &StallFigures::nanoseconds},
       {{"longest_ns", "ns", kMean, "Duration of the longest stall for this reason."},
        &StallFigures::longest_ns}},
      [](const RunResult& run) -> std::optional<std::vector<FigureInstance>> {
        if (!run.time || !run.time->stalls) return std::nullopt;
        return figure_instances(*run.time->stalls);
      });
}

FigureGroup arrivals_group() {
  return figure_object<ArrivalFigures>(
      {"arrivals", GroupShape::kObject,
       "Operations that waited for a free client, where they arrive at times of their own. Their "
       "latencies count from the arrival.",
       Comparing::kWhereBothHave},
      {{{"delayed", "operations", kMean,
         "Operations that arrived while every client was busy, or stalled, with an earlier one.",
         true},
        &ArrivalFigures::delayed},
       {{"delayed_ns", "ns", kMean, "Time that they waited for a free client, summed.", true},
        &ArrivalFigures::delayed_ns},
       {{"longest_ns", "ns", kMean, "The longest of these waits."}, &ArrivalFigures::longest_ns}},
      [](const RunResult& run) {
        return run.time && run.time->arrivals ? &*run.time->arrivals : nullptr;
      });
}

std::vector<FigureRow<JobTimes>> job_time_rows() {
  return {
      {{"flush_ns", "ns", kMean, "Durations of the flushes into the level, summed."},
       &JobTimes::flush_ns},
      {{"flush_processor_ns", "ns", kMean,
        "The part of `flush_ns` in which the flushes' threads worked; 0 where the system does not "
        "tell."},
       &JobTimes::flush_processor_ns},
      {{"merge_ns", "ns", kMean, "Durations of the merges into the level, summed."},
       &JobTimes::merge_ns},
      {{"merge_processor_ns", "ns", kMean,
        "The part of `merge_ns` in which the merges' threads worked; 0 where the system does not "
        "tell."},
       &JobTimes::merge_processor_ns}};
}

FigureGroup last_job_times_group() {
  return figure_objects<JobTimes>(
      {"at_last_operation.job_times", GroupShape::kList,
       "`job_times` when the last operation was done, of the flushes and merges that had ended.",
       Comparing::kWhereBothHave, false, false, "level"},
      job_time_rows(), [](const RunResult& run) -> std::optional<std::vector<FigureInstance>> {
        if (!run.at_last_operation || run.at_last_operation->job_times.empty()) {
          return std::nullopt;
        }
        return figure_instances(run.at_last_operation->job_times);
      });
}

FigureGroup job_times_group() {
  return figure_objects<JobTimes>(
      {"job_times", GroupShape::kList,
       "Durations of flushes and merges by the level that they write to.",
       Comparing::kWhereBothHave, false, false, "level"},
      job_time_rows(), [](const RunResult& run) -> std::optional<std::vector<FigureInstance>> {
        if (!run.time || run.time->job_times.empty()) return std::nullopt;
        return figure_instances(run.time->job_times);
      });
}

FigureGroup machine_group() {
  return figure_object<MachineSection>(
      {"time", GroupShape::kObject, "Times of the simulated machine, over the whole run."},
      {{{"simulated_ns", "ns", kMean,
         "Simulated time until the last operation, flush and merge were done.", true},
        &MachineSection::simulated_ns},
       {{"cpu_busy_ns", "ns", kMean, "Time that cores worked, summed over cores."},
        &MachineSection::cpu_busy_ns},
       {{"cpu_stops", "stops", kMean,
         "Pauses of the whole machine because its quota of processor time was used up."},
        &MachineSection::cpu_stops},
       {{"cpu_stopped_ns", "ns", kMean, "Duration of those pauses, summed."},
        &MachineSection::cpu_stopped_ns}},
      machine_of);
}

FigureGroup device_group() {
  return figure_object<DeviceFigures>(
      {"time.device", GroupShape::kObject,
       "Requests and times of the simulated device, over the whole run.", Comparing::kNo, true},
      {{{"read_requests", "requests", kMean,
         "Requests to read, of clients, flushes and merges together."},
        &DeviceFigures::read_requests},
       {{"write_requests", "requests", kMean,
         "Requests to write, of clients, flushes and merges together."},
        &DeviceFigures::write_requests},
       {{"bytes_read", "bytes", kMean, "Bytes that these read requests transferred."},
        &DeviceFigures::bytes_read},
       {{"bytes_written", "bytes", kMean, "Bytes that these write requests transferred."},
        &DeviceFigures::bytes_written},
       {{"trims", "trims", kMean, "Requests that tell the device of a removed file (TRIM)."},
        &DeviceFigures::trims},
       {{"bytes_trimmed", "bytes", kMean, "Bytes of the files in these trim requests."},
        &DeviceFigures::bytes_trimmed},
       {{"pauses", "pauses", kMean, "Pauses of the device that a request met."},
        &DeviceFigures::pauses},
       {{"paused_ns", "ns", kMean, "Time that those pauses held the channel."},
        &DeviceFigures::paused_ns},
       {{"shared_ns", "ns", kMean,
         "Extra time that the channel was held because large requests shared it."},
        &DeviceFigures::shared_ns},
       {{"busy_ns", "ns", kMean, "Time that the channel was held, pauses and sharing included.",
         true},
        &DeviceFigures::transfer_ns},
       {{"latency_ns", "ns", kMean, "Latencies of all requests, transfers excluded."},
        &DeviceFigures::latency_ns},
       {{"waited_ns", "ns", kMean, "Time that requests waited for a place and for the channel."},
        &DeviceFigures::waited_ns}},
      [](const RunResult& run) { return run.machine ? &run.machine->device_figures : nullptr; });
}

FigureGroup time_series_group() {
  return figure_objects<TimePoint>(
      {"time.series", GroupShape::kColumns,
       "Samples over simulated time; sums are since the beginning.", Comparing::kNo, true},
      {{{"time_ns", "ns", kNone, "Simulated time at which the sample was taken."},
        &TimePoint::time_ns},
       {{"operations", "operations", kNone, "Operations that clients have completed so far."},
        &TimePoint::operations},
       {{"device_bytes_read", "bytes", kNone,
         "Bytes that all requests have read from the device so far."},
        &TimePoint::device_bytes_read},
       {{"device_bytes_written", "bytes", kNone,
         "Bytes that all requests have written to the device so far."},
        &TimePoint::device_bytes_written},
       {{"device_busy_ns", "ns", kNone, "Time for which the device's channel was held so far."},
        &TimePoint::device_busy_ns},
       {{"stalled_ns", "ns", kNone, "Time for which writers were stalled so far."},
        &TimePoint::stalled_ns},
       {{"waiting_memtables", "memtables", kNone, "Memtables that wait for their flush."},
        &TimePoint::waiting_memtables},
       {{"sorted_runs", "runs", kNone, "Sorted runs in the tree at this time."},
        &TimePoint::sorted_runs},
       {{"running_plans", "plans", kNone, "Flushes and merges in progress at this time."},
        &TimePoint::running_plans},
       {{"file_bytes", "bytes", kNone,
         "Bytes of files; outputs of running plans count as far as they are written."},
        &TimePoint::file_bytes},
       {{"backlog_bytes", "bytes", kNone, "Bytes that running plans have still to read and write."},
        &TimePoint::backlog_bytes},
       {{"merge_debt_bytes", "bytes", kNone,
         "Bytes to read and write until the policy wants nothing more, if writes ended now; null "
         "where not counted."},
        &TimePoint::merge_debt_bytes}},
      [](const RunResult& run) -> std::optional<std::vector<FigureInstance>> {
        if (!run.machine) return std::nullopt;
        return figure_instances(run.machine->series);
      });
}

FigureGroup flash_group() {
  return figure_object<FlashFigures>(
      {"flash", GroupShape::kObject, "Bytes that a flash drive wrote, and its wear."},
      {{{"host_bytes_written", "bytes", kMean, "Bytes that the store wrote, in whole pages."},
        &FlashFigures::host_bytes_written},
       {{"flash_bytes_written", "bytes", kMean,
         "Bytes that the drive wrote, those of garbage collection included."},
        &FlashFigures::flash_bytes_written},
       {{"write_amplification", "bytes/byte", kMean,
         "`flash_bytes_written` / `host_bytes_written`.", true},
        &FlashFigures::write_amplification},
       {{"uniform_write_amplification", "bytes/byte", kMean,
         "`write_amplification` of uniform writes over a full drive, for comparison."},
        &FlashFigures::uniform_write_amplification},
       {{"erased_blocks", "blocks", kMean, "Erasures of all blocks, summed."},
        &FlashFigures::erased_blocks},
       {{"erases_max", "erasures", kMean,
         "Erasures of the block that the drive erased most often."},
        &FlashFigures::erases_max},
       {{"is_extrapolated", "", kNone,
         "Whether the run wrote less than one capacity of the drive. Garbage collection has then "
         "hardly begun, and `years` takes `uniform_write_amplification` in place of the run's, "
         "which "
         "is the worse case."},
        &FlashFigures::is_extrapolated},
       {{"drive_writes_per_day", "drives/day", kMean,
         "Drive capacities that the store writes in a day at the rate of the run; null where it "
         "wrote nothing."},
        &FlashFigures::drive_writes_per_day},
       {{"years", "years", kMean,
         "Years until blocks are worn out at that rate; null in the same case."},
        &FlashFigures::years}},
      [](const RunResult& run) {
        return run.machine && run.machine->flash ? &*run.machine->flash : nullptr;
      });
}

}  // namespace

std::vector<FigureGroup> time_figures() {
  return {latency_group(),        throughput_group(), stalls_group(),  arrivals_group(),
          last_job_times_group(), job_times_group(),  machine_group(), device_group(),
          time_series_group(),    flash_group()};
}

}  // namespace lsmlab
