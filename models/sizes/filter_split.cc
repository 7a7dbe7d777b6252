#include "models/sizes/filter_split.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "models/base/check.h"
#include "models/base/portable_math.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

constexpr double kLn2Squared = 0.48045301391820139;
constexpr double kMillibitsMax = 100'000;  // limit of SstableFormat::validate()

// Includes an estimate for the file's slices: their share, by bytes, of the frozen file's entries.
// Nothing counts the entries of a slice.
std::uint64_t entries_of(const File& file, const TreeView& tree) {
  std::uint64_t entries = file.entries.value();
  for (const Slice& slice : file.slices) {
    const File& frozen = tree.frozen_files().at(slice.frozen_file).file;
    entries += static_cast<std::uint64_t>(Uint128{frozen.entries.value()} * slice.bytes.value() /
                                          frozen.bytes.value());
  }
  return entries;
}

const OutputTarget* target_of(const Plan& plan) {
  if (const auto* flush = std::get_if<FlushPlan>(&plan.action)) return &flush->target;
  if (const auto* merge = std::get_if<MergePlan>(&plan.action)) return &merge->target;
  return nullptr;
}

// The entries of each run after the plan: first the run that the plan writes to, then all others.
std::vector<std::uint64_t> runs_after(const TreeView& tree, const Plan& plan,
                                      const OutputTarget& target, Entries memtable) {
  std::vector<std::uint64_t> entries{takes_memtable(plan) ? memtable.value() : 0};
  std::set<FileId> leaving;
  for (const PlanInput& input : plan_inputs(plan)) {
    leaving.insert(input.files.begin(), input.files.end());
  }
  for (std::size_t level = 0; level < tree.levels().size(); ++level) {
    for (const SortedRun& run : tree.levels()[level].runs) {
      const bool is_target = level == target.level && run.id == target.run;
      std::uint64_t staying = 0;
      for (const File& file : run.files) {
        (leaving.contains(file.id) ? entries.front() : staying) += entries_of(file, tree);
      }
      if (is_target) {
        entries.front() += staying;
      } else if (staying > 0) {
        entries.push_back(staying);
      }
    }
  }
  return entries;
}

// From the smallest to the largest key of all inputs.
std::optional<KeyRange> span_of(const TreeView& tree, const MergePlan& merge) {
  std::optional<KeyRange> span;
  FileFinder finder(tree);
  for (const PlanInput& input : merge.inputs) {
    for (const FileId id : input.files) {
      const KeyRange& keys = finder.at(id).keys;
      span = span ? hull_of(*span, keys) : keys;
    }
  }
  return span;
}

bool takes_oldest_of_level0(const TreeView& tree, const MergePlan& merge) {
  if (tree.levels().empty() || tree.levels().front().runs.empty()) return true;
  const SortedRun& oldest = tree.levels().front().runs.back();
  return std::any_of(merge.inputs.begin(), merge.inputs.end(), [&](const PlanInput& input) {
    return input.level == 0 && input.run == oldest.id;
  });
}

// RocksDB sets sequence numbers to 0 in a merge below which nothing older may have its keys
// (RocksDB 7.8.3, db/version_set.cc, RangeMightExistAfterSortedRun).
bool keeps_sequences(const StoreOptions& store, const TreeView& tree, const MergePlan& merge) {
  if (store.layout != SstableLayout::kRocksdb) return true;
  const std::size_t target = merge.target.level;
  if (target == 0 && !takes_oldest_of_level0(tree, merge)) return true;
  const std::optional<KeyRange> span = span_of(tree, merge);
  for (std::size_t level = target + 1; level < tree.levels().size(); ++level) {
    for (const SortedRun& run : tree.levels()[level].runs) {
      if (target == 0 || !span || !overlapping_files(run, *span).empty()) return true;
    }
  }
  return false;
}

BlockCompression output_compression(const StoreOptions& store, const TreeView& tree,
                                    const Plan& plan, const OutputTarget& target,
                                    std::span<const LevelCapacity> capacities) {
  const CompressionRules& rules = store.compression;
  if (!rules.compresses()) return {};
  const auto* const merge = std::get_if<MergePlan>(&plan.action);
  if (merge == nullptr) return rules.of_flush();
  const std::optional<std::uint32_t> deepest = deepest_level(tree);
  std::size_t base = 1;
  while (base < capacities.size() && base < target.level && capacities[base].bytes == 0) ++base;
  return rules.at(target.level, base, deepest ? *deepest + 1 : 0,
                  keeps_sequences(store, tree, *merge));
}

