#include "models/theory/delete_aware_costs.h"

#include <algorithm>
#include <cmath>

#include "testing/catch.h"

namespace lsmlab::delete_aware_costs_test {
namespace {

// 100 bytes an entry, a memtable of a million: 100 memtables are 90 to the level above the last.
DeleteAwareModelInput small_store() { return {10, 1e6, 100, 1e6, 40, 1e7}; }

TEST_CASE("Table 1 of the delete-aware thesis, by hand") {
  const DeleteAwareModelCost leveled = delete_aware_cost(small_store(), MergeLayout::kLeveled);
  REQUIRE(leveled.levels == 2);
  REQUIRE(leveled.lookup_blocks == Approx(2 * std::pow(0.6185, 10)).epsilon(1e-3));
  REQUIRE(leveled.scan_runs == 2);
  REQUIRE(leveled.update_blocks == 10 * 2 / 40.0);
  const DeleteAwareModelCost tiered = delete_aware_cost(small_store(), MergeLayout::kTiered);
  REQUIRE(tiered.lookup_blocks == Approx(10 * leveled.lookup_blocks));
  REQUIRE(tiered.scan_runs == 20);
  REQUIRE(tiered.update_blocks == 2 / 40.0);
}

TEST_CASE("levels count by size ratios of full levels, and there is always one") {
  DeleteAwareModelInput input = small_store();
  // 1,000 memtables of 9/10: log10(900) is between 2 and 3.
  input.entries = 1e7;
  REQUIRE(delete_aware_cost(input, MergeLayout::kLeveled).levels == 3);
  input.entries = 10;
  REQUIRE(delete_aware_cost(input, MergeLayout::kLeveled).levels == 1);
}

TEST_CASE("fewer redundant entries leave more filter bits for each, and fewer levels") {
  ModelledRun run;
  run.policy_options = {{"size_ratio", std::uint64_t{10}},
                        {"buffer", std::uint64_t{1'000'000}},
                        {"block_size", std::uint64_t{4'000}},
                        {"bits_per_key", 10.0}};
  run.entries = 2'000'000;
  run.entry_bytes = 100;
  run.live_share = 0.5;
  const std::vector<CostFigure> figures = delete_aware_leveled_model(run);
  const auto value = [&](CostKind kind) {
    const auto figure = std::find_if(figures.begin(), figures.end(),
                                     [&](const CostFigure& own) { return own.kind == kind; });
    REQUIRE(figure != figures.end());
    return figure->value;
  };
  REQUIRE(value(CostKind::kLevels) == 3);
  REQUIRE(value(CostKind::kScanRunsLive) == 2);
  REQUIRE(value(CostKind::kLookupAbsentBlocks) == Approx(3 * std::pow(0.6185, 10)).epsilon(1e-3));
  REQUIRE(value(CostKind::kLookupAbsentBlocksLive) ==
          Approx(2 * std::pow(0.6185, 20)).epsilon(2e-3));
  REQUIRE(value(CostKind::kUpdateBlocks) == Approx(10 * 3 / 40.0));
  run.entries = 0;
  REQUIRE(delete_aware_leveled_model(run).empty());
}

}  // namespace
}  // namespace lsmlab::delete_aware_costs_test
