// A figure as code addresses it: an entry of the list of figures (models/accounting/figures.h), and
// where a result's JSON holds it. ResultFigures names every figure that a text table, a bound or a
// fit shows on its own. Pages address figures by path (validate/report/results/shown_figure.h).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/accounting/figure.h"

namespace lsmlab {

class ResultFigure {
 public:
  /// `path`: "totals.merges", "latency.put.p99_ns", "stalls[].nanoseconds". REQUIRES: the list of
  /// figures has it.
  explicit ResultFigure(const std::string& path);

  [[nodiscard]] const Figure& descriptor() const { return *figure_; }
  [[nodiscard]] const std::string& name() const { return figure_->name; }
  /// The figure's number. Nothing where the result has none.
  [[nodiscard]] std::optional<double> number(const nlohmann::ordered_json& result) const;
  /// Whether the result has the figure, and it is true.
  [[nodiscard]] bool flag(const nlohmann::ordered_json& result) const;
  /// Every number of a figure that a result holds in a list or in a column; one of another figure.
  /// Empty where the result has none.
  [[nodiscard]] std::vector<double> numbers(const nlohmann::ordered_json& result) const;
  [[nodiscard]] double sum(const nlohmann::ordered_json& result) const;

 private:
  // Null where the result has no such figure. REQUIRES: it is not a figure of a list.
  [[nodiscard]] const nlohmann::ordered_json* find(const nlohmann::ordered_json& result) const;

  const FigureGroup* group_;
  const Figure* figure_;
  nlohmann::ordered_json::json_pointer outer_;  // of the object, list or columns that hold it
};

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
  ResultFigure merge_bytes_read{"totals.merge_bytes_read"};
  ResultFigure merge_bytes_written{"totals.merge_bytes_written"};
  ResultFigure write{"amplification.write"};
  ResultFigure write_flushed{"amplification.write_flushed"};
  ResultFigure read_mean{"amplification.read_mean"};
  ResultFigure read_max{"amplification.read_max"};
  ResultFigure read_blocks{"amplification.read_blocks"};
  ResultFigure space{"amplification.space"};
  ResultFigure space_transient{"amplification.space_transient"};
  ResultFigure floor_k{"floor.k"};
  ResultFigure floor_k_is_policy_bound{"floor.k_is_policy_bound"};
  ResultFigure floor_ratio{"floor.ratio"};
  ResultFigure gets_found{"reads.gets_found.count"};
  ResultFigure gets_absent{"reads.gets_absent.count"};
  ResultFigure found_blocks_fetched{"reads.gets_found.blocks_fetched"};
  ResultFigure absent_blocks_fetched{"reads.gets_absent.blocks_fetched"};
  ResultFigure file_bytes{"final.file_bytes"};
  ResultFigure tombstones{"final.tombstones"};
  LatencyResultFigures puts{"put"};
  LatencyResultFigures gets{"get"};
  LatencyResultFigures scans{"scan"};
  LatencyResultFigures all{"all"};
  ResultFigure throughput{"throughput.operations_per_second"};
  ResultFigure loading_operations{"throughput.loading_operations"};
  ResultFigure stalled{"stalls[].nanoseconds"};
  ResultFigure simulated_ns{"time.simulated_ns"};
  ResultFigure cpu_stopped_ns{"time.cpu_stopped_ns"};
  ResultFigure device_busy_ns{"time.device.busy_ns"};
  ResultFigure merge_begins{"merge_times.operations_before"};
  ResultFigure merge_reads{"merge_times.bytes_read"};
  ResultFigure merge_writes{"merge_times.bytes_written"};
  ResultFigure merge_ns{"merge_times.nanoseconds"};
  ResultFigure merge_processor_ns{"merge_times.processor_ns"};
  ResultFigure merge_core_wait_ns{"merge_times.core_wait_ns"};
  ResultFigure series_operations{"series.operations"};
  ResultFigure series_write{"series.write"};
  ResultFigure flushes_per_second{"run.flushes_per_second"};
  ResultFigure operations_per_second{"run.operations_per_second"};
};

[[nodiscard]] const ResultFigures& result_figures();

}  // namespace lsmlab
