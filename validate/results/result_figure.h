// A figure as code addresses it: an entry of the list of figures (models/accounting/figures.h), and
// where a result's JSON holds it. ResultFigures names every figure that a text table, a page, a
// bound or a fit shows on its own. No other code spells a figure's path.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/accounting/figure.h"

namespace lsmlab {

class ResultFigure {
 public:
  /// `path`: "totals.merges", "latency.put.p99_ns", "stalls[].nanoseconds", "latency.*.p99_ns".
  /// REQUIRES: the list of figures has it.
  explicit ResultFigure(std::string path);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const FigureGroup& group() const { return *group_; }
  [[nodiscard]] const Figure& descriptor() const { return *figure_; }
  [[nodiscard]] const std::string& name() const { return figure_->name; }
  /// The figure's value. A JSON null where the result has none. REQUIRES: the figure is not one of
  /// a list, and its path names one object.
  [[nodiscard]] const nlohmann::ordered_json& json(const nlohmann::ordered_json& result) const;
  /// The figure's number. Nothing where the result has none.
  [[nodiscard]] std::optional<double> number(const nlohmann::ordered_json& result) const;
  /// Whether the result has the figure, and it is true.
  [[nodiscard]] bool flag(const nlohmann::ordered_json& result) const;
  /// Every number of a figure that a result holds in a list or in a column; one of another figure.
  /// Empty where the result has none.
  [[nodiscard]] std::vector<double> numbers(const nlohmann::ordered_json& result) const;
  [[nodiscard]] double sum(const nlohmann::ordered_json& result) const;

