#include "models/theory/delete_aware_adaptation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/base/check.h"
#include "models/base/portable_math.h"
#include "models/theory/delete_aware_costs.h"
#include "models/tree/kept_ranges.h"

namespace lsmlab {
namespace {

constexpr double kFilterBitsMax = Tuning::kBitsPerKeyThousandthsMax / 1000.0;
constexpr double kRangeBits = 8.0 * static_cast<double>(kKeptRangeBytes.value());
// The grid: powers of two of del_ratio_base, and of data blocks in a kept range.
constexpr int kBasePowerMin = -6;
constexpr int kBasePowerMax = 10;
constexpr int kRangePowerMax = 8;

// The shares of each kind among the measured operations.
struct Mix {
  double gets = 0;
  double scans = 0;
  double writes = 0;
  double deletes_of_writes = 0;
};

double share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return 0;
  return std::min(1.0, static_cast<double>(part) / static_cast<double>(whole));
}

Mix mix_of(const Traffic& measured) {
  const std::uint64_t all = measured.lookups + measured.writes;
  CHECK(all > 0);
  const std::uint64_t scans = std::min(measured.scans, measured.lookups);
  return {share(measured.lookups - scans, all), share(scans, all), share(measured.writes, all),
          share(measured.deletes, measured.writes)};
}

double mean_of(const Mix& mix, double lookup, double scan, double update) {
  return mix.gets * lookup + mix.scans * scan + mix.writes * update;
}

// What levels hold, and what merges write for a byte on its way to the deepest level.
struct LevelWork {
  double redundant_entries = 0;
  double written = 0;
  double levels = 1;  // from level 1 on
};

LevelWork level_work(const AdaptedStore& store, double delete_share,
                     const AdaptedOptions& options) {
  const double all_bytes = store.entries * store.entry_bytes;
  const double range_entries = std::max(1.0, options.range_bytes / store.entry_bytes);
  LevelWork work;
  double density = store.level0_runs * store.memtable_bytes;
  double tombstone_share = delete_share;
  double bytes_so_far = density;
  work.redundant_entries = 2 * tombstone_share * density / store.entry_bytes;
  double limit_memtables = options.del_ratio_base;
  const bool merges_by_size = options.del_ratio_base == 0 || store.keeps_size_trigger;
  std::uint32_t level = 0;
  for (const double by_size : store.level_bytes) {
    ++level;
    if (level >= store.deepest_used && (!merges_by_size || by_size >= all_bytes)) break;
    const double limit_bytes = limit_memtables * store.memtable_bytes;
    limit_memtables /= store.size_ratio;
    if (by_size == 0) continue;
    if (options.range_bytes > 0) {
      const double absent_below = std::min(1.0, bytes_so_far / all_bytes);
      tombstone_share *= 1 - absent_below / range_entries;
    }
    double bytes = by_size;
    if (options.del_ratio_base > 0) {
      const double by_deletes = tombstone_share > 0 ? limit_bytes / tombstone_share
                                                    : std::numeric_limits<double>::infinity();
      bytes = store.keeps_size_trigger ? std::min(by_size, by_deletes) : by_deletes;
    }
    bytes = std::min(bytes, all_bytes);
    work.written += 1 + bytes / density;
    density = std::max(density, bytes);
    bytes_so_far += bytes;
    work.redundant_entries += 2 * tombstone_share * bytes / store.entry_bytes;
    ++work.levels;
  }
  work.written += 1 + all_bytes / density;
  return work;
}

std::uint64_t microblocks(double blocks) {
  constexpr double kMax = 1e12;
  return static_cast<std::uint64_t>(std::floor(std::min(blocks, kMax) * 1e6 + 0.5));
}

Adaptation adaptation_of(const AdaptedStore& store, const Traffic& measured,
                         const AdaptedOptions& options) {
  const Mix mix = mix_of(measured);
  const AdaptedCost cost = adapted_cost(store, mix.deletes_of_writes, options);
  Adaptation adaptation;
  adaptation.measured = measured;
  adaptation.tuning.del_ratio_base_millionths =
      static_cast<std::uint64_t>(std::floor(options.del_ratio_base * 1e6 + 0.5));
  adaptation.tuning.bits_per_key_thousandths =
      static_cast<std::uint64_t>(std::floor(cost.filter_bits * 1e3 + 0.5));
  adaptation.tuning.range_bytes = Bytes(static_cast<std::uint64_t>(options.range_bytes));
  adaptation.costs.lookup = microblocks(cost.lookup_blocks);
  adaptation.costs.scan = microblocks(cost.scan_blocks);
  adaptation.costs.update = microblocks(cost.update_blocks);
  adaptation.costs.mean =
      microblocks(mean_of(mix, cost.lookup_blocks, cost.scan_blocks, cost.update_blocks));
  return adaptation;
}

std::uint64_t tiered_mean(const AdaptedStore& store, const Traffic& measured) {
  DeleteAwareModelInput input;
  input.size_ratio = std::max(2.0, store.level0_runs);
  input.entries = store.entries;
  input.entry_bytes = store.entry_bytes;
  input.memtable_bytes = store.memtable_bytes;
  input.page_entries = std::max(1.0, store.block_bytes / store.entry_bytes);
  input.filter_bits = store.filter_bits * store.entries;
  const DeleteAwareModelCost cost = delete_aware_cost(input, MergeLayout::kTiered);
  return microblocks(
      mean_of(mix_of(measured), cost.lookup_blocks, cost.scan_runs, cost.update_blocks));
}

}  // namespace

