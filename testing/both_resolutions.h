// Runs of one workload at resolutions key and range, and how near the two are.
#pragma once

#include <cmath>
#include <string>
#include <utility>

#include "sim/keys/simulate_keys.h"
#include "sim/ranges/simulate_ranges.h"
#include "testing/random_operations.h"
#include "testing/runs.h"

namespace lsmlab::testing {

inline OperationWorkload workload_of(const std::string& text) {
  const Result<Spec> spec = parse_spec(text);
  REQUIRE(spec.has_value());
  Result<OperationWorkload> workload = make_operation_workload(spec.value());
  REQUIRE(workload.has_value());
  return std::move(workload).value();
}

inline RunSetup setup_of(const std::string& policy, std::uint64_t seed) {
  RunSetup setup = default_setup(policy_of(policy));
  setup.options.seed = seed;
  return setup;
}

inline RunResult by_keys(const std::string& policy, const OperationWorkload& workload,
                         std::uint64_t seed = RunOptions().seed) {
  RunControl control;
  const auto operations = workload.open(seed);
  Result<RunResult> run = simulate_keys(setup_of(policy, seed), *operations, control);
  REQUIRE(run.has_value());
  return std::move(run).value();
}

inline Result<RunResult> try_ranges(const std::string& policy, const OperationWorkload& workload,
                                    std::uint64_t seed = RunOptions().seed,
                                    std::uint64_t cells = RunOptions().range_cells) {
  RunControl control;
  RunSetup setup = setup_of(policy, seed);
  setup.options.range_cells = cells;
  return simulate_ranges(setup, workload, control);
}

inline RunResult by_ranges(const std::string& policy, const OperationWorkload& workload,
                           std::uint64_t seed = RunOptions().seed,
                           std::uint64_t cells = RunOptions().range_cells) {
  Result<RunResult> run = try_ranges(policy, workload, seed, cells);
  REQUIRE(run.has_value());
  return std::move(run).value();
}

inline double bytes_written(const RunResult& run) {
  return static_cast<double>(run.totals.flush_bytes_written + run.totals.merge_bytes_written);
}

struct Closeness {
  double written = 0;
  double merges = 0;
  double space = 0;
};

// Of means over seeds: one run alone differs from another of the same resolution by a percent or
// two. With LSMLAB_NEARNESS_SEEDS=1 the difference scatters twice as much as with four, and counts
// half; merges, of which a run has few, are then not compared.
inline Closeness closeness(const std::string& policy, const OperationWorkload& workload,
                           std::uint64_t cells = RunOptions().range_cells) {
  const std::uint64_t seeds = seeds_wanted("LSMLAB_NEARNESS_SEEDS", 4);
  const double weight = std::sqrt(static_cast<double>(seeds) / 4);
  Closeness sums[2];
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const RunResult runs[2] = {by_keys(policy, workload, seed),
                               by_ranges(policy, workload, seed, cells)};
    for (int i = 0; i < 2; ++i) {
      sums[i].written += bytes_written(runs[i]);
      sums[i].merges += static_cast<double>(runs[i].totals.merges);
      sums[i].space += runs[i].keys->final.space.value_or(0);
    }
  }
  return {weight * (sums[1].written / sums[0].written - 1),
          seeds < 4 ? 0 : sums[1].merges / sums[0].merges - 1,
          weight * (sums[1].space / sums[0].space - 1)};
}

}  // namespace lsmlab::testing
