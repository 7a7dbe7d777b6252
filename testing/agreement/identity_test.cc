// Runs the simulator and the stepped engine with every policy and preset on random small workloads.
// Their plan logs must be the same line by line, including file sizes, and so must the figures of
// their results. Figures that depend on a filter's false positives are excluded: a real filter has
// its own.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "engine/replay/engine_replay.h"
#include "models/base/spec.h"
#include "models/execution/forced_plans.h"
#include "models/execution/plan_log.h"
#include "sim/keys/simulate_keys.h"
#include "testing/catch.h"
#include "testing/engine/fault_file_system.h"
#include "testing/every_policy.h"
#include "testing/random_operations.h"

namespace lsmlab::identity_test {
namespace {

struct Run {
  RunResult result;
  std::vector<std::string> log;
};

constexpr std::uint64_t kOperations = 600;

Run simulate(const ConfiguredPolicy& policy, std::uint64_t seed) {
  Run run;
  RunSetup setup = default_setup(policy);
  setup.log = [&](const PlanRecord& record) { run.log.push_back(plan_record_line(record)); };
  testing::RandomOperations source(seed, kOperations);
  RunControl control;
  auto result = simulate_keys(setup, source, control);
  REQUIRE(result.has_value());
  run.result = std::move(result).value();
  return run;
}

Run replay(const ConfiguredPolicy& policy, std::uint64_t seed) {
  Run run;
  engine::FaultFileSystem files(seed);
  RunSetup setup = default_setup(policy);
  setup.options.source = RunSource::kEngine;
  setup.options.sync = SyncRule::kEveryBatch;
  setup.options.sync_files = true;
  setup.options.verify = true;
  setup.log = [&](const PlanRecord& record) { run.log.push_back(plan_record_line(record)); };
  engine::ReplayOptions options;
  options.directory = "db";
  options.files = &files;
  testing::RandomOperations source(seed, kOperations);
  RunControl control;
  auto result = engine::replay(setup, options, source, control);
  INFO((result ? "" : result.error().message));
  REQUIRE(result.has_value());
  run.result = std::move(result).value();
  return run;
}

// False positives read extra blocks, which changes the content of the cache.
void clear_chance(RunResult& result, bool has_filters) {
  for (LookupFigures* gets : {&result.keys->reads->gets_found, &result.keys->reads->gets_absent}) {
    gets->false_positives = 0;
    if (has_filters) gets->blocks = {};
  }
  if (has_filters) result.keys->reads->scans.blocks.blocks_read = 0;
  if (has_filters) result.keys->reads->scans.blocks.bytes_read = 0;
  if (!has_filters) return;
  for (PartFigures& part : result.parts) part.blocks_read = 0;
  result.at_last_operation->sums.blocks_read = 0;
  result.keys->final.blocks_read = 0;
  for (SeriesPoint& point : result.series) point.keys->blocks_read = 0;
}

// A real log has a mark at its begin, one at its end, and here one behind each batch, which is
// synced.
void require_same_log(Totals& simulated, Totals& real, std::uint64_t batches) {
  constexpr std::uint64_t kMarkBytesMin = 12 + 8 + 1 + 1 + 1;
  constexpr std::uint64_t kMarkBytesMax = 12 + 8 + 1 + 10 + 10;
  REQUIRE(real.wal_bytes_written >= simulated.wal_bytes_written + kMarkBytesMin * batches);
  REQUIRE(real.wal_bytes_written <=
          simulated.wal_bytes_written + kMarkBytesMax * (batches + 2 * real.flushes + 2));
  simulated.wal_bytes_written = real.wal_bytes_written = 0;
}

void require_same(Run& simulated, Run& real, bool has_filters) {
  for (std::size_t i = 0; i < std::min(simulated.log.size(), real.log.size()); ++i) {
    if (simulated.log[i] == real.log[i]) continue;
    INFO("plan " << i + 1);
    REQUIRE(simulated.log[i] == real.log[i]);
  }
  REQUIRE(simulated.log.size() == real.log.size());
  REQUIRE(real.result.totals.manifest_bytes_written > 0);
  real.result.totals.manifest_bytes_written = 0;
  const OperationCounts& counts = real.result.keys->operations;
  require_same_log(simulated.result.totals, real.result.totals, counts.puts + counts.deletes);
  REQUIRE(simulated.result.totals == real.result.totals);
  REQUIRE(simulated.result.runs == real.result.runs);
  REQUIRE(simulated.result.transient == real.result.transient);
  REQUIRE(simulated.result.disk == real.result.disk);
  REQUIRE(simulated.result.live_bytes_ratio == real.result.live_bytes_ratio);
  REQUIRE(simulated.result.final_levels == real.result.final_levels);
  REQUIRE(simulated.result.keys->operations == real.result.keys->operations);
  REQUIRE(simulated.result.keys->merge_sizes == real.result.keys->merge_sizes);
  REQUIRE(simulated.result.keys->frozen == real.result.keys->frozen);
  REQUIRE(simulated.result.keys->reads.has_value() == real.result.keys->reads.has_value());
  if (real.result.keys->reads) {
    clear_chance(simulated.result, has_filters);
    clear_chance(real.result, has_filters);
    REQUIRE(simulated.result.keys->reads == real.result.keys->reads);
  }
  REQUIRE(simulated.result.parts == real.result.parts);
  REQUIRE(simulated.result.at_last_operation == real.result.at_last_operation);
  REQUIRE(simulated.result.keys->final == real.result.keys->final);
  REQUIRE(simulated.result.series == real.result.series);
  REQUIRE(real.result.files->verification->mismatches == 0);
}

// Without filters nothing is random, and every figure must be the same. The cache has a few blocks,
// so that its content differs from read to read.
ConfiguredPolicy policy_for_identity(const Spec& spec, bool has_filters) {
  Spec with = spec;
  if (!has_filters) with.parameters.emplace_back("bits_per_key", "0");
  with.parameters.emplace_back("block_cache", "2000");
  return testing::small_policy(policy_of_spec(with) ? with : spec);
}

void require_same_runs(const ConfiguredPolicy& policy, std::uint64_t seed) {
  INFO(policy.label << " seed " << seed);
  Run simulated = simulate(policy, seed);
  Run real = replay(policy, seed);
  require_same(simulated, real, policy.store.bits_per_key.numerator() > 0);
}

TEST_CASE("simulator and engine log the same plans and yield the same figures, every policy") {
  // LSMLAB_IDENTITY_SEEDS=300 runs that many workloads for each policy.
  const std::uint64_t seeds = testing::seeds_wanted("LSMLAB_IDENTITY_SEEDS", 4);
  for (const Spec& spec : testing::every_policy()) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      require_same_runs(policy_for_identity(spec, seed % 2 == 0), seed);
    }
  }
}