AdaptedCost adapted_cost(const AdaptedStore& store, double delete_share,
                         const AdaptedOptions& options) {
  CHECK(store.size_ratio >= 2 && store.entries > 0 && store.entry_bytes > 0);
  CHECK(store.memtable_bytes > 0 && store.block_bytes > 0 && store.level0_runs >= 1);
  CHECK((store.range_bytes > 0) == (options.range_bytes > 0));
  const LevelWork work = level_work(store, delete_share, options);
  const double live = std::max(1.0, store.entries - 2 * store.tombstones);
  const double entries = live + work.redundant_entries;
  double memory_bits = store.filter_bits * store.entries;
  if (options.range_bytes > 0) {
    memory_bits += kRangeBits * store.entries * store.entry_bytes / store.range_bytes;
    memory_bits -= kRangeBits * entries * store.entry_bytes / options.range_bytes;
  }
  AdaptedCost cost;
  cost.filter_bits = options.range_bytes > 0
                         ? std::clamp(memory_bits / entries, 0.0, kFilterBitsMax)
                         : store.filter_bits;
  const double bits = std::max(0.0, memory_bits) / entries;
  const double runs = store.level0_runs + work.levels;
  cost.lookup_blocks = runs * portable_exp(-bits * kLn2Squared);
  cost.scan_blocks = runs * entries / live;
  cost.update_blocks = work.written * store.entry_bytes / store.block_bytes;
  return cost;
}

Adaptation unchanged_options(const AdaptedStore& store, const Traffic& measured,
                             const AdaptedOptions& now) {
  Adaptation same = adaptation_of(store, measured, now);
  same.costs.mean_before = same.costs.mean;
  same.costs.mean_tiered = tiered_mean(store, measured);
  return same;
}

Adaptation cheapest_options(const AdaptedStore& store, const Traffic& measured,
                            const AdaptedOptions& now) {
  const Adaptation before = unchanged_options(store, measured, now);
  std::vector<double> bases{0};
  for (int power = kBasePowerMin; power <= kBasePowerMax; ++power) {
    bases.push_back(std::ldexp(1.0, power));
  }
  std::vector<double> ranges;
  if (store.range_bytes == 0) ranges.push_back(0);
  for (int power = 0; store.range_bytes > 0 && power <= kRangePowerMax; ++power) {
    ranges.push_back(std::ldexp(store.block_bytes, power));
  }
  Adaptation best = before;
  for (const double base : bases) {
    for (const double range : ranges) {
      const Adaptation candidate = adaptation_of(store, measured, {base, range});
      if (candidate.costs.mean < best.costs.mean) best = candidate;
    }
  }
  best.costs.mean_before = before.costs.mean;
  best.costs.mean_tiered = before.costs.mean_tiered;
  return best;
}

}  // namespace lsmlab