// The levels down to the deepest that holds a file after the plan.
std::span<const LevelCapacity> levels_in_use(std::span<const LevelCapacity> capacities,
                                             const TreeView& tree, std::uint32_t target) {
  std::size_t deepest = target;
  for (std::size_t level = deepest + 1; level < tree.levels().size(); ++level) {
    if (!tree.levels()[level].runs.empty()) deepest = level;
  }
  return capacities.first(std::min(capacities.size(), deepest + 1));
}

double autotuned(const StoreOptions& store, const TreeView& tree, std::uint32_t target,
                 std::span<const LevelCapacity> capacities) {
  const std::vector<std::uint32_t> bits =
      autotune_bits(levels_in_use(capacities, tree, target), store.format().bits_per_key());
  return target < bits.size() ? bits[target] : 0;
}

}  // namespace

std::vector<std::uint32_t> autotune_bits(std::span<const LevelCapacity> levels,
                                         double bits_per_key) {
  std::vector<std::uint64_t> runs;
  for (const LevelCapacity& level : levels) {
    const std::uint64_t run_bytes = level.bytes / level.runs;
    if (run_bytes > 0) runs.insert(runs.end(), level.runs, run_bytes);
  }
  const std::vector<double> of_runs = monkey_bits(runs, bits_per_key);
  std::vector<std::uint32_t> bits;
  auto next = of_runs.begin();
  for (const LevelCapacity& level : levels) {
    if (level.bytes / level.runs == 0) {
      bits.push_back(0);
      continue;
    }
    bits.push_back(static_cast<std::uint32_t>(std::floor(*next + 0.5)));
    next += static_cast<std::ptrdiff_t>(level.runs);
  }
  return bits;
}

std::vector<double> monkey_bits(std::span<const std::uint64_t> run_entries, double bits_per_key) {
  // rate_r = c * entries_r, so bits_r = -(ln c + ln entries_r) / ln^2 2. The budget of bits
  // determines c. If that makes bits_r negative, the run gets no filter, and the other runs share
  // the whole budget.
  std::vector<double> logarithms;
  double entries_sum = 0;
  for (const std::uint64_t entries : run_entries) {
    CHECK(entries > 0);
    logarithms.push_back(portable_log(static_cast<double>(entries)));
    entries_sum += static_cast<double>(entries);
  }
  const double budget = entries_sum * bits_per_key * kLn2Squared;
  std::vector<double> bits(run_entries.size(), 0);
  std::vector<bool> has_filter(run_entries.size(), true);
  for (bool is_settled = false; !is_settled;) {
    double entries = 0;
    double weighted = 0;
    for (std::size_t i = 0; i < run_entries.size(); ++i) {
      if (!has_filter[i]) continue;
      entries += static_cast<double>(run_entries[i]);
      weighted += static_cast<double>(run_entries[i]) * logarithms[i];
    }
    if (entries == 0) break;
    const double log_c = -(budget + weighted) / entries;
    is_settled = true;
    for (std::size_t i = 0; i < run_entries.size(); ++i) {
      if (!has_filter[i]) continue;
      bits[i] = -(log_c + logarithms[i]) / kLn2Squared;
      if (bits[i] > 0) continue;
      bits[i] = 0;
      has_filter[i] = false;
      is_settled = false;
    }
  }
  return bits;
}

SstableFormat output_format(const StoreOptions& store, const TreeView& tree, const Plan& plan,
                            Entries memtable, std::span<const LevelCapacity> capacities) {
  SstableFormat format = store.format();
  const OutputTarget* const target = target_of(plan);
  if (target == nullptr) return format;
  format.compression = output_compression(store, tree, plan, *target, capacities);
  if (store.filter_split == FilterSplit::kUniform) return format;
  double bits = 0;
  if (store.filter_split == FilterSplit::kAutotune) {
    bits = autotuned(store, tree, target->level, capacities);
  } else {
    const std::vector<std::uint64_t> runs = runs_after(tree, plan, *target, memtable);
    CHECK(runs.front() > 0);
    bits = monkey_bits(runs, format.bits_per_key()).front();
  }
  format.filter_millibits_per_key =
      static_cast<std::uint32_t>(std::min(kMillibitsMax, std::floor(bits * 1000 + 0.5)));
  return format;
}

}  // namespace lsmlab
