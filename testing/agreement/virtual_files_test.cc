// Virtual files made, cut, joined, moved, linked to and merged at random, by a policy that exists
// only here. The store oracle follows every plan; the engine must log the same plans; and the log
// forced on either side must come out again.
#include <random>
#include <string>
#include <vector>

#include "engine/replay/engine_replay.h"
#include "models/execution/forced_plans.h"
#include "models/execution/plan_log.h"
#include "models/tree/tree_query.h"
#include "sim/keys/simulate_keys.h"
#include "sim/ranges/simulate_ranges.h"
#include "testing/catch.h"
#include "testing/engine/fault_file_system.h"
#include "testing/every_policy.h"
#include "testing/oracles/store_oracle.h"
#include "testing/random_operations.h"

namespace lsmlab::virtual_files_test {
namespace {

// Draws from what the tree holds, so that equal trees give equal plans.
class RandomVirtual final : public Policy {
 public:
  [[nodiscard]] PolicyNeeds needs() const override { return PolicyNeeds::kKeys; }

  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    if (tree.pending_flush()) return Plan{PlanReason::kMemtableFull, FlushPlan{{0, {}}}, {}};
    if (tree.levels().empty()) return std::nullopt;
    std::mt19937_64 random(seed_of(tree));
    if (!tree.levels()[0].runs.empty()) return empty_level0(tree, random);
    if (newest_run(tree, 1) == nullptr || tree.levels()[1].cursor == tree.flush_count()) {
      return std::nullopt;
    }
    Plan plan = change_level1(tree, random);
    plan.cursors = {{1, tree.flush_count()}};  // one for each flush
    return plan;
  }

 private:
  static std::uint64_t seed_of(const TreeView& tree) {
    std::uint64_t seed = tree.flush_count();
    for (const Level& level : tree.levels()) {
      for (const SortedRun& run : level.runs) {
        for (const File& file : run.files) {
          seed = seed * 0x9E3779B97F4A7C15 + file.id.value() + file.slices.size();
        }
      }
    }
    return seed;
  }

  static std::vector<std::uint64_t> cuts_in(const KeyRange& keys, std::mt19937_64& random) {
    std::vector<std::uint64_t> cuts;
    for (std::uint64_t i = random() % 4; i > 0; --i) {
      cuts.push_back(keys.smallest + random() % (keys.largest - keys.smallest + 1));
    }
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    return cuts;
  }

  // Virtual, or for real and in files that end at the same keys.
  static Plan merge_of(std::vector<PlanInput> inputs, OutputTarget target, const KeyRange& keys,
                       std::mt19937_64& random) {
    std::vector<std::uint64_t> cuts = cuts_in(keys, random);
    if (random() % 3 > 0) {
      return {
          PlanReason::kLevelSaturated, ReferPlan{std::move(inputs), target, std::move(cuts)}, {}};
    }
    MergePlan merge;
    merge.inputs = std::move(inputs);
    merge.target = target;
    merge.cut.file_begins = std::move(cuts);
    return {PlanReason::kLevelSaturated, std::move(merge), {}};
  }

  static Plan empty_level0(const TreeView& tree, std::mt19937_64& random) {
    const SortedRun& oldest = tree.levels()[0].runs.back();
    const KeyRange keys = range_of(oldest.files);
    std::vector<PlanInput> inputs{input_of(0, oldest, oldest.files)};
    const SortedRun* const below = newest_run(tree, 1);
    if (below == nullptr) return merge_of(std::move(inputs), {1, std::nullopt}, keys, random);
    LinkPlan link{inputs.front(), {}};
    bool can_link = random() % 2 == 0;
    for (std::size_t i = 0; i < below->files.size(); ++i) {
      if (!responsible_range(*below, i).overlaps(keys)) continue;
      link.lower_files.push_back(below->files[i].id);
      can_link = can_link && below->files[i].is_virtual;
    }
    if (can_link) return {PlanReason::kLevelSaturated, std::move(link), {}};
    // All of level 1, of which slices may reach beyond the last file.
    inputs.push_back(input_of(1, *below, below->files));
    return merge_of(std::move(inputs), {1, below->id}, keys, random);
  }

  static Plan change_level1(const TreeView& tree, std::mt19937_64& random) {
    const SortedRun& run = *newest_run(tree, 1);
    const std::size_t index = random() % run.files.size();
    const File& file = run.files[index];
    const std::vector<PlanInput> alone{{1, run.id, {file.id}}};
    switch (random() % 5) {
      case 0:
        return merge_of(alone, {1, run.id}, file.keys, random);
      case 1:
        return {
            PlanReason::kRangeSize, ReferPlan{alone, {1, run.id}, cuts_in(file.keys, random)}, {}};
      case 2: {
        const std::size_t last = std::min(run.files.size(), index + 1 + random() % 3);
        return {PlanReason::kRangeSize,
                ReferPlan{{input_of(1, run, FileSpan(run.files, index, last))}, {1, run.id}},
                {}};
      }
      case 3:
        if (file.is_virtual) return merge_newest(alone, file, run, random);
        break;
      default:
        break;
    }
    return push_down(tree, run, random);
  }

