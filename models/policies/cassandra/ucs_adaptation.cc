#include "models/policies/cassandra/ucs_adaptation.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/policies/cassandra/ucs_scaling.h"

namespace lsmlab {
namespace {

constexpr std::int64_t kTieredW = 2;  // T4, Cassandra's default

std::uint64_t millionths(double blocks) {
  constexpr double kMost = 9e18;
  return static_cast<std::uint64_t>(std::min(blocks * 1e6, kMost));
}

std::optional<UcsLoad> load_of(const TreeView& tree, const UcsAdaptationOptions& options,
                               const StoreOptions& store, const Traffic& measured) {
  RunSums all;
  for (const Level& level : tree.levels()) {
    for (const SortedRun& run : level.runs) all.add(run.files.sums());
  }
  if (all.entries == 0 || all.key_bytes + all.value_bytes == 0) return std::nullopt;
  const double entry_bytes =
      static_cast<double>(all.key_bytes + all.value_bytes) / static_cast<double>(all.entries);
  UcsLoad load;
  load.lookups = static_cast<double>(measured.lookups);
  load.blocks_written = static_cast<double>(measured.writes) * entry_bytes /
                        static_cast<double>(store.block_size.value());
  load.data_bytes = all.bytes;
  if (options.dataset_size) {
    load.data_bytes = std::max(load.data_bytes, options.dataset_size->value());
  }
  return load;
}

}  // namespace

void UcsAdaptationOptions::declare(OptionTable& table) {
  table.count("adapt_flushes", adapt_flushes, {0, 1'000'000}, "flushes",
              "after so many flushes the policy measures lookups and writes, and sets the scaling "
              "parameter of one level to the cheapest (adaptive=true of DataStax's fork, whose "
              "adaptive_interval_sec is 300; Cassandra has no such option); fewer: it follows the "
              "workload sooner, but from "
              "fewer operations. 0: never");
  table.text("adaptive_min_scaling_parameter", w_min, "with adapt_flushes: the least that it sets");
  table.text("adaptive_max_scaling_parameter", w_max,
             "with adapt_flushes: the largest that it sets");
  table.decimal("adaptive_threshold", threshold, "0", "1",
                "with adapt_flushes: share of the cost that a change must save; more: fewer "
                "changes");
  table.optional_bytes("dataset_size", dataset_size, {1, std::uint64_t{1} << 60},
                       "with adapt_flushes: size that the store will have, if it is larger than "
                       "it is; default: unknown (DataStax's fork takes the size of the disk)");
  table.decimal("read_multiplier", read_multiplier, "0", "1000000",
                "with adapt_flushes: cost of a lookup in an SSTable, in blocks; more: levels are "
                "merged more often");
  table.decimal("write_multiplier", write_multiplier, "0", "1000000",
                "with adapt_flushes: cost of writing a block; more: levels are merged less often");
}

std::vector<std::string> UcsAdaptationOptions::validate() const {
  std::vector<std::string> faults;
  const auto w_of = [&](const char* name, const std::string& text) {
    const std::optional<std::int64_t> w = parse_ucs_scaling(text);
    if (!w) {
      faults.push_back(fmt::format("{}: '{}' is none of T2 to T{}, L2 to L{}, N, or a number", name,
                                   text, kUcsFanoutMax, kUcsFanoutMax));
    }
    return w;
  };
  const auto least = w_of("adaptive_min_scaling_parameter", w_min);
  const auto largest = w_of("adaptive_max_scaling_parameter", w_max);
  if (least && largest && *least >= *largest) {
    faults.push_back(fmt::format(
        "adaptive_min_scaling_parameter={} is not below adaptive_max_scaling_parameter={}", w_min,
        w_max));
  }
  if (threshold.numerator() == 0) faults.emplace_back("adaptive_threshold=0 is not above 0");
  return faults;
}

UcsAmplification ucs_amplification(std::uint64_t data_bytes, std::uint64_t flush_bytes,
                                   std::int64_t w) {
  const UcsScaling scaling = ucs_scaling(w);
  std::uint64_t deepest = 0;
  Uint128 unit = flush_bytes;
  while (unit * scaling.fanout <= data_bytes) {
    unit *= scaling.fanout;
    ++deepest;
  }
  const auto units = static_cast<std::uint64_t>((data_bytes + unit - 1) / unit);
  UcsAmplification found;
  found.read = deepest * (scaling.threshold - 1);
  if (w < 0) {
    found.read += 1;
    found.write = deepest * (scaling.fanout - 1) + units;
  } else {
    found.read += units > 0 ? units - 1 : 0;
    found.write = deepest + 1;
  }
  return found;
}

double ucs_cost(const UcsLoad& load, const UcsAdaptationOptions& options, std::int64_t w) {
  const UcsAmplification found = ucs_amplification(load.data_bytes, load.flush_bytes, w);
  return load.lookups * static_cast<double>(found.read) * options.read_multiplier.as_double() +
         load.blocks_written * static_cast<double>(1 + found.write) *
             options.write_multiplier.as_double();
}

std::vector<std::int64_t> adapted_scalings(std::vector<std::int64_t> by_level, const UcsLoad& load,
                                           const UcsAdaptationOptions& options) {
  const double cost = ucs_cost(load, options, by_level[0]);
  if (cost <= 0) return by_level;
  std::int64_t cheapest = by_level[0];
  double least = cost;
  const std::int64_t last = parse_ucs_scaling(options.w_max).value();
  for (std::int64_t w = parse_ucs_scaling(options.w_min).value(); w <= last; ++w) {
    const double of_w = ucs_cost(load, options, w);
    // Of equals, the largest of those below 0, else what holds, else the least.
    if (of_w < least || (w < 0 && of_w == least)) {
      cheapest = w;
      least = of_w;
    }
  }
  if (cheapest != by_level[0]) {
    if (cost - least >= options.threshold.as_double() * cost) by_level[0] = cheapest;
    return by_level;
  }
  const auto other =
      std::find_if(by_level.begin(), by_level.end(), [&](std::int64_t w) { return w != cheapest; });
  if (other != by_level.end()) *other = cheapest;
  return by_level;
}

std::optional<Adaptation> ucs_adaptation(const TreeView& tree, const UcsAdaptationOptions& options,
                                         const std::vector<std::int64_t>& by_level,
                                         const StoreOptions& store, Bytes flush_bytes) {
  const std::uint64_t flush = tree.flush_count() + 1;
  const std::uint64_t last = tree.tuning() ? tree.tuning()->flush : 0;
  if (flush - last < options.adapt_flushes) return std::nullopt;
  Traffic measured = tree.measured();
  measured.add(tree.pending_flush()->traffic);
  std::optional<UcsLoad> load = load_of(tree, options, store, measured);
  if (!load || measured.lookups + measured.writes == 0) return std::nullopt;
  load->flush_bytes = flush_bytes.value();
  const std::vector<std::int64_t> next = adapted_scalings(by_level, *load, options);

  Adaptation found;
  found.measured = measured;
  found.tuning.flush = flush;
  found.tuning.bits_per_key_thousandths = static_cast<std::uint64_t>(
      Uint128{store.bits_per_key.numerator()} * 1000 / store.bits_per_key.denominator());
  found.tuning.range_bytes = store.range_bytes;
  found.tuning.scaling_parameters = ucs_scalings_text(next);
  const UcsAmplification now = ucs_amplification(load->data_bytes, load->flush_bytes, next[0]);
  const auto operations = static_cast<double>(measured.lookups + measured.writes);
  const double blocks_per_write = measured.writes == 0 ? 0
                                                       : load->blocks_written /
                                                             static_cast<double>(measured.writes) *
                                                             static_cast<double>(1 + now.write);
  found.costs.lookup =
      millionths(static_cast<double>(now.read) * options.read_multiplier.as_double());
  found.costs.scan = found.costs.lookup;
  found.costs.update = millionths(blocks_per_write * options.write_multiplier.as_double());
  found.costs.mean = millionths(ucs_cost(*load, options, next[0]) / operations);
  found.costs.mean_before = millionths(ucs_cost(*load, options, by_level[0]) / operations);
  found.costs.mean_tiered = millionths(ucs_cost(*load, options, kTieredW) / operations);
  return found;
}

}  // namespace lsmlab
