// A store whose merges leave copies: lookups through them are right, they survive reopening and
// checkpoints, and trims remove their files.
#include <algorithm>

#include "engine/store/store_check.h"
#include "testing/engine/store_fixture.h"

namespace lsmlab::engine::copies_test {
namespace {

using testing::kDirectory;
using testing::RandomBatches;
using testing::StoreModel;

constexpr const char* kPolicy =
    "lsbm:l0_size=900,l0_compaction_trigger=700,size_ratio=2,compaction_buffer=on,trim_flushes=4,"
    "hot_file_percent=30,block_cache=4000";

StoreSetup setup_of(FileSystem& files, const std::string& policy = kPolicy) {
  StoreSetup setup = testing::small_setup(policy, files);
  setup.sync = SyncRule::kEveryBatch;
  setup.manifest_bytes_max = Bytes(8'000);
  return setup;
}

std::size_t tables_on_disk(FileSystem& files) {
  const auto names = files.list(kDirectory);
  REQUIRE(names);
  return static_cast<std::size_t>(
      std::count_if(names.value().begin(), names.value().end(),
                    [](const std::string& name) { return name.ends_with(".sst"); }));
}

std::size_t tables_named(const TreeImage& tree) {
  std::size_t tables = tree.frozen_files.size();
  for (const Level& level : tree.levels) {
    for (const SortedRun& run : level.runs) tables += run.files.size();
  }
  return tables;
}

TEST_CASE("lookups through copies are right, and copies survive reopening") {
  std::uint64_t reopened_with_copies = 0;
  std::uint64_t trims = 0;
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    INFO("seed " << seed);
    FaultFileSystem files;
    StoreSetup setup = setup_of(files);
    setup.log = [&](const PlanRecord& record) { trims += record.trimmed.size(); };
    RandomBatches batches(seed);
    StoreModel model;
    for (int opening = 0; opening < 6; ++opening) {
      auto store = Store::open(kDirectory, setup);
      INFO((store ? "" : store.error().message));
      REQUIRE(store);
      for (int i = 0; i < 250; ++i) {
        REQUIRE(testing::write_and_note(*store.value(), model, batches.batch(), true));
        const std::string key = batches.key();
        const auto found = store.value()->get(key);
        REQUIRE(found);
        const auto wanted = model.newest().find(key);
        REQUIRE(found.value().has_value() == (wanted != model.newest().end()));
        if (found.value()) REQUIRE(*found.value() == wanted->second);
      }
      REQUIRE(testing::gets_differ(*store.value(), model.newest()).empty());
      REQUIRE(testing::scan_all(*store.value()).value() == model.newest());
      REQUIRE(testing::tree_fault(*store.value()).empty());
      const TreeImage tree = store.value()->tree_image();
      reopened_with_copies += tree.frozen_files.empty() ? 0u : 1u;
      REQUIRE(store.value()->close());
      REQUIRE(tables_on_disk(files) == tables_named(tree));
      const auto report = check_store(files, kDirectory);
      REQUIRE(report);
      REQUIRE(report.value().faults.empty());
      REQUIRE(report.value().frozen.files == tree.frozen_files.size());
    }
  }
  REQUIRE(reopened_with_copies > 5);
  REQUIRE(trims > 20);
}

}  // namespace
}  // namespace lsmlab::engine::copies_test
