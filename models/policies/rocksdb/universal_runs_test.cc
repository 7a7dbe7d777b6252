// Which outputs of rocksdb-universal are compressed, and merges of one level by command.
#include "models/policies/rocksdb/universal_runs.h"

#include "models/policies/registry.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::universal_runs_test {
namespace {

// Files 1, 2, ... of level 0 with these sizes, newest first; then one of level 6.
std::vector<DrawnFile> runs(const std::vector<std::uint64_t>& level0, std::uint64_t last = 0) {
  std::vector<DrawnFile> files;
  for (const std::uint64_t bytes : level0) files.push_back({0, files.size() + 1, 10, 90, bytes});
  if (last > 0) files.push_back({6, files.size() + 1, 10, 90, last});
  return files;
}

std::shared_ptr<const Policy> policy_of(const std::string& options) {
  return make_policy(parse_spec("rocksdb-universal:" + options).value()).value().policy;
}

// A merge of the newest `count` runs of level 0.
Plan merge_of(const DrawnTree& tree, std::size_t count, PlanReason reason) {
  MergePlan merge;
  for (std::size_t i = 0; i < count; ++i) {
    const SortedRun& run = tree.view().levels()[0].runs[i];
    merge.inputs.push_back({0, run.id, {run.files.front().id}});
  }
  return {reason, std::move(merge), {}};
}

bool compresses(const std::string& options, const DrawnTree& tree, std::size_t count,
                PlanReason reason = PlanReason::kSizeRatio) {
  return policy_of(options)->compresses(tree.view(), merge_of(tree, count, reason));
}

TEST_CASE("with compression_size_percent RocksDB's flushes are uncompressed") {
  const DrawnTree tree(runs({10, 10}));
  const Plan flush{PlanReason::kMemtableFull, FlushPlan{{0, std::nullopt}}, {}};
  REQUIRE(policy_of("l0_trigger=4")->compresses(tree.view(), flush));
  for (const std::string percent : {"0", "50", "100", "1000000"}) {
    REQUIRE_FALSE(policy_of("compression_size_percent=" + percent)->compresses(tree.view(), flush));
  }
}

TEST_CASE("a merge is uncompressed from an exact share of older bytes on") {
  // 60 of 120 bytes are older than the two newest runs.
  const DrawnTree tree(runs({30, 30, 20}, 40));
  REQUIRE(compresses("l0_trigger=4", tree, 2));
  REQUIRE_FALSE(compresses("compression_size_percent=0", tree, 2));
  REQUIRE_FALSE(compresses("compression_size_percent=49", tree, 2));
  REQUIRE_FALSE(compresses("compression_size_percent=50", tree, 2));
  REQUIRE(compresses("compression_size_percent=51", tree, 2));
  REQUIRE(compresses("compression_size_percent=100", tree, 2));
  // 40 of 120 are a third.
  REQUIRE_FALSE(compresses("compression_size_percent=33", tree, 3));
  REQUIRE(compresses("compression_size_percent=34", tree, 3));
}

TEST_CASE("a merge that takes the oldest run is compressed") {
  const DrawnTree tree(runs({30, 30}));
  for (const PlanReason reason : {PlanReason::kSizeRatio, PlanReason::kSortedRunCount}) {
    REQUIRE(compresses("compression_size_percent=0", tree, 2, reason));
  }
}

TEST_CASE("compression_size_percent counts for merges by size ratio and by count alone") {
  const DrawnTree tree(runs({30, 30, 20}, 1000));
  const std::string options = "compression_size_percent=0";
  REQUIRE_FALSE(compresses(options, tree, 2, PlanReason::kSizeRatio));
  REQUIRE_FALSE(compresses(options, tree, 2, PlanReason::kSortedRunCount));
  for (const PlanReason reason :
       {PlanReason::kSpaceAmplification, PlanReason::kPeriodic, PlanReason::kManual}) {
    REQUIRE(compresses(options, tree, 2, reason));
  }
}

TEST_CASE("all runs count with the surcharge for tombstones, older ones without") {
  // File 1 has as many bytes of values as its 80 tombstones would delete, so that it counts for
  // more than its 100 bytes; the mean value has 10 bytes.
  std::vector<DrawnFile> files = runs({100, 100, 100});
  files[0].entries = files[0].tombstones = 80;
  files[1].entries = files[2].entries = 10;
  files[1].value_bytes = files[2].value_bytes = 100;
  const DrawnTree tree(files);
  const std::vector<UniversalRun> all = universal_runs(tree.view());
  std::uint64_t compensated = 0;
  for (const UniversalRun& run : all) compensated += run.compensated_bytes;
  REQUIRE(compensated > 300);
  const std::uint64_t share = 100 * 100 / compensated;  // of the oldest run, rounded down
  REQUIRE_FALSE(compresses("compression_size_percent=" + std::to_string(share), tree, 2));
  REQUIRE(compresses("compression_size_percent=" + std::to_string(share + 1), tree, 2));
}

TEST_CASE("an uncompressed output has no codec, whatever the store says") {
  ConfiguredPolicy named =
      make_policy(
          parse_spec("rocksdb-universal:compression_size_percent=50,compression=none:lz4@0.5,"
                     "bottommost_compression=zstd@0.25,table_format=rocksdb")
              .value())
          .value();
  const DrawnTree tree(runs({30, 30, 20}, 40));
  const auto format = [&](const Plan& plan) {
    return output_format(*named.policy, named.store, tree.view(), plan, Entries(1)).compression;
  };
  REQUIRE(format(merge_of(tree, 2, PlanReason::kSizeRatio)) == BlockCompression{});
  Plan down = merge_of(tree, 3, PlanReason::kSizeRatio);
  std::get<MergePlan>(down.action).target.level = 5;
  REQUIRE(format(down).codec == Compression::kLz4);
  REQUIRE(format({PlanReason::kMemtableFull, FlushPlan{{0, std::nullopt}}, {}}) ==
          BlockCompression{});
}

}  // namespace
}  // namespace lsmlab::universal_runs_test