 private:
  std::string path_;
  const FigureGroup* group_;
  const Figure* figure_;
  std::string outer_;  // the path of the object, list or columns that hold it
};

/// The member at a path such as "reads.scans". Null where the result has none or a JSON null.
[[nodiscard]] const nlohmann::ordered_json* find_member(const nlohmann::ordered_json& result,
                                                        std::string_view path);

/// A member of an object; a JSON null where the object has none.
[[nodiscard]] const nlohmann::ordered_json& member_of(const nlohmann::ordered_json& object,
                                                      const std::string& name);

/// Whether a result has the group that a figure belongs to.
[[nodiscard]] bool has_group(const nlohmann::ordered_json& result, const FigureGroup& group);

/// Calls `visit` for each object of a group in a result, with its name: "put", "level 2", or
/// nothing where the group has no names. Groups of columns have no objects.
void for_each_instance(const FigureGroup& group, const nlohmann::ordered_json& result,
                       const std::function<void(const std::string& name,
                                                const nlohmann::ordered_json& object)>& visit);

/// The latencies of one kind of operation.
struct LatencyResultFigures {
  explicit LatencyResultFigures(const std::string& kind);
  std::string operation;  // "put", "get", "scan", "all"
  ResultFigure count;
  ResultFigure mean;
  ResultFigure p50;
  ResultFigure p90;
  ResultFigure p99;
  ResultFigure p99_9;
  ResultFigure p99_99;
  ResultFigure max;
};

struct ResultFigures {
  ResultFigure flushes{"totals.flushes"};
  ResultFigure merges{"totals.merges"};
  ResultFigure moves{"totals.moves"};
  ResultFigure links{"totals.links"};
  ResultFigure bytes_flushed{"totals.bytes_flushed"};
  ResultFigure merge_bytes_read{"totals.merge_bytes_read"};
  ResultFigure merge_bytes_written{"totals.merge_bytes_written"};
  ResultFigure write{"amplification.write"};
  ResultFigure write_flushed{"amplification.write_flushed"};
  ResultFigure write_total{"amplification.write_total"};
  ResultFigure read_mean{"amplification.read_mean"};
  ResultFigure read_max{"amplification.read_max"};
  ResultFigure read_blocks{"amplification.read_blocks"};
  ResultFigure space{"amplification.space"};
  ResultFigure space_transient{"amplification.space_transient"};
  ResultFigure floor_k{"floor.k"};
  ResultFigure floor_k_is_policy_bound{"floor.k_is_policy_bound"};
  ResultFigure floor_write_flushed{"floor.write_flushed"};
  ResultFigure floor_ratio{"floor.ratio"};
  ResultFigure floor_worst_case_bound{"floor.worst_case_bound"};
  ResultFigure level_bytes_written{"by_level[].bytes_written"};
  ResultFigure reason_bytes_written{"by_reason.*.bytes_written"};
  ResultFigure gets_found{"reads.gets_found.count"};
  ResultFigure gets_absent{"reads.gets_absent.count"};
  ResultFigure found_blocks_fetched{"reads.gets_found.blocks_fetched"};
  ResultFigure absent_blocks_fetched{"reads.gets_absent.blocks_fetched"};
  ResultFigure file_bytes{"final.file_bytes"};
  ResultFigure tombstones{"final.tombstones"};
  ResultFigure deletes_gone{"deletes.gone"};
  ResultFigure deletes_p50{"deletes.gone_after_p50"};
  ResultFigure deletes_p99{"deletes.gone_after_p99"};
  ResultFigure deletes_max{"deletes.gone_after_max"};
  ResultFigure deletes_present{"deletes.present_share"};
  LatencyResultFigures puts{"put"};
  LatencyResultFigures gets{"get"};
  LatencyResultFigures scans{"scan"};
  LatencyResultFigures all{"all"};
  LatencyResultFigures each{"*"};  // of any operation: descriptors, without a value of their own
  ResultFigure throughput{"throughput.operations_per_second"};
  ResultFigure loading_operations{"throughput.loading_operations"};
  ResultFigure stalled{"stalls[].nanoseconds"};
  ResultFigure delayed{"arrivals.delayed"};
  ResultFigure delayed_ns{"arrivals.delayed_ns"};
  ResultFigure delay_longest_ns{"arrivals.longest_ns"};
  ResultFigure simulated_ns{"time.simulated_ns"};
  ResultFigure cpu_stopped_ns{"time.cpu_stopped_ns"};
  ResultFigure device_busy_ns{"time.device.busy_ns"};
  ResultFigure peak_file_bytes{"disk.peak_file_bytes"};
  ResultFigure peak_space{"disk.peak_space"};
  ResultFigure merge_output_max_bytes{"disk.merge_output_max_bytes"};
  ResultFigure time_samples_ns{"time.series.time_ns"};
  ResultFigure time_operations{"time.series.operations"};
  ResultFigure time_device_busy_ns{"time.series.device_busy_ns"};
  ResultFigure time_device_bytes_read{"time.series.device_bytes_read"};
  ResultFigure time_device_bytes_written{"time.series.device_bytes_written"};
  ResultFigure time_stalled_ns{"time.series.stalled_ns"};
  ResultFigure time_sorted_runs{"time.series.sorted_runs"};
  ResultFigure time_file_bytes{"time.series.file_bytes"};
  ResultFigure time_merge_debt_bytes{"time.series.merge_debt_bytes"};
  ResultFigure flash_write{"flash.write_amplification"};
  ResultFigure flash_drive_writes{"flash.drive_writes_per_day"};
  ResultFigure flash_years{"flash.years"};
  ResultFigure merge_begins{"merge_times.operations_before"};
  ResultFigure merge_reads{"merge_times.bytes_read"};
  ResultFigure merge_writes{"merge_times.bytes_written"};
  ResultFigure merge_ns{"merge_times.nanoseconds"};
  ResultFigure merge_processor_ns{"merge_times.processor_ns"};
  ResultFigure merge_core_wait_ns{"merge_times.core_wait_ns"};
  ResultFigure series_operations{"series.operations"};
  ResultFigure series_write{"series.write"};
  ResultFigure series_flushes{"series.flushes"};
  ResultFigure series_bytes_flushed{"series.bytes_flushed"};
  ResultFigure series_write_flushed{"series.write_flushed"};
  ResultFigure series_read_mean{"series.read_mean"};
  ResultFigure series_space_transient{"series.space_transient"};
  ResultFigure flushes_per_second{"run.flushes_per_second"};
  ResultFigure operations_per_second{"run.operations_per_second"};
};

[[nodiscard]] const ResultFigures& result_figures();

/// One of these figures, where a table of constants names it.
using FigureName = ResultFigure ResultFigures::*;
[[nodiscard]] inline const ResultFigure& figure_of(FigureName name) {
  return result_figures().*name;
}

}  // namespace lsmlab