// Of the key at a slice's end, older versions lie in the next block.
TEST_CASE("scans end at a slice's end in simulator and engine alike") {
  for (const char* const spec :
       {"ldc:adaptive=true", "dcompaction:merge_threshold=30,read_threshold=4096"}) {
    require_same_runs(policy_for_identity(parse_spec(spec).value(), false), 3);
  }
}

std::vector<PlanRecord> records_of(const std::vector<std::string>& log) {
  std::vector<PlanRecord> records;
  for (const std::string& line : log) {
    auto record = parse_plan_record(line);
    REQUIRE(record.has_value());
    REQUIRE(plan_record_line(record.value()) == line);
    records.push_back(std::move(record).value());
  }
  return records;
}

TEST_CASE("times of the engine's merges tell how many operations came before each") {
  const Run real = replay(testing::small_policy(parse_spec("tier").value()), 1);
  std::vector<std::uint64_t> flushes;  // number of flushes before each merge
  for (const PlanRecord& record : records_of(real.log)) {
    if (record.plan == PlanKind::kMerge) flushes.push_back(record.flush);
  }
  const std::vector<MergeTime>& times = real.result.merge_times;
  REQUIRE(flushes.size() > 5);
  REQUIRE(times.size() == flushes.size());
  REQUIRE(times.front().operations_before > 0);
  REQUIRE(times.back().operations_before <= kOperations);
  for (std::size_t i = 1; i < times.size(); ++i) {
    // Merges after the same flush have no operation between them.
    const bool is_same = flushes[i] == flushes[i - 1];
    REQUIRE((times[i].operations_before == times[i - 1].operations_before) == is_same);
    REQUIRE(times[i].operations_before >= times[i - 1].operations_before);
  }
}

ConfiguredPolicy with_forced_plans(ConfiguredPolicy policy, const std::vector<std::string>& log) {
  auto plans = force_plans(policy.policy, records_of(log));
  INFO((plans ? "" : plans.error().message));
  REQUIRE(plans.has_value());
  policy.policy = std::move(plans).value();
  policy.has_forced_plans = true;
  return policy;
}

// Calls `check` for every policy with its SPEC and several workloads, and with what the policy does
// on its own.
template <class Check>
void for_free_runs(const Check& check) {
  const std::uint64_t seeds = testing::seeds_wanted("LSMLAB_FORCED_SEEDS", 2);
  for (const Spec& spec : testing::every_policy()) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const ConfiguredPolicy policy = testing::small_policy(spec);
      INFO(policy.label << " seed " << seed);
      check(spec, policy, seed, simulate(policy, seed));
    }
  }
}

TEST_CASE("a log forced on either side is the log that comes out, every policy") {
  for_free_runs([](const Spec&, const ConfiguredPolicy& policy, std::uint64_t seed,
                   const Run& free) {
    const ConfiguredPolicy bound = with_forced_plans(policy, free.log);
    Run simulated = simulate(bound, seed);
    REQUIRE(simulated.log == free.log);
    REQUIRE(simulated.result.totals.merge_bytes_written == free.result.totals.merge_bytes_written);
    Run real = replay(bound, seed);
    require_same(simulated, real, policy.store.bits_per_key.numerator() > 0);
  });
}

TEST_CASE("a log forced where entries take more, or on other data, does no harm") {
  for_free_runs([](const Spec& spec, const ConfiguredPolicy& policy, std::uint64_t seed,
                   const Run& free) {
    // Another workload: other keys and sizes, more or fewer flushes.
    const ConfiguredPolicy bound = with_forced_plans(policy, free.log);
    Run simulated = simulate(bound, seed + 100);
    Run real = replay(bound, seed + 100);
    REQUIRE(simulated.log == real.log);
    REQUIRE(real.result.files->verification->mismatches == 0);
    // The same data in larger tables: equally many flushes, and no plan that the log lacks.
    Spec larger = spec;
    larger.parameters.emplace_back("bits_per_key", "60");
    if (!policy_of_spec(larger)) return;
    const Run grown = simulate(with_forced_plans(testing::small_policy(larger), free.log), seed);
    REQUIRE(grown.result.totals.flushes == free.result.totals.flushes);
    REQUIRE(grown.log.size() == free.log.size());
    for (std::size_t i = 0; i < free.log.size(); ++i) {
      const PlanRecord a = parse_plan_record(free.log[i]).value();
      const PlanRecord b = parse_plan_record(grown.log[i]).value();
      REQUIRE(a.plan == b.plan);
      REQUIRE(a.entries_in == b.entries_in);
      REQUIRE(a.entries_out == b.entries_out);
      REQUIRE(a.outputs.size() == b.outputs.size());
    }
  });
}

}  // namespace
}  // namespace lsmlab::identity_test
