#include "models/theory/delete_aware_costs.h"

#include <algorithm>
#include <cmath>

#include "models/base/check.h"
#include "models/base/portable_math.h"
#include "models/theory/cost_figure.h"

namespace lsmlab {
namespace {

// L = ceil(log_T(N E / M (T - 1) / T)) (Monkey, Equation 1).
double levels_of(const DeleteAwareModelInput& input) {
  const double memtables = input.entries * input.entry_bytes / input.memtable_bytes;
  const double full = memtables * (input.size_ratio - 1) / input.size_ratio;
  return full <= input.size_ratio ? 1 : std::ceil(log_to_base(full, input.size_ratio));
}

std::optional<DeleteAwareModelInput> input_of(const ModelledRun& run) {
  const auto buffer = run.count("buffer");
  const auto block_size = run.count("block_size");
  const auto bits_per_key = run.number("bits_per_key");
  if (!buffer || !block_size || !bits_per_key || run.entries == 0 || run.entry_bytes <= 0) {
    return std::nullopt;
  }
  DeleteAwareModelInput input;
  input.size_ratio = static_cast<double>(run.count("size_ratio").value_or(0));
  input.entries = static_cast<double>(run.entries);
  input.entry_bytes = run.entry_bytes;
  input.memtable_bytes = static_cast<double>(*buffer);
  input.page_entries = std::max(1.0, static_cast<double>(*block_size) / run.entry_bytes);
  input.filter_bits = *bits_per_key * input.entries;
  return input;
}

std::vector<CostFigure> table1_figures(const ModelledRun& run, MergeLayout layout,
                                       std::optional<double> size_ratio) {
  std::optional<DeleteAwareModelInput> input = input_of(run);
  if (!input) return {};
  if (size_ratio) input->size_ratio = *size_ratio;
  if (input->size_ratio < 2) return {};
  const bool is_leveled = layout == MergeLayout::kLeveled;
  const std::string table = ": delete-aware thesis, Table 1, ";
  const std::string order = is_leveled ? "leveled (order of growth, constant 1)"
                                       : "size-tiered (order of growth, constant 1)";
  const std::string lookup = is_leveled ? "L e^(-m/N ln^2 2)" : "T L e^(-m/N ln^2 2)";
  const std::string scan = is_leveled ? "L" : "T L";
  const std::string update = is_leveled ? "T L / B" : "L / B";
  const DeleteAwareModelCost cost = delete_aware_cost(*input, layout);
  std::vector<CostFigure> figures{
      {CostKind::kLevels, cost.levels, "ceil(log_T(N E / M (T - 1) / T)): Monkey, Equation 1"},
      {CostKind::kLookupAbsentBlocks, cost.lookup_blocks, lookup + table + order},
      {CostKind::kScanRuns, cost.scan_runs, scan + table + order},
      {CostKind::kUpdateBlocks, cost.update_blocks, update + table + order}};
  if (!run.live_share || *run.live_share <= 0) return figures;
  input->entries *= *run.live_share;
  const DeleteAwareModelCost least = delete_aware_cost(*input, layout);
  const std::string live = ", with the live entries only (N~, L~)";
  figures.push_back(
      {CostKind::kLookupAbsentBlocksLive, least.lookup_blocks, lookup + table + order + live});
  figures.push_back({CostKind::kScanRunsLive, least.scan_runs, scan + table + order + live});
  figures.push_back(
      {CostKind::kUpdateBlocksLive, least.update_blocks, update + table + order + live});
  return figures;
}

}  // namespace

DeleteAwareModelCost delete_aware_cost(const DeleteAwareModelInput& input, MergeLayout layout) {
  CHECK(input.size_ratio >= 2 && input.entries > 0 && input.entry_bytes > 0 &&
        input.memtable_bytes > 0 && input.page_entries > 0);
  const bool is_leveled = layout == MergeLayout::kLeveled;
  DeleteAwareModelCost cost;
  cost.levels = levels_of(input);
  const double runs = is_leveled ? cost.levels : input.size_ratio * cost.levels;
  cost.lookup_blocks = runs * portable_exp(-input.filter_bits / input.entries * kLn2Squared);
  cost.scan_runs = runs;
  cost.update_blocks = (is_leveled ? input.size_ratio : 1) * cost.levels / input.page_entries;
  return cost;
}

std::vector<CostFigure> delete_aware_leveled_model(const ModelledRun& run) {
  return table1_figures(run, MergeLayout::kLeveled, std::nullopt);
}

// RocksDB's universal compaction merges when it has so many sorted runs: the T of Table 1.
std::vector<CostFigure> delete_aware_tiered_model(const ModelledRun& run) {
  const auto trigger = run.count("l0_trigger");
  if (!trigger) return {};
  return table1_figures(run, MergeLayout::kTiered, static_cast<double>(*trigger));
}

}  // namespace lsmlab
