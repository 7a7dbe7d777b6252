#include "validate/cost_figures.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "models/cost_ldc.h"
#include "models/cost_merge.h"

namespace lsmlab {
namespace {

std::optional<std::uint64_t> count_of(const ResolvedOptions& options, std::string_view name) {
  for (const auto& [option, value] : options) {
    const auto* count = std::get_if<std::uint64_t>(&value);
    if (option == name && count != nullptr) return *count;
  }
  return std::nullopt;
}

FlushMode flush_mode_of(const RunResult& result) {
  for (const auto& [option, value] : result.policy_options) {
    const auto* text = std::get_if<std::string>(&value);
    if (option == "flush" && text != nullptr && *text == "separate") return FlushMode::kSeparate;
  }
  return FlushMode::kEager;
}

std::vector<CostFigure> stack_figures(const RunResult& result) {
  const std::uint64_t flushes = result.totals.flushes;
  if (flushes == 0 || flushes > kModelFlushesMax) return {};
  const std::string& family = result.policy_family;
  const FlushMode mode = flush_mode_of(result);
  if (const auto k = count_of(result.policy_options, "k")) {
    if (family == "min-latency") return min_latency_figures(flushes, *k);
    if (family == "binomial") return binomial_figures(flushes, *k);
    if (family == "constant") return constant_figures(flushes, *k, mode);
    if (family == "bigtable" || family == "exploring") return bounded_depth_figures(flushes, *k);
  }
  if (const auto size_ratio = count_of(result.policy_options, "size_ratio")) {
    if (family == "tiered") return tiered_figures(flushes, *size_ratio, mode);
    if (family == "leveled") return leveled_figures(flushes, *size_ratio);
  }
  return {};
}

std::vector<CostFigure> ldc_figures(const RunResult& result) {
  const bool is_ldc = result.policy_family == "ldc";
  if (!is_ldc && result.policy_family != "udc" && result.policy_family != "leveldb") return {};
  const auto fan_out = count_of(result.policy_options, "size_ratio");
  const auto file_bytes = count_of(result.policy_options, "file_size");
  const auto write_bandwidth = count_of(result.device_options, "write_bandwidth");
  const auto read_bandwidth = count_of(result.device_options, "read_bandwidth");
  if (!fan_out || !file_bytes || !write_bandwidth || !read_bandwidth || !result.final_keys) {
    return {};
  }
  LdcModelInput input;
  input.fan_out = *fan_out;
  input.sstable_bytes = Bytes(*file_bytes);
  input.data_bytes = Bytes(static_cast<std::uint64_t>(result.final_keys->file_bytes));
  input.level0_sstables = count_of(result.policy_options, "l0_trigger").value_or(0);
  input.device_write_bytes_per_second = static_cast<double>(*write_bandwidth);
  input.device_read_bytes_per_second = static_cast<double>(*read_bandwidth);
  if (result.reads && result.simulated_ns > 0) {
    input.lookup_bytes_per_second = static_cast<double>(result.reads->blocks().bytes_read) * 1e9 /
                                    static_cast<double>(result.simulated_ns);
  }
  if (result.operations && result.operations->sum() > 0) {
    input.write_share =
        ratio_of(result.operations->puts + result.operations->deletes, result.operations->sum());
  }
  if (!input.validate().empty()) return {};
  return ldc_cost_figures(input, is_ldc ? MergeDriver::kLowerLevel : MergeDriver::kUpperLevel);
}

}  // namespace

std::vector<CostFigure> cost_figures_of(const RunResult& result) {
  std::vector<CostFigure> figures = stack_figures(result);
  return figures.empty() ? ldc_figures(result) : figures;
}

}  // namespace lsmlab