  static Plan merge_newest(const std::vector<PlanInput>& inputs, const File& file,
                           const SortedRun& run, std::mt19937_64& random) {
    MergePlan merge;
    merge.inputs = inputs;
    merge.target = {1, run.id};
    merge.newest_slices = 1 + random() % file.slices.size();
    merge.drops_tombstones = merge.newest_slices == file.slices.size();
    return {PlanReason::kSortedRunCount, std::move(merge), {}};
  }

  // All of level 1: moved into an empty level 2, or merged with level 2.
  static Plan push_down(const TreeView& tree, const SortedRun& run, std::mt19937_64& random) {
    std::vector<PlanInput> inputs{input_of(1, run, run.files)};
    const SortedRun* const below = newest_run(tree, 2);
    if (below == nullptr) {
      return {PlanReason::kLevelSaturated, MovePlan{std::move(inputs), {2, std::nullopt}}, {}};
    }
    inputs.push_back(input_of(2, *below, below->files));
    return merge_of(std::move(inputs), {2, below->id}, range_of(run.files), random);
  }
};

ConfiguredPolicy random_virtual() {
  ConfiguredPolicy policy = testing::small_policy(parse_spec("leveled").value());
  policy.policy = std::make_shared<const RandomVirtual>();
  return policy;
}

constexpr std::uint64_t kOperations = 700;

struct Run {
  RunResult result;
  std::vector<std::string> log;
};

Run simulate(const ConfiguredPolicy& policy, std::uint64_t seed, StoreObserver* observer) {
  Run run;
  RunSetup setup = default_setup(policy);
  setup.log = [&](const PlanRecord& record) { run.log.push_back(plan_record_line(record)); };
  testing::RandomOperations source(seed, kOperations);
  RunControl control;
  auto result = simulate_keys(setup, source, control, observer);
  REQUIRE(result.has_value());
  run.result = std::move(result).value();
  return run;
}

Run replay(const ConfiguredPolicy& policy, std::uint64_t seed) {
  Run run;
  engine::FaultFileSystem files(seed);
  RunSetup setup = default_setup(policy);
  setup.options.source = RunSource::kEngine;
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
  REQUIRE(run.result.files->verification->mismatches == 0);
  return run;
}

TEST_CASE("random virtual files: no key is lost, no delete undone, every byte is accounted for") {
  Totals seen;
  std::uint64_t partial = 0;
  const std::uint64_t seeds = testing::seeds_wanted("LSMLAB_ORACLE_SEEDS", 60);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    INFO("seed " << seed);
    const ConfiguredPolicy policy = random_virtual();
    testing::StoreOracleOptions options;
    options.store = policy.store;
    options.flush_keeps_overwritten = flush_keeps_overwritten(*policy.policy, policy.store);
    options.keys_read = 30;
    testing::StoreOracle oracle(options);
    const Run run = simulate(policy, seed, &oracle);
    INFO(oracle.fault());
    REQUIRE(oracle.fault().empty());
    seen.refers += run.result.totals.refers;
    seen.merges += run.result.totals.merges;
    seen.moves += run.result.totals.moves;
    seen.links += run.result.totals.links;
    seen.tombstones_dropped += run.result.totals.tombstones_dropped;
    for (const std::string& line : run.log) partial += line.find("\"into\":") != std::string::npos;
  }
  REQUIRE(seen.refers > seeds);
  REQUIRE(seen.merges > seeds);
  REQUIRE(seen.links > seeds);
  REQUIRE(seen.moves > 0);
  REQUIRE(seen.tombstones_dropped > 0);
  REQUIRE(partial > 0);
}

TEST_CASE("random virtual files: the engine logs the same plans, and a forced log comes out") {
  for (std::uint64_t seed = 1; seed <= testing::seeds_wanted("LSMLAB_IDENTITY_SEEDS", 12); ++seed) {
    INFO("seed " << seed);
    ConfiguredPolicy policy = random_virtual();
    const Run simulated = simulate(policy, seed, nullptr);
    const Run real = replay(policy, seed);
    REQUIRE(simulated.log == real.log);
    REQUIRE(simulated.result.disk == real.result.disk);
    REQUIRE(simulated.result.keys->frozen == real.result.keys->frozen);
    std::vector<PlanRecord> records;
    for (const std::string& line : simulated.log) {
      records.push_back(parse_plan_record(line).value());
      REQUIRE(plan_record_line(records.back()) == line);
    }
    auto forced = force_plans(policy.policy, records);
    INFO((forced ? "" : forced.error().message));
    REQUIRE(forced.has_value());
    policy.policy = std::move(forced).value();
    policy.has_forced_plans = true;
    REQUIRE(simulate(policy, seed, nullptr).log == simulated.log);
    REQUIRE(replay(policy, seed).log == simulated.log);
    // Other data: no plan may do harm.
    REQUIRE(simulate(policy, seed + 100, nullptr).log == replay(policy, seed + 100).log);
  }
}

}  // namespace
}  // namespace lsmlab::virtual_files_test
